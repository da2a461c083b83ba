/**
 * The computation of the cost section and the places of its labels, in Node: the page's own functions, on
 * the installed package.
 *
 * Expects `rejitter` in `www/node_modules`. The reference means: 10,000 seeds of an implementation
 * that shares nothing with this one.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { simulateContention, simulateLoad, simulateRateLimit } from 'rejitter/lab';
import { HERD, SCENARIOS, independently, median } from './lib/verdict.mjs';
import { pageModule } from './page-module.mjs';

/** @typedef {{ x: number, y: number, width: number, height: number }} Rect */
/** @typedef {{ text: string, x: number, y: number, radius: number }} Label */
/** @typedef {{ p5: number, p50: number, p95: number }} Range */
/** @typedef {{ choice: { backoff: string, jitter: string }, callsPerClient: Range, timeMs: Range }} Cost */
/** @typedef {{ served: number, callsPerClient: number, timeMs: number }} Run */

const signal = new AbortController().signal;
const nothing = () => {};

/** The same in all runs. @param {number} value @returns {Range} */
const always = (value) => ({ p5: value, p50: value, p95: value });

/**
 * A strategy of these costs.
 * @param {string} backoff
 * @param {number} callsPerClient
 * @param {number} [timeMs]
 * @returns {Cost}
 */
const cost = (backoff, callsPerClient, timeMs = Infinity) => ({
  choice: { backoff, jitter: 'full' },
  callsPerClient: always(callsPerClient),
  timeMs: always(timeMs),
});

/** @param {readonly Cost[]} costs */
const names = (costs) => costs.map(({ choice }) => choice.backoff);

describe('strategies that no other beats', () => {
  /** @type {any} */
  let page;
  before(async () => {
    page = await pageModule('cost/data.ts');
  });

  test('are those with fewer calls or less time than every other, by calls', () => {
    const costs = [
      cost('slow', 8, 25_000),
      cost('beaten', 12, 20_000),
      cost('good', 9, 17_000),
      cost('fast', 20, 16_300),
      cost('worst', 30, 30_000),
    ];
    assert.deepEqual(names(page.front(costs)), ['slow', 'good', 'fast']);
    assert.deepEqual(names(page.front([...costs].reverse())), ['slow', 'good', 'fast']);
  });

  test('with equal calls the faster one, with equal times the cheaper one', () => {
    assert.deepEqual(names(page.front([cost('a', 9, 17_000), cost('b', 9, 18_000)])), ['a']);
    assert.deepEqual(names(page.front([cost('a', 9, 17_000), cost('b', 8, 17_000)])), ['b']);
  });

  test('keeps strategies that are level on both counts, as one group', () => {
    const costs = [cost('a', 9, 17_000), cost('b', 9, 17_000), cost('c', 20, 16_000)];
    assert.deepEqual(names(page.front(costs)), ['a', 'b', 'c']);
    assert.deepEqual(page.levels(costs).map(names), [['a', 'b'], ['c']]);
  });

  test('three digits count: some milliseconds by chance do not win', () => {
    assert.deepEqual(names(page.front([cost('a', 9, 16_266), cost('b', 200, 16_261)])), ['a']);
    assert.deepEqual(names(page.front([cost('a', 9, 16_266), cost('b', 200, 16_149)])), ['a', 'b']);
  });

  test('drops strategies that never finish, however few the calls', () => {
    assert.deepEqual(names(page.front([cost('never', 2), cost('done', 9, 17_000)])), ['done']);
    assert.deepEqual(page.front([cost('never', 2), cost('nor this', 1)]), []);
    assert.equal(page.beats(cost('done', 2, 39_000), cost('never', 3)), true);
  });
});

describe('the verdict', () => {
  /** @type {any} */
  let page;
  /** @type {any} */
  let strategies;
  before(async () => {
    page = await pageModule('cost/compute.ts');
    strategies = await pageModule('state/strategy.ts');
  });

  /** @param {object} herd @param {object} [strategy] @param {number} [seed] */
  const verdictOf = (herd, strategy = {}, seed = 42) =>
    page.verdict(
      { strategy: { ...strategies.INITIAL, ...strategy }, herd: { ...HERD, ...herd }, seed },
      nothing,
      signal,
    );
  /** @param {{ choice: { backoff: string, jitter: string } }} one */
  const nameOf = ({ choice: { backoff, jitter } }) => `${backoff} ${jitter}`;

  for (const scenario of SCENARIOS) {
    test(`for "${scenario.query}" has the numbers of the package and names the strategy that they favour`, async () => {
      const result = await verdictOf(scenario.herd, scenario.strategy);
      const { pick, level, others } = page.recommend(result);
      const expected = independently(scenario, result.seeds);
      assert.ok(result.seeds >= 20);
      assert.equal(1 + level.length + others.length, 13);
      for (const one of [pick, ...level]) {
        const own = expected.find(({ name }) => name === nameOf(one));
        assert.ok(own, nameOf(one));
        for (const key of /** @type {const} */ (['served', 'callsPerClient', 'timeMs']))
          assert.equal(one[key].p50, median(own.runs.map((run) => run[key])), `${own.name}: ${key}`);
      }
      // Another way to the same answer: products of both costs where 99% are served, else the number served.
      const best = expected.map(({ name, runs }) => {
        const [served, calls, timeMs] = [
          median(runs.map((run) => run.served)),
          median(runs.map((run) => run.callsPerClient)),
          median(runs.map((run) => run.timeMs)),
        ];
        return { name, served: Math.min(served, 990), price: calls * timeMs };
      });
      best.sort((a, b) => b.served - a.served || a.price - b.price);
      assert.equal(nameOf(pick), best[0]?.name);
      assert.equal(nameOf(pick), scenario.pick);
      assert.deepEqual(level.map(nameOf), scenario.level);
      assert.ok(pick.served.p50 >= scenario.served);
    });
  }

  test('for other seeds names the same clear winner, or the same two strategies', async () => {
    for (const { herd, strategy, pick, level } of SCENARIOS) {
      for (const seed of [1, 2]) {
        const other = page.recommend(await verdictOf(herd, strategy, seed));
        const names = [other.pick, ...other.level].map(nameOf);
        if (level.length === 0) assert.deepEqual(names, [pick], `seed ${seed}`);
        else assert.deepEqual(names.toSorted(), [pick, ...level].toSorted(), `seed ${seed}`);
      }
    }
  });

  test('recommends no strategy if no client is served, and counts no chance differences as wins', async () => {
    const { pick, level, others } = page.recommend(
      await verdictOf({ clients: 100, downMs: 30_000 }, { maxAttempts: 3 }),
    );
    assert.deepEqual([pick, level, others.length], [undefined, [], 13]);
    const run = (/** @type {number} */ callsPerClient, timeMs = 10_000, served = 100) => ({
      served,
      callsPerClient,
      timeMs,
    });
    /** @param {Run[][]} runs */
    const recommended = (...runs) => {
      const contenders = runs.map((own, i) => ({
        choice: { backoff: 'fixed', jitter: `${i}` },
        runs: own,
        isCut: false,
      }));
      const { pick: best, level: equal } = page.recommend({
        contenders,
        seeds: runs[0]?.length,
        input: { herd: { clients: 100 } },
      });
      return [best, ...equal].map(({ choice, bestIn }) => `${choice.jitter}: ${bestIn}`);
    };
    // More served beats faster and cheaper, up to 99%; then the product of both costs decides.
    assert.deepEqual(recommended([run(2, Infinity, 97)], [run(9, Infinity, 98)]), ['1: 1']);
    assert.deepEqual(recommended([run(9, 10_000, 99)], [run(8, 10_000, 100)], [run(8, 12_000, 100)]), ['1: 1']);
    assert.deepEqual(recommended([run(10, 10_000)], [run(20, 4000)]), ['1: 1']);
    // Less than one percent apart: level.
    assert.deepEqual(recommended([run(10)], [run(10.05)], [run(10.2)]), ['0: 1', '1: 1']);
    // Now one wins, now the other.
    assert.deepEqual(recommended([run(10), run(10), run(12)], [run(11), run(11), run(11)]), ['0: 2', '1: 1']);
  });

  test('compares decorrelated jitter once, and a chosen strategy that is not in the grid as well', async () => {
    const { costData } = await pageModule('cost/data.ts');
    const linear = { backoff: 'linear', jitter: 'decorrelated' };
    const data = costData(await verdictOf({ clients: 100 }, linear));
    assert.equal(data.costs.length, 13);
    assert.ok(
      data.costs.some(
        (/** @type {Cost} */ { choice }) => choice.backoff === data.chosen.backoff && choice.jitter === 'decorrelated',
      ),
    );
    // 99 of 100 clients, 120 a second, after two seconds.
    assert.equal(data.fastestMs, 2825);
    const { chosen, contenders } = await verdictOf({ clients: 100 }, { jitter: 'slotted' });
    assert.deepEqual([contenders.length, nameOf({ choice: chosen })], [14, 'exponential slotted']);
  });

  test('takes fewer seeds for a large herd, at least five, and reports how far it is', async () => {
    /** @type {number[]} */
    const reports = [];
    const herd = { ...HERD, clients: 10_000, rejectionCost: 1, limits: 'served' };
    const strategy = { ...strategies.INITIAL, baseMs: 10, capMs: 10 };
    const { seeds, contenders } = await page.verdict(
      { strategy, herd, seed: 42 },
      (/** @type {{ seeds: number }} */ { seeds: done }) => reports.push(done),
      signal,
    );
    assert.equal(seeds, 5);
    assert.deepEqual(reports, [1, 2, 3, 4]);
    // Clients that retry every few ms: the runs are stopped, and that is known.
    assert.ok(
      contenders.every((/** @type {{ runs: Run[], isCut: boolean }} */ { runs, isCut }) => runs.length === 5 && isCut),
    );
    const stop = new AbortController();
    await assert.rejects(
      page.verdict({ strategy, herd, seed: 42 }, () => stop.abort(new Error('not wanted')), stop.signal),
      /not wanted/,
    );
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
      const labels = Array.from({ length: 5 }, (_, i) => ({
        text: `Truncated · ${i}`,
        x: 60 + 260 * next(),
        y: 30 + 220 * next(),
        radius: 6,
      }));
      /** @type {Rect[]} */
      const marks = labels.map(({ x, y }) => page.around(x, y, 8));
      const rects = /** @type {Rect[]} */ (page.placed(labels, marks, bounds));
      for (const [i, rect] of rects.entries()) {
        assert.ok(rect.x >= 50 && rect.y >= 20 && rect.x + rect.width <= 330 && rect.y + rect.height <= 260);
        for (const other of [...marks, ...rects.slice(i + 1)])
          assert.equal(page.overlap(rect, other), false, `round ${round}, label ${i}`);
      }
    }
  });

  test('next to the mark if the place is free, nowhere without room', () => {
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

  test('on powers of ten: at these if they are many, at multiples if they are few, evenly within one', async () => {
    const { log } = await pageModule('charts/scale.ts');
    assert.deepEqual(log([1, 1e9], [0, 1]).ticks(9), [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]);
    assert.deepEqual(
      log([0.05, 3], [0, 1]).ticks(6),
      [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2, 3],
    );
    assert.deepEqual(log([2, 4], [0, 1]).ticks(10), [2, 2.2, 2.4, 2.6, 2.8, 3, 3.2, 3.4, 3.6, 3.8, 4]);
  });
});

describe('ticks', () => {
  test('on a log scale are round, at most six, and in the domain', async () => {
    const { logTicks } = await pageModule('charts/axis.ts');
    assert.deepEqual(logTicks([6.8, 280]), [10, 20, 50, 100, 200]);
    assert.deepEqual(logTicks([21, 69_000]), [100, 1000, 10_000]);
    assert.deepEqual(logTicks([3, 7]), [3, 4, 5, 6, 7]);
    assert.deepEqual(logTicks([310, 130_000]), [1000, 3000, 10_000, 30_000, 100_000]);
    assert.deepEqual(logTicks([1, 1e9]), [1, 100, 10_000, 1e6, 1e8]);
  });

  test('on times are whole seconds or half minutes', async () => {
    const { timeTicks } = await pageModule('charts/axis.ts');
    const { linear } = await pageModule('charts/scale.ts');
    assert.deepEqual(timeTicks(linear([79_800, 170_000], [230, 80]), 34), [90_000, 120_000, 150_000]);
    assert.deepEqual(timeTicks(linear([16_250, 41_000], [230, 60]), 34), [20_000, 25_000, 30_000, 35_000, 40_000]);
  });
});

describe('protection', () => {
  const run = async (/** @type {any} */ herd = {}, strategy = {}) => {
    const { load } = await pageModule('load/compute.ts');
    const { INITIAL } = await pageModule('state/strategy.ts');
    const input = {
      strategy: { ...INITIAL, ...strategy },
      herd: { capacityPerS: 120, downMs: 2000, demand: 0.93, ...herd },
      seed: 42,
    };
    return load(input, nothing, signal);
  };
  const nameOf = (/** @type {any} */ { shared }) => shared;

  test('each row is that of simulateLoad: failures, calls, and the end of the last bad second', async () => {
    const { runs, horizonMs, binMs } = await run();
    assert.deepEqual(runs.map(nameOf), ['none', 'single', 'budget', 'breaker', 'both']);
    for (const { shared, requests, failed, amplification, recoveredAfterMs } of runs) {
      const simulation = simulateLoad(
        { baseMs: 100, capMs: 10_000, maxAttempts: shared === 'single' ? 1 : 10 },
        {
          arrivals: { type: 'regular', perS: 0.93 * 120 },
          capacityPerS: 120,
          timeoutMs: 1000,
          downFromMs: 10_000,
          downMs: 2000,
          horizonMs,
          binMs,
          protection: {
            ...(['budget', 'both'].includes(shared) && { budget: {} }),
            ...(['breaker', 'both'].includes(shared) && { breaker: {} }),
          },
          seed: 42,
        },
      );
      simulation.step();
      const result = simulation.result();
      simulation.free();
      const sum = (/** @type {Uint32Array} */ counts) => counts.reduce((a, b) => a + b, 0);
      assert.equal(requests, result.totals.requests);
      assert.equal(failed, result.totals.requests - result.totals.successes, shared);
      assert.ok(Math.abs(amplification - (sum(result.requests) + sum(result.retries)) / requests) < 0.01, shared);
      // Rule: never, if calls still fail in the last 30 s; else the end of the last second with one that did.
      const bad = [...result.timeouts].map((n, i) => n + (result.rejectedByBreaker[i] ?? 0));
      const end = (bad.findLastIndex((n) => n > 0) + 1) * binMs;
      const expected = horizonMs - end < 30_000 ? undefined : 1000 * Math.ceil(end / 1000) - 12_000;
      assert.equal(recoveredAfterMs, expected, shared);
    }
    const [none, single, budget] = runs;
    assert.equal(none.recoveredAfterMs, undefined);
    // A budget alone is worse than no retries in this outage.
    assert.ok(budget.recoveredAfterMs > single.recoveredAfterMs && budget.failed > single.failed);
  });

  test('sentences hold for one attempt, without an outage and above the capacity', async () => {
    const { load: figure } = await pageModule('load/figure.ts');
    const { finding } = await pageModule('load/recovery.ts');
    for (const [herd, strategy] of /** @type {[object, object][]} */ ([
      [{}, {}],
      [{}, { maxAttempts: 1 }],
      [{ downMs: 0 }, {}],
      [{ demand: 1.05 }, {}],
      [{}, { maxAttempts: Infinity }],
    ])) {
      const result = await run(herd, strategy);
      const [head] = figure.table({ ...result, run: result.runs[0] }).rows;
      assert.ok(
        figure.describe({ ...result, run: result.runs[0] }).includes(`Of ${head[1].toLocaleString('en-US')} requests`),
      );
      for (const one of result.runs) {
        const said = finding({ ...result, run: one });
        assert.ok(said.includes(`${one.failed.toLocaleString('en-US')} of `), said);
        assert.equal(/to the end/.test(said), one.recoveredAfterMs === undefined, said);
        const openings = one.phases.phases.filter((/** @type {number} */ phase) => phase === 1).length;
        assert.equal(/breaker opens/.test(said), openings > 0, said);
      }
    }
    const { runs } = await run({ demand: 1.05 });
    assert.ok(runs.every((/** @type {any} */ { recoveredAfterMs }) => recoveredAfterMs === undefined));
  });

  test('one 429 for all, with two attempts: a shared cooldown loses fewest', async () => {
    const { rateLimit } = await pageModule('rate-limit/compute.ts');
    const { rateLimitFigure } = await pageModule('rate-limit/figure.ts');
    const { INITIAL } = await pageModule('state/strategy.ts');
    const result = await rateLimit({ strategy: INITIAL, seed: 42 }, nothing, signal);
    const rows = [{ hints: 'ignored' }, {}, { protection: { cooldown: {} } }].map((options) => {
      const simulation = simulateRateLimit(
        { baseMs: 100, capMs: 10_000, maxAttempts: 2 },
        /** @type {any} */ ({
          jobs: 1000,
          workers: 50,
          limit: 100,
          windowMs: 10_000,
          horizonMs: 600_000,
          binMs: 500,
          ...options,
          seed: 42,
        }),
      );
      simulation.step();
      const { totals } = simulation.result();
      simulation.free();
      return [totals.rejected, 1000 - totals.done];
    });
    assert.deepEqual(
      result.runs.map((/** @type {any} */ { rejected, failed }) => [rejected, failed]),
      rows,
    );
    assert.deepEqual(
      rows.map(([, failed]) => failed),
      [900, 230, 5],
    );
    assert.match(
      rateLimitFigure.describe({ ...result, isShared: true }),
      /900 fail if hints .*, and 230 fail .* cooldown 5 fail/,
    );
    assert.match(
      rateLimitFigure.describe({ ...result, isShared: false }),
      /rejects 580 requests, .* ends after 75\.1 s\.$/,
    );
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

  /** From 95% for one mean to 95% for all ten together. */
  const ALL_TEN = 2.81 / 1.96;

  test("has the reference's means for ten clients, within both confidence intervals", async () => {
    const { contention } = await pageModule('contention/compute.ts');
    const { points, events } = await contention({ clients: [10], runs: 400, seed: 42 }, nothing, signal);
    assert.equal(points.length, 5);
    assert.ok(events > 5 * 400 * 10);
    for (const { line, clients, runs, calls, timeMs } of points) {
      assert.deepEqual([clients, runs], [10, 400]);
      const [callsMean, callsSd, timeMean, timeSd] = REFERENCE[/** @type {keyof typeof REFERENCE} */ (line)];
      // 10,000 seeds: half of the interval is 0.0196 standard deviations.
      assert.ok(
        Math.abs(calls.mean - callsMean) <= ALL_TEN * (calls.ci95 + 0.0196 * callsSd),
        `${line}: ${calls.mean} calls`,
      );
      assert.ok(
        Math.abs(timeMs.mean - timeMean) <= ALL_TEN * (timeMs.ci95 + 0.0196 * timeSd),
        `${line}: ${timeMs.mean} ms`,
      );
    }
  });

  // The reference of contention.md in full: 50 and 100 clients as well.
  const LARGER = /** @type {const} */ ({
    50: {
      none: [690.03, 17.5, 1140.6, 43],
      exponential: [623.79, 29.2, 36_418, 3291],
      equal: [347.17, 6, 4249, 567],
      full: [332.54, 4.9, 2887, 554],
      decorrelated: [374.7, 12.7, 2210, 500],
    },
    100: {
      none: [2422.98, 32.1, 2027.6, 44],
      exponential: [1855.62, 58.9, 63_509, 3819],
      equal: [812.2, 7.8, 6610, 651],
      full: [795.97, 7, 4913, 531],
      decorrelated: [1001.91, 28.7, 4589, 671],
    },
  });

  test('has published values that agree with the reference of another implementation', async () => {
    const { PUBLISHED, PUBLISHED_RUNS } = await pageModule('contention/published.ts');
    assert.equal(PUBLISHED.length, 25);
    const reference = /** @type {Record<number, Record<string, readonly number[]>>} */ ({ 10: REFERENCE, ...LARGER });
    let compared = 0;
    for (const { line, clients, calls, timeMs } of PUBLISHED) {
      const [callsMean = NaN, callsSd = NaN, timeMean = NaN, timeSd = NaN] = reference[clients]?.[line] ?? [];
      if (Number.isNaN(callsMean)) continue;
      compared += 1;
      // 3.2 standard errors: all thirty hold at once in 95% of samples.
      const error = (/** @type {number} */ sd) => 3.2 * Math.hypot(sd / 100, sd / Math.sqrt(PUBLISHED_RUNS));
      assert.ok(Math.abs(calls.mean - callsMean) <= error(callsSd), `${line} ${clients}: ${calls.mean} calls`);
      assert.ok(Math.abs(timeMs.mean - timeMean) <= error(timeSd), `${line} ${clients}: ${timeMs.mean} ms`);
    }
    assert.equal(compared, 15);
  });

  test('counts the published values in the bands that are drawn, and no others', async () => {
    const { contention } = await pageModule('contention/compute.ts');
    const { agreement, PUBLISHED } = await pageModule('contention/published.ts');
    const { contention: figure } = await pageModule('contention/figure.ts');
    const clients = [10, 50, 100, 150, 190];
    const { points } = await contention({ clients, runs: 10, seed: 42 }, nothing, signal);
    const { rows } = figure.table({ points, seed: 42 });
    let within = 0;
    for (const { line, clients: n, ...published } of PUBLISHED) {
      const point = points.find((/** @type {any} */ one) => one.line === line && one.clients === n);
      for (const measure of /** @type {const} */ (['calls', 'timeMs']))
        if (Math.abs(point[measure].mean - published[measure].mean) <= point[measure].ci95) within++;
    }
    assert.equal(rows.length, 25);
    assert.deepEqual(agreement(points), { compared: 50, within });
    assert.ok(within > 40 && within < 50, `${within}: some are outside by chance`);
    assert.ok(figure.describe({ points, seed: 42 }).includes(`${within} of 50 values`));
  });

  test('shows that the published exponential backoff starts at twice the base', async () => {
    const policy = { backoff: 'exponential', jitter: 'full', baseMs: 5, capMs: 2000, maxAttempts: Infinity };
    const options = { clients: 100, runs: 50, seed: 42 };
    const fromBase = await simulateContention(/** @type {any} */ (policy), options).run();
    const published = await simulateContention({ figure: 'full' }, options).run();
    // In the reference: 875 and 796.
    assert.ok(Math.abs(fromBase.callsSummary.mean - 875) < 6 && Math.abs(published.callsSummary.mean - 796) < 6);
  });

  test('is the same for the same seed, reports as it goes, and ends when it is not wanted', async () => {
    const { contention } = await pageModule('contention/compute.ts');
    const input = { clients: [10, 20], runs: 5, seed: 1 };
    /** @type {number[]} */
    const shares = [];
    const result = await contention(input, (/** @type {{ share: number }} */ { share }) => shares.push(share), signal);
    assert.ok(
      shares.length >= 10 && shares.every((share, i) => share > 0 && share <= 1 && share >= (shares[i - 1] ?? 0)),
    );
    assert.deepEqual(await contention(input, nothing, signal), result);
    const stop = new AbortController();
    const long = contention({ clients: [190], runs: 100, seed: 1 }, () => stop.abort(), stop.signal);
    await assert.rejects(long, { name: 'AbortError' });
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
