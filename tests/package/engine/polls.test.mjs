// retryOnResult: where an operation stops after a result, it ends with that result, wherever the deadline fell.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { RetryError, TimeoutError, retry, retryReport, retrySync } = await importPackage();
const sleep = (ms) =>
  new Promise((go) => {
    setTimeout(go, ms);
  });
const every100 = { backoff: 'fixed', baseMs: 100, jitter: 'none', maxAttempts: Infinity };

/** A job that is never done, polled until the deadline; an attempt takes `ms`. */
function poll(ms, options) {
  const results = [];
  return underClock(async () => {
    try {
      return await retry(
        async () => {
          await sleep(ms);
          results.push({ status: 'pending', n: results.length + 1 });
          return results.at(-1);
        },
        { ...every100, retryOnResult: ({ status }) => status === 'pending', totalTimeoutMs: 500, ...options },
      );
    } catch (error) {
      throw Object.assign(error, { results });
    }
  });
}

for (const ms of [20, 60, 95, 150]) {
  test(`attempts of ${ms} ms under a deadline of 500: the last result, in a wait or an attempt`, async () => {
    const { value, rejected } = await poll(ms);
    assert.equal(rejected, false);
    const report = retryReport(value);
    const inAttempt = report.reason === 'timeout';
    assert.ok(inAttempt || report.reason === 'deadline', report.reason);
    const results = report.records.filter(({ result }) => result !== undefined);
    assert.equal(value, results.at(-1).result);
    // The running attempt has its own record: the reason of its signal.
    assert.equal(report.attempts, results.length + (inAttempt ? 1 : 0));
    if (inAttempt) assert.ok(report.records.at(-1).error instanceof TimeoutError);

    const { error } = await poll(ms, { finalResult: 'reject' });
    assert.ok(error instanceof RetryError);
    assert.equal(error.result, error.results.at(-1));
    assert.equal(error.cause, undefined);
    assert.deepEqual([error.reason, error.report], [report.reason, retryReport(error)]);
    assert.match(
      error.message,
      /^rejitter: gave up after \d attempts \((timeout|deadline)\): the last result was not accepted$/,
    );
  });
}

test('the deadline falls into an attempt of 20 or 60 ms, and into a wait of the others', async () => {
  const reasons = [];
  for (const ms of [20, 60, 95, 150]) reasons.push(retryReport((await poll(ms)).value).reason);
  assert.deepEqual(new Set(reasons), new Set(['timeout', 'deadline']));
});

test('a deadline in the first attempt is a TimeoutError, whatever finalResult says', async () => {
  for (const finalResult of ['resolve', 'reject']) {
    const { error } = await poll(600, { finalResult });
    assert.ok(error instanceof TimeoutError);
    assert.match(error.message, /during attempt 1$/);
    assert.equal(error.cause, undefined);
    assert.equal(retryReport(error).reason, 'timeout');
  }
});

test('a deadline during an attempt after an error: the error becomes the cause of a TimeoutError', async () => {
  const first = new Error('first');
  const outcomes = (list) =>
    underClock(() =>
      retry(
        ({ attempt }) => {
          const outcome = list[attempt - 1];
          if (outcome === undefined) return new Promise(() => {});
          if (outcome instanceof Error) throw outcome;
          return outcome;
        },
        { ...every100, retryOnResult: () => true, totalTimeoutMs: 500 },
      ),
    );
  const value = { state: 'pending' };
  assert.equal((await outcomes([value])).value, value);
  assert.equal((await outcomes([first, value])).value, value);
  for (const list of [[first], [value, first]]) {
    const { error } = await outcomes(list);
    assert.ok(error instanceof TimeoutError);
    assert.equal(error.cause, first);
  }
});

test('finalResult: reject for attempts that run out, also in retrySync, without effect on a success', async () => {
  const value = { state: 'pending' };
  const options = { retryOnResult: (result) => result === value, finalResult: 'reject', maxAttempts: 3 };
  for (const { error } of [
    await underClock(() => retry(() => value, options)),
    underBlockingClock(() => retrySync(() => value, options)),
  ]) {
    assert.ok(error instanceof RetryError);
    assert.deepEqual([error.reason, error.result, [...error.errors]], ['exhausted', value, []]);
    assert.equal(error.message, 'rejitter: gave up after 3 attempts (exhausted): the last result was not accepted');
  }
  const failed = new Error('failed');
  assert.equal(
    (
      await underClock(() =>
        retry(() => {
          throw failed;
        }, options),
      )
    ).error,
    failed,
  );
  assert.equal(await retry(() => 'good', options), 'good');
  assert.equal(
    retrySync(() => 'good', options),
    'good',
  );
});

test('a wait, rounded up as its timer is, must leave a millisecond before the deadline', async () => {
  for (const [waitMs, waits, elapsedMs = 0] of [
    [199, 1],
    [199.5, 0],
    [200, 0],
    [199, 0, 0.1],
    [198, 1, 0.1],
    [198.5, 0, 0.1],
  ]) {
    const options = { backoff: [waitMs], jitter: 'none', totalTimeoutMs: 200, maxAttempts: 2 };
    const failing = (clock) => () => {
      clock.now += elapsedMs;
      throw 0;
    };
    const { clock, error } = await underClock((time) => retry(failing(time), options));
    assert.equal(error, 0);
    assert.equal(clock.armed.length, 1 + waits, `a wait of ${waitMs}, and the deadline`);
    assert.equal(underBlockingClock((time) => retrySync(failing(time), options)).clock.waits.length, waits);
    assert.equal(
      (await underClock((time) => retry(failing(time), { ...options, retryIf: () => ({ afterMs: waitMs }) }))).clock
        .armed.length,
      1 + waits,
    );
  }
});
