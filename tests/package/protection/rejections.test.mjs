// Ends of operations that protection rejects: with their own last outcome, or without an attempt with a RejectedError.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { down, error, fails, importAll, plain, timed, watched } from './entry.mjs';
import { fragile, state } from './fragile.mjs';

const { RejectedError, RetryError, RetryPolicy, breaker, budget, cooldown, protect, retry, retryAfter, retryReport } =
  await importAll();

timed(
  'a rejection before the first attempt rejects with a RejectedError; finalError does not wrap it',
  async (clock) => {
    const api = fragile();
    const cause = new Error('the first');
    await retry(fails(cause), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
    await clock.advance(100);
    const hooks = [];
    const onGiveUp = ({ attempt, error, reason, report }) => hooks.push([attempt, error, reason, report]);
    for (const options of [{}, { finalError: 'wrap' }, { totalTimeoutMs: 1000 }, { retryOnResult: () => true }]) {
      hooks.length = 0;
      let called = false;
      const fn = () => {
        called = true;
      };
      const seen = watched(retry(fn, { ...plain, protection: api, onGiveUp, ...options }));
      await microtasks();
      const { error: rejected } = seen;
      assert.ok(rejected instanceof RejectedError && rejected instanceof Error);
      assert.equal(called, false);
      assert.deepEqual([rejected.name, rejected.by, rejected.retryAfterMs], ['RejectedError', 'breaker', 400]);
      assert.equal(rejected.message, 'rejitter: rejected by breaker for 0.4 s: the first');
      assert.equal(rejected.cause, cause);
      assert.ok(!Object.keys(rejected).includes('cause') && !('key' in rejected));
      const report = retryReport(rejected);
      assert.deepEqual(
        { ...report, records: [...report.records] },
        { reason: 'breaker', attempts: 0, elapsedMs: 0, retryAfterMs: 400, dropped: 0, records: [] },
      );
      assert.deepEqual(hooks, [[0, rejected, 'breaker', report]]);
    }
    assert.equal(api.status().breaker.rejected, 4);
  },
);

timed(
  'a rejection within: by identity, not retried, no question about it, says nothing to the outer one',
  async (clock) => {
    const inner = protect(breaker());
    inner.open(1000);
    const outer = protect(budget(), breaker({ consecutiveFailures: 1 }), cooldown());
    const asked = [];
    let calls = 0;
    for (const [protection, finalError] of [
      [outer, 'last'],
      [outer, 'wrap'],
      [undefined, 'last'],
    ]) {
      calls = 0;
      const fn = () => {
        calls++;
        return retry(() => 1, { protection: inner });
      };
      const seen = watched(retry(fn, { ...plain, protection, finalError, retryIf: (e) => asked.push(e) > 0 }));
      await microtasks();
      assert.ok(seen.error instanceof RejectedError);
      assert.equal(retryReport(seen.error).reason, 'notRetryable');
      assert.deepEqual([calls, asked], [1, []]);
    }
    assert.deepEqual(outer.status().budget, { tokens: 50, capacity: 50, granted: 0, rejected: 0 });
    assert.deepEqual([state(outer), outer.status().breaker.failures], ['closed', 0]);
    assert.equal(clock.pending.size, 0);
    // Also one that the callback wrapped.
    const wrapped = () =>
      retry(() => 1, { protection: inner }).catch((cause) => {
        throw new Error('outside', { cause });
      });
    const seen = watched(retry(wrapped, { ...plain, protection: outer }));
    await microtasks();
    assert.deepEqual([seen.error.message, retryReport(seen.error).reason], ['outside', 'notRetryable']);
  },
);

timed('the failure behind a cooldown says nothing through the rejection', async () => {
  const inner = protect(cooldown({ maxHoldMs: 0 }));
  await retry(fails(retryAfter(1000, error)), { maxAttempts: 1, protection: inner }).catch(() => {});
  const outer = protect(cooldown());
  const seen = watched(retry(() => retry(() => 1, { protection: inner }), { ...plain, protection: outer }));
  await microtasks();
  assert.equal(seen.error.by, 'cooldown');
  assert.equal(seen.error.cause, error);
  assert.equal(outer.status().cooldown.remainingMs, 0);
  assert.equal(retryReport(seen.error).hintMs, undefined);
});

timed('two layers with one state: one warning per process', async (clock) => {
  const api = fragile();
  const { warn } = console;
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  try {
    for (let i = 0; i < 3; i++) {
      const seen = watched(
        retry(
          () => {
            api.open();
            return retry(() => 1, { protection: api });
          },
          { ...plain, protection: api },
        ),
      );
      await microtasks();
      assert.ok(seen.error instanceof RejectedError);
      api.close();
    }
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(warnings, [
    'rejitter: two layers share one Protection, so each attempt counts twice. ' +
      'Give it to the inner or to the outer one.',
  ]);
  assert.equal(clock.pending.size, 0);
});

timed('metrics count the new reasons; random() that throws in a hold ends the operation', async (clock) => {
  const api = protect(cooldown({ maxHoldMs: 1000 }));
  const policy = new RetryPolicy({ ...plain, protection: api, metrics: true, maxAttempts: 1 });
  await policy.run(fails(retryAfter(500))).catch(() => {});
  await policy
    .with({ totalTimeoutMs: 10 })
    .run(() => 1)
    .catch(() => {});
  const rejected = watched(policy.run(() => 1, { totalTimeoutMs: 10 }));
  const thrown = new Error('no draw');
  const broken = watched(policy.run(() => 1, { random: fails(thrown) }));
  await microtasks();
  assert.equal(rejected.error.by, 'cooldown');
  assert.ok(Object.is(broken.error, thrown));
  assert.deepEqual([retryReport(thrown).reason, retryReport(thrown).attempts], ['callback', 0]);
  const { operations, attempts, inFlight, failures } = policy.metrics();
  assert.deepEqual(
    { operations, attempts, inFlight, failures: { ...failures } },
    {
      operations: 3,
      attempts: 1,
      inFlight: 0,
      failures: { exhausted: 1, cooldown: 1, callback: 1 },
    },
  );
  assert.equal(clock.pending.size, 0);
});

timed('finalError wraps the own error of an operation that was rejected later', async () => {
  const seen = watched(retry(down, { ...plain, protection: fragile(), finalError: 'wrap' }));
  await microtasks();
  assert.ok(seen.error instanceof RetryError);
  assert.deepEqual([seen.error.reason, seen.error.cause], ['breaker', error]);
  assert.equal(seen.error.message, 'rejitter: gave up after 1 attempt (breaker): down');
});
