// The sample for library authors, with all that its users may pass.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { transform } from '../../../xtask/npm/esbuild.mjs';
import { importPackage, project } from '../lib/consumer.mjs';
import { blocks, documents } from '../lib/readers.mjs';

const { RetryPolicy } = await importPackage();

/** The attempts of a call that always fails, by what the user passes. */
const ATTEMPTS = [
  [3, {}],
  [3, { retry: undefined }],
  [3, { retry: null }],
  [1, { retry: false }],
  [2, { retry: 2 }],
  [2, { retry: { maxAttempts: 2 } }],
  [3, { retry: { maxAttempts: undefined } }],
  [4, { retry: new RetryPolicy({ maxAttempts: 4, baseMs: 0, capMs: 0 }) }],
];

test('the sample for library authors makes the attempts that its users ask for', async () => {
  const [{ code }] = blocks(documents.get('docs/guide/library-authors.md'));
  const sample = (await transform(code, { loader: 'ts' })).code.replace(/^console\.log.*$/m, '');
  const dir = project('library', {
    'api.mjs':
      "export const calls = []; export const callApi = async (path) => { calls.push(path); throw Error('busy'); };",
  });
  // Without waits, which are not what is tested.
  writeFileSync(join(dir, 'client.mjs'), sample.replace('maxAttempts: 3', 'maxAttempts: 3, baseMs: 0, capMs: 0'));
  const { Client } = await import(pathToFileURL(join(dir, 'client.mjs')).href);
  const { calls } = await import(pathToFileURL(join(dir, 'api.mjs')).href);
  for (const [attempts, options] of ATTEMPTS) {
    calls.length = 0;
    await assert.rejects(new Client(options).user(7), /^Error: busy$/);
    assert.equal(calls.length, attempts, JSON.stringify(options));
  }
  assert.throws(() => new Client({ retry: { maxAttempts: 0 } }), /^RangeError: rejitter: maxAttempts must be/);
});
