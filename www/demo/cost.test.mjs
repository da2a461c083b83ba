/**
 * The computation of the cost section, in Node: the page's own functions, on the installed package. Expects `rejitter`
 * in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HERD, SCENARIOS, independently, median } from './lib/verdict.mjs';
import { pageModule } from './page-module.mjs';

/** @typedef {{ p5: number, p50: number, p95: number }} Range */
/** @typedef {{ choice: { backoff: string, jitter: string }, callsPerClient: Range, timeMs: Range }} Cost */
/** @typedef {{ served: number, callsPerClient: number, timeMs: number }} Run */

const { beats, costData, front, levels } = await pageModule('cost/data.ts');
const { recommend, verdict } = await pageModule('cost/compute.ts');
const { INITIAL } = await pageModule('state/strategy.ts');

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
  test('are those with fewer calls or less time than every other, by calls', () => {
    const costs = [
      cost('slow', 8, 25_000),
      cost('beaten', 12, 20_000),
      cost('good', 9, 17_000),
      cost('fast', 20, 16_300),
      cost('worst', 30, 30_000),
    ];
    assert.deepEqual(names(front(costs)), ['slow', 'good', 'fast']);
    assert.deepEqual(names(front([...costs].reverse())), ['slow', 'good', 'fast']);
  });

  test('with equal calls the faster one, with equal times the cheaper one', () => {
    assert.deepEqual(names(front([cost('a', 9, 17_000), cost('b', 9, 18_000)])), ['a']);
    assert.deepEqual(names(front([cost('a', 9, 17_000), cost('b', 8, 17_000)])), ['b']);
  });

  test('keeps strategies that are level on both counts, as one group', () => {
    const costs = [cost('a', 9, 17_000), cost('b', 9, 17_000), cost('c', 20, 16_000)];
    assert.deepEqual(names(front(costs)), ['a', 'b', 'c']);
    assert.deepEqual(levels(costs).map(names), [['a', 'b'], ['c']]);
  });

  test('three digits count: some milliseconds by chance do not win', () => {
    assert.deepEqual(names(front([cost('a', 9, 16_266), cost('b', 200, 16_261)])), ['a']);
    assert.deepEqual(names(front([cost('a', 9, 16_266), cost('b', 200, 16_149)])), ['a', 'b']);
  });

  test('drops strategies that never finish, however few the calls', () => {
    assert.deepEqual(names(front([cost('never', 2), cost('done', 9, 17_000)])), ['done']);
    assert.deepEqual(front([cost('never', 2), cost('nor this', 1)]), []);
    assert.equal(beats(cost('done', 2, 39_000), cost('never', 3)), true);
  });
});

describe('the verdict', () => {
  /** @param {object} herd @param {object} [strategy] @param {number} [seed] */
  const verdictOf = (herd, strategy = {}, seed = 42) =>
    verdict({ strategy: { ...INITIAL, ...strategy }, herd: { ...HERD, ...herd }, seed }, nothing, signal);
  /** @param {{ choice: { backoff: string, jitter: string } }} one */
  const nameOf = ({ choice: { backoff, jitter } }) => `${backoff} ${jitter}`;

  for (const scenario of SCENARIOS) {
    test(`for "${scenario.query}" has the numbers of the package and names the strategy that they favour`, async () => {
      const result = await verdictOf(scenario.herd, scenario.strategy);
      const { pick, level, others } = recommend(result);
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
        const other = recommend(await verdictOf(herd, strategy, seed));
        const names = [other.pick, ...other.level].map(nameOf);
        if (level.length === 0) assert.deepEqual(names, [pick], `seed ${seed}`);
        else assert.deepEqual(names.toSorted(), [pick, ...level].toSorted(), `seed ${seed}`);
      }
    }
  });

  test('recommends no strategy if no client is served, and counts no chance differences as wins', async () => {
    const { pick, level, others } = recommend(await verdictOf({ clients: 100, downMs: 30_000 }, { maxAttempts: 3 }));
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
      const { pick: best, level: equal } = recommend({
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
    const strategy = { ...INITIAL, baseMs: 10, capMs: 10 };
    const { seeds, contenders } = await verdict(
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
      verdict({ strategy, herd, seed: 42 }, () => stop.abort(new Error('not wanted')), stop.signal),
      /not wanted/,
    );
  });
});
