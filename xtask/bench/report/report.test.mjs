import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { median, quantile } from '../lib/stats.mjs';
import { missed, tableOf } from '../parts/worlds.mjs';
import { aimsOf } from '../worlds/shown.mjs';
import { TABLES } from '../worlds/tables.mjs';
import { BEGIN, END, between } from './document.mjs';
import { digits, placed } from './table.mjs';

test('numbers have three digits that count, and quantiles lie between values', () => {
  const texts = [0, 0.01234, 2.345, 12.34, 1887, -45678, NaN].map(digits);
  assert.deepEqual(texts, ['0', '0.0123', '2.35', '12.3', '1,890', '-45,700', '—']);
  assert.deepEqual([median([4, 1, 2]), median([4, 1, 2, 3]), quantile([0, 10, 20], 0.25)], [2, 2.5, 5]);
});

test('docs/benchmarks.md has its markers once, and what is between them is replaced', () => {
  const text = readFileSync(new URL('../../../docs/benchmarks.md', import.meta.url), 'utf8');
  assert.equal(between(between(text, 'new'), 'newer'), between(text, 'newer'));
  assert.throws(() => between(`${BEGIN} ${END} ${END}`, 'new'), /once each/);
});

test('docs/reference/worlds.md has a place for each table, and what is around it stays', () => {
  const text = readFileSync(new URL('../../../docs/reference/worlds.md', import.meta.url), 'utf8');
  const around = (page) => page.replaceAll(/^\|.*\n/gm, '');
  for (const { name, contenders } of TABLES) {
    const written = placed(text, tableOf({ name, contenders, rows: [] }, {}));
    assert.ok(written.length < text.length && written.split(`\n| ${name} |`).length === 2, name);
    assert.equal(around(written), around(text));
  }
});

test('an aim is met at the limit, and not without a number', () => {
  const aims = aimsOf('one ≥ 30; two ≤ 40; two ≥ one + 10');
  const table = (numbers) => ({ name: 'calls', contenders: ['one', 'two'], rows: [{ title: 'a', numbers, aims }] });
  assert.deepEqual(missed([table({ one: 30, two: 40 })]), []);
  assert.deepEqual(missed([table({ one: 29 })]), [
    'calls, a: one 29.0, aim ≥ 30',
    'calls, a: two –, aim ≤ 40',
    'calls, a: two –, aim ≥ one + 10 (29.0)',
  ]);
});
