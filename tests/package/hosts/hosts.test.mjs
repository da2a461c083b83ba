// The table of hosts and its suite: what results mean, and the document.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { here, repo } from '../lib/consumer.mjs';
import { DAILY } from './daily.mjs';
import { GROUPS } from './groups/all.mjs';
import { outcomeOf } from './row.mjs';
import { PARTS } from './suite.mjs';

test('a host is good if each part is, or if it rejects the package with the expected message', async () => {
  const good = Object.fromEntries(Object.keys(PARTS).map((part) => [part, 'ok']));
  const failing = { run: () => Promise.reject(new Error('RollupError: no wasm\nat')) };
  for (const [expected, results, more] of [
    [true, good],
    [false, { ...good, b: 'flaky' }],
    [false, { a: 'ok' }],
    [true, { a: 'ok' }, { parts: 'a' }],
    [true, { ...good, wasm: 'refused' }, { expected: { wasm: 'refused' } }],
    [false, good, { expected: { wasm: 'refused' } }],
    [false, undefined],
    [true, { ...good, d: 'no wasm here' }, { rejected: /no wasm/ }],
    [false, good, { rejected: /no wasm/ }],
    [false, undefined, failing],
    [true, undefined, { ...failing, rejected: /RollupError/ }],
  ])
    assert.equal((await outcomeOf({ run: async () => results, ...more })).good, expected, JSON.stringify(results));
  assert.equal((await outcomeOf({ ...failing, rejected: /RollupError: .*/ })).message, 'RollupError: no wasm');
});

test('docs/hosts.md has each host of the table, and works in all that it shows', () => {
  const text = readFileSync(join(repo, 'docs/hosts.md'), 'utf8');
  const [table] = text.split('\n## ');
  const names = [...table.matchAll(/^\| (?!\| with).* \| .* \| (.*) \| (.*) \|$/gm)]
    .flatMap(([, ...cells]) => cells.flatMap((cell) => cell.split('; ')))
    .filter((name) => name !== '–' && !name.startsWith('all of '));
  assert.deepEqual(names.sort(), GROUPS.flatMap((group) => group.rows.map(({ name }) => name)).sort());
  assert.doesNotMatch(text, /\| [^ |]*\?[^ |]* \|/, 'written from a run that failed');
});

test('a group of the daily run has the packages of the tests', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  for (const { name, packages = {} } of DAILY)
    for (const [package_, version] of Object.entries(packages))
      assert.equal(devDependencies[package_], version, `${name}: ${package_}`);
});
