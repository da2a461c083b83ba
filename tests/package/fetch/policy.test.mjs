// createFetch over a RetryPolicy, and options per call.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';

const { createFetch } = await importFetch();
const presets = await importEntry('presets');
const { RetryPolicy, retryReport } = await importPackage();

test('a policy gives the waits, the limits, the hooks and the metrics', async () => {
  const gaveUp = [];
  const policy = new RetryPolicy({
    baseMs: 7,
    jitter: 'none',
    maxAttempts: 3,
    metrics: true,
    name: 'orders',
    onGiveUp: ({ status, reason }) => gaveUp.push([status, reason]),
  });
  const { inner, calls } = statuses(503);
  const { clock, value: response } = await underClock(() => createFetch(policy, inner)('http://x/'));
  assert.equal(response.status, 503);
  assert.equal(calls.length, 3);
  assert.deepEqual(clock.delays, [7, 14]);
  assert.deepEqual(gaveUp, [[503, 'exhausted']]);
  assert.equal(retryReport(response).attempts, 3);
  const metrics = policy.metrics();
  assert.deepEqual(
    [
      metrics.operations,
      metrics.attempts,
      metrics.retries,
      metrics.failures.exhausted,
      metrics.totalWaitMs,
      metrics.inFlight,
    ],
    [1, 3, 2, 1, 21, 0],
  );
  await createFetch(policy, statuses(200).inner)('http://x/');
  assert.equal(policy.metrics().firstAttemptSuccesses, 1);
});

test('a seeded policy: its operations are counted over both of its uses', async () => {
  const options = { ...QUICK, seed: 5, maxAttempts: 2 };
  const waits = async (...uses) => {
    const found = [];
    const policy = new RetryPolicy({ ...options, onRetry: ({ delayMs }) => found.push(delayMs) });
    const fetch = createFetch(policy, statuses(503).inner);
    for (const use of uses)
      await (use === 'fetch'
        ? fetch('http://x/')
        : policy
            .run(() => {
              throw new Error('x');
            })
            .catch(() => {}));
    return found;
  };
  const expected = await waits('run', 'run', 'run');
  assert.equal(new Set(expected).size, 3);
  assert.deepEqual(await waits('fetch', 'run', 'fetch'), expected);
});

test('retryIf and retryOnResult of a policy decide instead of the rules for fetch', async () => {
  const network = new TypeError('Failed to fetch');
  const received = [];
  const policy = new RetryPolicy({
    ...QUICK,
    retryIf: (error, { attempt }) => {
      received.push([error, attempt]);
      return error !== network;
    },
    retryOnResult: async (response, { attempt }) => {
      received.push([response.status, attempt]);
      return response.status === 404;
    },
  });
  const attempts = async (...list) => {
    const { inner, calls } = statuses(...list);
    await createFetch(policy, inner)('http://x/').catch(() => {});
    return calls.length;
  };
  const own = new Error('of the inner fetch');
  assert.equal(await attempts(own, network), 2);
  assert.equal(await attempts(404, 503), 2);
  assert.deepEqual(received, [
    [own, 1],
    [network, 2],
    [404, 1],
    [503, 2],
  ]);
  // A POST is not sent twice.
  const { inner, calls } = statuses(404);
  await createFetch(policy, inner)('http://x/', { method: 'POST' });
  assert.equal(calls.length, 1);
  // retryOn of a call replaces both.
  const listed = statuses(503, 404);
  await createFetch(policy, listed.inner)('http://x/', { retry: { retryOn: [503] } });
  assert.equal(listed.calls.length, 2);
  const invalid = new RetryPolicy({ ...QUICK, retryOnResult: () => 'yes' });
  await assert.rejects(
    createFetch(invalid, statuses(503).inner)('http://x/'),
    /^TypeError: rejitter: retryOnResult must return/,
  );
});

test('rejects a policy that rejects with results, with the remedy', () => {
  assert.throws(
    () => createFetch(new RetryPolicy({ finalResult: 'reject' })),
    /^TypeError: rejitter: finalResult must be omitted \(got "reject"\): use throwOnStatus$/,
  );
  assert.doesNotThrow(() => createFetch(new RetryPolicy({ finalResult: 'resolve' })));
  assert.throws(() => createFetch(new Map()), /^TypeError: rejitter: options must be an object of options/);
});

test('options of a call over those of a policy', async () => {
  const policy = new RetryPolicy({ baseMs: 7, jitter: 'none', maxAttempts: 4, metrics: true });
  const { inner, calls } = statuses(503);
  const fetch = createFetch(policy, inner);
  const { clock } = await underClock(() =>
    fetch('http://x/', { method: 'POST', retry: { maxAttempts: 2, idempotencyKey: 'auto' } }),
  );
  assert.deepEqual(clock.delays, [7]);
  assert.match(new Headers(calls[0][1].headers).get('idempotency-key'), /^[0-9a-f-]{36}$/);
  assert.equal(policy.metrics().attempts, 2);
  const again = await underClock(() => fetch('http://x/', { retry: { baseMs: 50 } }));
  assert.deepEqual(again.clock.delays, [50, 100, 200]);
});

test('options of a call are read once, and again when they have changed', async () => {
  const read = [];
  const { inner, calls } = statuses(503);
  const fetch = createFetch(QUICK, inner);
  const attempts = async (retry) => {
    calls.length = 0;
    await fetch('http://x/', { retry });
    return calls.length;
  };
  const retry = { maxAttempts: 2 };
  assert.equal(await attempts(retry), 2);
  assert.equal(await attempts(retry), 2);
  retry.maxAttempts = 3;
  assert.equal(await attempts(retry), 3);
  retry.retryOn = [429];
  assert.equal(await attempts(retry), 1);
  retry.retryOn.push(503);
  assert.equal(await attempts(retry), 3, 'a list that changed');
  delete retry.retryOn;
  delete retry.maxAttempts;
  assert.equal(await attempts(retry), 6);
  assert.equal(await attempts({ maxAttempts: 2 }), 2);
  assert.equal(await attempts({ throwOnStatus: false }), 6);
  assert.equal(await attempts({ maxAttempts: undefined }), 6);
  assert.equal(
    await attempts(
      Object.defineProperty({}, 'maxAttempts', {
        enumerable: true,
        get() {
          read.push('maxAttempts');
          return 2;
        },
      }),
    ),
    2,
  );
  assert.deepEqual(read, ['maxAttempts']);
  await assert.rejects(attempts({ maxAttempts: '2' }), TypeError);
  await assert.rejects(attempts({ maxAttempts: '2' }), TypeError);
  await assert.rejects(attempts({ retryAfter: 2 }), /unknown option "retryAfter"/);
});

test('options of a call that replace the backoff or the jitter drop what belonged to it', async () => {
  const waits = async (base, retry) =>
    (await underClock(() => createFetch({ maxAttempts: 4, ...base }, statuses(503).inner)('http://x/', { retry })))
      .clock.delays;
  assert.deepEqual(
    await waits({ baseMs: 10, backoff: 'linear', stepMs: 5, jitter: 'none' }, { backoff: 'fixed' }),
    [10, 10, 10],
  );
  assert.deepEqual(
    await waits({ baseMs: 10, factor: 3, jitter: 'none' }, { backoff: 'linear', stepMs: 1 }),
    [10, 11, 12],
  );
  assert.deepEqual(
    await waits({ baseMs: 10, backoff: 'linear', stepMs: 5, random: () => 0 }, { jitter: 'none' }),
    [10, 15, 20],
  );
  assert.deepEqual(
    await waits({ baseMs: 10, jitter: { type: 'proportional', ratio: 0.5 } }, { jitter: 'none', backoff: 'fixed' }),
    [10, 10, 10],
  );
  assert.equal((await waits({ baseMs: 10, factor: 3 }, { jitter: 'decorrelated' })).length, 3);
  assert.deepEqual(await waits({ baseMs: 10, minMs: 0 }, { ...presets.pRetry, maxAttempts: 3 }), [1000, 2000]);
});
test('beforeRetry is awaited between the attempts, and the name is in the events', async () => {
  const events = [];
  const policy = {
    ...QUICK,
    name: 'orders',
    beforeRetry: async ({ attempt }) => {
      await null;
      events.push(`before ${attempt + 1}`);
    },
    onAttempt: ({ attempt, name }) => events.push(`${name} ${attempt}`),
  };
  await createFetch(policy, statuses(503, 200).inner)('http://x/');
  assert.deepEqual(events, ['orders 1', 'before 2', 'orders 2']);
});
