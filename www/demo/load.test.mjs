/**
 * The computation of the sections on protection and on a rate limit, in Node: the page's own functions, on the installed
 * package.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { simulateLoad, simulateRateLimit } from 'rejitter/lab';
import { stateOf } from './lib/states.mjs';
import { pageModule } from './page-module.mjs';

const { SHARED, load, loadInput } = await pageModule('load/compute.ts');
const { finding: rowsInWords, load: figure } = await pageModule('load/figure.ts');
const { finding } = await pageModule('load/recovery.ts');
const { STEPS, stateOf: stateOfStep, stepOf } = await pageModule('load/steps.ts');
const { rateLimit } = await pageModule('rate-limit/compute.ts');
const { finding: limitInWords } = await pageModule('rate-limit/figure.ts');
const { defaultsAt, INITIAL_STATE, PROTECTIONS } = await pageModule('state/state.ts');
const { ALL_BACKOFFS, ALL_JITTERS, INITIAL } = await pageModule('state/strategy.ts');

const signal = new AbortController().signal;
const nothing = () => {};

describe('protection', () => {
  const run = async (/** @type {any} */ herd = {}, strategy = {}, shared = 'none') => {
    const input = {
      strategy: { ...INITIAL, ...strategy },
      herd: { capacityPerS: 120, downMs: 2000, demand: 0.93, failing: 0, ...herd },
      seed: 42,
      shared,
    };
    return load(input, nothing, signal);
  };
  /** The load by the package alone, with the whole server. */
  const alone = (/** @type {string} */ shared, /** @type {any} */ options, maxAttempts = 10) => {
    const simulation = simulateLoad(
      { baseMs: 100, capMs: 10_000, maxAttempts: shared === 'single' ? 1 : maxAttempts },
      {
        arrivals: { type: 'regular', perS: 0.93 * 120 },
        capacityPerS: 120,
        timeoutMs: 1000,
        downFromMs: 10_000,
        downMs: 2000,
        ...options,
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
    return result;
  };
  const nameOf = (/** @type {any} */ { shared }) => shared;

  test('each row is that of simulateLoad: failures, calls, and the end of the last bad second', async () => {
    const { runs, horizonMs, binMs, run: shown } = await run({}, {}, 'breaker');
    assert.equal(shown.shared, 'breaker');
    assert.deepEqual(runs.map(nameOf), ['none', 'single', 'budget', 'breaker', 'both']);
    for (const { shared, requests, failed, amplification, recoveredAfterMs } of runs) {
      const result = alone(shared, { horizonMs, binMs });
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
  });

  test('a server that is simulated smaller, and for a shorter time, loses the same share of its requests', async () => {
    const { runs, capacityPerS, horizonMs } = await run({ downMs: 30_000 }, { maxAttempts: Infinity });
    assert.deepEqual([capacityPerS, horizonMs], [50, 1_200_000]);
    const [{ requests: all, failed: most }, ...others] = runs;
    assert.ok(most / all > 0.99, 'and its calls are too many to compare');
    for (const { shared, requests, failed } of others) {
      const { totals } = alone(shared, { downMs: 30_000, horizonMs, binMs: horizonMs }, Infinity);
      const whole = 1 - totals.successes / totals.requests;
      assert.ok(Math.abs(failed / requests - whole) < 0.01, `${shared}: ${failed / requests} and ${whole}`);
    }
    // A server of one call a second is simulated as it is.
    assert.equal((await run({ capacityPerS: 1, downMs: 600_000 }, { maxAttempts: Infinity })).capacityPerS, 1);
  });

  test('answers that fail at random are those of failureShare, and are what a retry and a budget are for', async () => {
    const { runs } = await run({ demand: 0.5, failing: 0.05 });
    const failed = Object.fromEntries(runs.map((/** @type {any} */ one) => [one.shared, one.failed]));
    assert.ok(failed.budget < failed.single / 2 && failed.breaker < failed.single / 2, JSON.stringify(failed));
    const rare = await run({ demand: 0.5, failing: 0.05, downMs: 0 });
    for (const { shared, failed: lost, requests } of rare.runs)
      assert.ok(shared === 'single' ? lost > 0.04 * requests : lost < 0.001 * requests, `${shared}: ${lost}`);
  });

  test("the band is that of thirty seeds, the page's own among them", async () => {
    const { band, run: shown, runs } = await run({ demand: 0.5 }, {}, 'breaker');
    assert.equal(band.seeds, 30);
    assert.equal(band.recovered, 30);
    assert.ok(band.failed.p5 <= band.failed.p50 && band.failed.p50 <= band.failed.p95);
    const inside = shown.arrivals.filter(
      (/** @type {number} */ n, /** @type {number} */ i) => n >= band.low[i] && n <= band.high[i],
    );
    assert.ok(inside.length > 0.85 * shown.arrivals.length, `${inside.length} of ${shown.arrivals.length} bins`);
    assert.deepEqual(runs.map(nameOf), SHARED);
  });

  test('the steps tell what each part is for, in the numbers of their own states', async () => {
    const home = defaultsAt('/protection/');
    const failed = [];
    for (const [i, step] of STEPS.entries()) {
      const state = { ...home, ...stateOfStep(step, home) };
      assert.equal(stepOf(state), i);
      const result = await load(loadInput(state), nothing, signal);
      failed.push(result.run.failed);
      assert.ok(step.why(result).includes(result.run.failed.toLocaleString('en-US')), step.why(result));
    }
    const [none = 0, single = 0, breaker = 0, alone = 0, budget = 0, costly = 0] = failed;
    // Dead for ever; no retries; a breaker; 5% at random; what a budget is for; and where it costs.
    assert.ok(none > 0.9 * 7200 && single < 0.02 * 7200 && breaker < 0.03 * 7200, failed.join());
    assert.ok(alone > 3 * single && budget < alone / 2 && costly > 3 * alone, failed.join());
  });

  test('sentences hold for every state: one attempt, no outage, equal rows, above the capacity', async () => {
    const fixed = [
      [{}, {}],
      [{}, { maxAttempts: 1 }],
      [{ downMs: 0 }, {}],
      [{ demand: 1.05 }, {}],
    ];
    const drawn = Array.from({ length: 40 }, (_, seed) => {
      const { strategy, herd } = stateOf(seed, { ALL_BACKOFFS, ALL_JITTERS, INITIAL_STATE, PROTECTIONS });
      const maxAttempts = Math.min(strategy.maxAttempts, 5);
      return [
        { ...herd, capacityPerS: 60, downMs: herd.downMs % 3000 },
        { ...strategy, maxAttempts, baseMs: strategy.capMs < 500 ? strategy.baseMs : 500 },
      ];
    });
    for (const [i, [herd, strategy]] of [...fixed, ...drawn].entries()) {
      const result = await run(herd, strategy, SHARED[i % SHARED.length]);
      const spoken = [finding(result), rowsInWords(result), figure.describe(result), ...figure.note(result)].join(' ');
      assert.doesNotMatch(spoken, /NaN|undefined|Infinity|(?<![.,\d])1.(?:calls|requests|attempts) |for 0/, spoken);
      if (result.input.strategy.maxAttempts === 1) assert.doesNotMatch(spoken, /retr/i, spoken);
      if (result.input.herd.downMs === 0) assert.doesNotMatch(spoken, /outage|server is back/, spoken);
      const fewest = Math.min(...result.runs.map((/** @type {any} */ one) => one.failed));
      assert.ok(rowsInWords(result).includes(fewest.toLocaleString('en-US')), spoken);
    }
    const result = await run();
    const said = (/** @type {number[]} */ ...failed) =>
      rowsInWords({
        ...result,
        runs: result.runs.map((/** @type {any} */ one, /** @type {number} */ i) => ({ ...one, failed: failed[i] })),
      });
    assert.match(said(9, 9, 1, 5, 1), /The fewest, 1: retries with a budget; both\.$/);
    assert.match(said(1, 9, 5, 5, 5), /, 1 fails with retries, no protection\. No row has fewer\.$/);
    assert.match(said(4, 4, 4, 4, 4), /, 4 fail in every row\.$/);
  });

  test('one 429 for all, with two attempts: a shared cooldown loses fewest', async () => {
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
      [900, 230, 94],
    );
    assert.match(limitInWords({ ...result, isShared: true }), /900 fail if .*, and 230 fail .* cooldown 94 fail\.$/);
    assert.match(limitInWords({ ...result, isShared: false }), /230 fail if each worker follows its own\.$/);
  });
});
