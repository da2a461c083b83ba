// The lock files pin what developers and the build install: by hash, from the registry that the reader's npm is set up
// for, without scripts.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { repo } from '../lib/consumer.mjs';

/** The files with this name in the repository, those that are not committed yet included. */
const filesNamed = (name) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', `:(glob)**/${name}`], { cwd: repo, encoding: 'utf8' })
    .trim()
    .split('\n');

/** The entries of a package-lock.json whose hash is missing, or which name a place; but for our own folders. */
const problemsIn = ({ packages }) =>
  Object.entries(packages).filter(([path, { integrity, resolved, link }]) => {
    const own = ['', ...(packages[''].workspaces ?? [])];
    const pinned = /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) && resolved === undefined && !link;
    return !pinned && !own.includes(path) && !own.includes(resolved);
  });

/** Folders that npm installs: the build and the page wait for the fewest packages that they can. */
const ROOTS = { '': 500, 'www/': 30, 'xtask/npm/': 10 };

test('in each lock file, every package has its hash and names no place to download from', () => {
  assert.deepEqual(
    filesNamed('package-lock.json').sort(),
    Object.keys(ROOTS).map((folder) => `${folder}package-lock.json`),
  );
  for (const [folder, least] of Object.entries(ROOTS)) {
    const lock = JSON.parse(readFileSync(join(repo, folder, 'package-lock.json'), 'utf8'));
    assert.equal(lock.lockfileVersion, 3);
    assert.ok(Object.keys(lock.packages).length > least, folder);
    assert.deepEqual(problemsIn(lock), []);
  }
});

test('npm runs no scripts of packages, and no folder finds the packages of another', () => {
  assert.deepEqual(
    filesNamed('.npmrc').sort(),
    Object.keys(ROOTS).map((folder) => `${folder}.npmrc`),
  );
  for (const folder of Object.keys(ROOTS)) {
    const settings = readFileSync(join(repo, folder, '.npmrc'), 'utf8').split('\n');
    for (const line of ['ignore-scripts=true', 'omit-lockfile-registry-resolved=true', 'install-strategy=linked'])
      assert.ok(settings.includes(line), line);
  }
});

/** The crates of a lock file, and the names of those that do not come from crates.io with their hash. */
function cratesOf(lock) {
  const packages = readFileSync(join(repo, lock), 'utf8').split('[[package]]\n').slice(1);
  const PINNED =
    /^source = "registry\+https:\/\/github\.com\/rust-lang\/crates\.io-index"\nchecksum = "[0-9a-f]{64}"$/m;
  const others = packages.filter((text) => !PINNED.test(text));
  return { packages, own: others.map((text) => /^name = "(.*)"$/m.exec(text)[1]).sort() };
}

test('every crate of the lock file that is not ours comes from crates.io and has its hash', () => {
  const { packages, own } = cratesOf('Cargo.lock');
  const parts = ['', '-bench', '-lab', '-layers', '-ui', '-wasm'].map((part) => `rejitter${part}`);
  const ours = [...parts, 'wasm-tools', 'xtask'];
  assert.deepEqual(own, ours);
  assert.deepEqual(cratesOf('xtask/proofs/rust/Cargo.lock').own, ['rejitter', 'rejitter-proofs']);
  assert.ok(packages.length > 50);
  const apart = ['tests/crate/programs/Cargo.lock', 'xtask/proofs/rust/Cargo.lock'];
  assert.deepEqual(filesNamed('Cargo.lock').sort(), ['Cargo.lock', ...apart]);
});
