/** Labels, scales and ticks of the charts, in Node: the page's own functions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pageModule } from './page-module.mjs';

const { logTicks, timeTicks } = await pageModule('charts/axis.ts');
const { spread } = await pageModule('charts/labels.ts');
const { linear, log } = await pageModule('charts/scale.ts');

describe('direct labels', () => {
  test('at the ends of lines keep their distance and their order', () => {
    assert.deepEqual(spread([10, 40, 90], 16, [0, 100]), [10, 40, 90]);
    // Of two that collide the second gives way; the third is not touched.
    assert.deepEqual(spread([54, 50, 90], 16, [0, 100]), [66, 50, 90]);
    assert.deepEqual(spread([0, 0, 0], 16, [0, 100]), [0, 16, 32]);
    assert.deepEqual(spread([99, 98], 16, [0, 100]), [100, 84]);
    assert.deepEqual(spread([], 16, [0, 100]), []);
  });
});

describe('scales', () => {
  test('place a value between the ends of the range, one that is alone in the middle', () => {
    assert.deepEqual([10, 15, 20, 30].map(linear([10, 20], [200, 100])), [200, 150, 100, 0]);
    assert.deepEqual([1, 10, 100].map(log([1, 100], [0, 60])), [0, 30, 60]);
    assert.equal(linear([5, 5], [0, 60])(5), 30);
  });

  test('on powers of ten: at these if they are many, at multiples if they are few, evenly within one', () => {
    assert.deepEqual(log([1, 1e9], [0, 1]).ticks(9), [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]);
    assert.deepEqual(
      log([0.05, 3], [0, 1]).ticks(6),
      [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2, 3],
    );
    assert.deepEqual(log([2, 4], [0, 1]).ticks(10), [2, 2.2, 2.4, 2.6, 2.8, 3, 3.2, 3.4, 3.6, 3.8, 4]);
  });
});

describe('ticks', () => {
  test('on a log scale are round, at most six, and in the domain', () => {
    assert.deepEqual(logTicks([6.8, 280]), [10, 20, 50, 100, 200]);
    assert.deepEqual(logTicks([21, 69_000]), [100, 1000, 10_000]);
    assert.deepEqual(logTicks([3, 7]), [3, 4, 5, 6, 7]);
    assert.deepEqual(logTicks([310, 130_000]), [1000, 3000, 10_000, 30_000, 100_000]);
    assert.deepEqual(logTicks([1, 1e9]), [1, 100, 10_000, 1e6, 1e8]);
  });

  test('on times are whole seconds or half minutes', () => {
    assert.deepEqual(timeTicks(linear([79_800, 170_000], [230, 80]), 34), [90_000, 120_000, 150_000]);
    assert.deepEqual(timeTicks(linear([16_250, 41_000], [230, 60]), 34), [20_000, 25_000, 30_000, 35_000, 40_000]);
  });
});
