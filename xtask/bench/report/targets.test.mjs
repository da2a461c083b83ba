import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isMet, targetRows, targetsOf } from './targets.mjs';

test('at most, at least, and exactly at the limit', () => {
  assert.ok(isMet({ value: 2, most: 2 }) && isMet({ value: 2, least: 2 }));
  assert.ok(!isMet({ value: 2.01, most: 2 }) && !isMet({ value: 1.99, least: 2 }));
  assert.ok(!isMet({ value: NaN, most: 2 }), 'what was not measured is not met');
});

test('reports targets of the measured parts', () => {
  const brotli = (value) => ({ brotli: value });
  const targets = targetsOf({
    sizes: {
      ours: {
        retryWithFullJitter: brotli(9000),
        'rejitter, everything': brotli(11_000),
        'rejitter/fetch': brotli(12_000),
      },
    },
    browsers: {},
  });
  assert.deepEqual(targets.map(isMet), [false, false, true]);
  assert.deepEqual(targetRows(targets).at(-1), ['with fetch, B of brotli', '12,000', 'at most 13,000', 'met']);
});
