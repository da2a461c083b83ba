// rejitter/light: what neither the table of operations (operations.test.mjs) says, nor the tests of abort, borders, marks
// and values, which run it as well.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { underClock } from '../lib/clock.mjs';
import { importEntry, installed, modules } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';

const { TimeoutError, delayMs, retry } = await importEntry('light');

const { delay, hinted } = await import(pathToFileURL(join(modules, 'lib/light/generated.js')).href);
const wasm = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(join(installed, 'core.wasm')))).exports;
const EXPONENTIAL = 2;

/** Fails with each of the errors in turn, the last one again and again. */
const failing = (...errors) => {
  let calls = 0;
  const fn = () => {
    throw errors[Math.min(calls++, errors.length - 1)];
  };
  return Object.assign(fn, { calls: () => calls });
};

const hangs = () => new Promise(() => {});

test('delayMs draws by itself, and has no last wait', () => {
  const draws = Array.from({ length: 50 }, () => delayMs(3));
  assert.ok(draws.every((ms) => ms >= 0 && ms <= 400) && new Set(draws).size > 40);
  assert.equal(delayMs(Number.MAX_SAFE_INTEGER, { jitter: 'none', maxAttempts: 1 }), 10_000);
  for (const [k, kind] of [
    [0, RangeError],
    [1.5, RangeError],
    [Infinity, RangeError],
    ['1', TypeError],
    [undefined, TypeError],
  ])
    assert.throws(
      () => delayMs(k),
      (error) => error instanceof kind && /^rejitter: k must be a positive /.test(error.message),
    );
  assert.throws(() => delayMs(1, { baseMs: -1 }), RangeError);
});

test('calls the callback at once, with the number of the attempt and a fresh signal', async () => {
  const seen = [];
  const { value } = await underClock(() => {
    const result = retry((attempt) => {
      seen.push(attempt);
      if (seen.length < 3) throw 1;
      return 'v';
    });
    assert.equal(seen.length, 1);
    return result;
  });
  assert.equal(value, 'v');
  for (const [i, attempt] of seen.entries()) {
    assert.equal(attempt.attempt, i + 1);
    // The signal is a getter, which a copy of the attempt loses.
    assert.deepEqual({ ...attempt }, { attempt: i + 1 });
    assert.ok(!attempt.signal.aborted);
  }
  assert.equal(new Set(seen.map(({ signal }) => signal)).size, 3);
});

/** How an operation ends. */
const ending = (fn, options) => underClock(() => retry(fn, options));

test('the answers of callbacks are checked, with one short sentence', async () => {
  for (const [options, kind, text] of [
    [{ retryIf() {} }, TypeError, 'retryIf must return a boolean or { afterMs }'],
    [{ retryIf: () => ({ afterMs: Infinity }) }, RangeError, 'retryIf must return a boolean or { afterMs }'],
    [{ random: () => 1 }, RangeError, 'random() must return a number, at least 0 and below 1, got 1'],
    [{ random: () => NaN }, RangeError, 'random() must return'],
  ]) {
    const { error } = await ending(failing(1), options);
    assert.ok(error instanceof kind && error.message.startsWith(`rejitter: ${text}`), String(error));
  }
});

test('a signal without a reason, as of polyfills: an AbortError', async () => {
  const { signal } = new AbortController();
  Object.defineProperty(signal, 'aborted', { value: true });
  const { name, message } = (await ending(assert.fail, { signal })).error;
  assert.deepEqual([name, message], ['AbortError', 'This operation was aborted']);
});

test('a timeout is the reason of the attempt that it ends; only that of the deadline has a cause', async () => {
  const failure = new Error('failure');
  for (const [options, text, cause] of [
    [{ attemptTimeoutMs: 50, maxAttempts: 2 }, 'attempt 2 timed out after 50 ms'],
    [{ totalTimeoutMs: 150 }, 'operation timed out after 150 ms', failure],
  ]) {
    const signals = [];
    const fn = ({ attempt, signal }) => {
      signals.push(signal);
      return attempt === 1 ? failing(failure)() : hangs();
    };
    const { error } = await ending(fn, { jitter: 'none', ...options });
    assert.deepEqual([error.name, error.message, error.cause], ['TimeoutError', `rejitter: ${text}`, cause]);
    assert.ok(error instanceof TimeoutError);
    assert.equal('cause' in error, cause !== undefined);
    assert.equal(signals[1].reason, error);
    assert.ok(!signals[0].aborted);
  }
});

test('each wait is that of the core to the last bit, for random options, draws and hints', () => {
  const { word, below, unit } = words(3);
  const unset = (draw) => (below(3) === 0 ? NaN : draw());
  const durations = () => [0, 1, 100, 1e4, 2 ** 53 - 1, 1e-300, unit() * 10 ** below(16), below(5000)][below(8)];
  const CALLS = Number(process.env.REJITTER_POLICIES || 100_000);
  for (let i = 0; i < CALLS; i += 1) {
    const [r, code, baseMs] = [below(9) === 0 ? 1 - 2 ** -53 : unit(), below(3), unset(durations)];
    const capMs = unset(() => (below(5) === 0 ? Infinity : Math.max(durations(), baseMs || 0)));
    const factor = unset(() => [1, 2, 1 + 2 ** -52 * below(1e6), 1 + unit() * 4, 2 ** 52][below(5)]);
    const [k, serverMs] = [below(4) === 0 ? word() : below(70), durations()];
    const decide = (hintMs) =>
      wasm.decide(k, r, EXPONENTIAL, code, baseMs, capMs, factor, 0, NaN, 0, NaN, Infinity, 0, -1, hintMs, r);
    const computed = delay(k, r, code, baseMs, capMs, factor);
    const [expected, asked] = [decide(NaN), decide(serverMs)];
    const text = `${[k, r, code, baseMs, capMs, factor, serverMs]}`;
    assert.ok(Object.is(computed, expected), `${text}: ${computed} instead of ${expected}`);
    const found = serverMs > 0 ? hinted(computed, r, delay(1, 0, 0, baseMs, capMs, factor), serverMs) : computed;
    assert.ok(Object.is(found, asked), `${text}: ${found} instead of ${asked}, after a hint`);
  }
});

// tests/vectors/refusals.json has the rest.
test('bad options and callbacks: one short sentence; options are own properties', async () => {
  const unknown = 'light has maxAttempts, baseMs, capMs, factor, jitter, attemptTimeoutMs, totalTimeoutMs, random, ';
  for (const [options, text] of [
    [null, 'options must be an object, got null'],
    [5, 'options must be an object, got number'],
    [[1], `unknown option "0"; ${unknown}unref, signal, retryIf`],
    [{ signal: new AbortController() }, 'signal must be an AbortSignal, got object'],
    [{ ['a\nb'.padEnd(1e6)]: 3 }, `unknown option "${'a?b'.padEnd(174)}`],
  ])
    await assert.rejects(retry(assert.fail, options), { name: 'TypeError', message: `rejitter: ${text}` });
  await assert.rejects(retry(5), { name: 'TypeError', message: 'rejitter: fn must be a function, got number' });
  const inherited = Object.create({ maxAttempts: 1, retries: 1 });
  inherited.unref = undefined;
  inherited.unknown = undefined;
  inherited.jitter = 'none';
  const fn = failing(1);
  const { clock } = await underClock(() => retry(fn, Object.freeze(inherited)));
  assert.deepEqual([fn.calls(), clock.delays], [6, [100, 200, 400, 800, 1600]]);
});

test('the loop fits on a screen', () => {
  const lines = (name) => readFileSync(join(modules, 'lib', 'light', name), 'utf8').split('\n').length;
  assert.ok(lines('index.js') <= 50);
});
