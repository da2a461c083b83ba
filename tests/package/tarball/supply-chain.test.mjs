// The lock files pin what developers and the build install: by hash, from the registry that the reader's npm is set up
// for, without scripts.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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

/** Returns the problems of the entries of a package-lock.json. */
function problemsIn({ packages }) {
  return Object.entries(packages).flatMap(([path, { integrity = '', resolved, link }]) => [
    ...(path !== '' && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)
      ? [`${path}: integrity is ${integrity || 'missing'}`]
      : []),
    ...(resolved === undefined ? [] : [`${path}: resolved is ${resolved}`]),
    ...(link === undefined ? [] : [`${path} is a link`]),
  ]);
}

const locks = filesNamed('package-lock.json');

test('every package of every lock file has its hash and names no place to download from', () => {
  assert.deepEqual(locks.map((file) => relative(repo, dirname(file))).sort(), [
    'tests/package',
    'www',
    'xtask/bench',
    'xtask/npm',
    'xtask/site',
  ]);
  for (const file of locks) {
    const lock = JSON.parse(readFileSync(file, 'utf8'));
    assert.equal(lock.lockfileVersion, 3, file);
    assert.ok(Object.keys(lock.packages).length > 10, file);
    assert.deepEqual(problemsIn(lock), [], file);
  }
});

test('control: an entry without a hash, with a weak one, with an address, and a link are seen', () => {
  const good = { integrity: `sha512-${'a'.repeat(86)}==` };
  assert.deepEqual(problemsIn({ packages: { '': {}, a: good } }), []);
  const bad = [
    {},
    { integrity: `sha1-${'a'.repeat(27)}=` },
    { ...good, resolved: 'https://example.com/a.tgz' },
    { ...good, link: true },
  ];
  for (const entry of bad)
    assert.equal(problemsIn({ packages: { '': {}, a: entry } }).length, 1, JSON.stringify(entry));
});

test('npm runs no scripts of packages in any folder where developers install them', () => {
  const folders = filesNamed('package.json')
    .filter((file) => existsSync(file.replace('package.json', 'package-lock.json')))
    .map((file) => dirname(file));
  assert.equal(folders.length, locks.length);
  for (const folder of folders) {
    const settings = existsSync(join(folder, '.npmrc')) ? readFileSync(join(folder, '.npmrc'), 'utf8').split('\n') : [];
    assert.ok(settings.includes('ignore-scripts=true'), `${folder}/.npmrc must have ignore-scripts=true`);
    assert.ok(
      settings.includes('omit-lockfile-registry-resolved=true'),
      `${folder}/.npmrc must keep addresses out of the lock file`,
    );
  }
});

test('every crate of the lock file that is not ours comes from crates.io and has its hash', () => {
  const packages = readFileSync(join(repo, 'Cargo.lock'), 'utf8').split('[[package]]\n').slice(1);
  const own = [];
  for (const text of packages) {
    const field = (name) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(text)?.[1];
    if (field('source') === undefined) {
      own.push(field('name'));
      continue;
    }
    assert.equal(field('source'), 'registry+https://github.com/rust-lang/crates.io-index', text);
    assert.match(field('checksum') ?? '', /^[0-9a-f]{64}$/, text);
  }
  assert.deepEqual(own.sort(), ['rejitter', 'rejitter-layers', 'rejitter-ui', 'wasm-tools', 'xtask']);
  assert.ok(packages.length > 50);
});
