// The presets against the numbers which each system publishes, and what each one's cap bounds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';
import { kindsOf } from '../schedules/waits.mjs';

const { RetryPolicy } = await importPackage();
const presets = await importEntry('presets');
const VECTORS = vectors('presets');

/** The largest draw there is. */
const LAST = 1 - 2 ** -53;
const QUANTILES = [0.01, 0.1, 0.5, 0.9, 0.99];

/** The first n waits of a preset for a constant draw, or for a list of draws. */
function waits(name, n, r, overrides = {}) {
  let used = 0;
  const random = Array.isArray(r) ? () => r[used++] : () => r;
  const policy = new RetryPolicy({ ...presets[name], ...overrides, maxAttempts: n + 1, random });
  return [...policy.delays()];
}

function assertNear(actual, expected, within, label) {
  assert.equal(actual.length, expected.length, label);
  for (const [i, ms] of expected.entries()) {
    const off = Math.abs(actual[i] - ms);
    assert.ok(off <= within * Math.abs(ms), `${label}, wait ${i + 1}: ${actual[i]} instead of ${ms}`);
  }
}

/** The presets that are options; others are predicates. */
const OPTIONS = Object.entries(presets).filter(([, value]) => typeof value === 'object');
const dataOf = (options) => new RetryPolicy(options).toJSON();

test('there are published numbers for every preset, and no others', () => {
  assert.deepEqual(VECTORS.map(({ preset }) => preset).sort(), OPTIONS.map(([name]) => name).sort());
  // Those of Rust are held to the same.
  for (const { preset, policy } of VECTORS) assert.deepEqual(dataOf(presets[preset]), { version: 1, ...policy });
});

/** The waits of an operation that fails, by a function that keeps the options of its last call. */
async function waitsOf(retry, options) {
  const { clock } = await underClock(() => retry(fails(new Error('down')), options));
  return clock.delays;
}

test('a function that keeps options takes no copy of a preset for options of the same names and values', async () => {
  const { retry } = await importPackage();
  for (const [name, preset] of OPTIONS) {
    const own = { maxAttempts: 12, seed: 7, totalTimeoutMs: undefined };
    const copy = { ...preset, ...own };
    const twin = Object.fromEntries(Object.entries(copy));
    const expected = [copy, twin].map((options) => [...new RetryPolicy(options).delays()].map(Math.ceil));
    for (const order of [
      [0, 1, 0],
      [1, 0, 1],
    ])
      for (const which of order)
        assert.deepEqual(await waitsOf(retry, [copy, twin][which]), expected[which], `${name}, ${order}`);
  }
});

const BACKOFFS = [undefined, ...kindsOf('backoff'), (k) => 7 * k, [5, 70_000]];
const RATIO = { type: 'proportional', ratio: 0.25 };
const JITTERS = [undefined, ...kindsOf('jitter'), RATIO, { type: 'additive', maxMs: 30 }];

test('a copy with another backoff or jitter is what with() makes of the preset, and keeps what the cap bounds', () => {
  for (const [name, preset] of OPTIONS)
    for (const backoff of BACKOFFS)
      for (const jitter of JITTERS) {
        const own = { ...(backoff && { backoff }), ...(jitter && { jitter }), seed: 3, maxAttempts: 20 };
        const [made, copy] = [new RetryPolicy(preset).with(own), new RetryPolicy({ ...preset, ...own })];
        const label = `${name} ${inspect(own)}`;
        assert.deepEqual([...made.delays()], [...copy.delays()], label);
        if (typeof backoff === 'function') continue;
        assert.deepEqual([copy.toJSON(), copy.toJSON().capRule], [made.toJSON(), dataOf(preset).capRule], label);
      }
});

test('a preset is read whole by with() and run(), and overrides as a copy does', async () => {
  const own = new RetryPolicy({ backoff: 'linear', stepMs: 7, minMs: 5, factor: undefined, totalTimeoutMs: 5000 });
  for (const [, preset] of OPTIONS)
    assert.deepEqual(own.with(preset).toJSON(), { totalTimeoutMs: 5000, ...dataOf(preset) });
  const failing = fails(new Error('down'));
  const { clock } = await underClock(() => own.run(failing, { ...presets.grpc, jitter: 'none' }));
  assert.deepEqual(clock.delays.slice(1), [100, 200, 400]);
});

test('presets are frozen; what a copy leaves out is unset', () => {
  const { googleHttpClient, goRetryableHttp, grpc, pRetry } = presets;
  for (const [, preset] of OPTIONS) {
    for (const value of [preset, ...Object.values(preset)])
      assert.ok(typeof value === 'function' || Object.isFrozen(value));
    assert.deepEqual(Object.keys(preset), Object.keys({ ...preset }));
  }
  const { totalTimeoutMs, ...endless } = googleHttpClient;
  assert.equal(totalTimeoutMs, 900_000);
  assert.deepEqual([dataOf(endless).totalTimeoutMs, dataOf(endless).capRule], [undefined, 'ceiling']);
  assert.deepEqual([...new RetryPolicy({ ...pRetry, maxAttempts: 4, capMs: 3000 }).delays()], [1000, 2000, 3000]);
  // An undefined option is unset, as everywhere. Inherited properties are no options.
  assert.equal(dataOf({ ...goRetryableHttp, maxAttempts: undefined }).maxAttempts, 6);
  const child = Object.create(grpc, { maxAttempts: { value: 3, enumerable: true } });
  assert.deepEqual(dataOf(child), dataOf({ maxAttempts: 3 }));
  // Under an infinite cap, a draw that may exceed it is still a wait.
  const most = new RetryPolicy({ ...grpc, capMs: Infinity, jitter: { type: 'additive', ratio: 0.5 } });
  assert.equal(most.delayMs(60), 2 ** 53 - 1);
});

for (const { preset, source, attempts, totalTimeoutMs, overrides, within = 1e-12, ...numbers } of VECTORS)
  test(`${preset}: the waits of ${source.split(/[,:(]/)[0]}`, () => {
    const { published = [], quantiles = [] } = numbers;
    assert.ok(published.length + quantiles.length > 0);
    for (const { r, waits: expected } of published)
      assertNear(waits(preset, expected.length, r === '1-' ? LAST : r, overrides), expected, within, `r = ${r}`);
    // The wait is monotone in r: its p-quantile is the wait at r = p.
    for (const [i, p] of QUANTILES.entries()) {
      const expected = quantiles.map((row) => row[i + 1]);
      assertNear(waits(preset, quantiles.length, p), expected, 1e-11, `quantile ${p}`);
    }
    const { maxAttempts = 6, totalTimeoutMs: limit } = dataOf(presets[preset]);
    assert.deepEqual([maxAttempts, limit], [attempts, totalTimeoutMs]);
  });

test('pRetryOptions takes what users of p-retry pass on', () => {
  const { pRetryOptions } = presets;
  for (const [given, preset, own] of [
    [{}, 'pRetry', {}],
    [undefined, 'pRetry', {}],
    [{ randomize: true }, 'pRetryRandomized', {}],
    [
      { retries: 2, factor: 3, minTimeout: 50, maxTimeout: 400 },
      'pRetry',
      { maxAttempts: 3, factor: 3, baseMs: 50, capMs: 400 },
    ],
    [{ retries: Infinity, randomize: false }, 'pRetry', { maxAttempts: Infinity }],
  ]) {
    const options = pRetryOptions(given);
    assert.ok(Object.isFrozen(options));
    assert.deepEqual(dataOf(options), dataOf({ ...presets[preset], ...own }));
    assert.equal(options.retryIf, presets[preset].retryIf);
  }
  assert.throws(() => new RetryPolicy(pRetryOptions({ retries: -1 })), /maxAttempts must be a positive integer/);
});

for (const name of ['pRetry', 'pRetryRandomized'])
  test(`${name} stops at TypeErrors and at what is no error, as p-retry does`, async () => {
    const calls = async (fn, overrides) => (await operate(fn, { ...presets[name], ...overrides })).calls;
    assert.equal(await calls(() => undefined.foo), 1);
    const unreadable = Object.defineProperty(new TypeError('x'), 'message', { get: fails(0) });
    for (const value of ['text', undefined, { message: 'x' }, unreadable]) assert.equal(await calls(fails(value)), 1);
    for (const error of [new TypeError('fetch failed'), new Error('busy'), new ReferenceError('x')])
      assert.equal(await calls(fails(error)), 11);
    assert.equal(await calls(() => undefined.foo, { retryIf: () => true }), 11);
  });
