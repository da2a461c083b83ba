// Holds of a cooldown: how long they are, who is held, and how they end.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { controlled, fails, importAll, plain, timed, watched } from './entry.mjs';
import { ready, state } from './fragile.mjs';

const { RejectedError, RetryPolicy, budget, cooldown, protect, retry, retryAfter, retryReport } = await importAll();

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
  assert.deepEqual(api.status().cooldown, { remainingMs: 0, held: 0, rejected: 1 });
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
  assert.deepEqual(api.status().cooldown, { remainingMs: 0, held: 0, rejected: 1 });
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

timed('an attempt is rejected while 1,000 are held', async (clock) => {
  const api = protect(cooldown());
  await retry(fails(retryAfter(500)), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  const all = Array.from({ length: 1001 }, () => watched(retry(() => 1, { ...plain, protection: api })));
  await microtasks();
  assert.deepEqual(api.status().cooldown, { remainingMs: 500, held: 1000, rejected: 1 });
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
  const rejected = watched(retry(() => 1, { ...plain, protection: api }));
  await microtasks();
  assert.deepEqual([rejected.error.by, rejected.error.retryAfterMs], ['breaker', 50]);
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
