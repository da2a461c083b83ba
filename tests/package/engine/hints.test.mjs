// A server's word in errors: whoever classifies by an error's headers waits by them, and the option `hint`.
// tests/vectors/failures.json has the errors of real clients with their waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { turn, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { RetryPolicy, isTransientError, permanent, retry, retryAfter, retryReport, retrySync } = await importPackage();
const { bullmq, nextDelay } = await importEntry('engines');
const { hedge, protect, budget, breaker, cooldown } = await importEntry('protection');

const headers = (value) => ({ 'retry-after': value });
const failing = (fields, options) => Object.assign(new Error('x', options), fields);
const limited = (seconds = '1') => failing({ status: 429, headers: headers(seconds) });
/** No jitter, and no spread of hints: the wait is the longer one of 5 ms and what the server asks for. */
const PLAIN = { jitter: 'none', baseMs: 5, random: () => 0, maxAttempts: 2, retryIf: isTransientError };

/** Returns the waits of an operation whose attempts all throw this, and its reason. */
async function ending(error, options, run = retry) {
  const { clock, error: thrown } = await underClock(() => run(fails(error), { ...PLAIN, ...options }));
  assert.ok(Object.is(thrown, error));
  return { delays: clock.delays, ...retryReport(error) };
}

const pushback = (ms) => ({ get: (name) => (name === 'grpc-retry-pushback-ms' ? [ms] : []) });
const grpc = (ms) => failing({ code: 14, details: 'x', metadata: pushback(ms) });

/** Errors by where the wait stands in them; all ask for 1,000 ms. */
const ERRORS = {
  headers: limited(),
  Headers: failing({ status: 429, headers: new Headers(headers('1')) }),
  'headers in ms': failing({ status: 503, headers: { 'retry-after-ms': '1000', 'retry-after': '9' } }),
  'a response': failing({ response: { status: 429, headers: headers('1') } }),
  'a response that is hidden': failing({ $metadata: { httpStatusCode: 503 }, $response: { headers: headers('1') } }),
  responseHeaders: failing({ statusCode: 429, responseHeaders: headers('1') }),
  'a 403, which only asks to come later': failing({ status: 403, headers: headers('1') }),
  pushback: grpc('1000'),
  'metadata that are Headers': failing({ name: 'ConnectError', code: 8, metadata: new Headers(headers('1')) }),
  seconds: failing({ code: 'slack_webapi_rate_limited_error', retryAfter: 1 }),
  milliseconds: failing({ name: 'RateLimitError[/x]', retryAfter: 1000 }),
  cause: failing({}, { cause: limited() }),
  detail: failing({ detail: limited() }),
  original: failing({ original: limited() }),
  'several errors, of which the longest wait counts': new AggregateError([limited('0.5'), limited(), limited('0.2')]),
  'several places, of which the longest wait counts': failing({
    ...{ status: 429, headers: headers('0.2'), response: { headers: headers('1') } },
    cause: limited('0.5'),
  }),
  'a frozen error': Object.freeze(limited()),
  'a proxy': new Proxy(limited(), {}),
  'an object that is no error': { status: 429, headers: headers('1') },
};

for (const [name, error] of Object.entries(ERRORS))
  test(`a wait in ${name} is followed`, async () => {
    const shape = JSON.stringify(error);
    // Some ask to come later, and nothing else says that they may pass.
    const retryIf = (error) => isTransientError(error) || true;
    assert.deepEqual((await ending(error, { retryIf })).delays, [1000]);
    assert.deepEqual((await ending(error, { retryIf, baseMs: 2000 })).delays, [2000], 'the longer wait counts');
    assert.equal(JSON.stringify(error), shape, 'nothing is written to it');
    assert.equal(nextDelay(new RetryPolicy({ ...PLAIN, retryIf }), { attempt: 1, error }), 1000);
  });

const policy = (options) => new RetryPolicy({ ...PLAIN, ...options });
/** Ways to run an operation, as `retry` does. */
const WAYS = {
  retry,
  'policy.run': (fn, options) => policy(options).run(fn),
  'policy.wrap': (fn, options) => policy(options).wrap(fn)(),
  'with a hedge': (fn, options) => retry(fn, { ...options, protection: protect(hedge({ delayMs: 5 })) }),
  'with a deadline and hooks': (fn, options) => retry(fn, { ...options, totalTimeoutMs: 1e6, onFailure() {} }),
};

for (const [name, run] of Object.entries(WAYS)) {
  const delaysOf = async (error, options) => {
    const { clock } = await underClock(() => run(fails(error), { ...PLAIN, ...options }).catch(() => {}));
    return clock.armed.filter(({ ms }) => ms >= 100 && ms < 1e5).map(({ ms }) => ms);
  };
  test(`${name}: composed, awaiting and late predicates are followed, others are not`, async () => {
    const wrapped = failing({ cause: limited() });
    for (const retryIf of [
      isTransientError,
      (error) => error.name !== 'other' && isTransientError(error),
      // It stands whatever the predicate answers.
      (error) => !isTransientError(error) || true,
      async (error) => {
        await null;
        const verdict = isTransientError(error);
        await null;
        return verdict;
      },
      ({ cause }) => isTransientError(cause),
    ])
      assert.deepEqual(await delaysOf(wrapped, { retryIf }), [1000]);
    assert.deepEqual(await delaysOf(wrapped, { retryIf: () => true }), [], 'noted by the operations before');
    assert.deepEqual(
      await delaysOf(wrapped, { retryIf: (error) => isTransientError(error) && { afterMs: 300 } }),
      [300],
    );
    assert.deepEqual(await delaysOf(retryAfter(200, wrapped)), [200], 'the callback has the last word');
    assert.deepEqual(await delaysOf(permanent(wrapped)), []);
    assert.deepEqual(await delaysOf(429, { retryIf: (error) => isTransientError(error) || true }), []);
  });

  test(`${name}: hint, by itself and with what isTransientError finds`, async () => {
    const asked = [];
    const hint =
      (ms) =>
      (error, { attempt }) => {
        asked.push([error, attempt]);
        return ms;
      };
    const error = limited();
    for (const [ms, expected] of [
      ...[undefined, 0, 900].map((ms) => [ms, 1000]),
      ...[1200, Promise.resolve(1200), { then: (done) => done(1200) }].map((ms) => [ms, 1200]),
    ])
      assert.deepEqual(await delaysOf(error, { hint: hint(ms) }), [expected]);
    assert.deepEqual(
      asked.splice(0).slice(0, 2),
      [
        [error, 1],
        [error, 2],
      ],
      'once per attempt, the last included',
    );
    for (const thrown of [7, null, 'text'])
      assert.deepEqual(await delaysOf(thrown, { retryIf: undefined, hint: hint(700) }), [700]);
    asked.length = 0;
    assert.deepEqual(await delaysOf(retryAfter(200, error), { hint: hint(700) }), [200]);
    assert.equal(asked.length, 2);
    await delaysOf(permanent(error), { hint: hint(700) });
    assert.equal(asked.length, 2, 'not for permanent errors');
  });
}

test('a hint that fails is reported, and costs nothing else', async (t) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  for (const hint of [
    fails('thrown'),
    () => Promise.reject('thrown'),
    () => -1,
    () => '5',
    async () => NaN,
    () => null,
  ]) {
    assert.deepEqual((await ending(limited(), { hint })).delays, [1000]);
    assert.equal(mock.callCount(), 2);
    mock.resetCalls();
  }
});

test('an abort and the deadline end a hint that never settles, and no predicate is called then', async () => {
  const hint = () => new Promise(() => {});
  const retryIf = () => assert.fail('called');
  const { reason } = await ending(limited(), { hint, retryIf, totalTimeoutMs: 50 });
  assert.equal(reason, 'deadline');
  const abort = new AbortController();
  const { error } = await underClock(() => {
    setTimeout(() => abort.abort('mine'), 20);
    return retry(fails(limited()), { ...PLAIN, hint, retryIf, signal: abort.signal });
  });
  assert.equal(error, 'mine');
});

test('what servers ask for is bounded by maxRetryAfterMs, and spread upwards', async () => {
  const error = limited('3600');
  const { reason, hintMs, attempts } = await ending(error);
  assert.deepEqual([reason, hintMs, attempts], ['hint', 3_600_000, 1]);
  assert.deepEqual((await ending(error, { longRetryAfter: 'cap' })).delays, [60_000]);
  assert.deepEqual((await ending(error, { maxRetryAfterMs: Infinity })).delays, [3_600_000]);
  assert.deepEqual((await ending(limited(), { random: () => 0.5 })).delays, [1250]);
  // Said of the last attempt as well.
  assert.equal((await ending(limited(), { maxAttempts: 1 })).hintMs, 1000);
});

test('one error, shared by operations whose predicates await: each waits from its own verdict on', async () => {
  const error = limited();
  const open = [];
  const starts = [];
  const { clock } = await underClock(async (clock) => {
    const run = (retryIf) =>
      retry(
        () => {
          starts.push(clock.now - 1000);
          throw error;
        },
        { ...PLAIN, retryIf },
      ).catch(() => {});
    const slow = run(async (error) => {
      const verdict = isTransientError(error);
      await new Promise((done) => setTimeout(done, 700));
      return verdict;
    });
    await Promise.all([slow, run(isTransientError), run(() => true)]);
    return open;
  });
  assert.deepEqual(starts, [0, 0, 0, 5, 1000, 1700]);
  assert.equal(clock.pending.size, 0);
});

test('retrySync waits by it, and reports a hint that returns a promise', (t) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  const measured = (options) => {
    const from = performance.now();
    assert.throws(() =>
      retrySync(fails(failing({ status: 429, headers: { 'retry-after-ms': '30' } })), { ...PLAIN, ...options }),
    );
    return performance.now() - from;
  };
  assert.ok(measured() >= 29);
  assert.ok(measured({ retryIf: undefined, hint: () => 20 }) >= 19);
  assert.ok(measured({ hint: async () => 20 }) >= 29);
  assert.match(mock.calls[0].arguments[0].message, /^rejitter: hint must not return a promise/);
});

test('queues: hint and retryIf, at once or later', async () => {
  // Without a seed of the job's there is no draw.
  const job = { opts: { attempts: 3 } };
  const delay = (options, error = limited()) => bullmq(policy(options))(1, 'rejitter', error, job);
  assert.equal(await delay(), 1000);
  assert.equal(await delay({ hint: () => 1200 }), 1200);
  assert.equal(await delay({ hint: async () => 1200, retryIf: async (error) => isTransientError(error) }), 1200);
  assert.equal(await delay({ hint: () => 1200, retryIf: async () => false }), -1);
  assert.equal(await delay({ hint: () => 90_000 }), -1);
  assert.equal(await delay({ hint: () => 9000 }, retryAfter(700, limited())), 700);
  assert.equal(nextDelay(policy({ hint: () => 1200 }), { attempt: 1, error: limited() }), 1200);
});

test('a pushback that is no number, or negative, means no', () => {
  for (const [ms, expected] of Object.entries({ '-1': false, x: false, '5x': false, '': true, 0: true, 5: true }))
    assert.equal(isTransientError(grpc(ms)), expected, ms);
});

/** Two operations under one protection, of which the first fails: when the second one starts, and the status. */
async function beside(error, parts, options) {
  const protection = protect(...parts);
  const starts = [];
  const { value } = await underClock(async (clock) => {
    const first = retry(fails(error), { ...PLAIN, protection, ...options }).catch(() => {});
    await turn();
    // The hold's probe.
    const { signal } = new AbortController();
    retry(() => new Promise(() => {}), { protection, signal });
    await Promise.all([first, retry(() => starts.push(clock.now - 1000), { random: () => 0, protection })]);
    // By this clock, too: counts of failures fade with time.
    return protection.status();
  });
  return [starts[0], value];
}

test('protection: a cooldown hears it of 429 and of throttling by name alone; the others go by status', async () => {
  const named = failing({
    name: 'ThrottlingException',
    $metadata: { httpStatusCode: 400 },
    $response: { headers: headers('1') },
  });
  const parts = () => [cooldown(), breaker({ consecutiveFailures: 9 }), budget({ preset: 'awsSdk2026' })];
  const options = { maxAttempts: 2 };
  for (const [error, startMs, failures, tokens] of [
    [limited(), 1000, 0, 495],
    [named, 1000, 0, 495],
    [failing({ status: 503, headers: headers('1') }), 0, 1, 486],
  ]) {
    const [at, { breaker, budget }] = await beside(error, parts(), options);
    assert.deepEqual([at, breaker.failures], [startMs, failures], error.name);
    // The success of the second gives one back.
    assert.equal(Math.round(budget.tokens), tokens + 1);
  }
  // Whether or not it is retried, and by `hint` as well.
  for (const options of [
    { retryIf: (error) => isTransientError(error) && false },
    { retryIf: () => false, hint: () => 1000 },
  ])
    assert.equal((await beside(limited(), parts(), options))[0], 1000);
  assert.equal((await beside(failing({ status: 429 }), parts(), { hint: async () => 1000 }))[0], 1000);
});

test('protection: throttling by name costs what AWS says, and is neither failure nor success', async () => {
  for (const error of [
    ...['ProvisionedThroughputExceededException', 'ThrottlingException', 'SlowDown', 'LimitExceededException'].map(
      (name) => failing({ name }),
    ),
    failing({ $retryable: { throttling: true } }),
    failing({ name: 'SlowDown', $metadata: { httpStatusCode: 503 } }),
  ]) {
    const protection = protect(budget({ preset: 'awsSdk2026' }), breaker());
    const { value } = await underClock(async () => {
      await retry(fails(error), { ...PLAIN, protection }).catch(() => {});
      return protection.status();
    });
    assert.deepEqual([value.budget.tokens, value.breaker.calls], [495, 0], error.name);
  }
});
