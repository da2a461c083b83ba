import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { FILE, linkedCrates, noticesOf } from './notices.mjs';

const LINKED = linkedCrates();

test('the notices are those of the crates in Cargo.lock, without macros', () => {
  assert.ok(LINKED.some(({ name }) => name === 'wasm-bindgen') && LINKED.every(({ name }) => name !== 'serde_derive'));
  assert.equal(readFileSync(FILE, 'utf8'), noticesOf(LINKED), 'renew them with `node xtask/npm/notices.mjs`');
});

test('no licence asks for more than its text', () => {
  // Any other kind is for a person to read first.
  for (const { name, license } of LINKED) assert.match(license, /\bMIT\b/, name);
});
