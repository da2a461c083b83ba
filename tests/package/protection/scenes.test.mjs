// The acceptance scenes of the design, to the millisecond, on a virtual clock.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock, microtasks } from '../lib/clock.mjs';
import { controlled, fails, importAll, watched } from './entry.mjs';

const {
  RejectedError,
  RetryPolicy,
  breaker,
  budget,
  cooldown,
  createFetch,
  permanent,
  protect,
  retryAfter,
  retryReport,
} = await importAll();

/** Runs a scene whose times count from 0: `at(ms)` moves the clock there. */
async function scene(body) {
  const clock = new VirtualClock({ start: 0 }).install();
  const at = async (ms) => {
    await clock.advance(ms - clock.now);
    assert.equal(clock.now, ms);
  };
  try {
    await body(at, clock);
  } finally {
    clock.uninstall();
  }
}

test('scene A: a slow probe holds its place for one lease, and its success closes the circuit', () =>
  scene(async (at) => {
    const api = protect(breaker({ minimumCalls: 2, openMs: 1000 }));
    const policy = new RetryPolicy({ maxAttempts: 1, protection: api, random: () => 0.5 });
    const run = (fn) => watched(policy.run(fn));
    const status = () => api.status().breaker;
    const failure = new Error('down');

    await at(0);
    run(fails(failure));
    await microtasks();
    assert.equal(status().state, 'closed');
    await at(10);
    run(fails(failure));
    await microtasks();
    assert.equal(status().state, 'open');
    assert.equal(status().retryAfterMs, 750);
    assert.equal(status().opens, 1);

    await at(700);
    let called = false;
    const rejected = run(() => {
      called = true;
    });
    await microtasks();
    assert.equal(called, false);
    assert.ok(rejected.error instanceof RejectedError);
    assert.equal(rejected.error.name, 'RejectedError');
    assert.equal(rejected.error.by, 'breaker');
    assert.equal(rejected.error.retryAfterMs, 60);
    assert.equal(rejected.error.cause, failure);
    assert.equal(retryReport(rejected.error).reason, 'breaker');
    assert.equal(retryReport(rejected.error).attempts, 0);

    await at(760);
    const c = controlled();
    const cRun = run(c.fn);
    assert.equal(c.calls.length, 1);
    assert.equal(status().state, 'half-open');
    await at(1000);
    const second = run(() => 'never called');
    await microtasks();
    assert.equal(second.error.by, 'breaker');
    assert.equal(second.error.retryAfterMs, 510);

    await at(1510);
    const e = controlled();
    const eRun = run(e.fn);
    assert.equal(e.calls.length, 1, 'the lease of the first probe has ended');
    await at(1600);
    c.calls[0].resolve('late');
    await microtasks();
    assert.equal(cRun.value, 'late');
    assert.equal(status().state, 'closed');

    await at(1610);
    const f = controlled();
    run(f.fn);
    assert.equal(f.calls.length, 1);
    await at(1700);
    e.calls[0].reject(failure);
    await microtasks();
    assert.equal(eRun.state, 'rejected');
    assert.equal(status().state, 'closed', 'an outcome from before the closing counts for nothing');
    assert.equal(status().failures, 0);

    await at(1800);
    f.calls[0].reject(failure);
    await microtasks();
    assert.equal(status().failures, 1);
    await at(1810);
    const g = controlled();
    run(g.fn);
    await at(1820);
    g.calls[0].reject(failure);
    await microtasks();
    assert.equal(status().state, 'open');
    assert.equal(status().retryAfterMs, 1500);
    assert.equal(status().opens, 2);
  }));

test('scene B: failures that come before successes do not open the circuit of a healthy service', () =>
  scene(async (at, clock) => {
    const events = [];
    const api = protect(breaker(), { onEvent: (event) => events.push(event) });
    const policy = new RetryPolicy({ maxAttempts: 1, protection: api });
    const later = [];
    for (let i = 0; i < 1000; i += 1) {
      clock.now = i / 10;
      while (later.length > 0 && later[0].at <= clock.now + 1e-9) {
        later.shift().reject(new Error('one of fifty'));
        await microtasks(8);
      }
      const call = controlled();
      watched(policy.run(call.fn));
      assert.equal(call.calls.length, 1, `call ${i} was rejected`);
      if (i % 50 === 49) later.push({ at: clock.now + 1, reject: call.calls[0].reject });
      else globalThis.setTimeout(() => call.calls[0].resolve('good'), 100);
    }
    for (const { reject } of later) reject(new Error('the last of fifty'));
    await at(200);
    const { state, rejected, failures, calls, opens } = api.status().breaker;
    assert.deepEqual(
      { state, rejected, failures, calls, opens },
      { state: 'closed', rejected: 0, failures: 20, calls: 1000, opens: 0 },
    );
    assert.deepEqual(events, []);
  }));

/** A fetch that answers all with these, in turn, and counts what reaches it. */
function server(...answers) {
  const seen = [];
  const inner = async (input, init) => {
    seen.push(new Request(input, init));
    const [status, headers = {}] = answers[Math.min(seen.length, answers.length) - 1];
    return new Response(`answer ${seen.length}`, { status, headers });
  };
  return { inner, seen };
}

const post = (body = 'payload') => new Request('https://api.example/orders', { method: 'POST', body });

test('scene C: a 503 to a write that is not retried counts for the breaker', () =>
  scene(async () => {
    const { inner, seen } = server([503, { 'Retry-After': '1' }]);
    const api = protect(breaker({ consecutiveFailures: 3 }));
    const fetch = createFetch({ protection: api }, inner);
    for (let i = 1; i <= 3; i += 1) {
      const response = await fetch(post());
      assert.equal(response.status, 503);
      assert.equal(await response.text(), `answer ${i}`, 'each its own');
      assert.equal(seen.length, i, 'one attempt');
    }
    const request = post();
    await assert.rejects(fetch(request), (error) => {
      assert.ok(error instanceof RejectedError);
      assert.equal(error.by, 'breaker');
      assert.equal(retryReport(error).attempts, 0);
      return true;
    });
    assert.equal(seen.length, 3);
    assert.equal(request.bodyUsed, false);
    assert.equal(await request.text(), 'payload');
  }));

test('scene C: a 429 does not count for the breaker, and a 404 is a success', () =>
  scene(async () => {
    for (const answers of [
      [[429], [429], [429], [429]],
      [[503], [503], [404], [503]],
    ]) {
      const { inner, seen } = server(...answers);
      const api = protect(breaker({ consecutiveFailures: 3 }));
      const fetch = createFetch({ protection: api }, inner);
      for (const [status] of answers) assert.equal((await fetch(post())).status, status);
      assert.equal(seen.length, 4);
      assert.equal(api.for('https://api.example').status().breaker.state, 'closed');
    }
  }));

test('scene D: tokens are put back, and one hint holds all', () =>
  scene(async (at, clock) => {
    const api = protect(budget({ capacity: 1, perSuccess: 0 }), cooldown());
    const options = {
      maxAttempts: 3,
      backoff: 'fixed',
      baseMs: 100,
      jitter: 'none',
      random: () => 0,
      protection: api,
    };
    const policy = new RetryPolicy(options);
    const tokens = () => api.status().budget.tokens;
    const failure = (name) => new Error(`${name} failed`);

    // K and J began before the hold.
    const [j, k, late] = [controlled(), controlled(), controlled()];
    const aborter = new AbortController();

    const a = watched(policy.run(fails(failure('A')), { signal: aborter.signal }));
    await microtasks();
    assert.equal(tokens(), 0);
    assert.equal(clock.pending.size, 1);

    await at(10);
    const own = failure('B');
    const b = watched(policy.run(fails(own)));
    await microtasks();
    assert.equal(b.error, own);
    assert.equal(retryReport(own).reason, 'budget');
    assert.equal(retryReport(own).attempts, 1);
    assert.equal(clock.pending.size, 1, 'the rejected one waits for nothing');

    await at(50);
    const reason = new Error('no longer wanted');
    aborter.abort(reason);
    await microtasks();
    assert.equal(a.error, reason);
    assert.equal(tokens(), 1);
    assert.equal(clock.pending.size, 0);

    await at(60);
    let calls = 0;
    const c = watched(
      policy.run(() => {
        calls += 1;
        if (calls === 1) throw failure('C');
        return clock.now;
      }),
    );
    await microtasks();
    assert.equal(tokens(), 0);
    await at(160);
    assert.equal(c.value, 160);
    assert.equal(tokens(), 1);

    await at(200);
    const [thrown, dError] = [new Error('no token'), failure('D')];
    const d = watched(policy.with({ beforeRetry: fails(thrown) }).run(fails(dError)));
    await at(300);
    assert.equal(d.error, thrown);
    assert.equal(thrown.cause, dError);
    assert.deepEqual(
      [api.status().budget.tokens, api.status().budget.granted, api.status().budget.rejected],
      [1, 3, 1],
    );

    await at(900);
    const jRun = watched(policy.with({ retryIf: () => ({ afterMs: 0 }) }).run(j.fn));
    const kRun = watched(policy.run(k.fn));
    const lateRun = watched(policy.with({ maxAttempts: 1 }).run(late.fn));

    await at(1000);
    const aborts = new AbortController();
    const f = watched(policy.run(fails(retryAfter(1000, failure('F'))), { signal: aborts.signal }));
    await microtasks();
    assert.equal(api.status().cooldown.remainingMs, 1000);
    await at(1100);
    aborts.abort(reason);
    await microtasks();
    assert.equal(f.error, reason);
    assert.equal(tokens(), 1);
    assert.equal(api.status().cooldown.remainingMs, 900, 'the hold stays');

    await at(1200);
    const g = controlled();
    let gRecords;
    const gRun = watched(policy.with({ onGiveUp: ({ report }) => (gRecords = report.records) }).run(g.fn));
    assert.equal(g.calls.length, 0);

    await at(1300);
    const timers = clock.pending.size;
    const h = controlled();
    const hRun = watched(policy.with({ totalTimeoutMs: 300 }).run(h.fn));
    await microtasks();
    assert.equal(h.calls.length, 0);
    assert.ok(hRun.error instanceof RejectedError);
    assert.equal(hRun.error.by, 'cooldown');
    assert.equal(hRun.error.retryAfterMs, 700);
    assert.equal(retryReport(hRun.error).reason, 'cooldown');
    assert.equal(clock.pending.size, timers, 'no timer is left');

    await at(1400);
    j.calls[0].reject(failure('J'));
    await microtasks();
    assert.equal(tokens(), 0);
    await at(1500);
    k.calls[0].resolve('K');
    await microtasks();
    assert.equal(kRun.value, 'K');
    assert.equal(api.status().cooldown.remainingMs, 500, 'a success clears nothing');
    late.calls[0].reject(retryAfter(100, failure('the other K')));
    await microtasks();
    assert.equal(lateRun.state, 'rejected');
    assert.equal(api.status().cooldown.remainingMs, 500, 'a shorter hint changes nothing');

    await at(1999);
    assert.deepEqual([g.calls.length, j.calls.length], [0, 1]);
    await at(2000);
    assert.deepEqual([g.calls.length, j.calls.length], [1, 2]);
    g.calls[0].reject(permanent(failure('G')));
    j.calls[1].resolve('J');
    await microtasks();
    assert.equal(gRun.state, 'rejected');
    assert.equal(gRecords[0].heldMs, 800);
    assert.equal(jRun.value, 'J');
    assert.equal(clock.pending.size, 0);
  }));
