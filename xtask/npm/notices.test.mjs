import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { FILE, linkedCrates, noticesOf } from './notices.mjs';

const folder = mkdtempSync(join(tmpdir(), 'notices-'));
after(() => rmSync(folder, { recursive: true }));

const LINKED = linkedCrates();

test('the notices are those of the crates in Cargo.lock, without macros', () => {
  assert.ok(LINKED.some(({ name }) => name === 'wasm-bindgen') && LINKED.every(({ name }) => name !== 'serde_derive'));
  assert.equal(readFileSync(FILE, 'utf8'), noticesOf(LINKED), 'renew them with `node xtask/npm/notices.mjs`');
});

test('no licence asks for more than its text', () => {
  // Any other kind is for a person to read first.
  for (const { name, license } of LINKED) assert.match(license, /\bMIT\b/, name);
});

test('a text stands once, and of two licences the MIT one; a crate without any is an error', () => {
  const crate = (name) => ({ name, version: '1.0.0', license: 'MIT', manifest_path: join(folder, 'Cargo.toml') });
  assert.throws(() => noticesOf([crate('a')]), /has no licence file/);
  writeFileSync(join(folder, 'LICENSE-MIT'), 'Copyright A\r\n');
  writeFileSync(join(folder, 'LICENSE-APACHE'), 'Apache');
  const text = noticesOf([crate('a'), crate('b')]);
  assert.ok(text.endsWith('\na 1.0.0 (MIT)\nb 1.0.0 (MIT)\n\nCopyright A\n'), text);
  assert.doesNotMatch(text, /\r|^Apache$/m);
});
