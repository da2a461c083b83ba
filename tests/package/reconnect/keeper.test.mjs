// Connections beside their scenes: options, callbacks, seeds, signals, and what a page tells.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { onClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { withGlobals } from '../lib/pasted.mjs';
import { caught } from '../lib/readers.mjs';

const { closeError, keepConnected } = await importEntry('reconnect');
const { isPermanent, permanent } = await importPackage();

const hang = () => new Promise(() => {});

test('a page wakes a wait when it becomes visible, and not when it becomes hidden', () =>
  onClock(async (clock) => {
    const [document, global] = [new EventTarget(), new EventTarget()];
    const own = { document, addEventListener: global.addEventListener.bind(global) };
    const seen = [];
    const hour = { baseMs: 3_600_000, capMs: 3_600_000, random: () => 0.5 };
    await withGlobals({ ...own, removeEventListener: global.removeEventListener.bind(global) }, async () => {
      const controller = new AbortController();
      const session = () => seen.push(clock.now - 1000) && Promise.reject(new Error('refused'));
      const kept = keepConnected(session, { ...hour, signal: controller.signal });
      for (const state of ['hidden', 'visible']) {
        await clock.advance(10_000);
        document.visibilityState = state;
        document.dispatchEvent(new Event('visibilitychange'));
      }
      await clock.advance(10_000);
      controller.abort();
      await kept;
    });
    assert.deepEqual(seen, [0, 20_500]);
  }));

test('the first session is called at once, and an aborted signal calls none', async () => {
  let calls = 0;
  const controller = new AbortController();
  const kept = keepConnected(() => hang(++calls), { signal: controller.signal });
  assert.equal(calls, 1);
  controller.abort();
  assert.equal((await kept).reason, 'aborted');
  const { attempts, reason } = await keepConnected(() => calls++, { signal: controller.signal });
  assert.deepEqual([calls, attempts, reason], [1, 0, 'aborted']);
});

test('callbacks that throw, or return what they must not, end it with that error', () =>
  onClock(async () => {
    const fail = () => Promise.reject(new Error('refused'));
    const bug = new Error('bug');
    const bad = fails(bug);
    for (const [options, expected] of [
      [{ retryIf: bad }, bug],
      [{ retryIf: async () => bad() }, bug],
      [{ retryIf: () => 'yes' }, /^rejitter: retryIf must return true, false, \{ afterMs \}/],
      [{ random: () => 1 }, /^rejitter: random\(\) must return a number in \[0, 1\), got 1/],
      [{ backoff: () => -1 }, /^rejitter: backoff\(1\) must return/],
      [{ wakeOn: bad }, bug],
    ]) {
      const reasons = [];
      const onGiveUp = ({ reason }) => reasons.push(reason);
      const error = await keepConnected(fail, { ...options, onGiveUp }).catch((e) => e);
      if (expected === bug) assert.equal(error, bug);
      else assert.match(error.message, expected);
      assert.deepEqual(reasons, ['callback']);
    }
    // An error that belongs into a throw counts as thrown.
    assert.equal(await keepConnected(async () => permanent(bug)).catch((e) => e), bug);
  }));

test('options: ranges, unknown names, and those of operations alone', async () => {
  let calls = 0;
  const rejects = async (options, pattern) =>
    assert.match((await keepConnected(() => calls++, options).catch((e) => e)).message, pattern);
  for (const [name, value, rule] of [
    ['connectTimeoutMs', 0, 'a positive number'],
    ['stableMs', -1, 'a non-negative number'],
    ['wakeOn', true, 'a function or false'],
    ['onOpen', 1, 'a function'],
    ['baseMs', -1, 'a number of milliseconds'],
  ])
    await rejects({ [name]: value }, new RegExp(`^rejitter: ${name} must be ${rule}.*, got ${value}`));
  for (const [name, value, remedy] of [
    ['attemptTimeoutMs', 1, 'use connectTimeoutMs'],
    ['onSuccess', () => {}, 'use onOpen'],
    ['totalTimeoutMs', 1, 'a connection has none'],
    ['metrics', true, 'a connection has none'],
  ])
    await rejects({ [name]: value }, new RegExp(`^rejitter: ${name} must be omitted .*: ${remedy}`));
  await rejects({ reconnectInterval: 1 }, /unknown option "reconnectInterval".*Known options: .*connectTimeoutMs/);
  await rejects({ baseMs: 100, capMs: 10 }, /capMs must be at least baseMs/);
  await assert.rejects(keepConnected('ws://'), /the callback must be a function/);
  assert.equal(calls, 0);
  const liveness = await new Promise((resolve) => {
    const controller = new AbortController();
    const session = ({ opened }) => resolve(caught(() => opened({ silenceMs: 0 }))) ?? controller.abort();
    keepConnected(session, { signal: controller.signal });
  });
  assert.match(liveness.message, /silenceMs must be a positive number/);
});

test('seeds make waits the same, and each outage draws anew', () =>
  onClock(async (clock) => {
    const delaysOf = async () => {
      const delays = [];
      const session = ({ opened }) => opened() ?? new Promise((_, no) => setTimeout(no, 20_000));
      const onRetry = ({ delayMs }) => delays.push(delayMs);
      const kept = keepConnected(session, { seed: 'x', onRetry, retryIf: () => delays.length < 4 }).catch(() => {});
      await clock.drain();
      await kept;
      return delays;
    };
    const delays = await delaysOf();
    assert.deepEqual(await delaysOf(), delays);
    assert.equal(new Set(delays).size, 4);
    assert.ok(delays.every((ms) => ms < 5000));
  }));

test('a thousand connections share one listener of a signal', async () => {
  const source = new AbortController();
  const all = Array.from({ length: 1000 }, () => keepConnected(hang, { signal: source.signal }));
  assert.equal(getEventListeners(source.signal, 'abort').length, 1);
  source.abort();
  assert.ok((await Promise.all(all)).every(({ reason }) => reason === 'aborted'));
});

test('closing codes: permanent, or worth another try', () => {
  const PERMANENT = [1002, 1003, 1007, 1008, 1009, 1010, 3000, 3003, 4400, 4401, 4403, 4404, 4410, 4499];
  const LATER = [1000, 1001, 1005, 1006, 1011, 1012, 1013, 1014, 1015, 3001, 4000, 4408, 4409, 4425, 4429, 4500];
  for (const code of [...PERMANENT, ...LATER]) {
    const error = closeError({ code, reason: 'why' });
    assert.equal(isPermanent(error), PERMANENT.includes(code), `${code}`);
    const own = isPermanent(error) ? error.cause : error;
    assert.deepEqual([own.code, own.reason, own.message], [code, 'why', `closed with ${code}: why`]);
  }
});
