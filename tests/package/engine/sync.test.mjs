// retrySync: the same operation as retry, but blocking. The tables and the random schedules run it as well;
// processes.test.mjs has threads that block, and sync.browser.test.mjs those that may not.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { AWAITED, fails } from '../lib/callbacks.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { caught } from '../lib/readers.mjs';

const { retryReport, retrySync } = await importPackage();
const failing = fails(new Error('always'));

test('a wait that ends up to a millisecond early is made up for; a clock that stands still does not hang', () => {
  for (const [options, wake, waits] of [
    [{ maxAttempts: 2, baseMs: 40 }, (ms) => (ms > 1 ? ms - 0.75 : ms), [40, 0.75]],
    [{ maxAttempts: 2, baseMs: 0.4 }, () => 0, [1]],
    [{ maxAttempts: 3 }, () => 0, [100, 200]],
  ]) {
    const { clock } = underBlockingClock(() => retrySync(failing, { jitter: 'none', ...options }), { wake });
    assert.deepEqual(clock.waits, waits);
  }
});

test('a promise as the result or a verdict, or an invalid verdict, is an error', () => {
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

test('an aborted signal is seen after whatever may have aborted it', () => {
  const reason = { why: 'enough' };
  const { error: early } = underBlockingClock(() => retrySync(assert.fail, { signal: AbortSignal.abort(reason) }));
  assert.equal(early, reason);
  assert.equal(retryReport(reason), undefined);
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
