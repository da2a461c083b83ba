// Holds of a cooldown: how long they are, who is held, and how they end.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { controlled, error, fails, importAll, plain, timed, watched } from './entry.mjs';
import { ready, state } from './fragile.mjs';

const { RejectedError, RetryPolicy, budget, cooldown, protect, retry, retryAfter, retryReport } = await importAll();

timed('holds: first attempts and retries, the longer of wait and hold, with a draw of their own', async (clock) => {
  const api = protect(cooldown());
  const draws = [];
  const random = () => {
    draws.push(clock.now);
    return 0.5;
  };
  const options = { ...plain, protection: api, random };
  // Started before the hint: its own wait of 100 is shorter than the hold, that of 5,000 longer.
  const short = controlled();
  const long = controlled();
  const exact = controlled();
  const other = controlled();
  watched(retry(other.fn, { ...options, maxAttempts: 1 }));
  watched(retry(short.fn, options));
  watched(retry(long.fn, { ...options, baseMs: 5000 }));
  watched(retry(exact.fn, { ...options, retryIf: () => ({ afterMs: 0 }) }));
  await retry(fails(retryAfter(1000, error)), { ...options, maxAttempts: 1 }).catch(() => {});
  assert.deepEqual(api.status().cooldown, { remainingMs: 1000, held: 0, refused: 0 });
  // Asked by a shorter hint: nothing changes.
  other.calls[0].reject(retryAfter(500, error));
  await microtasks();
  assert.equal(api.status().cooldown.remainingMs, 1000);
  const held = controlled();
  watched(retry(held.fn, options));
  assert.equal(api.status().cooldown.held, 1);
  await clock.advance(200);
  for (const { calls } of [short, long, exact]) calls[0].reject(error);
  await microtasks();
  assert.deepEqual(draws, [0, 200, 200, 200]);
  // 1,000 + 0.5 · max(100, 1,000 / 2), and 800 + 0.5 · max(100, 500).
  await clock.advance(1049);
  assert.deepEqual([held.calls.length, short.calls.length, exact.calls.length, long.calls.length], [0, 1, 1, 1]);
  await clock.advance(1);
  assert.deepEqual([held.calls.length, short.calls.length, exact.calls.length, long.calls.length], [1, 2, 2, 1]);
  await clock.advance(3949);
  assert.equal(long.calls.length, 1);
  await clock.advance(1);
  assert.equal(long.calls.length, 2);
  assert.equal(api.status().cooldown.held, 0);
});

timed('who set the cooldown waits as its own hint says, bit for bit', async (clock) => {
  const api = protect(cooldown());
  const waits = [];
  const onRetry = ({ delayMs }) => waits.push(delayMs);
  const options = { maxAttempts: 2, seed: 7, baseMs: 3, onRetry };
  const fn = fails(retryAfter(1000, error));
  for (const protection of [false, api]) {
    watched(retry(fn, { ...options, protection }));
    await clock.drain();
  }
  assert.equal(waits.length, 2);
  assert.equal(waits[0], waits[1]);
});

timed('a hold that the deadline forbids is rejected at once', async (clock) => {
  const api = protect(cooldown());
  const running = controlled();
  const late = controlled();
  const seen = watched(retry(running.fn, { ...plain, protection: api, totalTimeoutMs: 500 }));
  const own = watched(retry(late.fn, { ...plain, protection: api, baseMs: 600, totalTimeoutMs: 500 }));
  await retry(fails(retryAfter(1000)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const first = watched(retry(() => 1, { ...plain, protection: api, totalTimeoutMs: 1001 }));
  await microtasks();
  // A timer may fire a millisecond late: a hold of 1,000 needs more than 1,001.
  assert.equal(first.state, 'pending');
  const tight = watched(retry(() => 1, { ...plain, protection: api, totalTimeoutMs: 1000.5 }));
  await microtasks();
  assert.deepEqual([tight.error.by, tight.error.retryAfterMs], ['cooldown', 1000]);
  running.calls[0].reject(error);
  await microtasks();
  assert.ok(Object.is(seen.error, error));
  assert.deepEqual([retryReport(error).reason, retryReport(error).retryAfterMs], ['cooldown', 1000]);
  const other = new Error('late');
  late.calls[0].reject(other);
  await microtasks();
  assert.ok(Object.is(own.error, other));
  assert.deepEqual([retryReport(other).reason, retryReport(other).retryAfterMs], ['deadline', undefined]);
  await clock.drain();
  assert.equal(first.value, 1);
});

timed('a deadline that passes during a hold, because timers are late, rejects by cooldown', async (clock) => {
  const api = protect(cooldown());
  await retry(fails(retryAfter(400)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const seen = watched(retry(() => 1, { ...plain, protection: api, totalTimeoutMs: 500 }));
  await microtasks();
  assert.equal(api.status().cooldown.held, 1);
  // The machine slept.
  clock.now += 600;
  await clock.drain();
  assert.ok(seen.error instanceof RejectedError);
  assert.equal(seen.error.by, 'cooldown');
  assert.equal(seen.error.retryAfterMs, 0, 'the cooldown has ended');
  const { reason, attempts, retryAfterMs, elapsedMs } = retryReport(seen.error);
  assert.deepEqual([reason, attempts, retryAfterMs, elapsedMs], ['cooldown', 0, 0, 600]);
  assert.deepEqual(api.status().cooldown, { remainingMs: 0, held: 0, refused: 1 });
});

timed('so does a deadline during the hold of a retry, with the own error, and the token goes back', async (clock) => {
  const api = protect(budget(), cooldown());
  const own = new Error('own');
  const seen = watched(retry(fails(own), { ...plain, maxAttempts: 2, protection: api, totalTimeoutMs: 500 }));
  await clock.advance(50);
  // Another's hint, during the wait of 100.
  await retry(fails(retryAfter(300)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  await clock.advance(50);
  assert.equal(api.status().cooldown.held, 1);
  clock.now += 600;
  await clock.drain();
  assert.equal(seen.error, own);
  const { reason, attempts, retryAfterMs } = retryReport(own);
  assert.deepEqual([reason, attempts, retryAfterMs], ['cooldown', 1, 0]);
  assert.deepEqual(api.status().cooldown, { remainingMs: 0, held: 0, refused: 1 });
  assert.deepEqual([api.status().budget.tokens, api.status().budget.granted], [50, 1]);
});

timed('abort ends a hold in the same macrotask, with its reason itself', async (clock) => {
  const api = protect(cooldown());
  await retry(fails(retryAfter(400)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const controller = new AbortController();
  const seen = watched(new RetryPolicy({ ...plain, protection: api }).run(() => 1, { signal: controller.signal }));
  await microtasks();
  assert.equal(clock.pending.size, 1);
  const reason = { stop: true };
  controller.abort(reason);
  assert.equal(clock.pending.size, 0);
  await microtasks();
  assert.ok(Object.is(seen.error, reason));
  assert.equal(api.status().cooldown.held, 0);
});

timed('holds before one attempt add up to maxHoldMs', async (clock) => {
  const api = protect(cooldown({ maxHoldMs: 1000 }));
  // Started before the first hint, so that nothing holds them.
  const hints = [600, 450, 300].map((ms) => {
    const { fn, calls } = controlled();
    watched(retry(fn, { ...plain, maxAttempts: 1, protection: api }));
    return () => {
      calls[0].reject(retryAfter(ms));
      return microtasks();
    };
  });
  await hints[0]();
  const seen = watched(retry(() => 1, { ...plain, protection: api }));
  await clock.advance(500);
  await hints[1]();
  // Held until 600; from then on for 350 more, which makes 950.
  await clock.advance(300);
  await hints[2]();
  await clock.advance(149);
  assert.equal(seen.state, 'pending');
  await clock.advance(1);
  // At 950 for 150 more: that would be 1,100.
  assert.deepEqual([seen.error.by, seen.error.retryAfterMs], ['cooldown', 150]);
  assert.equal(retryReport(seen.error).elapsedMs, 950);
  assert.equal(api.status().cooldown.refused, 1);
});

timed('an attempt is rejected while 1,000 are held', async (clock) => {
  const api = protect(cooldown());
  await retry(fails(retryAfter(500)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const all = Array.from({ length: 1001 }, () => watched(retry(() => 1, { ...plain, protection: api })));
  await microtasks();
  assert.deepEqual(api.status().cooldown, { remainingMs: 500, held: 1000, refused: 1 });
  assert.equal(all[1000].error.by, 'cooldown');
  await clock.drain();
  assert.ok(all.slice(0, 1000).every(({ value }) => value === 1));
  assert.equal(api.status().cooldown.held, 0);
});

timed('an open circuit rejects before a cooldown holds; a half-open one admits after the hold', async (clock) => {
  const api = await ready(clock, cooldown());
  await retry(fails(retryAfter(400)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  assert.equal(state(api), 'half-open');
  const held = controlled();
  watched(retry(held.fn, { ...plain, protection: api }));
  await microtasks();
  assert.equal(api.status().cooldown.held, 1);
  api.open(50);
  const refused = watched(retry(() => 1, { ...plain, protection: api }));
  await microtasks();
  assert.deepEqual([refused.error.by, refused.error.retryAfterMs], ['breaker', 50]);
  await clock.advance(400);
  // The one that was held is the probe.
  assert.equal(held.calls.length, 1);
  held.calls[0].resolve('ok');
  await microtasks();
  assert.equal(state(api), 'closed');
});

timed(
  'after the clock was set back, a hint that is shorter than the hold is not the one that set it',
  async (clock) => {
    const api = protect(cooldown());
    clock.now = 1e6;
    const options = { ...plain, jitter: 'full', random: () => 0.5, protection: api };
    const { fn, calls } = controlled();
    const run = watched(retry(fn, options));
    await retry(fails(retryAfter(40)), { ...options, maxAttempts: 1 }).catch(() => {});
    clock.now -= 1000;
    calls[0].reject(retryAfter(5));
    await microtasks();
    // The hold is 40 ms and half of the base, which is longer than its own wait of 5 ms and half of the base.
    assert.deepEqual(
      clock.armed.map(({ ms }) => ms),
      [90],
    );
    await clock.advance(90);
    calls[1].resolve('done');
    await microtasks();
    assert.equal(run.value, 'done');
  },
);
