/**
 * The verdict, in Node: the page's own functions, on the installed package. Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateOf } from './lib/states.mjs';
import { HERD, SCENARIOS, independently, median } from './lib/verdict.mjs';
import { pageModule } from './page-module.mjs';

/** @typedef {{ served: number, callsPerClient: number, enoughMs: number }} Run */

const { recommend, verdict } = await pageModule('verdict/compute.ts');
const { verdictWords } = await pageModule('verdict/words.ts');
const { fates } = await pageModule('waits/fates.ts');
const { scene } = await pageModule('scene/compute.ts');
const { cellsOf } = await pageModule('state/cells.ts');
const { INITIAL_STATE, PROTECTIONS } = await pageModule('state/state.ts');
const { ALL_BACKOFFS, ALL_JITTERS, AT_ONCE, INITIAL, withChoice } = await pageModule('state/strategy.ts');

const signal = new AbortController().signal;
const nothing = () => {};

describe('the verdict', () => {
  /** @param {object} herd @param {object} [strategy] @param {number} [seed] */
  const verdictOf = (herd, strategy = {}, seed = 42) =>
    verdict({ strategy: { ...INITIAL, ...strategy }, herd: { ...HERD, ...herd }, seed }, nothing, signal);
  /** @param {{ choice: { backoff: string, jitter: string } }} one */
  const nameOf = ({ choice: { backoff, jitter } }) => `${backoff} ${jitter}`;

  for (const scenario of SCENARIOS) {
    test(`for ${JSON.stringify([scenario.herd, scenario.strategy])} has the numbers of the package and names the strategy that they favour`, async () => {
      const result = await verdictOf(scenario.herd, scenario.strategy);
      const { pick, level, others } = recommend(result);
      const expected = independently(scenario, result.seeds);
      assert.ok(result.seeds >= 20);
      assert.equal(1 + level.length + others.length, 13);
      for (const one of [pick, ...level]) {
        const own = expected.find(({ name }) => name === nameOf(one));
        assert.ok(own, nameOf(one));
        for (const key of /** @type {const} */ (['served', 'callsPerClient', 'enoughMs']))
          assert.equal(one[key].p50, median(own.runs.map((run) => run[key])), `${own.name}: ${key}`);
      }
      // Another way to the same answer: products of both costs where 99% are served, else the number served.
      const best = expected.map(({ name, runs }) => {
        const [served, calls, enoughMs] = [
          median(runs.map((run) => run.served)),
          median(runs.map((run) => run.callsPerClient)),
          median(runs.map((run) => run.enoughMs)),
        ];
        return { name, served: Math.min(served, 990), price: calls * enoughMs };
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
    const run = (/** @type {number} */ callsPerClient, enoughMs = 10_000, served = 100) => ({
      served,
      callsPerClient,
      enoughMs,
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
    const { contenders } = await verdictOf({ clients: 100 }, { backoff: 'linear', jitter: 'decorrelated' });
    assert.equal(contenders.length, 13);
    const other = await verdictOf({ clients: 100 }, { jitter: 'slotted' });
    assert.deepEqual([other.contenders.length, nameOf({ choice: other.chosen })], [14, 'exponential slotted']);
  });

  test('in words names no winner among equals, and says "call" for one', async () => {
    for (const herd of [{ downMs: 0, clients: 10 }, { clients: 10 }]) {
      const words = verdictWords(await verdictOf(herd, { maxAttempts: 1 }));
      assert.equal(words.use, undefined);
      assert.doesNotMatch(Object.values(words).flat().join(' '), /Most are served by|You have|for 0|\b1 calls|others/);
    }
    const words = verdictWords(await verdictOf({}));
    assert.match(words.headline, /^For these 1,000.clients: Exponential · full jitter\.$/);
    assert.match(
      words.reason,
      /^99% are served after 15\.\d.s, with \d(?:\.\d)?.calls per client .* The scene shows it\.$/,
    );
    assert.equal(words.use, undefined);
    const atOnce = verdictWords(await verdictOf({ clients: 100 }, AT_ONCE));
    assert.ok(atOnce.use, 'what nobody has chosen can be used');
    assert.doesNotMatch(JSON.stringify(atOnce), /[Yy]our? (?:have )?cho/);
  });

  test('in words is whole for random states', async () => {
    for (let seed = 0; seed < 12; seed++) {
      const { strategy, herd } = stateOf(seed, { ALL_BACKOFFS, ALL_JITTERS, INITIAL_STATE, PROTECTIONS });
      const few = { ...herd, clients: 10 + (seed % 30), downMs: herd.downMs % 4000 };
      const words = JSON.stringify(verdictWords(await verdict({ strategy, herd: few, seed }, nothing, signal)));
      assert.doesNotMatch(words, /NaN|undefined|(?<![.\d])1.(?:calls|clients|attempts)\b|\d\.\d{3}/, words);
    }
  });

  test('takes fewer seeds for a large herd, at least five, and reports how far it is', async () => {
    /** @type {number[]} */
    const reports = [];
    const herd = { ...HERD, clients: 10_000, rejectionCost: 1 };
    const strategy = { ...INITIAL, baseMs: 10, capMs: 10, maxAttempts: Infinity };
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

  test('each cell of the grid serves as many as the scene with its strategy', async () => {
    const choices = cellsOf(INITIAL).all;
    for (const strategy of [INITIAL, { ...INITIAL, maxAttempts: Infinity }]) {
      const found = await fates({ strategy, herd: HERD, seed: 42, choices }, nothing, signal);
      assert.equal(found.length, choices.length);
      for (const { choice, served, isCut } of found.filter(
        (/** @type {unknown} */ _, /** @type {number} */ i) => i % 3 === 1,
      )) {
        if (isCut) continue;
        const own = await scene({ strategy: withChoice(strategy, choice), herd: HERD, seed: 42 }, nothing, signal);
        assert.equal(served, own.served, nameOf({ choice }));
      }
    }
  });
});
