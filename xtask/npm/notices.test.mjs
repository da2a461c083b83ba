import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { FILE, linkedCrates, metadata, noticesOf } from './notices.mjs';

const folder = mkdtempSync(join(tmpdir(), 'notices-'));
after(() => rmSync(folder, { recursive: true }));

test('the notices are those of the crates in Cargo.lock', () => {
  const crates = linkedCrates(metadata());
  assert.ok(crates.some(({ name }) => name === 'wasm-bindgen') && crates.every(({ name }) => name !== 'serde_derive'));
  assert.equal(readFileSync(FILE, 'utf8'), noticesOf(crates), 'renew them with `node xtask/npm/notices.mjs`');
});

test('no licence asks for more than its text', () => {
  // Any other kind is for a person to read first.
  for (const { name, license } of linkedCrates(metadata())) assert.match(license, /\bMIT\b/, name);
});

/** A crate, and the crates that it depends on by kind, as cargo prints them. */
const crate = (name, kind = 'lib') => ({
  id: name,
  name,
  version: '1.0.0',
  license: 'MIT',
  manifest_path: join(folder, 'Cargo.toml'),
  targets: [{ kind: [kind] }],
});
const node = (id, deps = {}) => ({
  id,
  deps: Object.entries(deps).map(([pkg, kind]) => ({ pkg, dep_kinds: [{ kind }] })),
});

test('lists linked crates and their dependencies, but not build scripts, tests or macros', () => {
  const packages = [
    crate('rejitter'),
    crate('b'),
    crate('a'),
    crate('script'),
    crate('tester'),
    crate('macro', 'proc-macro'),
    crate('of-macro'),
  ];
  const nodes = [
    node('rejitter', { b: null, script: 'build', tester: 'dev', macro: null }),
    node('b', { a: null }),
    node('a'),
    node('macro', { 'of-macro': null }),
    node('script'),
    node('tester'),
    node('of-macro'),
  ];
  assert.deepEqual(
    linkedCrates({ packages, resolve: { nodes } }).map(({ name }) => name),
    ['a', 'b'],
  );
});

test('a text stands once, and of two licences the MIT one; a crate without any is an error', () => {
  assert.throws(() => noticesOf([crate('a')]), /has no licence file/);
  writeFileSync(join(folder, 'LICENSE-MIT'), 'Copyright A\r\n');
  writeFileSync(join(folder, 'LICENSE-APACHE'), 'Apache');
  const text = noticesOf([crate('a'), crate('b')]);
  assert.ok(text.endsWith('\na 1.0.0 (MIT)\nb 1.0.0 (MIT)\n\nCopyright A\n'), text);
  assert.doesNotMatch(text, /\r|^Apache$/m);
});
