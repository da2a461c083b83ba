import assert from 'node:assert/strict';
import { test } from 'node:test';

import { untraceable } from './untraceable.mjs';

const HASH = '0123456789abcdef0123456789abcdef01234567';
const clean = (text) => untraceable(Buffer.from(text, 'latin1'), '/home/me/.cargo').toString('latin1');

test('folders become dots, the file stays as long, other bytes stay', () => {
  const given = `\x00\xffpanic/rustc/${HASH}/library/core/src/fmt/mod.rs/home/me/.cargo/registry/src/index-1/serde-1.0.0/src/lib.rs\x80`;
  const found = clean(given);
  assert.equal(found.length, given.length);
  assert.match(found, /^\x00\xffpanic\.+core\/src\/fmt\/mod\.rs\.+serde-1\.0\.0\/src\/lib\.rs\x80$/);
});

test('throws if a machine path is left', () => {
  assert.throws(() => clean('/home/other/.cargo/registry/src/x/y.rs'), /a path is left: \/\.cargo/);
  assert.throws(() => clean('/rustc/nightly/library/core/src/lib.rs'), /a path is left: \/rustc/);
});
