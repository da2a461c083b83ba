// wasm-pack build --target nodejs: a CommonJS package for Node.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { expected, use } from './use.mjs';

const out = process.env.WASM_PACK_OUT;

test('retries when it is required', async () => {
  assert.deepEqual(await use(createRequire(import.meta.url)(out)), expected);
});

test('retries when it is imported', async () => {
  const { main } = createRequire(import.meta.url)(join(out, 'package.json'));
  const { default: api } = await import(pathToFileURL(join(out, main)).href);
  assert.deepEqual(await use(api), expected);
});
