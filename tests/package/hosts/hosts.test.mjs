// The table of hosts and its suite: what results mean, and the document.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { here, repo } from '../lib/consumer.mjs';
import { DAILY } from './daily.mjs';
import { GROUPS } from './groups/all.mjs';
import { document } from './report.mjs';
import { outcomeOf } from './row.mjs';
import { MARK, PARTS, resultsIn, suiteText } from './suite.mjs';

const good = Object.fromEntries(Object.keys(PARTS).map((part) => [part, 'ok']));
const ending = (results) => async () => results;
const failing = (message) => async () => {
  throw new Error(message);
};

test('a host is good if each part is, or if it rejects the package with the expected message', async () => {
  const outcomes = {
    all: await outcomeOf({ run: ending(good) }),
    'a part fails': await outcomeOf({ run: ending({ ...good, b: 'flaky' }) }),
    'a part is missing': await outcomeOf({ run: ending({ a: 'ok' }) }),
    'fewer parts': await outcomeOf({ run: ending({ a: 'ok' }), parts: 'a' }),
    'as expected': await outcomeOf({ run: ending({ ...good, wasm: 'refused' }), expected: { wasm: 'refused' } }),
    'not as expected': await outcomeOf({ run: ending({ ...good, wasm: 'compiled' }), expected: { wasm: 'refused' } }),
    'no results': await outcomeOf({ run: ending(undefined) }),
    fails: await outcomeOf({ run: failing('no such file') }),
    'rejected by a tool': await outcomeOf({ run: failing('RollupError: no wasm\nat'), rejected: /RollupError: .*/ }),
    'rejected in a part': await outcomeOf({ run: ending({ ...good, d: 'no wasm here' }), rejected: /no wasm/ }),
    'rejected otherwise': await outcomeOf({ run: failing('no such file'), rejected: /no wasm/ }),
    'not rejected any more': await outcomeOf({ run: ending(good), rejected: /no wasm/ }),
  };
  assert.deepEqual(
    Object.entries(outcomes).flatMap(([name, outcome]) => (outcome.good ? [name] : [])),
    ['all', 'fewer parts', 'as expected', 'rejected by a tool', 'rejected in a part'],
  );
  assert.equal(outcomes['a part fails'].problem, 'b: flaky');
  assert.equal(outcomes['rejected by a tool'].message, 'RollupError: no wasm');
});

test('results are found in what a host prints', () => {
  const line = MARK + JSON.stringify(good);
  for (const printed of [line, `before\n${line}\nafter`, `(log) ${line} (1 ms)`])
    assert.deepEqual(resultsIn(printed), good);
  assert.equal(resultsIn('nothing'), undefined);
});

test('the suite imports only what its parts need', () => {
  const text = suiteText({ origin: 'http://localhost', parts: 'ac', commonJs: true });
  assert.match(text, /require\('rejitter\/fetch'\)/);
  assert.doesNotMatch(text, /lab|testing|import /);
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

test('the document escapes what would end a cell', () => {
  const rows = [{ name: 'host', run: ending(good), rejected: /x/ }];
  const text = document([{ name: 'Group', rows }], { host: { good: true, message: 'a | b\nc' } });
  assert.match(text, /^\| host \| ✗+ \| `a \\\| b c` \|$/m);
});

test('a group of the daily run has the packages of the tests', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  for (const { name, packages = {} } of DAILY)
    for (const [package_, version] of Object.entries(packages))
      assert.equal(devDependencies[package_], version, `${name}: ${package_}`);
});
