/**
 * The page's computation of the herd, in Node: the very functions of its worker, on the installed package.
 *
 * Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { peakOf, simulateOutage, timeToServeMs } from 'rejitter/lab';
import { pageModule } from './page-module.mjs';

/** @typedef {{ backoff: string, jitter: string }} Choice */
/**
 * @typedef {{ clients: number, downMs: number, capacityPerS: number, rejectionCost: number, limits: 'set' | 'served' }}
 * Outage
 */
/** @typedef {{ strategy: any, herd: Outage, seed: number, choices: Choice[], withOther?: boolean }} HerdInput */
/** @typedef {{ calls: number, accepted: number }} Wave */
/**
 * @typedef {{ choice: Choice, limits: string, arrivals: Uint32Array, accepted: Uint32Array, peakPerS?: number,
 * timeTo99Ms?: number, allServedMs?: number, calls: number, served: number, gaveUp: number, lastAttemptMs?: number,
 * rejectedShare: number, meanAttempts: number, wave?: Wave, untilMs: number, isCut: boolean }} HerdRun
 */
/**
 * @typedef {{ horizonMs: number, binMs: number, boundMs: number, runs: HerdRun[], other?: HerdRun, traces?: { clients:
 * Uint32Array } }} HerdResult
 */

const OUTAGE = {
  clients: 1000,
  downMs: 8000,
  capacityPerS: 120,
  rejectionCost: 0.05,
  limits: /** @type {'set' | 'served'} */ ('served'),
};
const nothing = () => {};

describe('the herd', () => {
  /** @type {any} */
  let page;
  /** @type {any} */
  let strategies;
  /** @type {HerdInput} */
  let input;
  const signal = new AbortController().signal;

  before(async () => {
    page = await pageModule('compute/herd.ts');
    strategies = await pageModule('state/strategy.ts');
    input = { strategy: strategies.INITIAL, herd: OUTAGE, seed: 42, choices: strategies.CHOICES };
  });

  /** @param {Partial<HerdInput>} [part] @returns {Promise<HerdResult>} */
  const run = (part) => page.herd({ ...input, ...part }, nothing, signal);

  for (const limits of /** @type {const} */ (['set', 'served'])) {
    test(`limits ${limits}: each number is the installed package's own for the same seed`, async () => {
      const herd = { ...OUTAGE, limits };
      const { runs, horizonMs, binMs, boundMs } = await run({ herd });
      assert.deepEqual([horizonMs, binMs, Math.round(boundMs)], [40_000, 100, 16_333]);
      assert.deepEqual(
        runs.map(({ choice }) => choice),
        strategies.CHOICES,
      );
      for (const one of runs) {
        const { horizonMs: _, ...options } = page.outageOptions(herd);
        const endMs = limits === 'set' ? 3_600_000 : horizonMs;
        const simulation = simulateOutage(page.policyOf(input.strategy, one.choice, limits), {
          ...options,
          horizonMs: endMs,
          binMs,
          traced: 1000,
          seed: 42,
        });
        simulation.step();
        const outage = simulation.result();
        simulation.free();
        assert.deepEqual([...one.arrivals], padded(outage.arrivals, 400));
        assert.deepEqual([...one.accepted], padded(outage.accepted, 400));
        const last = [...outage.traces.timesMs].findLast((__, i) => outage.traces.outcomes[i] === 2);
        assert.deepEqual(
          [one.peakPerS, one.timeTo99Ms, one.allServedMs, one.meanAttempts, one.served, one.gaveUp, one.lastAttemptMs],
          [
            10 * (peakOf(outage, OUTAGE.downMs)?.arrivals ?? 0),
            timeToServeMs(outage, 0.99),
            timeToServeMs(outage, 1),
            outage.meanAttempts,
            outage.servedMs.length,
            outage.giveUps,
            last,
          ],
        );
        if (limits === 'set') assert.equal(one.served + one.gaveUp, OUTAGE.clients, 'no client is left');
      }
    });
  }

  test('the server accepts nothing in the outage, and then never more than its capacity', async () => {
    const { runs, binMs, boundMs } = await run();
    for (const { choice, arrivals, accepted, calls, served, rejectedShare, meanAttempts, allServedMs } of runs) {
      let sum = 0;
      for (const [i, n] of accepted.entries()) {
        assert.ok(n <= (arrivals[i] ?? 0));
        sum += n;
        const most = (OUTAGE.capacityPerS * Math.max(0, (i + 1) * binMs - OUTAGE.downMs)) / 1000;
        assert.ok(sum <= most, `${choice.backoff} ${choice.jitter}: ${sum} > ${most} accepted up to bin ${i}`);
      }
      assert.equal(sum, served);
      assert.equal(
        arrivals.reduce((a, b) => a + b, 0),
        calls,
      );
      assert.equal(meanAttempts, calls / OUTAGE.clients);
      assert.equal(rejectedShare, 1 - served / calls);
      assert.equal(allServedMs === undefined, served < OUTAGE.clients);
      assert.ok((allServedMs ?? Infinity) >= boundMs);
    }
  });

  test('clients that hammer the server are served if a rejection costs nothing, and not if it costs 5%', async () => {
    const choices = [
      { backoff: 'fixed', jitter: 'full' },
      { backoff: 'fixed', jitter: 'none' },
      { backoff: 'exponential', jitter: 'full' },
    ];
    const of = async (/** @type {number} */ rejectionCost) =>
      (await run({ choices, herd: { ...OUTAGE, rejectionCost } })).runs.map(({ served, timeTo99Ms }) => [
        served,
        Math.round((timeTo99Ms ?? Infinity) / 1000),
      ]);
    // The order is that of the grid: none before full.
    assert.deepEqual(await of(0), [
      [1000, 16],
      [1000, 16],
      [1000, 19],
    ]);
    // 9,000 rejections a second take all of it. Without jitter there is a pause of 10 ms between two waves.
    assert.deepEqual(await of(0.05), [
      [1000, 36],
      [0, Infinity],
      [1000, 19],
    ]);
  });

  test('reports first the final results, in the requested order', async () => {
    const [chosen, none] = [strategies.CHOICES[9], strategies.CHOICES[8]];
    const rest = strategies.CHOICES.filter((/** @type {Choice} */ choice) => choice !== chosen && choice !== none);
    /** @type {HerdResult[]} */
    const reports = [];
    /** @type {HerdResult} */
    const whole = await page.herd(
      { ...input, choices: [none, chosen, ...rest], withOther: true },
      (/** @type {HerdResult} */ partial) => reports.push(partial),
      signal,
    );
    const [first] = reports;
    assert.deepEqual(
      first?.runs,
      whole.runs.filter(
        ({ choice }) => choice === chosen || choice === none || sameAs(choice, chosen) || sameAs(choice, none),
      ),
    );
    assert.deepEqual(first?.traces, whole.traces);
    assert.deepEqual(
      [...new Set(whole.traces?.clients)].sort((a, b) => a - b),
      Array.from({ length: page.TRACED }, (_, i) => i),
    );
  });

  test('the same seed gives the same herd, another seed another one', async () => {
    const [a, b] = [await run(), await run()];
    const other = await run({ seed: 43 });
    assert.deepEqual(a, b);
    assert.notDeepEqual(a.runs, other.runs);
  });

  test('until served, no limit and no deadline has an effect; decorrelated jitter replaces the backoff', async () => {
    // A list of bins that is long enough for both.
    const numbers = (/** @type {HerdRun} */ { choice: _, arrivals, accepted, untilMs, served, gaveUp, ...rest }) => ({
      arrivals: arrivals.slice(0, 300),
      accepted: accepted.slice(0, 300),
      gaveUp,
      wave: rest.wave,
    });
    const limited = { ...strategies.INITIAL, maxAttempts: 2, totalTimeoutMs: 500 };
    const { runs } = await run();
    assert.deepEqual((await run({ strategy: limited })).runs.map(numbers), runs.map(numbers));
    const decorrelated = runs
      .filter(({ choice }) => choice.jitter === 'decorrelated')
      .map(({ choice: _, ...rest }) => rest);
    assert.equal(decorrelated.length, 4);
    for (const rest of decorrelated) assert.deepEqual(rest, decorrelated[0]);
  });

  test('as set, clients give up at their last attempt or before their deadline; the other run lifts both', async () => {
    const choices = [
      { backoff: 'exponential', jitter: 'none' },
      { backoff: 'exponential', jitter: 'full' },
    ];
    const herd = { ...OUTAGE, limits: /** @type {const} */ ('set') };
    for (const [limits, lastMs] of /** @type {const} */ ([
      [{ maxAttempts: 6 }, 3100],
      [{ totalTimeoutMs: 3000 }, 1500],
    ])) {
      const strategy = { ...strategies.INITIAL, ...limits };
      const {
        runs: [none, full],
        other,
      } = await run({ strategy, herd, choices, withOther: true });
      for (const one of [none, full])
        assert.deepEqual([one?.served, one?.gaveUp, one?.timeTo99Ms], [0, 1000, undefined]);
      // Each wait starts 10 ms after its attempt, and clients start within 100 ms.
      assert.ok(Math.abs((none?.lastAttemptMs ?? NaN) - lastMs) < 160, `${none?.lastAttemptMs}`);
      assert.deepEqual([other?.limits, other?.served, other?.gaveUp], ['served', 1000, 0]);
      const reverse = await run({ strategy, herd: { ...herd, limits: 'served' }, choices, withOther: true });
      assert.deepEqual(numbersOf(reverse.other), numbersOf(full));
      assert.deepEqual(numbersOf(other), numbersOf(reverse.runs[1]));
    }
    const enough = await run({ herd: { ...herd, downMs: 1000 }, choices, withOther: true });
    assert.deepEqual(numbersOf(enough.other), numbersOf(enough.runs[1]), 'no client gives up: one run is both');
  });

  test('clients without jitter come back together, and the wave says how many of them the server takes', async () => {
    const { runs } = await run();
    const none = runs.find(({ choice }) => choice.backoff === 'exponential' && choice.jitter === 'none');
    // The first wave: 12 saved calls. Each of the 988 others takes more than comes in.
    assert.deepEqual(none?.wave, { calls: 1000, accepted: 12 });
    for (const { choice, wave } of runs) if (choice.jitter !== 'none') assert.equal(wave, undefined);
    const free = await run({
      herd: { ...OUTAGE, rejectionCost: 0 },
      choices: [{ backoff: 'exponential', jitter: 'none' }],
    });
    // 12 that were saved, and 11.9 in the 100 ms.
    assert.deepEqual(free.runs[0]?.wave, { calls: 1000, accepted: 23 });
    // Waits of 50 ms are shorter than the time in which clients start: they never pause.
    const fast = await run({
      strategy: { ...strategies.INITIAL, baseMs: 50 },
      choices: [{ backoff: 'fixed', jitter: 'none' }],
    });
    assert.equal(fast.runs[0]?.wave, undefined);
  });

  test('too many calls are cut off, and what was not computed is not claimed', async () => {
    const strategy = { ...strategies.INITIAL, baseMs: 1, capMs: 1 };
    const choices = [{ backoff: 'fixed', jitter: 'none' }];
    const herd = { ...OUTAGE, clients: 10_000, downMs: 60_000, capacityPerS: 1000 };
    const result = await run({ strategy, herd, seed: 1, choices });
    const [one] = result.runs;
    assert.ok(one?.isCut && one.untilMs < herd.downMs, `${one?.untilMs}`);
    assert.deepEqual([one.peakPerS, one.timeTo99Ms, one.allServedMs], [undefined, undefined, undefined]);
    const { outcomeOf } = await pageModule('figures/hero.ts');
    const { text, rest } = outcomeOf(one, result);
    assert.match(text, /^cut off at [\d.]+\u00a0s$/);
    assert.equal(rest, '0 of 10,000 served up to there');
  });

  test('an order that is not wanted any more stops in the middle', async () => {
    const controller = new AbortController();
    const reason = new Error('not wanted');
    const strategy = { ...strategies.INITIAL, baseMs: 1, capMs: 1 };
    const herd = { ...OUTAGE, clients: 10_000, downMs: 600_000, capacityPerS: 1 };
    /** @type {HerdResult[]} */
    const reports = [];
    const running = page.herd(
      { ...input, strategy, herd },
      (/** @type {HerdResult} */ partial) => reports.push(partial),
      controller.signal,
    );
    setTimeout(() => controller.abort(reason));
    await assert.rejects(running, reason);
    assert.deepEqual(reports, []);
  });

  test('the horizon holds whole bins, 240 to 500 of them, and twice the bound, for whatever the link says', () => {
    for (const clients of [10, 50, 777, 1000, 10_000]) {
      for (const downMs of [0, 1, 8000, 12_345, 60_000, 600_000]) {
        for (const capacityPerS of [1, 20, 120, 333.3, 100_000]) {
          for (const limits of [
            {},
            { maxAttempts: Infinity },
            { maxAttempts: 2, baseMs: 5000 },
            { totalTimeoutMs: 77_000, maxAttempts: Infinity },
          ]) {
            const herd = { ...OUTAGE, clients, downMs, capacityPerS };
            const { horizonMs, binMs } = page.span({ strategy: { ...strategies.INITIAL, ...limits }, herd });
            const said = JSON.stringify({ clients, downMs, capacityPerS, limits, horizonMs, binMs });
            assert.ok(horizonMs >= 2 * (downMs + (1000 * clients) / capacityPerS), said);
            assert.ok(
              Number.isInteger(horizonMs / binMs) && horizonMs / binMs >= 240 && horizonMs / binMs <= 500,
              said,
            );
            assert.ok(Number.isInteger(Math.max(binMs, page.WINDOW_MS) / Math.min(binMs, page.WINDOW_MS)), said);
          }
        }
      }
    }
    const spanOf = (/** @type {object} */ part) =>
      page.span({ strategy: { ...strategies.INITIAL, ...part }, herd: { ...OUTAGE, downMs: 2000 } }).horizonMs;
    // The last attempt without jitter is at 32.8 s; of six attempts at 3.2 s.
    assert.deepEqual([spanOf({}), spanOf({ maxAttempts: 6 })], [40_000, 30_000]);
  });
});

describe('the outcome in words', () => {
  /** @type {any} */
  let hero;
  before(async () => {
    hero = await pageModule('figures/hero.ts');
  });

  /** @param {object} part @param {object} [herd] */
  const outcome = (part, herd = {}) => {
    const run = { served: 0, gaveUp: 0, isCut: false, untilMs: 40_000, ...part };
    const { text, rest } = hero.outcomeOf(run, { input: { herd: { clients: 1000, ...herd } }, horizonMs: 40_000 });
    return `${text}; ${rest}`.replaceAll('\u00a0', ' ');
  };

  test('says how many were served, how many gave up, and when: never "still failing" for 46 as for 999', () => {
    assert.equal(outcome({ served: 1000, allServedMs: 20_001 }), '1,000 of 1,000 by 21 s; ');
    assert.equal(outcome({ served: 1000, allServedMs: 4201 }), '1,000 of 1,000 by 4.3 s; ');
    assert.equal(
      outcome({ served: 115, gaveUp: 885, lastAttemptMs: 32_800 }),
      '115 of 1,000 served; 885 gave up by 33 s',
    );
    assert.equal(outcome({ served: 46 }), '46 of 1,000 after 40 s; 954 still retry');
    assert.equal(outcome({ served: 999 }), '999 of 1,000 after 40 s; 1 still retry');
    assert.equal(
      outcome({ served: 7, isCut: true, untilMs: 11_200 }),
      'cut off at 11.2 s; 7 of 1,000 served up to there',
    );
  });

  test('says what the limits do, and what would be without them', () => {
    const strategy = { backoff: 'exponential', jitter: 'full', maxAttempts: 6, totalTimeoutMs: Infinity };
    const choice = { backoff: 'exponential', jitter: 'full' };
    const run = { choice, served: 0, gaveUp: 1000, lastAttemptMs: 3250, isCut: false, untilMs: 40_000, calls: 6000 };
    const all = { ...run, served: 1000, gaveUp: 0, lastAttemptMs: undefined, allServedMs: 20_400 };
    /** @param {object} asSet @param {object} endless @param {object} [part] @param {string} [limits] */
    const sentence = (asSet, endless, part = {}, limits = 'set') => {
      const [shown, other] = limits === 'set' ? [asSet, endless] : [endless, asSet];
      const result = {
        input: { strategy: { ...strategy, ...part }, herd: { clients: 1000, limits } },
        runs: [shown],
        other,
        horizonMs: 40_000,
      };
      return hero.limitsSentence(result).replaceAll('\u00a0', ' ');
    };
    assert.equal(
      sentence(run, all),
      'With 6 attempts and full jitter, 1,000 of 1,000 clients give up by 3.3 s. If they never gave up, all ' +
        'would be served by 21 s.',
    );
    assert.equal(
      sentence(run, all, {}, 'served'),
      'Here no client gives up. With 6 attempts and full jitter, 1,000 of 1,000 clients would give up by 3.3 s.',
    );
    assert.equal(sentence(all, all), 'With 6 attempts and full jitter, no client gives up.');
    assert.match(sentence(run, all, { totalTimeoutMs: 3000 }), /^With 6 attempts, a deadline of 3 s and full jitter, /);
    assert.match(
      sentence(run, { ...all, served: 69, allServedMs: undefined }),
      /69 would be served by 40 s and the others still retry\.$/,
    );
    assert.match(
      sentence(run, { ...all, served: 3, allServedMs: undefined, isCut: true, calls: 10_012_345, untilMs: 11_200 }),
      /the server would get 10M calls in 11.2 s\.$/,
    );
    assert.equal(
      sentence(run, all, { maxAttempts: Infinity }),
      'With full jitter and no limit, no client ever gives up.',
    );
  });
});

/** @param {HerdRun | undefined} run */
function numbersOf(run) {
  const { limits: _, ...numbers } = run ?? {};
  return numbers;
}

/** @param {Choice} a @param {Choice} b */
function sameAs(a, b) {
  return a.backoff === b.backoff && a.jitter === b.jitter;
}

/** @param {Uint32Array} counts @param {number} length */
function padded(counts, length) {
  return [...counts, ...new Array(length - counts.length).fill(0)];
}
