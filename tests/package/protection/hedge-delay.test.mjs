// Hedging: when a hedge starts, and the delay that is learned.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { controlled, importAll, watched } from './entry.mjs';
import { begin, error, hedged, no, ok } from './hedging.mjs';

const { hedge, permanent, retryAfter } = await importAll();

hedged('an attempt that ends before the delay has no hedge, and leaves no timer', async ({ at, clock }) => {
  const good = begin();
  await at(49);
  await ok(good.calls[0], 7);
  assert.deepEqual([good.run.value, good.calls.length, clock.pending.size], [7, 1, 0]);
  const bad = begin();
  await at(98);
  await no(bad.calls[0], error('fast'));
  assert.deepEqual([bad.log.at(-1), clock.pending.size], ['onRetry 1', 1]);
  await at(198);
  await ok(bad.calls[1], 8);
  assert.equal(bad.run.value, 8);
});

hedged('no hedge, nor a timer of one: without attempts left, past the deadline', async ({ at, clock }) => {
  for (const [options, timers] of [
    [{ maxAttempts: 1 }, 0],
    [{ totalTimeoutMs: 50 }, 1],
  ]) {
    const start = performance.now();
    const { calls, api } = begin(options);
    assert.equal(clock.pending.size, timers);
    await at(start + 60);
    assert.equal(calls.length, 1);
    assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 0, won: 0, rejected: 0 });
    await ok(calls[0]);
  }
});

hedged('no hedge after a hint: the round has failed', async ({ at }) => {
  const { calls, run, api } = begin();
  await at(40);
  await no(calls[0], retryAfter(500, error('busy')));
  await at(539);
  assert.equal(calls.length, 1);
  assert.equal(api.status().hedge.hedges, 0);
  await at(540);
  await ok(calls[1], 'later');
  assert.equal(run.value, 'later');
});

hedged('the learned delay: 20 first attempts, and the upper edge of the slot of the quantile', async ({ at }) => {
  const { api, policy, calls } = begin({ totalTimeoutMs: 100 }, hedge({ quantile: 0.9 }));
  await ok(calls[0]);
  const learn = async (times, ms) => {
    const from = performance.now();
    const fns = Array.from({ length: times }, controlled);
    for (const { fn } of fns) watched(policy.run(fn));
    await at(from + ms);
    for (const { calls } of fns) calls[0].resolve();
    await microtasks();
  };
  await learn(17, 10);
  assert.equal(api.status().hedge.delayMs, undefined);
  await learn(1, 10);
  assert.equal(api.status().hedge.delayMs, undefined);
  await learn(1, 10);
  assert.equal(api.status().hedge.delayMs, 11);
  const fast = begin({}, hedge());
  await no(fast.calls[0], permanent(error('fast')));
  assert.equal(api.status().hedge.hedges, 0);
  const from = performance.now();
  const slow = controlled();
  watched(policy.run(slow.fn));
  await at(from + 10);
  assert.equal(slow.calls.length, 1);
  await at(from + 11);
  assert.equal(slow.calls.length, 2);
  await ok(slow.calls[1]);
});

hedged('what is learned: successes, timeouts and superseded first attempts; no failures', async ({ at }) => {
  /** The delay after 19 first attempts of 2 ms, and one more that `more` makes. Undefined if that is not a sample. */
  const learned = async (more) => {
    const { api, policy, calls } = begin({ attemptTimeoutMs: 40, maxAttempts: 2 }, hedge({ quantile: 0.99 }));
    const from = performance.now();
    const fns = Array.from({ length: 18 }, controlled);
    for (const { fn } of fns) watched(policy.run(fn));
    await at(from + 2);
    for (const { calls } of fns) calls[0].resolve();
    await ok(calls[0]);
    await more(policy, performance.now());
    return api.status().hedge.delayMs;
  };
  const call = (policy, options = {}) => {
    const { fn, calls } = controlled();
    return { calls, run: watched(policy.with(options).run(fn)) };
  };
  assert.equal(
    await learned(async (policy, from) => {
      const { calls } = call(policy);
      await at(from + 30);
      await ok(calls[0]);
    }),
    32,
    'a success',
  );
  assert.equal(
    await learned(async (policy, from) => {
      call(policy, { maxAttempts: 1 });
      await at(from + 40);
    }),
    44,
    'a timeout',
  );
  assert.equal(
    await learned(async (policy, from) => {
      const { calls } = call(policy);
      await at(from + 1);
      await no(calls[0], error('fast'));
      await at(from + 101);
      await ok(calls[1]);
    }),
    undefined,
    'a failure, and a second attempt',
  );
  assert.equal(
    await learned(async (policy, from) => {
      const { run } = call(policy, { totalTimeoutMs: 20 });
      await at(from + 20);
      assert.equal(run.state, 'rejected');
    }),
    undefined,
    'the deadline',
  );

  // 20 of 2 ms: hedges start after 2.25 ms. 20 of those win 20 ms later.
  const { api, policy, calls } = begin({}, hedge({ quantile: 0.5, maxRatio: 1 }));
  const many = async (times, then) => {
    const from = performance.now();
    const fns = Array.from({ length: times }, controlled);
    for (const { fn } of fns) watched(policy.run(fn));
    await then(from, fns);
  };
  await many(19, async (from, fns) => {
    await at(from + 2);
    for (const { calls } of fns) calls[0].resolve();
    await ok(calls[0]);
  });
  assert.equal(api.status().hedge.delayMs, 2.25);
  for (let i = 0; i < 5; i += 1) {
    await many(10, async (from, fns) => {
      await at(from + 22);
      for (const { calls } of fns) {
        assert.equal(calls.length, 2);
        calls[1].resolve();
      }
      await microtasks();
    });
  }
  assert.equal(api.status().hedge.won, 50);
  await at(31_000);
  assert.equal(api.status().hedge.delayMs, 24, 'the superseded first attempts');
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

hedged('an attempt that lost after its timeout, whose timer is late, is one sample', async ({ at, clock }) => {
  const { api, policy, calls } = begin({ attemptTimeoutMs: 30 }, hedge({ quantile: 0.98 }));
  await ok(calls[0]);
  const learn = async (times) => {
    const from = performance.now();
    const fns = Array.from({ length: times }, controlled);
    for (const { fn } of fns) watched(policy.run(fn));
    await at(from + 10);
    for (const { calls } of fns) await ok(calls[0]);
  };
  await learn(20);
  const slow = controlled();
  const run = watched(policy.run(slow.fn));
  await at(21);
  clock.now += 40;
  await ok(slow.calls[1], 'hedge');
  assert.equal(run.value, 'hedge');
  // Two slow samples among 87 would be more than 2%.
  await learn(64);
  const last = controlled();
  watched(policy.run(last.fn));
  assert.equal(api.status().hedge.delayMs, 11);
  await ok(last.calls[0]);
});
