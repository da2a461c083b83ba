/**
 * What the cost section computes and how it places its labels, in Node: the page's own functions, on
 * the installed package.
 *
 * Expects `rejitter` in `www/node_modules`. The reference means: 10,000 seeds of an implementation
 * that shares nothing with this one.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { simulateContention } from 'rejitter/lab';
import { pageModule } from './page-module.mjs';

/** @typedef {{ x: number, y: number, width: number, height: number }} Rect */
/** @typedef {{ text: string, x: number, y: number, radius: number }} Label */
/** @typedef {{ choice: { backoff: string, jitter: string }, callsPerClient: number, servedMs: number | undefined, untilMs: number }} Cost */

const signal = new AbortController().signal;
const nothing = () => {};

/** A strategy of these costs. @param {string} backoff @param {number} callsPerClient @param {number} [servedMs] @returns {Cost} */
const cost = (backoff, callsPerClient, servedMs) => ({ choice: { backoff, jitter: 'full' }, callsPerClient, servedMs, untilMs: 40_000 });

/** @param {readonly Cost[]} costs */
const names = (costs) => costs.map(({ choice }) => choice.backoff);

describe('strategies that no other beats', () => {
  /** @type {any} */
  let page;
  before(async () => {
    page = await pageModule('figures/cost-data.ts');
  });

  test('are those with fewer calls or less time than every other, by calls', () => {
    const costs = [cost('slow', 8, 25_000), cost('beaten', 12, 20_000), cost('good', 9, 17_000), cost('fast', 20, 16_300), cost('worst', 30, 30_000)];
    assert.deepEqual(names(page.front(costs)), ['slow', 'good', 'fast']);
    assert.deepEqual(names(page.front([...costs].reverse())), ['slow', 'good', 'fast']);
  });

  test('with equal calls the faster one, with equal times the cheaper one', () => {
    assert.deepEqual(names(page.front([cost('a', 9, 17_000), cost('b', 9, 18_000)])), ['a']);
    assert.deepEqual(names(page.front([cost('a', 9, 17_000), cost('b', 8, 17_000)])), ['b']);
  });

  test('who is level on both counts stays, as one group', () => {
    const costs = [cost('a', 9, 17_000), cost('b', 9, 17_000), cost('c', 20, 16_000)];
    assert.deepEqual(names(page.front(costs)), ['a', 'b', 'c']);
    assert.deepEqual(page.levels(costs).map(names), [['a', 'b'], ['c']]);
  });

  test('three digits count: some milliseconds by chance beat nobody', () => {
    assert.deepEqual(names(page.front([cost('a', 9, 16_266), cost('b', 200, 16_261)])), ['a']);
    assert.deepEqual(names(page.front([cost('a', 9, 16_266), cost('b', 200, 16_149)])), ['a', 'b']);
  });

  test('who never finishes is not one of them, however few the calls', () => {
    assert.deepEqual(names(page.front([cost('never', 2), cost('done', 9, 17_000)])), ['done']);
    assert.deepEqual(page.front([cost('never', 2), cost('nor this', 1)]), []);
    assert.equal(page.beats(cost('done', 2, 39_000), cost('never', 3)), true);
  });

  test('decorrelated jitter is one strategy, and the chosen one whatever the backoff', async () => {
    const { CHOICES, INITIAL } = await pageModule('state/strategy.ts');
    const { herd } = await pageModule('compute/herd.ts');
    const strategy = { ...INITIAL, backoff: 'linear', jitter: 'decorrelated' };
    const result = await herd({ strategy, herd: { clients: 200, downMs: 2000, capacityPerS: 100 }, seed: 42, choices: CHOICES }, nothing, signal);
    const { costs, chosen, fastestMs } = page.costData(result);
    assert.equal(costs.length, 13);
    assert.ok(costs.some((/** @type {Cost} */ { choice }) => choice.backoff === chosen.backoff && choice.jitter === 'decorrelated'));
    // 198 of 200 clients, a hundred a second.
    assert.equal(fastestMs, 3980);
    for (const { servedMs, callsPerClient } of costs) assert.ok((servedMs ?? Infinity) >= fastestMs && callsPerClient >= 1);
  });
});

describe('direct labels', () => {
  /** @type {any} */
  let page;
  before(async () => {
    page = await pageModule('charts/labels.ts');
  });

  test('at the ends of lines keep their distance and their order, and move no more than they must', () => {
    assert.deepEqual(page.spread([10, 40, 90], 16, [0, 100]), [10, 40, 90]);
    // Two that collide share the way; the third is not touched.
    assert.deepEqual(page.spread([54, 50, 90], 16, [0, 100]), [60, 44, 90]);
    assert.deepEqual(page.spread([0, 0, 0], 16, [0, 100]), [0, 16, 32]);
    assert.deepEqual(page.spread([99, 98], 16, [0, 100]), [100, 84]);
    assert.deepEqual(page.spread([], 16, [0, 100]), []);
  });

  test('in a scatter cover neither marks nor each other, and stay inside', () => {
    const bounds = { x: 50, y: 20, width: 280, height: 240 };
    const next = random(7);
    for (let round = 0; round < 25; round++) {
      /** @type {Label[]} */
      const labels = Array.from({ length: 5 }, (_, i) => ({ text: `Truncated · ${i}`, x: 60 + 260 * next(), y: 30 + 220 * next(), radius: 6 }));
      /** @type {Rect[]} */
      const marks = labels.map(({ x, y }) => page.around(x, y, 8));
      const rects = /** @type {Rect[]} */ (page.placed(labels, marks, bounds));
      for (const [i, rect] of rects.entries()) {
        assert.ok(rect.x >= 50 && rect.y >= 20 && rect.x + rect.width <= 330 && rect.y + rect.height <= 260);
        for (const other of [...marks, ...rects.slice(i + 1)]) assert.equal(page.overlap(rect, other), false, `round ${round}, label ${i}`);
      }
    }
  });

  test('where nothing is in the way, beside the mark; where there is no room, nowhere', () => {
    const label = { text: 'Full', x: 100, y: 100, radius: 6 };
    const [rect] = page.placed([label], [page.around(100, 100, 8)], { x: 0, y: 0, width: 400, height: 200 });
    assert.ok(rect.x >= 108 && rect.x <= 110 && Math.abs(rect.y - 92) <= 2, JSON.stringify(rect));
    assert.equal(page.leader(label, rect), undefined);
    assert.deepEqual(page.placed([label], [], { x: 90, y: 90, width: 20, height: 20 }), [undefined]);
    // Far away, a line leads there, from the edge of the mark.
    const far = { ...rect, x: 200 };
    const { from, to } = page.leader(label, far);
    assert.ok(from[0] > 106 && from[0] < 110 && to[0] === 198);
  });
});

describe('scales', () => {
  test('place a value between the ends of the range, one that is alone in the middle', async () => {
    const { linear, log } = await pageModule('charts/scale.ts');
    assert.deepEqual([10, 15, 20, 30].map(linear([10, 20], [200, 100])), [200, 150, 100, 0]);
    assert.deepEqual([1, 10, 100].map(log([1, 100], [0, 60])), [0, 30, 60]);
    assert.equal(linear([5, 5], [0, 60])(5), 30);
  });

  test('of powers of ten tick at these when they are many, at multiples when they are few, and evenly within one', async () => {
    const { log } = await pageModule('charts/scale.ts');
    assert.deepEqual(log([1, 1e9], [0, 1]).ticks(9), [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]);
    assert.deepEqual(log([0.05, 3], [0, 1]).ticks(6), [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2, 3]);
    assert.deepEqual(log([2, 4], [0, 1]).ticks(10), [2, 2.2, 2.4, 2.6, 2.8, 3, 3.2, 3.4, 3.6, 3.8, 4]);
  });
});

describe('ticks', () => {
  test('of a log scale are round, at most six, and in the domain', async () => {
    const { logTicks } = await pageModule('charts/axis.ts');
    assert.deepEqual(logTicks([6.8, 280]), [10, 20, 50, 100, 200]);
    assert.deepEqual(logTicks([21, 69_000]), [100, 1000, 10_000]);
    assert.deepEqual(logTicks([3, 7]), [3, 4, 5, 6, 7]);
    assert.deepEqual(logTicks([310, 130_000]), [1000, 3000, 10_000, 30_000, 100_000]);
    assert.deepEqual(logTicks([1, 1e9]), [1, 100, 10_000, 1e6, 1e8]);
  });

  test('of times are whole seconds or half minutes', async () => {
    const { timeTicks } = await pageModule('charts/axis.ts');
    const { linear } = await pageModule('charts/scale.ts');
    assert.deepEqual(timeTicks(linear([79_800, 170_000], [230, 80]), 34), [90_000, 120_000, 150_000]);
    assert.deepEqual(timeTicks(linear([16_250, 41_000], [230, 60]), 34), [20_000, 25_000, 30_000, 35_000, 40_000]);
  });
});

describe('peaks by the size of the herd', () => {
  test('are the herd\'s own, for every size and jitter, and the same for the same seed', async () => {
    const { peaks } = await pageModule('compute/peaks.ts');
    const { herd } = await pageModule('compute/herd.ts');
    const { INITIAL, JITTERS } = await pageModule('state/strategy.ts');
    const input = { strategy: INITIAL, herd: { downMs: 2000, capacityPerS: 100 }, clients: [50, 200], seed: 42 };
    /** @type {number[]} */
    const partial = [];
    const result = await peaks(input, (/** @type {{ peaks: unknown[] }} */ { peaks: found }) => partial.push(found.length), signal);
    assert.deepEqual(partial, [4]);
    assert.equal(result.peaks.length, 8);
    assert.deepEqual(await peaks(input, nothing, signal), result);
    const other = await peaks({ ...input, seed: 43 }, nothing, signal);
    assert.notDeepEqual(other.peaks, result.peaks);

    const choices = JITTERS.map((/** @type {string} */ jitter) => ({ backoff: 'exponential', jitter }));
    const { runs } = await herd({ strategy: INITIAL, herd: { clients: 200, downMs: 2000, capacityPerS: 100 }, seed: 42, choices }, nothing, signal);
    const own = Object.fromEntries(runs.map((/** @type {any} */ { choice, peakPerS }) => [choice.jitter, peakPerS]));
    for (const { clients, jitter, peakPerS } of result.peaks) if (clients === 200) assert.equal(peakPerS, own[jitter]);
    assert.ok(own.none > 4 * own.full, 'without jitter the clients meet again');
  });
});

describe('the published figure', () => {
  /** Mean and standard deviation of calls, then of the time in ms, for ten clients. */
  const REFERENCE = /** @type {const} */ ({
    none: [50.83, 4.05, 379.8, 34],
    exponential: [50.82, 4.12, 3472, 1306],
    equal: [42.46, 2.54, 727, 184],
    full: [39.03, 2.28, 464, 106],
    decorrelated: [37.67, 2.32, 435, 84],
  });

  /** From 95 % for one mean to 95 % for all ten together. */
  const ALL_TEN = 2.81 / 1.96;

  test('has the reference\'s means for ten clients, within both confidence intervals', async () => {
    const { contention } = await pageModule('compute/contention.ts');
    const { points, events } = await contention({ clients: [10], runs: 400, seed: 42 }, nothing, signal);
    assert.equal(points.length, 5);
    assert.ok(events > 5 * 400 * 10);
    for (const { line, clients, runs, calls, timeMs } of points) {
      assert.deepEqual([clients, runs], [10, 400]);
      const [callsMean, callsSd, timeMean, timeSd] = REFERENCE[/** @type {keyof typeof REFERENCE} */ (line)];
      // 10,000 seeds: half of the interval is 0.0196 standard deviations.
      assert.ok(Math.abs(calls.mean - callsMean) <= ALL_TEN * (calls.ci95 + 0.0196 * callsSd), `${line}: ${calls.mean} calls`);
      assert.ok(Math.abs(timeMs.mean - timeMean) <= ALL_TEN * (timeMs.ci95 + 0.0196 * timeSd), `${line}: ${timeMs.mean} ms`);
    }
  });

  test('tells exponential backoff from one that begins at base: the published one begins at twice the base', async () => {
    const policy = { backoff: 'exponential', jitter: 'full', baseMs: 5, capMs: 2000, maxAttempts: Infinity };
    const options = { clients: 100, runs: 50, seed: 42 };
    const fromBase = await simulateContention(/** @type {any} */ (policy), options).run();
    const published = await simulateContention({ figure: 'full' }, options).run();
    // In the reference: 875 and 796.
    assert.ok(Math.abs(fromBase.callsSummary.mean - 875) < 6 && Math.abs(published.callsSummary.mean - 796) < 6);
  });

  test('is the same for the same seed, reports as it goes, and ends when it is not wanted', async () => {
    const { contention } = await pageModule('compute/contention.ts');
    const input = { clients: [10, 20], runs: 5, seed: 1 };
    /** @type {number[]} */
    const shares = [];
    const result = await contention(input, (/** @type {{ share: number }} */ { share }) => shares.push(share), signal);
    assert.ok(shares.length >= 10 && shares.every((share, i) => share > 0 && share <= 1 && share >= (shares[i - 1] ?? 0)));
    assert.deepEqual(await contention(input, nothing, signal), result);
    const stop = new AbortController();
    const long = contention({ clients: [190], runs: 100, seed: 1 }, () => stop.abort(), stop.signal);
    await assert.rejects(long, { name: 'AbortError' });
  });
});

/** Numbers from 0 to 1, the same in each run. @param {number} seed */
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
