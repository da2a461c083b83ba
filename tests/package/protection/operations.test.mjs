// Where protection acts in an operation, how holds end, and what an operation rejects with that protection ends. The
// order of the checks, and what becomes of tokens and probes, the random schedules compare with an oracle.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { down, error, fails, fragile, importAll, plain, state, timed, watched } from './entry.mjs';

const { RejectedError, RetryPolicy, breaker, budget, cooldown, permanent, protect, retry, retryAfter, retryReport } =
  await importAll();

timed('the first attempt runs in the stack of the caller, whatever watches it', async () => {
  for (const options of [{}, { onAttempt: () => {} }, { totalTimeoutMs: 1000 }, { retryOnResult: () => false }]) {
    let called = false;
    const api = protect(budget(), breaker(), cooldown());
    const result = retry(
      () => {
        called = true;
        return 7;
      },
      { protection: api, ...options },
    );
    assert.ok(called);
    assert.equal(await result, 7);
    assert.equal(api.status().breaker.calls, 1);
  }
});

timed('a signal that is a timeout fails the first attempt that it ends, once', async (clock) => {
  const never = () => new Promise(() => {});
  const numbers = (api) => [api.status().breaker.failures, api.status().breaker.calls];
  const aborter = () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('time is up', 'TimeoutError')), 50);
    return controller.signal;
  };
  const api = protect(breaker());
  const policy = new RetryPolicy({ ...plain, protection: api });
  watched(policy.run(never, { signal: aborter() }));
  const shared = aborter();
  for (let i = 0; i < 100; i += 1) watched(policy.run(never, { signal: AbortSignal.any([shared]) }));
  await clock.drain();
  assert.deepEqual(numbers(api), [2, 2]);

  // It is the cause of what comes after.
  const nervous = protect(breaker({ consecutiveFailures: 1 }));
  const late = watched(retry(never, { ...plain, protection: nervous, signal: aborter() }));
  await clock.drain();
  const after = watched(retry(never, { ...plain, protection: nervous }));
  await microtasks();
  assert.equal(after.error.cause, late.error);
  assert.match(after.error.message, /: time is up$/);
});

timed('isFailure decides: asked once for each end with an outcome, its errors are reported', async (clock) => {
  const ends = [];
  const answers = new Map();
  const isFailure = (end) => {
    ends.push(end);
    const answer = answers.get(end.error ?? end.result);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const reported = [];
  const { error: original } = console;
  console.error = (thrown) => reported.push(thrown);
  const count = (api) => [api.status().breaker.failures, api.status().breaker.calls];
  try {
    const run = async (fn, options = {}) => {
      const api = protect(breaker({ isFailure }));
      ends.length = 0;
      watched(retry(fn, { ...plain, maxAttempts: 1, protection: api, ...options }));
      await clock.drain();
      return [...count(api), ends.length];
    };
    const marked = fails(permanent(error));
    const numbered = [1, 2, 3].map((attempt) => ({ error, attempt, durationMs: 0 }));
    for (const [answer, fn, options, expected, seen] of [
      [true, () => 'bad', {}, [1, 1, 1], [{ result: 'bad', attempt: 1, durationMs: 0 }]],
      [undefined, () => 'good', {}, [0, 1, 1]],
      [false, down, {}, [0, 1, 1], numbered.slice(0, 1)],
      [false, marked, {}, [0, 1, 1], numbered.slice(0, 1)],
      [true, down, { retryIf: () => false }, [1, 1, 1]],
      [true, marked, {}, [1, 1, 1]],
      ['ignore', down, { maxAttempts: 3 }, [0, 0, 3], numbered],
      [undefined, down, {}, [1, 1, 1]],
    ]) {
      answers.set('bad', answer).set(error, answer);
      assert.deepEqual(await run(fn, options), expected);
      if (seen) assert.deepEqual(ends, seen);
      assert.ok(ends.every(Object.isFrozen));
    }
    assert.deepEqual(reported, []);
    const thrown = new Error('of isFailure');
    for (const [answer, text] of [
      [thrown, thrown.message],
      ['failure', 'rejitter: isFailure must return true, false, \'ignore\' or undefined, got "failure"'],
    ]) {
      answers.set(error, answer);
      // The same as without it.
      assert.deepEqual(await run(down), [1, 1, 1]);
      assert.equal(reported.pop().message, text);
    }
    // Without an outcome, nothing calls it.
    const controller = new AbortController();
    setTimeout(() => controller.abort(error), 5);
    assert.deepEqual(await run(() => new Promise(() => {}), { signal: controller.signal }), [0, 0, 0]);
  } finally {
    console.error = original;
  }
});

timed('random() at an opening may call operations, and what it throws is reported', async (clock) => {
  const api = protect(breaker({ consecutiveFailures: 1, openMs: 1000 }));
  const inner = [];
  const random = () => {
    inner.push(watched(retry(() => 'inner', { protection: api })));
    return 0.5;
  };
  watched(retry(down, { ...plain, maxAttempts: 1, random, protection: api }));
  await microtasks();
  // Asked once, before the circuit opened: the call within was let pass, and its end says nothing any more.
  assert.deepEqual([inner.length, inner[0].value], [1, 'inner']);
  assert.deepEqual([state(api), api.status().breaker.retryAfterMs, api.status().breaker.failures], ['open', 750, 1]);
  const thrown = new Error('no draw');
  const reported = [];
  const { error: original } = console;
  console.error = (text) => reported.push(text);
  try {
    for (const fn of [down, () => new Promise(() => {})]) {
      api.close();
      watched(retry(fn, { ...plain, random: fails(thrown), totalTimeoutMs: 50, protection: api }));
      await clock.drain();
      assert.equal(state(api), 'open');
      assert.deepEqual(reported.splice(0), [thrown]);
    }
    // A wait needs a draw, too: then what random() throws ends the operation.
    api.close();
    const seen = watched(retry(down, { baseMs: 1, random: fails(thrown), protection: api }));
    await microtasks();
    assert.ok(Object.is(seen.error, thrown));
    assert.deepEqual([thrown.cause, retryReport(thrown).reason, state(api)], [error, 'callback', 'open']);
  } finally {
    console.error = original;
  }
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

timed('two layers with one state: one warning per process', async (clock) => {
  const api = fragile();
  const { warn } = console;
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  try {
    for (let i = 0; i < 3; i++) {
      const fn = () => {
        api.open();
        return retry(() => 1, { protection: api });
      };
      const seen = watched(retry(fn, { ...plain, protection: api }));
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
  assert.deepEqual([operations, attempts, inFlight], [3, 1, 0]);
  assert.deepEqual({ ...failures }, { exhausted: 1, cooldown: 1, callback: 1 });
  assert.equal(clock.pending.size, 0);
});
