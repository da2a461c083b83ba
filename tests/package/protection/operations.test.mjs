// Where protection acts in an operation, what an operation rejects with that protection ends, and what the channel of
// Node hears. The order of the checks, hedges, events, and what becomes of tokens and probes, scenes say
// (tests/vectors/protection.json), or the random schedules compare with a reference.

import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { test } from 'node:test';

import { microtasks, underBlockingClock } from '../lib/clock.mjs';
import { printed } from '../lib/consumer.mjs';
import { caught } from '../lib/readers.mjs';
import {
  down,
  error,
  fails,
  fragile,
  hint,
  holding,
  importAll,
  plain,
  reports,
  state,
  timed,
  watched,
} from './entry.mjs';

const all = await importAll();
const { RejectedError, RetryPolicy, breaker, budget, cooldown, protect, retry } = all;
const { retryAfter, retryReport, retrySync } = all;

timed('the first attempt runs in the stack of the caller, whatever watches it', async () => {
  for (const options of [{}, { onAttempt: () => {} }, { totalTimeoutMs: 1000 }, { retryOnResult: () => false }]) {
    const api = protect(budget(), breaker(), cooldown());
    const calls = [];
    const result = retry(() => calls.push('now'), { protection: api, ...options });
    assert.deepEqual(calls, ['now']);
    assert.equal(await result, 1);
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

timed('random() at an opening may call operations, and what it throws is reported', async (clock, t) => {
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
  const reported = reports(t);
  for (const fn of [down, () => new Promise(() => {})]) {
    api.close();
    watched(retry(fn, { ...plain, random: fails(thrown), totalTimeoutMs: 50, protection: api }));
    await clock.drain();
    assert.equal(state(api), 'open');
    assert.deepEqual(reported.splice(0), [thrown]);
  }
});

timed('a deadline that passes during a hold, because timers are late, rejects by cooldown', async (clock) => {
  const own = new Error('own');
  for (const [fn, attempts] of [
    [() => 1, 0],
    [fails(own), 1],
  ]) {
    const api = protect(budget(), cooldown());
    if (attempts === 0) await holding(api, 400);
    const seen = watched(retry(fn, { ...plain, protection: api, totalTimeoutMs: 600 }));
    // Another's hint, during the wait of 100.
    if (attempts === 1) await hint(api, 400);
    await clock.advance(100);
    assert.equal(api.status().cooldown.held, 1);
    // The machine slept.
    clock.now += 600;
    await clock.drain();
    if (attempts === 0) assert.deepEqual([seen.error.by, seen.error.retryAfterMs], ['cooldown', 0]);
    else assert.equal(seen.error, own);
    const { reason, retryAfterMs, ...report } = retryReport(seen.error);
    assert.deepEqual([reason, report.attempts, retryAfterMs], ['cooldown', attempts, 0]);
    assert.deepEqual(api.status().cooldown, { remainingMs: 0, held: 0, rejected: 1 });
    assert.deepEqual([api.status().budget.tokens, api.status().budget.granted], [50, attempts]);
  }
});

timed('before the first attempt, a rejection is a RejectedError, which finalError does not wrap', async (clock) => {
  const api = fragile();
  const cause = new Error('the first');
  await retry(fails(cause), { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  await clock.advance(100);
  const seen = watched(retry(() => assert.fail('called'), { ...plain, protection: api, finalError: 'wrap' }));
  await microtasks();
  const { error: rejected } = seen;
  assert.ok(rejected instanceof RejectedError && rejected instanceof Error);
  assert.deepEqual([rejected.name, rejected.by, rejected.retryAfterMs], ['RejectedError', 'breaker', 400]);
  assert.equal(rejected.message, 'rejitter: the circuit is open for another 0.4 s; last failure: the first');
  assert.equal(rejected.cause, cause);
  assert.ok(!Object.keys(rejected).includes('cause') && !('key' in rejected));
  const { records, ...report } = retryReport(rejected);
  assert.deepEqual(report, { reason: 'breaker', attempts: 0, elapsedMs: 0, retryAfterMs: 400, dropped: 0 });
  assert.deepEqual([...records], []);
});

timed('a rejection within, though the callback wrapped it, is not retried', async () => {
  const inner = protect(breaker());
  inner.open(1000);
  const wrapped = () =>
    retry(() => 1, { protection: inner }).catch((cause) => {
      throw new Error('outside', { cause });
    });
  const seen = watched(retry(wrapped, { ...plain, protection: protect(breaker()) }));
  await microtasks();
  assert.deepEqual([seen.error.message, retryReport(seen.error).reason], ['outside', 'notRetryable']);
});

timed('two layers with one state: one warning per process', async (clock, t) => {
  const api = fragile();
  const warnings = reports(t, 'warn');
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
  assert.deepEqual(warnings, [
    'rejitter: two layers share one Protection, so each attempt counts twice. Give it to one of them.',
  ]);
});

timed('random() that throws in a hold ends the operation', async () => {
  const api = protect(cooldown());
  await holding(api, 500);
  const thrown = new Error('no draw');
  const seen = watched(retry(() => 1, { ...plain, random: fails(thrown), protection: api }));
  await microtasks();
  assert.ok(Object.is(seen.error, thrown));
  assert.deepEqual([retryReport(thrown).reason, retryReport(thrown).attempts], ['callback', 0]);
});

test('a draw that entropy cannot be had for holds and opens all the same', async () => {
  // A realm of its own: entropy is taken at the first draws.
  const stdout = await printed(`
    import { retry, retryAfter } from 'rejitter';
    import { breaker, cooldown, protect } from 'rejitter/protection';
    import { virtualClock } from 'rejitter/testing';
    const clock = virtualClock();
    const types = [];
    const onEvent = ({ type }) => types.push(type);
    const protection = protect(breaker({ consecutiveFailures: 1 }), cooldown(), { onEvent });
    const ended = (error) => retry(() => { throw error; }, { maxAttempts: 1, protection }).catch((e) => e.message);
    // Compartments of SES do that.
    Date.now = () => { throw new TypeError('secure mode'); };
    console.error = () => types.push('reported');
    await ended(retryAfter(600, new Error('busy')));
    // The hold's probe, of which the breaker hears nothing.
    await ended(retryAfter(1, new Error('busy')));
    console.log(await clock.runUntil(ended(new Error('first'))), types.join());
  `);
  assert.equal(stdout, 'first held,opened\n');
});

timed('the channel publishes changes of breakers and rejections, of all protections', async (clock) => {
  const messages = [];
  const subscriber = (message, name) => messages.push([name, message]);
  const api = protect(breaker({ consecutiveFailures: 1 }), cooldown(), budget());
  const call = (fn, options) =>
    retry(fn, { ...plain, maxAttempts: 1, protection: api.for('k'), ...options }).catch(() => {});
  const observed = channel('rejitter:protection');
  observed.subscribe(subscriber);
  try {
    await call(fails(retryAfter(100)));
    watched(call(() => 1));
    await call(() => 1, { totalTimeoutMs: 10 });
    await clock.drain();
    await call(down);
    await call(() => 1);
  } finally {
    observed.unsubscribe(subscriber);
  }
  await call(() => 1);
  assert.deepEqual(messages, [
    ['rejitter:protection', { type: 'rejected', key: 'k', by: 'cooldown', retryAfterMs: 100 }],
    [
      'rejitter:protection',
      { type: 'opened', key: 'k', state: 'open', retryAfterMs: 500, failures: 1, calls: 2, opens: 1 },
    ],
    ['rejitter:protection', { type: 'rejected', key: 'k', by: 'breaker', retryAfterMs: 500 }],
  ]);
  assert.ok(messages.every(([, message]) => Object.isFrozen(message)));
});

test('retrySync: no hold begins that ends after the deadline; a signal that is aborted during one is seen then', () => {
  const { threw, error: failed } = underBlockingClock((clock) => {
    const options = { ...plain, protection: protect(cooldown()) };
    caught(() => retrySync(fails(retryAfter(700)), { ...options, maxAttempts: 1 }));
    // The hold's probe.
    caught(() => retrySync(fails(error), { ...options, maxAttempts: 1 }));
    const fn = () => assert.fail('called');
    const rejected = caught(() => retrySync(fn, { ...options, totalTimeoutMs: 300 }));
    assert.deepEqual([rejected.by, rejected.retryAfterMs, clock.now], ['cooldown', 700, 1000]);
    const controller = new AbortController();
    const signal = new Proxy(controller.signal, {
      get(target, name) {
        if (name === 'aborted' && clock.now > 1000) controller.abort(error);
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    assert.equal(
      caught(() => retrySync(fn, { ...options, signal })),
      error,
    );
    assert.equal(clock.now, 1700);
    assert.equal(options.protection.status().cooldown.held, 0);
  });
  if (threw) throw failed;
});
