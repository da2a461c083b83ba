// Scenes in which other breakers fail: a probe that hangs, a late success, a clock that is set back, aborts by the
// caller, a retry around an open circuit.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock, microtasks } from '../lib/clock.mjs';
import { controlled, fails, importAll, watched } from './entry.mjs';

const { RejectedError, RetryPolicy, breaker, budget, protect, retryReport } = await importAll();

const down = new Error('down');

/** A breaker that opens for a second after three failures in a row. */
async function scene(body) {
  const clock = new VirtualClock({ start: 10_000 }).install();
  try {
    const api = protect(breaker({ consecutiveFailures: 3, openMs: 1000 }));
    const policy = new RetryPolicy({ maxAttempts: 1, protection: api, random: () => 1 - 2 ** -53 });
    const run = (fn, options) => watched(policy.run(fn, options));
    const open = async () => {
      for (let i = 0; i < 3; i += 1) run(fails(down));
      await microtasks();
      assert.equal(api.status().breaker.state, 'open');
    };
    await body({ clock, api, policy, run, open });
  } finally {
    clock.uninstall();
  }
}

test('a probe that never settles blocks the others for one opening at most', () =>
  scene(async ({ clock, api, run, open }) => {
    await open();
    await clock.advance(1000);
    const hanging = controlled();
    run(hanging.fn);
    assert.equal(hanging.calls.length, 1);
    const rejected = run(() => 'too early');
    await microtasks();
    assert.ok(rejected.error instanceof RejectedError);
    await clock.advance(1000);
    const answered = run(() => 'answer');
    await microtasks();
    assert.equal(answered.value, 'answer');
    assert.equal(api.status().breaker.state, 'closed');
  }));

test('ten probes that never settle, one after another, do not wedge the circuit', () =>
  scene(async ({ clock, api, run, open }) => {
    await open();
    for (let i = 0; i < 10; i += 1) {
      await clock.advance(1000);
      const hanging = controlled();
      run(hanging.fn);
      assert.equal(hanging.calls.length, 1, `probe ${i}`);
    }
    await clock.advance(1000);
    const answered = run(() => 'answer');
    await microtasks();
    assert.equal(answered.value, 'answer');
    assert.equal(api.status().breaker.state, 'closed');
  }));

test('a success from before the opening does not close the circuit, and a failure does not lengthen it', () =>
  scene(async ({ clock, api, run, open }) => {
    const [good, bad] = [controlled(), controlled()];
    run(good.fn);
    run(bad.fn);
    await open();
    const { retryAfterMs } = api.status().breaker;
    good.calls[0].resolve('late');
    bad.calls[0].reject(down);
    await microtasks();
    const { state, opens } = api.status().breaker;
    assert.deepEqual([state, opens, api.status().breaker.retryAfterMs], ['open', 1, retryAfterMs]);
    await clock.advance(1000);
    const probe = controlled();
    run(probe.fn);
    assert.equal(probe.calls.length, 1);
    assert.equal(api.status().breaker.state, 'half-open');
  }));

test('clocks that are set back keep no circuit open for longer than it was to be', () =>
  scene(async ({ clock, api, run, open }) => {
    await open();
    const { now } = Date;
    try {
      Date.now = () => now() - 3.15e11;
      clock.now -= 9000;
      const rejected = run(() => 'too early');
      await microtasks();
      assert.ok(rejected.error.retryAfterMs <= 1000);
      await clock.advance(1000);
      const answered = run(() => 'answer');
      await microtasks();
      assert.equal(answered.value, 'answer');
      assert.equal(api.status().breaker.state, 'closed');
    } finally {
      Date.now = now;
    }
  }));

test('aborts by the caller do not count as failures, and free the place of a probe', () =>
  scene(async ({ clock, api, run, open }) => {
    const abort = async () => {
      const aborter = new AbortController();
      const call = controlled();
      const aborted = run(call.fn, { signal: aborter.signal });
      aborter.abort(new Error('no longer wanted'));
      await microtasks();
      assert.equal(call.calls.length, 1);
      assert.equal(aborted.error.message, 'no longer wanted');
    };
    for (let i = 0; i < 10; i += 1) await abort();
    assert.deepEqual([api.status().breaker.state, api.status().breaker.failures], ['closed', 0]);
    await open();
    await clock.advance(1000);
    for (let i = 0; i < 3; i += 1) await abort();
    assert.equal(api.status().breaker.state, 'half-open');
    const answered = run(() => 'answer');
    await microtasks();
    assert.equal(answered.value, 'answer');
  }));

test('a retry that meets an open circuit stops with the real error, without a wait and without more attempts', () =>
  scene(async ({ clock, policy }) => {
    const often = policy.with({ maxAttempts: 5, backoff: 'fixed', baseMs: 100, jitter: 'none' });
    const errors = [];
    const call = watched(
      often.run(() => {
        errors.push(new Error(`failure ${errors.length + 1}`));
        throw errors.at(-1);
      }),
    );
    await clock.advance(50);
    // With two failures of others the circuit opens in the wait.
    for (let i = 0; i < 2; i += 1) policy.run(fails(new Error('another'))).catch(() => {});
    await clock.advance(150);
    assert.equal(call.state, 'rejected');
    assert.equal(call.error, errors[0]);
    assert.equal(errors.length, 1);
    assert.equal(clock.pending.size, 0);
    const { reason, attempts, retryAfterMs } = retryReport(call.error);
    assert.deepEqual([reason, attempts], ['breaker', 1]);
    assert.ok(retryAfterMs > 0 && retryAfterMs <= 1000);
  }));

test('a budget that is empty ends with the real error, and leaves attempts that run alone', () =>
  scene(async () => {
    const api = protect(budget({ capacity: 1, perSuccess: 0 }));
    const policy = new RetryPolicy({ maxAttempts: 3, baseMs: 0, jitter: 'none', protection: api });
    const [a, b] = [controlled(), controlled()];
    const first = watched(policy.run(a.fn));
    const second = watched(policy.run(b.fn));
    a.calls[0].reject(down);
    await microtasks();
    const own = new Error('of the second');
    b.calls[0].reject(own);
    await microtasks();
    assert.equal(second.error, own);
    assert.equal(retryReport(own).reason, 'budget');
    assert.equal(first.state, 'pending', 'it has the token');
  }));
