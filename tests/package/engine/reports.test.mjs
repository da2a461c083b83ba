// Reports: the times of an operation, and who can read them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { underBlockingClock } from '../lib/blocking.mjs';
import { fails } from '../lib/callbacks.mjs';
import { importPackage, printed } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryError, permanent, retry, retryReport, retrySync } = await importPackage();
const E = new Error('failing');

test('the clock is read once for an attempt that succeeds, and wasm and timers are not used', async () => {
  const { now } = performance;
  let reads = 0;
  performance.now = () => {
    reads += 1;
    return 5;
  };
  try {
    assert.equal(await retry(() => 'value'), 'value');
    assert.equal(reads, 1);
  } finally {
    performance.now = now;
  }
});

test('a host whose clock throws: the promise rejects, nothing is thrown at the caller', async () => {
  const { now } = performance;
  const boom = new Error('no clock');
  const ends = [];
  performance.now = fails(boom);
  try {
    for (const options of [{}, { totalTimeoutMs: 5 }])
      ends.push(await retry(fails(E), options).catch((error) => error));
  } finally {
    performance.now = now;
  }
  assert.deepEqual(ends, [boom, boom]);
});

test('RetryError shows no report and no result: not to console.log, JSON, spread or keys', async () => {
  const secret = { password: 'hunter2' };
  const reject = { retryOnResult: () => true, finalResult: 'reject', maxAttempts: 2 };
  for (const options of [reject, { retryOnResult: fails(E), finalError: 'wrap' }]) {
    const { error } = await operate(() => secret, options);
    assert.ok(error instanceof RetryError);
    assert.deepEqual(Object.keys(error).sort(), ['name', 'reason']);
    assert.ok(error.report.records.some(({ result }) => result === secret));
    const json = [JSON.stringify(error), JSON.stringify({ ...error })];
    for (const text of [inspect(error, { depth: 10 }), ...json, error.message, String(error)])
      assert.doesNotMatch(text, /hunter2/);
    assert.equal(error.result, options === reject ? secret : undefined);
  }
});

test('a RetryError shows the message of an error, or a string, short and without control characters', async () => {
  for (const [thrown, shown] of [
    [new Error('failure 3'), 'failure 3'],
    ['busy', '"busy"'],
    ['a\n\x1b[31m\x9b' + 'b'.repeat(99), `"a\\n\\u001b[31m?${'b'.repeat(32)}..."`],
  ]) {
    const { error } = await operate(fails(thrown), { maxAttempts: 1, finalError: 'wrap' });
    assert.equal(error.message, `rejitter: gave up after 1 attempt (exhausted): ${shown}`);
    assert.ok(error instanceof RetryError && error instanceof AggregateError);
    assert.deepEqual([error.reason, error.report, error.cause], ['exhausted', retryReport(error), thrown]);
  }
  const { error } = await operate(() => 'pending', {
    retryOnResult: () => true,
    finalResult: 'reject',
    totalTimeoutMs: 150,
    jitter: 'none',
  });
  assert.equal(error.message, 'rejitter: gave up after 2 attempts (deadline): the last result was not accepted');
  assert.deepEqual([error.reason, error.report, error.cause], ['deadline', retryReport(error), undefined]);
});

test('console.log(attempt) in Node shows what its getters hold, and makes no signal', async () => {
  const texts = [];
  const { AbortController: Real } = globalThis;
  let controllers = 0;
  globalThis.AbortController = class extends Real {
    constructor() {
      super();
      controllers += 1;
    }
  };
  try {
    const fn = (attempt) => {
      texts.push(inspect(attempt));
      if (attempt.attempt < 2) throw E;
    };
    await operate(fn, { jitter: 'none', maxAttempts: 3, name: 'orders' });
  } finally {
    globalThis.AbortController = Real;
  }
  for (const text of [
    'attempt: 2',
    'attemptsLeft: 1',
    "name: 'orders'",
    'elapsedMs: 100',
    'remainingMs: Infinity',
    'previousError: Error: failing',
    'previousDelayMs: 100',
  ])
    assert.ok(texts[1].includes(text), texts[1]);
  assert.equal(controllers, 0);
});

test('frozen prototypes of errors: timeouts, RetryError and marks work all the same', async () => {
  const stdout = await printed(`
    import { RetryError, TimeoutError, permanent, retry, retryAfter } from 'rejitter';
    for (const { prototype } of [Error, AggregateError, TypeError, RangeError, Object,
      Function]) Object.freeze(prototype);
    const hang = () => new Promise(() => {});
    const timeout = await retry(hang, { attemptTimeoutMs: 1, maxAttempts: 2, baseMs: 0 }).catch((e) => e);
    const deadline = await retry(hang, { totalTimeoutMs: 1 }).catch((e) => e);
    const wrapped = await retry(() => { throw 1; }, { finalError: 'wrap', maxAttempts: 1 }).catch((e) => e);
    const mine = new Error('mine');
    const marked = await Promise.all([permanent(mine), retryAfter(0, mine)].map((mark) => retry(() => { throw mark; },
      { maxAttempts: 1 }).catch((e) => e)));
    console.log(timeout instanceof TimeoutError, deadline instanceof TimeoutError, deadline.name,
      wrapped instanceof RetryError, wrapped.name, permanent(mine).name, marked.every((e) => e === mine));
  `);
  assert.equal(stdout, 'true true TimeoutError true RetryError PermanentError true\n');
});

test('every message of the engine starts with "rejitter: ", once', async () => {
  const hang = () => new Promise(() => {});
  const errors = [underBlockingClock(() => retrySync(() => Promise.resolve())).error];
  for (const [fn, options] of [
    [hang, { attemptTimeoutMs: 5, maxAttempts: 2 }],
    [hang, { attemptTimeoutMs: 5, maxAttempts: 2, finalError: 'wrap' }],
    [hang, { totalTimeoutMs: 5 }],
    [fails(E), { random: () => 1 }],
    [fails(E), { backoff: () => NaN }],
    [fails(E), { retryIf: () => 1 }],
    [() => permanent(E), {}],
  ])
    errors.push((await operate(fn, options)).error);
  for (const error of errors) assert.match(error.message, /^rejitter: (?!.*rejitter: )/);
});
