// The errors, the report and the attempts that an operation shows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { underBlockingClock } from '../lib/blocking.mjs';
import { fails } from '../lib/callbacks.mjs';
import { replace, underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryError, retry, retryReport, retrySync } = await importPackage();
const E = new Error('failing');

test('the clock is read once for an attempt that succeeds; one that throws rejects the promise', async () => {
  let reads = 0;
  const boom = new Error('no clock');
  const read = replace(performance, 'now', () => ++reads);
  assert.equal(await retry(() => 'value').finally(read), 'value');
  assert.equal(reads, 1);
  const unreadable = replace(performance, 'now', fails(boom));
  const ends = [{}, { totalTimeoutMs: 5 }].map((options) => retry(fails(E), options));
  const settled = await Promise.allSettled(ends).finally(unreadable);
  assert.deepEqual(
    settled.map(({ reason }) => reason),
    [boom, boom],
  );
});

const hang = () => new Promise(() => {});
const poll = { retryOnResult: () => true, finalResult: 'reject', totalTimeoutMs: 150, jitter: 'none' };
const late = (attempt) => `attempt ${attempt} timed out after 5 ms (attemptTimeoutMs)`;
const wrap = { maxAttempts: 1, finalError: 'wrap' };
const long = 'a\n\x1b[31m\x9b' + 'b'.repeat(99);

test('messages of the engine start with "rejitter: ", once; those of a RetryError show an error, or a string', async () => {
  for (const [fn, options, message] of [
    [fails(new Error('failure 3')), wrap, 'gave up after 1 attempt (exhausted): failure 3'],
    [fails('busy'), wrap, 'gave up after 1 attempt (exhausted): "busy"'],
    // Short, and without control characters.
    [fails(long), wrap, `gave up after 1 attempt (exhausted): "a\\n\\u001b[31m?${'b'.repeat(32)}..."`],
    [() => 'pending', poll, 'gave up after 2 attempts (deadline): the last result was not accepted'],
    [hang, { attemptTimeoutMs: 5, maxAttempts: 2 }, late(2)],
    [hang, { ...wrap, attemptTimeoutMs: 5 }, `gave up after 1 attempt (exhausted): ${late(1)}`],
    [hang, { totalTimeoutMs: 5 }, 'the operation timed out after 5 ms (totalTimeoutMs), during attempt 1'],
    [hang, { totalTimeoutMs: 5, name: 'load' }, 'load timed out after 5 ms (totalTimeoutMs), during attempt 1'],
    [fails(E), { random: () => 1 }, 'random() must return a number in [0, 1), got 1'],
    [fails(E), { retryIf: () => 1 }, /^rejitter: retryIf must return true, false, .*, or a promise of these, got 1$/],
  ]) {
    const { error } = await operate(fn, options);
    if (typeof message === 'string') assert.equal(error.message, `rejitter: ${message}`);
    else assert.match(error.message, message);
    if (!(error instanceof RetryError)) continue;
    assert.ok(error instanceof AggregateError);
    const cause = options === poll ? undefined : (error.errors[0] ?? assert.fail());
    assert.deepEqual([error.report, error.cause], [retryReport(error), cause]);
    assert.equal(error.reason, error.report.reason);
  }
  const { error: early } = await underClock((clock) =>
    retry(fails(E), { totalTimeoutMs: 100, onAttempt: () => void (clock.now += 200) }),
  );
  assert.match(early.message, /^rejitter: the operation timed out after 100 ms .*, before the first attempt$/);
  const { error } = underBlockingClock(() => retrySync(() => Promise.resolve()));
  assert.match(error.message, /^rejitter: the callback must not return a promise/);
});

test('console.log(attempt) in Node shows what its getters hold, and makes no signal; nothing can be set', async () => {
  const texts = [];
  let controllers = 0;
  const Counting = class extends AbortController {
    constructor() {
      super();
      controllers += 1;
    }
  };
  const putBack = replace(globalThis, 'AbortController', Counting);
  const fn = (attempt) => {
    texts.push(inspect(attempt));
    for (const name of ['attempt', 'signal', 'previousError', 'elapsedMs'])
      assert.throws(() => Object.assign(attempt, { [name]: 99 }), TypeError, name);
    throw E;
  };
  await operate(fn, { jitter: 'none', maxAttempts: 3, name: 'orders' }).finally(putBack);
  for (const text of [
    ...['attempt: 2', 'attemptsLeft: 1', "name: 'orders'", 'elapsedMs: 100', 'remainingMs: Infinity'],
    ...['previousError: Error: failing', 'previousDelayMs: 100'],
  ])
    assert.ok(texts[1].includes(text), texts[1]);
  assert.equal(controllers, 0);
});
