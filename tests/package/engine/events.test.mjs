// Events of hooks, the fields of attempts, and beforeRetry, which is awaited.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { TimeoutError, retry, retryReport, retrySync } = await importPackage();
const HOOKS = ['onAttempt', 'onFailure', 'onRetry', 'beforeRetry', 'onSuccess', 'onGiveUp'];
const E = new Error('failing');

/** Options whose hooks record their events. */
const telling = (seen, options) => ({
  ...Object.fromEntries(HOOKS.map((name) => [name, (event) => void seen.push([name, event])])),
  ...options,
});

/** One operation by retry, and the same by retrySync. */
async function both(fn, options) {
  const runs = [];
  for (const run of [
    (seen) => underClock((clock) => retry((attempt) => fn(attempt, clock), telling(seen, options))),
    (seen) => underBlockingClock((clock) => retrySync((attempt) => fn(attempt, clock), telling(seen, options))),
  ]) {
    const seen = [];
    runs.push({ ...(await run(seen)), seen });
  }
  return runs;
}

test('every event and every attempt: attemptsLeft, the name if there is one, and the order of the hooks', async () => {
  for (const name of [undefined, 'orders']) {
    const named = name === undefined ? {} : { name };
    const attempts = [];
    const [run, sync] = await both(
      (attempt) => {
        attempts.push([attempt.attempt, attempt.attemptsLeft, attempt.name]);
        throw E;
      },
      { ...named, jitter: 'none', maxAttempts: 3 },
    );
    const of = (attempt, elapsedMs, rest) => ({ attempt, attemptsLeft: 3 - attempt, ...named, ...rest, elapsedMs });
    const { report } = run.seen.at(-1)[1];
    assert.deepEqual(
      run.seen.map(([hook, event]) => [hook, { ...event }]),
      [
        ['onAttempt', of(1, 0)],
        ['onFailure', of(1, 0, { error: E })],
        ['onRetry', of(1, 0, { error: E, delayMs: 100 })],
        ['beforeRetry', of(1, 100, { error: E, delayMs: 100 })],
        ['onAttempt', of(2, 100)],
        ['onFailure', of(2, 100, { error: E })],
        ['onRetry', of(2, 100, { error: E, delayMs: 200 })],
        ['beforeRetry', of(2, 300, { error: E, delayMs: 200 })],
        ['onAttempt', of(3, 300)],
        ['onFailure', of(3, 300, { error: E })],
        ['onGiveUp', of(3, 300, { error: E, reason: 'exhausted', report })],
      ],
    );
    assert.deepEqual(
      sync.seen.map(([hook]) => hook),
      run.seen.map(([hook]) => hook),
    );
    assert.deepEqual(
      sync.seen.slice(0, -1).map(([, event]) => event),
      run.seen.slice(0, -1).map(([, event]) => event),
    );
    for (const [, event] of run.seen) assert.ok(Object.isFrozen(event));
    assert.deepEqual(attempts, [
      [1, 2, name],
      [2, 1, name],
      [3, 0, name],
      [1, 2, name],
      [2, 1, name],
      [3, 0, name],
    ]);
  }
  const endless = [];
  await retry(({ attemptsLeft }) => endless.push(attemptsLeft), {
    maxAttempts: Infinity,
    onSuccess: (event) => endless.push(event.attemptsLeft),
  });
  assert.deepEqual(endless, [Infinity, Infinity]);
});

test('events of results have the result', async () => {
  for (const { seen, value } of await both(({ attempt }) => attempt, { retryOnResult: (n) => n < 3, jitter: 'none' })) {
    assert.equal(value, 3);
    const before = seen.filter(([hook]) => hook === 'beforeRetry').map(([, { attempt, result }]) => [attempt, result]);
    assert.deepEqual(before.flat(), [1, 1, 2, 2]);
  }
});

test('rejects with what beforeRetry throws; its cause is the failure unless it has one or is frozen', async () => {
  const had = new Error('had one', { cause: 'another' });
  const frozen = Object.freeze(new Error('frozen'));
  for (const [thrown, cause] of [[new Error('own'), E], [had, 'another'], [frozen], ['a string'], [undefined], [E]]) {
    for (const { error, seen, ...end } of await both(fails(E), { beforeRetry: fails(thrown), jitter: 'none' })) {
      assert.ok(end.rejected || end.threw);
      assert.ok(Object.is(error, thrown));
      assert.equal(error?.cause, cause);
      const [hook, { attempt, reason, report }] = seen.at(-1);
      const { attempts, records } = report;
      assert.deepEqual([hook, attempt, reason, attempts, records.length], ['onGiveUp', 1, 'callback', 1, 1]);
    }
  }
});

const SPOILERS = {
  'retryIf throws': (error) => ({ retryIf: fails(error) }),
  'retryIf rejects': (error) => ({ retryIf: () => Promise.reject(error) }),
  'random throws': (error) => ({ random: fails(error) }),
  'backoff throws': (error) => ({ backoff: fails(error) }),
  'beforeRetry rejects': (error) => ({ beforeRetry: () => Promise.reject(error) }),
};
for (const [name, options] of Object.entries(SPOILERS)) {
  test(`when ${name}, the callback's own failure is the cause of the rejection`, async () => {
    const end = (failure, thrown) => operate(fails(failure), options(thrown));
    const own = new Error('own');
    assert.equal((await end(E, own)).error, own);
    assert.equal(own.cause, E);
    assert.deepEqual(Object.keys(own), [], 'as errors have their cause');
    assert.equal(retryReport(own).reason, 'callback');
    // An error that is the failure, or one of its causes, would be its own cause.
    const deep = new Error('deep');
    const failure = new Error('failure', { cause: new Error('between', { cause: deep }) });
    for (const thrown of [failure, deep]) assert.equal((await end(failure, thrown)).error, thrown);
    assert.equal(deep.cause, undefined);
    assert.equal(failure.cause.message, 'between');
    // A failure that cannot be read is a cause like others; an error that cannot be read is thrown as it is.
    const read = fails(new Error('read'));
    const unreadable = new Proxy(new Error('hidden'), { get: read, getPrototypeOf: read });
    const next = new Error('next');
    assert.equal((await end(unreadable, next)).error, next);
    assert.ok(Object.is(next.cause, unreadable));
    assert.ok(Object.is((await end(E, unreadable)).error, unreadable));
  });
}

test('errors about the values of retryIf, random and backoff have the failure as their cause', async () => {
  for (const [name, value] of Object.entries({ retryIf: undefined, random: 7, backoff: 'soon' })) {
    for (const { error } of await both(fails(E), { [name]: () => value })) {
      assert.match(error.message, new RegExp(`^rejitter: ${name}.* must return .*, got `));
      assert.equal(error.cause, E);
    }
  }
  for (const { error } of await both(() => 'result', { retryOnResult: () => undefined }))
    assert.ok(error instanceof TypeError && !('cause' in error));
});

test("makes one TimeoutError for an attempt's signal and for the rejection; the deadline's has a cause", async () => {
  for (const options of [{ attemptTimeoutMs: 50, maxAttempts: 2 }, { totalTimeoutMs: 150 }]) {
    let own;
    const fn = ({ attempt, signal }) => {
      own = signal;
      return attempt < 2 ? fails(E)() : new Promise(() => {});
    };
    const { error } = await operate(fn, { jitter: 'none', ...options });
    assert.ok(error instanceof TimeoutError);
    assert.equal(own.reason, error);
    assert.deepEqual([error.cause, 'cause' in error], options.totalTimeoutMs ? [E, true] : [undefined, false]);
  }
});
