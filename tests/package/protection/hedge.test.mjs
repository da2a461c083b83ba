// Hedging: the attempt and the hedge of a round, the delay that is learned, the other parts of protection. What a scene
// can say is in tests/vectors/protection.json.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { microtasks } from '../lib/clock.mjs';
import { controlled, importAll, watched } from './entry.mjs';
import { begin, error, hedged, no, ok } from './hedging.mjs';

const { SupersededError, breaker, budget, hedge, permanent, protect, retrySync } = await importAll();

hedged('the first success wins: the hedge, and the signal of the attempt is aborted', async ({ at, clock }) => {
  const { api, policy, calls, run, log, signals } = begin({ totalTimeoutMs: 1000 });
  await at(50);
  assert.deepEqual([calls.length, calls[1].attempt.attempt, calls[1].attempt.attemptsLeft], [2, 2, 2]);
  await at(70);
  await ok(calls[1], 'second');
  assert.deepEqual([run.state, run.value], ['fulfilled', 'second']);
  const [first, second] = signals();
  assert.ok(first.reason instanceof SupersededError);
  assert.equal(first.reason.name, 'SupersededError');
  assert.equal(second.aborted, false);
  assert.equal(clock.pending.size, 0);
  await no(calls[0], error('too late'));
  assert.deepEqual(log, ['onAttempt 1', 'onAttempt 2 hedge', 'onSuccess 2']);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 1, rejected: 0 });
  const { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight } = policy.metrics();
  assert.deepEqual(
    { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight },
    { attempts: 2, retries: 0, hedges: 1, firstAttemptSuccesses: 1, retriedSuccesses: 0, inFlight: 0 },
  );
});

hedged('the answer about a failure is dropped once the round has ended', async ({ at }) => {
  for (const which of [0, 1]) {
    const start = performance.now();
    const asked = [];
    const { calls, run, log } = begin({ retryIf: () => new Promise((resolve) => asked.push(resolve)) });
    await at(start + 60);
    await no(calls[which], error('asked about'));
    assert.equal(asked.length, 1);
    await ok(calls[1 - which], 'won');
    assert.equal(run.value, 'won');
    asked[0](false);
    await microtasks();
    assert.equal(log.at(-1), `onSuccess ${2 - which}`);
  }
});

hedged('the callback of a hedge may throw at once, and abort while it is called', async ({ at }) => {
  const first = controlled();
  const thrown = error('at once');
  const { policy } = begin({ totalTimeoutMs: 10 });
  const run = watched(
    policy.with({ totalTimeoutMs: 1000, maxAttempts: 2 }).run((attempt) => {
      if (attempt.attempt === 2) throw thrown;
      return first.fn(attempt);
    }),
  );
  await at(60);
  assert.equal(run.state, 'pending');
  await no(first.calls[0], error('then'));
  assert.equal(run.error.message, 'then');

  const controller = new AbortController();
  const reason = error('enough');
  const aborting = watched(
    policy.with({ totalTimeoutMs: 1000 }).run(
      (attempt) => {
        if (attempt.attempt === 2) controller.abort(reason);
        return first.fn(attempt);
      },
      { signal: controller.signal },
    ),
  );
  await at(200);
  assert.equal(aborting.error, reason);
});

hedged('an attempt that returns a mistake is recorded, whatever the hedge has done before', async ({ at }) => {
  for (const failed of [false, true]) {
    const start = performance.now();
    const { calls, run, report } = begin();
    await at(start + 60);
    if (failed) await no(calls[1], error('before'));
    await ok(calls[0], permanent(error('returned')));
    assert.match(run.error.message, /a PermanentError was returned; throw it/);
    const { reason, dropped, records } = report();
    assert.deepEqual([reason, dropped], ['callback', 0]);
    assert.deepEqual(
      records.map(({ attempt, error, superseded }) => [attempt, error.message, superseded]),
      [
        [1, run.error.message, undefined],
        failed ? [2, 'before', undefined] : [2, 'rejitter: another attempt has ended the operation', true],
      ],
    );
  }
});

/** Calls at once whose attempts end after `ms` ms, all in the same way. Returns them. */
async function many(at, policy, times, ms, end = ({ calls }) => calls[0].resolve()) {
  const from = performance.now();
  const fns = Array.from({ length: times }, controlled);
  for (const { fn } of fns) watched(policy.run(fn));
  await at(from + ms);
  for (const each of fns) end(each);
  await microtasks();
  return fns;
}

hedged('what is learned: successes, timeouts and superseded first attempts; no failures', async ({ at }) => {
  // The delay after 19 first attempts of 2 ms, and one more. Undefined if that is not a sample.
  for (const [expected, ms, more, options] of [
    [32, 30, ({ calls }) => calls[0].resolve()],
    [44, 40, () => {}, { maxAttempts: 1 }],
    [undefined, 20, () => {}, { totalTimeoutMs: 20 }],
    [undefined, 1, ({ calls }) => calls[0].reject(permanent(error('fast')))],
  ]) {
    const { api, policy, calls } = begin({ attemptTimeoutMs: 40, maxAttempts: 2 }, hedge({ quantile: 0.99 }));
    await ok(calls[0]);
    await many(at, policy, 18, 2);
    await many(at, policy.with(options ?? {}), 1, ms, more);
    assert.equal(api.status().hedge.delayMs, expected);
  }
  // A retry is no sample either.
  const retried = begin({}, hedge());
  await ok(retried.calls[0]);
  await many(at, retried.policy, 18, 2);
  const [failed] = await many(at, retried.policy, 1, 1, ({ calls }) => calls[0].reject(error('fast')));
  await at(performance.now() + 100);
  await ok(failed.calls[1]);
  assert.equal(retried.api.status().hedge.delayMs, undefined);

  // 20 of 2 ms: hedges start after 2.25 ms. 50 of those win 20 ms later.
  const { api, policy, calls } = begin({}, hedge({ quantile: 0.5, maxRatio: 1 }));
  await ok(calls[0]);
  await many(at, policy, 19, 2);
  assert.equal(api.status().hedge.delayMs, 2.25);
  for (let i = 0; i < 5; i += 1) await many(at, policy, 10, 22, ({ calls }) => calls[1].resolve());
  assert.equal(api.status().hedge.won, 50);
  await at(performance.now() + 31_000);
  assert.equal(api.status().hedge.delayMs, 24, 'the superseded first attempts');
});

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

hedged('at most one timer of a hedge, and one of each attempt that runs', async ({ at, clock }) => {
  const { calls } = begin({ attemptTimeoutMs: 500, totalTimeoutMs: 1000 });
  assert.equal(clock.pending.size, 3);
  await at(50);
  assert.deepEqual([calls.length, clock.pending.size], [2, 3]);
  await at(400);
  assert.deepEqual([calls.length, clock.pending.size], [2, 3]);
  await ok(calls[1]);
  assert.equal(clock.pending.size, 0);
});

hedged('an abort in onAttempt of the hedge: it is not called, and both tokens are put back', async ({ at }) => {
  const controller = new AbortController();
  const reason = error('enough');
  const onAttempt = ({ hedge }) => {
    if (hedge) controller.abort(reason);
  };
  const { api, calls, run } = begin(
    { signal: controller.signal, onAttempt },
    hedge({ delayMs: 50 }),
    budget({ capacity: 50 }),
    breaker(),
  );
  await at(60);
  assert.equal(calls.length, 1);
  assert.equal(run.error, reason);
  assert.deepEqual([api.status().budget.tokens, api.status().hedge.hedges], [50, 0]);
  assert.equal(api.status().breaker.failures, 0);
  const { policy } = begin({ totalTimeoutMs: 1000 });
  const shared = policy.with({ protection: api });
  for (let i = 0; i < 10; i += 1) watched(shared.run(controlled().fn));
  await at(120);
  assert.equal(api.status().hedge.hedges, 10);
  await at(2000);
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
