// The lock files pin what developers and the build install: by hash, from the registry that the reader's npm is set up
// for, without scripts.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

import { repo } from '../lib/consumer.mjs';

/** Folders without sources of ours. */
const LEFT_OUT = new Set(['node_modules', 'target', 'dist', 'pkg', '.git']);

/** The files with this name in the repository. */
function filesNamed(name, folder = repo) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesNamed(name, join(folder, entry.name));
    return entry.name === name ? [join(folder, name)] : [];
  });
}

/** The entries of a package-lock.json whose hash is missing, or which name a place; but for our own folders. */
const problemsIn = ({ packages }) =>
  Object.entries(packages).filter(([path, { integrity, resolved, link }]) => {
    const own = ['', ...(packages[''].workspaces ?? [])];
    const pinned = /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) && resolved === undefined && !link;
    return !pinned && !own.includes(path) && !own.includes(resolved);
  });

test('there is one lock file, in which every package has its hash and names no place to download from', () => {
  assert.deepEqual(filesNamed('package-lock.json'), [join(repo, 'package-lock.json')]);
  const lock = JSON.parse(readFileSync(join(repo, 'package-lock.json'), 'utf8'));
  assert.equal(lock.lockfileVersion, 3);
  assert.ok(Object.keys(lock.packages).length > 500);
  assert.deepEqual(problemsIn(lock), []);
});

test('npm runs no scripts of packages, and no folder finds the packages of another', () => {
  assert.deepEqual(filesNamed('.npmrc'), [join(repo, '.npmrc')]);
  const settings = readFileSync(join(repo, '.npmrc'), 'utf8').split('\n');
  for (const line of ['ignore-scripts=true', 'omit-lockfile-registry-resolved=true', 'install-strategy=linked'])
    assert.ok(settings.includes(line), line);
});

test('every crate of the lock file that is not ours comes from crates.io and has its hash', () => {
  const packages = readFileSync(join(repo, 'Cargo.lock'), 'utf8').split('[[package]]\n').slice(1);
  const PINNED =
    /^source = "registry\+https:\/\/github\.com\/rust-lang\/crates\.io-index"\nchecksum = "[0-9a-f]{64}"$/m;
  const others = packages.filter((text) => !PINNED.test(text));
  const own = others.map((text) => /^name = "(.*)"$/m.exec(text)[1]);
  const ours = ['rejitter', 'rejitter-bench', 'rejitter-layers', 'rejitter-ui', 'rejitter-wasm', 'wasm-tools', 'xtask'];
  assert.deepEqual(own.sort(), ours);
  assert.ok(packages.length > 50);
  const files = filesNamed('Cargo.lock').map((file) => relative(repo, file));
  assert.deepEqual(files.sort(), ['Cargo.lock', 'tests/crate/programs/Cargo.lock']);
});
