/** Labels, scales and ticks of the charts, in Node: the page's own functions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pageModule } from './page-module.mjs';

const { logTicks, timeTicks } = await pageModule('charts/axis.ts');
const { around, leader, overlap, placed, spread } = await pageModule('charts/labels.ts');
const { linear, log } = await pageModule('charts/scale.ts');

/** @typedef {{ x: number, y: number, width: number, height: number }} Rect */
/** @typedef {{ text: string, x: number, y: number, radius: number }} Label */

describe('direct labels', () => {
  test('at the ends of lines keep their distance and their order, and move no more than they must', () => {
    assert.deepEqual(spread([10, 40, 90], 16, [0, 100]), [10, 40, 90]);
    // Two that collide share the way; the third is not touched.
    assert.deepEqual(spread([54, 50, 90], 16, [0, 100]), [60, 44, 90]);
    assert.deepEqual(spread([0, 0, 0], 16, [0, 100]), [0, 16, 32]);
    assert.deepEqual(spread([99, 98], 16, [0, 100]), [100, 84]);
    assert.deepEqual(spread([], 16, [0, 100]), []);
  });

  test('in a scatter cover neither marks nor each other, and stay inside', () => {
    const bounds = { x: 50, y: 20, width: 280, height: 240 };
    const next = random(7);
    for (let round = 0; round < 25; round++) {
      /** @type {Label[]} */
      const labels = Array.from({ length: 5 }, (_, i) => ({
        text: `Truncated · ${i}`,
        x: 60 + 260 * next(),
        y: 30 + 220 * next(),
        radius: 6,
      }));
      /** @type {Rect[]} */
      const marks = labels.map(({ x, y }) => around(x, y, 8));
      const rects = /** @type {Rect[]} */ (placed(labels, marks, bounds));
      for (const [i, rect] of rects.entries()) {
        assert.ok(rect.x >= 50 && rect.y >= 20 && rect.x + rect.width <= 330 && rect.y + rect.height <= 260);
        for (const other of [...marks, ...rects.slice(i + 1)])
          assert.equal(overlap(rect, other), false, `round ${round}, label ${i}`);
      }
    }
  });

  test('next to the mark if the place is free, nowhere without room', () => {
    const label = { text: 'Full', x: 100, y: 100, radius: 6 };
    const [rect] = placed([label], [around(100, 100, 8)], { x: 0, y: 0, width: 400, height: 200 });
    assert.ok(rect.x >= 108 && rect.x <= 110 && Math.abs(rect.y - 92) <= 2, JSON.stringify(rect));
    assert.equal(leader(label, rect), undefined);
    assert.deepEqual(placed([label], [], { x: 90, y: 90, width: 20, height: 20 }), [undefined]);
    // Far away, a line leads there, from the edge of the mark.
    const far = { ...rect, x: 200 };
    const { from, to } = leader(label, far);
    assert.ok(from[0] > 106 && from[0] < 110 && to[0] === 198);
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

/** Numbers between 0 and 1, the same in each run. @param {number} seed */
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
