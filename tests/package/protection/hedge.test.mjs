// Hedging. What a scene can say is in tests/vectors/protection.json; what becomes of a round whatever its callbacks do,
// and what is learned, the random schedules compare with a reference.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { microtasks } from '../lib/clock.mjs';
import { controlled, importAll, plain, timed, watched } from './entry.mjs';

const { RetryPolicy, SupersededError, budget, hedge, protect, retrySync } = await importAll();

/** A protection and a policy that hedge, and what starts an operation whose calls the test ends. */
function hedging(options, part = hedge({ delayMs: 50 })) {
  const api = protect(part);
  const policy = new RetryPolicy({ ...plain, maxAttempts: 4, metrics: true, protection: api, ...options });
  const begin = () => {
    const { fn, calls } = controlled();
    return { calls, run: watched(policy.run(fn)) };
  };
  return { api, policy, begin };
}

/** Settles a call, and lets everything run that follows at once. */
function ok(call, value) {
  call.resolve(value);
  return microtasks();
}

timed('the first success wins: the hedge, and the signal of the attempt is aborted', async (clock) => {
  const { api, policy, begin } = hedging({ totalTimeoutMs: 1000 });
  const { calls, run } = begin();
  await clock.advance(50);
  assert.deepEqual([calls.length, calls[1].attempt.attempt, calls[1].attempt.attemptsLeft], [2, 2, 2]);
  await ok(calls[1], 'second');
  assert.deepEqual([run.state, run.value], ['fulfilled', 'second']);
  const [first, second] = calls.map(({ attempt }) => attempt.signal);
  assert.ok(first.reason instanceof SupersededError);
  assert.deepEqual([first.reason.name, second.aborted], ['SupersededError', false]);
  calls[0].reject(new Error('too late'));
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 1, rejected: 0 });
  const { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight } = policy.metrics();
  assert.deepEqual([attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight], [2, 0, 1, 1, 0, 0]);
});

timed('an attempt that lost after its timeout, whose timer is late, is one sample', async (clock) => {
  const { api, begin } = hedging({ attemptTimeoutMs: 30 }, hedge({ quantile: 0.98 }));
  /** Makes operations at once whose first attempts succeed after 10 ms. */
  const many = async (times) => {
    const all = Array.from({ length: times }, begin);
    await clock.advance(10);
    for (const { calls } of all) calls[0].resolve();
    await microtasks();
  };
  await ok(begin().calls[0]);
  await many(20);
  const { calls, run } = begin();
  await clock.advance(11);
  clock.now += 40;
  await ok(calls[1], 'hedge');
  assert.equal(run.value, 'hedge');
  // Two slow samples among 87 would be more than 2%.
  await many(64);
  const last = begin();
  assert.equal(api.status().hedge.delayMs, 11);
  await ok(last.calls[0]);
});

test('retrySync takes no hedge', () => {
  assert.throws(() => retrySync(() => 1, { protection: protect(hedge()) }), {
    name: 'TypeError',
    message: 'rejitter: retrySync cannot hedge. Use retry, or a protection without hedge()',
  });
  assert.equal(
    retrySync(() => 1, { protection: protect(budget()) }),
    1,
  );
});
