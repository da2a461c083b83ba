// Scene E of the design, to the millisecond, on a virtual clock: a hedge, a rejected result, and the deadline.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock, microtasks } from '../lib/clock.mjs';
import { controlled, importAll, watched } from './entry.mjs';

const { RetryPolicy, TimeoutError, cooldown, hedge, protect, retryAfter } = await importAll();

/** Runs the scene whose operation starts at 0. */
async function scene(parts, body) {
  const clock = new VirtualClock({ start: 0 }).install();
  const hooks = [];
  const on = (name) => [name, (event) => hooks.push([name, event])];
  const api = protect(...parts);
  const policy = new RetryPolicy({
    maxAttempts: 4,
    totalTimeoutMs: 200,
    retryOnResult: (value) => value === 'no',
    protection: api,
    ...Object.fromEntries(['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'].map(on)),
  });
  try {
    await body({
      api,
      policy,
      hooks,
      named: (name) => hooks.filter((hook) => hook[0] === name).map((hook) => hook[1]),
      at: (ms) => clock.advance(ms - clock.now),
      timers: () => clock.pending.size,
    });
  } finally {
    clock.uninstall();
  }
}

/** Counts the tokens of the inner budget: hedges that start until one is rejected. Each takes its token. */
async function innerTokens({ api, policy, at }) {
  const before = api.status().hedge.hedges;
  const from = performance.now() + 5000;
  await at(from);
  for (let i = 0; i < 12; i += 1) {
    watched(policy.with({ retryOnResult: () => false, totalTimeoutMs: 1000 }).run(() => new Promise(() => {})));
    await at(from + (i + 1) * 2000);
  }
  return api.status().hedge.hedges - before;
}

test('scene E: the deadline in a round in which a result was rejected resolves with that result', () =>
  scene([hedge({ delayMs: 50 })], async (world) => {
    const { api, policy, named, at, timers } = world;
    const { fn, calls } = controlled();
    const run = watched(policy.run(fn));
    assert.equal(calls.length, 1);
    await at(49);
    assert.equal(calls.length, 1);
    await at(50);
    assert.equal(calls.length, 2);
    assert.equal(calls[1].attempt.attempt, 2);
    assert.deepEqual(
      named('onAttempt').map(({ attempt, attemptsLeft, hedge }) => [attempt, attemptsLeft, hedge]),
      [
        [1, 3, undefined],
        [2, 2, true],
      ],
    );

    await at(80);
    calls[0].resolve('no');
    await microtasks();
    assert.equal(run.state, 'pending');
    assert.deepEqual(named('onRetry'), []);
    assert.equal(timers(), 1, 'the deadline alone');
    assert.equal(calls[1].attempt.signal.aborted, false);
    assert.equal(api.status().hedge.hedges, 1);

    await at(199);
    assert.equal(run.state, 'pending');
    await at(200);
    assert.deepEqual([run.state, run.value], ['fulfilled', 'no']);
    assert.ok(calls[1].attempt.signal.reason instanceof TimeoutError);
    assert.equal(calls.length, 2);
    assert.equal(timers(), 0);

    const [{ reason, report, attempt, result }, ...more] = named('onGiveUp');
    assert.deepEqual(more, []);
    assert.deepEqual([reason, attempt, result], ['timeout', 2, 'no']);
    assert.equal(report.attempts, 2);
    assert.deepEqual(report.records, [
      { attempt: 1, result: 'no', startMs: 0, durationMs: 80 },
      { attempt: 2, error: calls[1].attempt.signal.reason, startMs: 50, durationMs: 150, hedge: true },
    ]);
    assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 0, refused: 0 });
    assert.equal(await innerTokens(world), 9);
  }));

test('scene E: no hedge while a cooldown holds, and the rejected result is returned at once', () =>
  scene([hedge({ delayMs: 50 }), cooldown()], async (world) => {
    const { api, policy, named, at, timers } = world;
    const { fn, calls } = controlled();
    const run = watched(policy.run(fn));
    await at(40);
    watched(
      new RetryPolicy({ maxAttempts: 1, protection: api }).run(() => {
        throw retryAfter(1000);
      }),
    );
    await microtasks();
    assert.equal(api.status().cooldown.remainingMs, 1000);
    await at(50);
    assert.equal(calls.length, 1);
    assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 0, won: 0, refused: 1 });

    await at(80);
    calls[0].resolve('no');
    await microtasks();
    assert.deepEqual([run.state, run.value], ['fulfilled', 'no']);
    assert.equal(named('onGiveUp').length, 1);
    assert.equal(named('onGiveUp')[0].reason, 'cooldown');
    assert.equal(timers(), 0);
    assert.equal(calls.length, 1);
    assert.equal(await innerTokens(world), 10);
  }));
