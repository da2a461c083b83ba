import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hexOf } from './wasm-text.mjs';

// What else the build makes, the tests of the package find.
test('hexadecimal digits are whole steps of eight bytes, and a wasm file still', () => {
  const header = [0, 97, 115, 109, 1, 0, 0, 0];
  for (let length = 0; length < 9; length++) {
    // A section without a name, of this length.
    const bytes = Uint8Array.from([...header, 0, length + 1, 0, ...Array(length).fill(7)]);
    const padded = Buffer.from(hexOf(bytes), 'hex');
    assert.deepEqual([padded.length % 8, padded.subarray(0, bytes.length)], [0, Buffer.from(bytes)]);
    assert.ok(WebAssembly.validate(padded), `${length}`);
  }
});
