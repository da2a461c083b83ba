/**
 * What the page computes of the herd, in Node: the very functions of its worker, on the installed package.
 *
 * Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { peakOf, simulateOutage, timeToServeMs } from 'rejitter/lab';
import { runnerImport } from 'vite';

/** @typedef {import('rejitter').RetryOptions} RetryOptions */
/** @typedef {import('rejitter/lab').OutageOptions} OutageOptions */
/** @typedef {{ backoff: 'fixed' | 'linear' | 'exponential' | 'truncated', jitter: 'none' | 'full' | 'equal' | 'decorrelated' }} Choice */
/** @typedef {Choice & { baseMs: number, capMs: number, maxAttempts: number, totalTimeoutMs: number }} Strategy */
/** @typedef {{ INITIAL: Strategy, CHOICES: Choice[] }} Strategies */
/** @typedef {{ clients: number, downMs: number, capacityPerS: number }} Outage */
/** @typedef {{ strategy: Strategy, herd: Outage, seed: number, choices: Choice[] }} HerdInput */
/** @typedef {{ choice: Choice, arrivals: Uint32Array, accepted: Uint32Array, peakPerS?: number, timeTo99Ms?: number, allServedMs?: number, calls: number, served: number, rejectedShare: number, meanAttempts: number, untilMs: number }} HerdRun */
/** @typedef {{ horizonMs: number, binMs: number, boundMs: number, runs: HerdRun[], traces?: { clients: Uint32Array } }} HerdResult */
/**
 * @typedef {object} HerdModule
 * @property {(input: HerdInput, report: (partial: HerdResult) => void, signal: AbortSignal) => Promise<HerdResult>} herd
 * @property {(strategy: Strategy, choice: Choice) => RetryOptions} policyOf
 * @property {(herd: Outage) => OutageOptions} outageOptions
 * @property {(herd: Outage) => { horizonMs: number, binMs: number }} span
 * @property {number} TRACED
 * @property {number} WINDOW_MS
 */

/** A module of the page. @template T @param {string} path @returns {Promise<T>} */
async function ofPage(path) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { module } = await runnerImport(fileURLToPath(new URL(`../src/${path}`, import.meta.url)), { root, configFile: false, logLevel: 'error' });
  return /** @type {T} */ (module);
}

const OUTAGE = { clients: 1000, downMs: 8000, capacityPerS: 120 };
const nothing = () => {};

describe('the herd', () => {
  /** @type {HerdModule} */
  let page;
  /** @type {Strategies} */
  let strategies;
  /** @type {HerdInput} */
  let input;
  const signal = new AbortController().signal;

  before(async () => {
    page = await ofPage('compute/herd.ts');
    strategies = await ofPage('state/strategy.ts');
    input = { strategy: strategies.INITIAL, herd: OUTAGE, seed: 42, choices: strategies.CHOICES };
  });

  test('each number is what the simulation of the installed package gives for the same seed', async () => {
    const { runs, horizonMs, binMs, boundMs } = await page.herd(input, nothing, signal);
    assert.deepEqual([horizonMs, binMs, Math.round(boundMs)], [40_000, 100, 16_333]);
    assert.deepEqual(runs.map(({ choice }) => choice), strategies.CHOICES);
    for (const run of runs) {
      const simulation = simulateOutage(page.policyOf(input.strategy, run.choice), { ...page.outageOptions(OUTAGE), horizonMs, binMs, seed: 42 });
      simulation.step();
      const outage = simulation.result();
      simulation.free();
      assert.deepEqual([...run.arrivals], padded(outage.arrivals, 400));
      assert.deepEqual([...run.accepted], padded(outage.accepted, 400));
      assert.deepEqual(
        [run.peakPerS, run.timeTo99Ms, run.allServedMs, run.meanAttempts],
        [10 * (peakOf(outage, OUTAGE.downMs)?.arrivals ?? 0), timeToServeMs(outage, 0.99), timeToServeMs(outage, 1), outage.meanAttempts],
      );
    }
  });

  test('the server accepts nothing in the outage, and then never more than its capacity', async () => {
    const { runs, binMs, boundMs } = await page.herd(input, nothing, signal);
    for (const { choice, arrivals, accepted, calls, served, rejectedShare, meanAttempts, allServedMs } of runs) {
      let sum = 0;
      for (const [i, n] of accepted.entries()) {
        assert.ok(n <= (arrivals[i] ?? 0));
        sum += n;
        const most = (OUTAGE.capacityPerS * Math.max(0, (i + 1) * binMs - OUTAGE.downMs)) / 1000;
        assert.ok(sum <= most, `${choice.backoff} ${choice.jitter}: ${sum} > ${most} accepted up to bin ${i}`);
      }
      assert.equal(sum, served);
      assert.equal(arrivals.reduce((a, b) => a + b, 0), calls);
      assert.equal(meanAttempts, calls / OUTAGE.clients);
      assert.equal(rejectedShare, 1 - served / calls);
      assert.equal(allServedMs === undefined, served < OUTAGE.clients);
      assert.ok((allServedMs ?? Infinity) >= boundMs);
    }
  });

  test('what is reported first is what comes out in the end, in the order that was asked for', async () => {
    const [chosen, none] = [strategies.CHOICES[9], strategies.CHOICES[8]];
    assert.ok(chosen && none);
    const rest = strategies.CHOICES.filter((choice) => choice !== chosen && choice !== none);
    /** @type {HerdResult[]} */
    const reports = [];
    const whole = await page.herd({ ...input, choices: [none, chosen, ...rest] }, (partial) => reports.push(partial), signal);
    const [first] = reports;
    assert.deepEqual(first?.runs, whole.runs.filter(({ choice }) => choice === chosen || choice === none));
    assert.deepEqual(first?.traces, whole.traces);
    assert.deepEqual([...new Set(whole.traces?.clients)].sort((a, b) => a - b), Array.from({ length: page.TRACED }, (_, i) => i));
  });

  test('the same seed gives the same herd, another seed another one', async () => {
    const [a, b] = [await page.herd(input, nothing, signal), await page.herd(input, nothing, signal)];
    const other = await page.herd({ ...input, seed: 43 }, nothing, signal);
    assert.deepEqual(a, b);
    assert.notDeepEqual(a.runs, other.runs);
  });

  test('neither the attempt limit nor the deadline acts; decorrelated jitter replaces the backoff', async () => {
    const limited = { ...strategies.INITIAL, maxAttempts: 2, totalTimeoutMs: 500 };
    const { runs } = await page.herd(input, nothing, signal);
    assert.deepEqual((await page.herd({ ...input, strategy: limited }, nothing, signal)).runs, runs);
    const decorrelated = runs.filter(({ choice }) => choice.jitter === 'decorrelated').map(({ choice: _, ...numbers }) => numbers);
    assert.equal(decorrelated.length, 4);
    for (const numbers of decorrelated) assert.deepEqual(numbers, decorrelated[0]);
  });

  test('too many calls are cut off, and what was not computed is not claimed', async () => {
    const strategy = { ...strategies.INITIAL, baseMs: 1, capMs: 1 };
    const choices = [{ backoff: /** @type {const} */ ('fixed'), jitter: /** @type {const} */ ('none') }];
    const herd = { clients: 10_000, downMs: 60_000, capacityPerS: 1000 };
    const { runs: [run] } = await page.herd({ strategy, herd, seed: 1, choices }, nothing, signal);
    assert.ok(run && run.untilMs < herd.downMs, `${run?.untilMs}`);
    assert.deepEqual([run.peakPerS, run.timeTo99Ms, run.allServedMs], [undefined, undefined, undefined]);
  });

  test('an order that is not wanted any more stops in the middle', async () => {
    const controller = new AbortController();
    const reason = new Error('not wanted');
    const strategy = { ...strategies.INITIAL, baseMs: 1, capMs: 1 };
    const herd = { clients: 10_000, downMs: 600_000, capacityPerS: 1 };
    /** @type {HerdResult[]} */
    const reports = [];
    const running = page.herd({ ...input, strategy, herd }, (partial) => reports.push(partial), controller.signal);
    setTimeout(() => controller.abort(reason));
    await assert.rejects(running, reason);
    assert.deepEqual(reports, []);
  });

  test('the horizon holds whole bins, 240 to 500 of them, for whatever the link says', () => {
    for (const clients of [10, 50, 777, 1000, 10_000]) {
      for (const downMs of [0, 1, 8000, 12_345, 60_000, 600_000]) {
        for (const capacityPerS of [1, 20, 120, 333.3, 100_000]) {
          const { horizonMs, binMs } = page.span({ clients, downMs, capacityPerS });
          const said = JSON.stringify({ clients, downMs, capacityPerS, horizonMs, binMs });
          assert.ok(horizonMs >= 2 * (downMs + (1000 * clients) / capacityPerS), said);
          assert.ok(Number.isInteger(horizonMs / binMs) && horizonMs / binMs >= 240 && horizonMs / binMs <= 500, said);
          assert.ok(Number.isInteger(Math.max(binMs, page.WINDOW_MS) / Math.min(binMs, page.WINDOW_MS)), said);
        }
      }
    }
  });
});

/** @param {Uint32Array} counts @param {number} length */
function padded(counts, length) {
  return [...counts, ...new Array(length - counts.length).fill(0)];
}
