// Nothing is thrown and caught on an ordinary way: an error takes its stack along, which costs more than a retry.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { here, project, run } from '../lib/consumer.mjs';

test('no error is thrown and caught on an ordinary way', async () => {
  const code = readFileSync(join(here, 'engine/exceptions.mjs'), 'utf8');
  const cwd = project('exceptions', { 'main.mjs': code });
  const { stdout, stderr } = await run(process.execPath, ['main.mjs'], { cwd });
  assert.deepEqual(Object.keys(JSON.parse(stdout || stderr)), ['a mistake'], stdout);
});
