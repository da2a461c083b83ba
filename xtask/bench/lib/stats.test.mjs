import assert from 'node:assert/strict';
import { test } from 'node:test';

import { difference, median, quantile, ratio, spread } from './stats.mjs';

test('medians and quartiles, of any order and number', () => {
  assert.equal(median([3]), 3);
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([10, 1, 2, 3]), 2.5);
  assert.deepEqual(spread([5, 1, 4, 2, 3]), { median: 3, q1: 2, q3: 4 });
  assert.equal(quantile([1, 2], 0.25), 1.25);
  // Not in the order of their texts, and not sorted in place.
  const values = [100, 9, 20];
  assert.equal(median(values), 20);
  assert.deepEqual(values, [100, 9, 20]);
  assert.throws(() => median([]), RangeError);
});

test('ratios are of the same rounds: a machine that slows down does not count', () => {
  assert.deepEqual(ratio([20, 200, 2000], [10, 100, 1000]), { median: 2, q1: 2, q3: 2 });
  // The ratio of the medians would be 3.
  assert.equal(ratio([2, 6, 400], [1, 2, 400]).median, 2);
  assert.deepEqual(difference([5, 15], [1, 11]), { median: 4, q1: 4, q3: 4 });
  assert.throws(() => ratio([1], [1, 2]), RangeError);
  assert.throws(() => difference([1], [1, 2]), RangeError);
});
