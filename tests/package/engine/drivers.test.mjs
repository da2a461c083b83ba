// The other two drivers, as far as neither the tables and the random schedules say it, nor the tests of signals, values
// and the forms of the core: rejitter/light, and retrySync, which blocks. processes.test.mjs has threads that do, and
// sync.browser.test.mjs those that may not.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { AWAITED, fails } from '../lib/callbacks.mjs';
import { underBlockingClock, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, modules } from '../lib/consumer.mjs';
import { caught } from '../lib/readers.mjs';

const { retryReport, retrySync } = await importPackage();
const { TimeoutError, delayMs, retry } = await importEntry('light');
const failing = fails(new Error('always'));
/** How an operation of rejitter/light ends. */
const ending = (fn, options) => underClock(() => retry(fn, options));

test('delayMs draws by itself, and has no last wait', () => {
  const draws = Array.from({ length: 50 }, () => delayMs(3));
  assert.ok(draws.every((ms) => ms >= 0 && ms <= 400) && new Set(draws).size > 40);
  assert.equal(delayMs(Number.MAX_SAFE_INTEGER, { jitter: 'none', maxAttempts: 1 }), 10_000);
});

test('light: a timeout is the reason of the attempt that it ends; only that of the deadline has a cause', async () => {
  const failure = new Error('failure');
  for (const [options, text, cause] of [
    [{ attemptTimeoutMs: 50, maxAttempts: 2 }, 'attempt 2 timed out after 50 ms'],
    [{ totalTimeoutMs: 150 }, 'operation timed out after 150 ms', failure],
  ]) {
    const signals = [];
    const fn = ({ signal }) => (signals.push(signal) === 1 ? fails(failure)() : new Promise(() => {}));
    const { error } = await ending(fn, { jitter: 'none', ...options });
    assert.ok(error instanceof TimeoutError);
    assert.deepEqual([error.name, error.message, error.cause], ['TimeoutError', `rejitter: ${text}`, cause]);
    assert.equal('cause' in error, cause !== undefined);
    assert.deepEqual([signals[0].aborted, signals[1].reason], [false, error]);
  }
});

test('light: options are own properties; a name is shown short, and without control characters', async () => {
  const { error } = await ending(failing, { ['a\nb'.padEnd(1e6)]: 3 });
  assert.equal(error.message, `rejitter: unknown option "${'a?b'.padEnd(174)}`);
  assert.equal((await ending(5)).error.message, 'rejitter: fn must be a function, got number');
  const inherited = Object.create({ maxAttempts: 1, retries: 1 });
  Object.assign(inherited, { unref: undefined, unknown: undefined, jitter: 'none' });
  assert.deepEqual((await ending(failing, Object.freeze(inherited))).clock.delays, [100, 200, 400, 800, 1600]);
});

test('light: the loop fits on a screen', () => {
  assert.ok(readFileSync(join(modules, 'lib/light/index.js'), 'utf8').split('\n').length <= 50);
});

test('retrySync: a wait that ends up to a millisecond early is made up for; a clock that stands still does not hang', () => {
  for (const [options, wake, waits] of [
    [{ maxAttempts: 2, baseMs: 40 }, (ms) => (ms > 1 ? ms - 0.75 : ms), [40, 0.75]],
    [{ maxAttempts: 2, baseMs: 0.4 }, () => 0, [1]],
    [{ maxAttempts: 3 }, () => 0, [100, 200]],
  ]) {
    const { clock } = underBlockingClock(() => retrySync(failing, { jitter: 'none', ...options }), { wake });
    assert.deepEqual(clock.waits, waits);
  }
});

test('retrySync: a promise as the result or a verdict, or an invalid verdict, is an error', () => {
  const lost = async () => {};
  const verdict = 'must return true, false, { afterMs } between 0 and 2^53 - 1';
  for (const [fn, options, kind, text] of [
    [lost, {}, TypeError, 'the callback must not return a promise'],
    [() => ({ then() {} }), {}, TypeError, 'the callback must not return a promise'],
    [failing, { retryIf: lost }, TypeError, 'retryIf must not return a promise'],
    [() => 1, { retryOnResult: lost }, TypeError, 'retryOnResult must not return a promise'],
    [failing, { [AWAITED]: lost, baseMs: 0 }, TypeError, `${AWAITED} must not return a promise`],
    [failing, { retryIf: () => 'yes' }, TypeError, `retryIf ${verdict}, got "yes"`],
    [failing, { retryIf: () => ({ afterMs: -1 }) }, RangeError, `retryIf ${verdict}, got { afterMs: -1 }`],
  ]) {
    const { error, clock } = underBlockingClock(() => retrySync(fn, options));
    assert.ok(error instanceof kind, String(error));
    const remedy = /promise$/.test(text) ? ', because retrySync cannot await it. Use retry instead' : '';
    assert.equal(error.message, `rejitter: ${text}${remedy}`);
    const { reason, attempts, records } = retryReport(error);
    assert.deepEqual([reason, attempts, records.length, clock.waits], ['callback', 1, 1, []]);
  }
});

test('retrySync: an aborted signal is seen after whatever may have aborted it', () => {
  const reason = { why: 'enough' };
  // From outside only shared memory can reach a blocked thread: a signal whose `aborted` looks there.
  const flag = { aborted: false, addEventListener() {}, removeEventListener() {}, reason };
  const wake = (ms) => {
    flag.aborted = ms >= 800;
    return ms;
  };
  const options = { signal: flag, jitter: 'none', maxAttempts: Infinity };
  const { error, clock } = underBlockingClock(() => retrySync(failing, options), { wake });
  assert.deepEqual([error, clock.waits], [reason, [100, 200, 400, 800]]);
  // The operation's abort reaches the signal that an attempt passed on.
  const controller = new AbortController();
  let given;
  const aborting = ({ signal }) => {
    given = signal;
    controller.abort(reason);
  };
  const thrown = caught(() => retrySync(aborting, { signal: controller.signal }));
  assert.deepEqual([thrown, given.aborted, given.reason], [reason, true, reason]);
});
