import assert from 'node:assert/strict';
import { test } from 'node:test';

import { median, quantile } from '../lib/stats.mjs';
import { missed } from '../parts/worlds.mjs';
import { aimsOf } from '../worlds/shown.mjs';
import { digits } from './table.mjs';

test('numbers have three digits that count, and quantiles lie between values', () => {
  const texts = [0, 0.01234, 2.345, 12.34, 1887, -45678, NaN].map(digits);
  assert.deepEqual(texts, ['0', '0.0123', '2.35', '12.3', '1,890', '-45,700', '—']);
  assert.deepEqual([median([4, 1, 2]), median([4, 1, 2, 3]), quantile([0, 10, 20], 0.25)], [2, 2.5, 5]);
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
