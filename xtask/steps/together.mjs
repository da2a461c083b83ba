// Test files in one process: a process of its own for each would start Node, and load the package, again. The tests of
// a suite wait until it is declared, so no file is loaded while a test changes the host.

import { describe, test } from 'node:test';

import { LIMIT_MS } from '../run/command.mjs';

// Just before its process is ended, a step that hangs says which test it is in.
describe('all files', { timeout: LIMIT_MS - 60_000 }, async () => {
  for (const file of process.argv.slice(2))
    await import(file).catch((error) => test(`${file} is loaded`, () => Promise.reject(error)));
});
