// The tarball of rejitter-lab: what is in it, what is not, and what it weighs in a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { linkedCrates } from '../../xtask/npm/notices.mjs';
import { weigh } from '../../tests/package/lib/budgets.mjs';
import { bundleOf } from '../../tests/package/lib/bundle.mjs';
import { installed, installedLab, labTarball } from '../../tests/package/lib/consumer.mjs';
import { HOSTS, checkFiles, checkTexts, checkTraces, chosen, packedIn } from '../../tests/package/lib/packed.mjs';

const packed = packedIn(installedLab);
const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const manifest = manifestIn(installedLab);

test('the files are these and no others, and none is executable', () =>
  checkFiles(packed, [
    ...['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'THIRD-PARTY-NOTICES', 'package.json', 'lab.wasm'],
    ...['index.js', 'index.cjs', 'index.workerd.js', 'index.edge-light.js'],
    ...['index', 'simulations'].flatMap((name) => [`${name}.d.ts`, `${name}.d.cts`]),
  ]));

test('no file tells where it was built', () => checkTraces(packed));

test('code has no comments and no source map, and no text has stray line ends', () => checkTexts(packed));

test('the manifest: its peer in the same version, no scripts, no other dependencies, nothing private', () => {
  const { version, ...peer } = manifestIn(installed);
  const { name, peerDependencies, homepage, bugs, repository } = manifest;
  assert.deepEqual([name, manifest.version, peerDependencies], ['rejitter-lab', version, { rejitter: `^${version}` }]);
  assert.deepEqual([homepage, bugs], [peer.homepage, peer.bugs]);
  assert.deepEqual(repository, { ...peer.repository, directory: 'lab' });
  for (const field of ['license', 'type', 'sideEffects', 'engines']) assert.deepEqual(manifest[field], peer[field]);
  const kinds = ['d', 'devD', 'optionalD', 'bundledD'].map((kind) => `${kind}ependencies`);
  for (const field of ['scripts', ...kinds, 'private', 'bin', 'gypfile'])
    assert.equal(manifest[field], undefined, field);
});

/** Host → the file that it imports, and requires; all others take the first two. */
const CHOICES = {
  Node: ['index.js', 'index.js'],
  'Node without require(esm)': ['index.js', 'index.cjs'],
  Deno: ['index.js', 'index.cjs'],
  'esbuild, neutral': ['index.js', 'index.cjs'],
  workerd: ['index.workerd.js', 'index.workerd.js'],
  'the edge runtime': ['index.edge-light.js', 'index.cjs'],
  'Jest, node': ['index.js', 'index.cjs'],
  'Jest, jsdom': ['index.js', 'index.cjs'],
};

test('each host gets the form that it can compile', () => {
  const { types, ...exports } = manifest.exports['.'];
  for (const host of Object.keys(HOSTS)) {
    const found = ['import', 'require'].map((how) => chosen(exports, HOSTS[host][how])?.slice(2));
    assert.deepEqual(found, CHOICES[host] ?? CHOICES.Node, host);
  }
  assert.deepEqual([types.default, types.require], ['./index.d.ts', './index.d.cts']);
});

test('the notices are those of the crates in the WebAssembly', () => {
  const { body } = packed.find(({ name }) => name === 'THIRD-PARTY-NOTICES');
  const crates = linkedCrates();
  assert.ok(crates.length > 3);
  for (const { name, version } of crates) assert.ok(body.includes(`\n${name} ${version} (`), name);
});

test('the size of the tarball, and in a page', async (t) => {
  const { length } = readFileSync(labTarball);
  const page = await bundleOf("export * from 'rejitter-lab';", { platform: 'browser' });
  const { brotli } = weigh(Buffer.from(page));
  t.diagnostic(`tarball ${length} B, in a page ${brotli} B of brotli`);
  assert.ok(length <= 330_000, `the tarball has ${length} B`);
  // With the long texts of errors, also in production, and with rejitter.
  assert.ok(brotli <= 106_600 && brotli > 0.97 * 106_600, `${brotli} B of brotli`);
});
