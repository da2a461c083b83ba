// Reports: the times of an operation, and who can read them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { underBlockingClock } from '../lib/blocking.mjs';
import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage, runNode } from '../lib/consumer.mjs';

const { RetryError, permanent, retry, retrySync } = await importPackage();
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
  const outcomes = [
    await underClock(() => retry(() => secret, { retryOnResult: () => true, finalResult: 'reject', maxAttempts: 2 })),
    await underClock(() =>
      retry(() => secret, {
        retryOnResult: fails(E),
        finalError: 'wrap',
      }),
    ),
  ];
  for (const { error } of outcomes) {
    assert.ok(error instanceof RetryError);
    assert.deepEqual(Object.keys(error).sort(), ['name', 'reason']);
    assert.ok(
      error.report.records.some(({ result }) => result === secret),
      'retryReport still finds it',
    );
    for (const text of [
      inspect(error, { depth: 10 }),
      JSON.stringify(error),
      JSON.stringify({ ...error }),
      error.message,
      String(error),
    ])
      assert.doesNotMatch(text, /hunter2/);
  }
  assert.equal(outcomes[0].error.result, secret);
});

test('a RetryError shows a thrown string, in quotes, short and without control characters', async () => {
  for (const [thrown, shown] of [
    ['busy', '"busy"'],
    ['a\n\x1b[31m\x9b' + 'b'.repeat(99), `"a\\n\\u001b[31m?${'b'.repeat(32)}..."`],
  ]) {
    const { error } = await underClock(() =>
      retry(() => Promise.reject(thrown), { maxAttempts: 1, finalError: 'wrap' }),
    );
    assert.equal(error.message, `rejitter: gave up after 1 attempt (exhausted): ${shown}`);
  }
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
    await underClock(() =>
      retry(
        (attempt) => {
          texts.push(inspect(attempt));
          if (attempt.attempt < 2) throw E;
        },
        { jitter: 'none', maxAttempts: 3, name: 'orders' },
      ),
    );
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
  const { code, stdout, stderr } = await runNode(`
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
  assert.deepEqual(
    { code, stdout, stderr },
    { code: 0, stdout: 'true true TimeoutError true RetryError PermanentError true\n', stderr: '' },
  );
});

test('every message of the engine starts with "rejitter: ", once', async () => {
  const hang = () => new Promise(() => {});
  const errors = [];
  for (const options of [{ attemptTimeoutMs: 5 }, { attemptTimeoutMs: 5, finalError: 'wrap' }, { totalTimeoutMs: 5 }])
    errors.push((await underClock(() => retry(hang, { maxAttempts: 2, ...options }))).error);
  const { error: random } = await underClock(() => retry(fails(E), { random: () => 1 }));
  const { error: backoff } = await underClock(() => retry(fails(E), { backoff: () => NaN }));
  const { error: predicate } = await underClock(() => retry(fails(E), { retryIf: () => 1 }));
  const { error: slip } = await underClock(() => retry(() => permanent(E)));
  const { error: sync } = underBlockingClock(() => retrySync(() => Promise.resolve()));
  for (const error of [...errors, random, backoff, predicate, slip, sync])
    assert.match(error.message, /^rejitter: (?!.*rejitter: )/);
});
