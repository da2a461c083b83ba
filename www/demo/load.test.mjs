/**
 * The computation of the sections on protection and on a rate limit, in Node: the page's own functions, on the installed
 * package.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { simulateLoad, simulateRateLimit } from 'rejitter/lab';
import { pageModule } from './page-module.mjs';

const { load } = await pageModule('load/compute.ts');
const { load: figure } = await pageModule('load/figure.ts');
const { finding } = await pageModule('load/recovery.ts');
const { rateLimit } = await pageModule('rate-limit/compute.ts');
const { rateLimitFigure } = await pageModule('rate-limit/figure.ts');
const { INITIAL } = await pageModule('state/strategy.ts');

const signal = new AbortController().signal;
const nothing = () => {};

describe('protection', () => {
  const run = async (/** @type {any} */ herd = {}, strategy = {}) => {
    const input = {
      strategy: { ...INITIAL, ...strategy },
      herd: { capacityPerS: 120, downMs: 2000, demand: 0.93, ...herd },
      seed: 42,
    };
    return load(input, nothing, signal);
  };
  /** The same by the package alone, with the whole server. */
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
    const { runs, horizonMs, binMs } = await run();
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
    const [none, single, budget] = runs;
    assert.equal(none.recoveredAfterMs, undefined);
    // A budget alone is worse than no retries in this outage.
    assert.ok(budget.recoveredAfterMs > single.recoveredAfterMs && budget.failed > single.failed);
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

  test('sentences hold for one attempt, without an outage and above the capacity', async () => {
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
    const result = await run();
    const runsOf = (/** @type {number[]} */ ...failed) =>
      result.runs.map((/** @type {any} */ one, /** @type {number} */ i) => ({ ...one, failed: failed[i] }));
    const said = (/** @type {any[]} */ runs) => figure.describe({ ...result, runs, run: runs[0] });
    assert.match(said(runsOf(9, 9, 1, 5, 1)), /The fewest, 1, fail with each of these: budget; budget and breaker\./);
    assert.match(said(runsOf(1, 9, 5, 5, 5)), /, 1 fails with retries and no protection\. No row has fewer/);
    const [endless] = figure.note({ ...result, input: { ...result.input, strategy: { maxAttempts: Infinity } } });
    assert.match(endless, /then retries, with unlimited attempts\. /);
    const { runs } = await run({ demand: 1.05 });
    assert.ok(runs.every((/** @type {any} */ { recoveredAfterMs }) => recoveredAfterMs === undefined));
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
    assert.match(
      rateLimitFigure.describe({ ...result, isShared: true }),
      /900 fail if hints .*, and 230 fail .* cooldown 94 fail/,
    );
    assert.match(
      rateLimitFigure.describe({ ...result, isShared: false }),
      /rejects 580 requests, .* ends after 75\.1 s\.$/,
    );
  });
});
