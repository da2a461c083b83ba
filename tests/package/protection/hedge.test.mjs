// Hedging. What a scene can say is in tests/vectors/protection.json; what becomes of a round whatever its callbacks do,
// and what is learned, the random schedules compare with a reference.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { microtasks } from '../lib/clock.mjs';
import { controlled, importAll, watched } from './entry.mjs';
import { begin, hedged, ok } from './hedging.mjs';

const { SupersededError, budget, hedge, protect, retrySync } = await importAll();

hedged('the first success wins: the hedge, and the signal of the attempt is aborted', async ({ at }) => {
  const { api, policy, calls, run } = begin({ totalTimeoutMs: 1000 });
  await at(50);
  assert.deepEqual([calls.length, calls[1].attempt.attempt, calls[1].attempt.attemptsLeft], [2, 2, 2]);
  await at(70);
  await ok(calls[1], 'second');
  assert.deepEqual([run.state, run.value], ['fulfilled', 'second']);
  const [first, second] = calls.map(({ attempt }) => attempt.signal);
  assert.ok(first.reason instanceof SupersededError);
  assert.equal(first.reason.name, 'SupersededError');
  assert.equal(second.aborted, false);
  calls[0].reject(new Error('too late'));
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 1, rejected: 0 });
  const { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight } = policy.metrics();
  assert.deepEqual(
    { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight },
    { attempts: 2, retries: 0, hedges: 1, firstAttemptSuccesses: 1, retriedSuccesses: 0, inFlight: 0 },
  );
});

/** Makes calls at once whose first attempts succeed after `ms` ms. */
async function many(at, policy, times, ms) {
  const from = performance.now();
  const fns = Array.from({ length: times }, controlled);
  for (const { fn } of fns) watched(policy.run(fn));
  await at(from + ms);
  for (const { calls } of fns) calls[0].resolve();
  await microtasks();
}

hedged('an attempt that lost after its timeout, whose timer is late, is one sample', async ({ at, clock }) => {
  const { api, policy, calls } = begin({ attemptTimeoutMs: 30 }, hedge({ quantile: 0.98 }));
  await ok(calls[0]);
  await many(at, policy, 20, 10);
  const slow = controlled();
  const run = watched(policy.run(slow.fn));
  await at(21);
  clock.now += 40;
  await ok(slow.calls[1], 'hedge');
  assert.equal(run.value, 'hedge');
  // Two slow samples among 87 would be more than 2%.
  await many(at, policy, 64, 10);
  const last = controlled();
  watched(policy.run(last.fn));
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
