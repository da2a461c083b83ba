// The table of hosts and its suite: what results mean, and the document.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { repo } from '../../package/lib/consumer.mjs';
import { clients } from '../lib/packages.mjs';
import { DAILY } from './daily.mjs';
import { GROUPS } from './groups/all.mjs';
import { document } from './report.mjs';
import { problemOf } from './row.mjs';
import { PARTS } from './suite.mjs';

test('a host does what its row says: each part is ok, or it rejects the package with the expected message', async () => {
  const good = Object.fromEntries(Object.keys(PARTS).map((part) => [part, 'ok']));
  const fails = () => Promise.reject(new Error('RollupError: no wasm\nat'));
  for (const [problem, results, row] of [
    ['', good],
    ['b: flaky', { ...good, b: 'flaky' }],
    ['b: undefined', { a: 'ok' }, { parts: 'ab' }],
    ['', { a: 'ok' }, { parts: 'a' }],
    ['', {}, { built: true }],
    ['', { ...good, wasm: 'refused' }, { expected: { wasm: 'refused' } }],
    ['wasm: undefined', good, { expected: { wasm: 'refused' } }],
    ['no message like /no wasm/', good, { rejected: /no wasm/ }],
    ['', undefined, { run: fails, rejected: /RollupError/ }],
  ])
    assert.equal(await problemOf({ run: async () => results, ...row }), problem);
  assert.match(await problemOf({ run: fails }), /^Error: RollupError: no wasm/);
});

test('docs/hosts.md is what the table says', () =>
  assert.equal(readFileSync(join(repo, 'docs/hosts.md'), 'utf8'), document(GROUPS)));

test('a group of the daily run has the packages of the tests', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(clients, 'package.json'), 'utf8'));
  for (const { name, packages = {} } of DAILY)
    for (const [package_, version] of Object.entries(packages))
      assert.equal(devDependencies[package_], version, `${name}: ${package_}`);
});
