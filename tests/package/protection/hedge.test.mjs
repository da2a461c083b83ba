// Hedging: each sentence of the design about rounds, on a virtual clock.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock, microtasks } from '../lib/clock.mjs';
import { controlled, importAll, watched } from './entry.mjs';

const {
  RejectedError,
  RetryPolicy,
  SupersededError,
  TimeoutError,
  breaker,
  budget,
  cooldown,
  hedge,
  permanent,
  protect,
  retryAfter,
  retryReport,
  retrySync,
} = await importAll();

const error = (text) => new Error(text);
const HOOKS = ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'];

/**
 * Runs under a virtual clock from 0. The body gets a function that starts an operation with options and parts, and
 * returns its calls, its end and what its hooks saw.
 */
const timed = (name, body) =>
  test(name, async () => {
    const clock = new VirtualClock({ start: 0 }).install();
    const unhandled = [];
    const note = (reason) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const at = async (ms) => {
      await clock.advance(ms - clock.now);
      assert.equal(clock.now, ms);
    };
    const begin = (options, ...parts) => {
      const api = protect(...(parts.length > 0 ? parts : [hedge({ delayMs: 50 })]));
      const log = [];
      const hooks = Object.fromEntries(
        HOOKS.map((hook) => [hook, ({ attempt, hedge }) => log.push(`${hook} ${attempt}${hedge ? ' hedge' : ''}`)]),
      );
      const policy = new RetryPolicy({
        maxAttempts: 4,
        backoff: 'fixed',
        baseMs: 100,
        jitter: 'none',
        random: () => 0,
        metrics: true,
        protection: api,
        ...hooks,
        ...options,
      });
      const { fn, calls } = controlled();
      const run = watched(policy.run(fn));
      const signals = () => calls.map(({ attempt }) => attempt.signal);
      return { api, policy, calls, run, log, signals, report: () => retryReport(run.error) };
    };
    try {
      await body({ at, begin, clock });
      assert.equal(clock.pending.size, 0, 'a timer is left');
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
      clock.uninstall();
    }
  });

/** Settles a call, and lets everything run that follows at once. */
function ok(call, value) {
  call.resolve(value);
  return microtasks();
}

function no(call, reason) {
  call.reject(reason);
  return microtasks();
}

timed('the first success wins: the hedge, and the signal of the attempt is aborted', async ({ at, begin, clock }) => {
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
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 1, refused: 0 });
  const { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight } = policy.metrics();
  assert.deepEqual(
    { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight },
    { attempts: 2, retries: 0, hedges: 1, firstAttemptSuccesses: 1, retriedSuccesses: 0, inFlight: 0 },
  );
});

timed('the first success wins: the attempt, and the signal of the hedge is aborted', async ({ at, begin }) => {
  const { api, calls, run, log, signals } = begin();
  await at(60);
  await ok(calls[0], 'first');
  assert.deepEqual([run.state, run.value], ['fulfilled', 'first']);
  const [first, second] = signals();
  assert.equal(first.aborted, false);
  assert.ok(second.reason instanceof SupersededError);
  await no(calls[1], error('too late'));
  assert.deepEqual(log, ['onAttempt 1', 'onAttempt 2 hedge', 'onSuccess 1']);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 0, refused: 0 });
});

timed('one winner, whichever of two ends in the same turn came first', async ({ at, begin }) => {
  for (const [first, second] of [
    [0, 1],
    [1, 0],
  ]) {
    const { calls, run, signals } = begin();
    await at(performance.now() + 50);
    calls[first].resolve(first);
    calls[second].resolve(second);
    await microtasks();
    assert.equal(run.value, first);
    assert.deepEqual(
      signals().map(({ aborted }) => aborted),
      [second === 0, second === 1],
    );
  }
  const { calls, run, log } = begin();
  await at(performance.now() + 50);
  calls[1].resolve('won');
  calls[0].reject(error('in the same turn'));
  await microtasks();
  assert.equal(run.value, 'won');
  assert.deepEqual(log, ['onAttempt 1', 'onAttempt 2 hedge', 'onSuccess 2']);
});

timed('an attempt that ends before the delay has no hedge, and leaves no timer', async ({ at, begin, clock }) => {
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

timed('a round that failed is followed by one wait, after the last failure', async ({ at, begin }) => {
  const asked = [];
  const retryIf = (reason, attempt) => {
    asked.push([reason.message, attempt.attempt]);
    return true;
  };
  const { calls, run, log, report } = begin({ retryIf, maxAttempts: 3 });
  const [one, two, three] = ['one', 'two', 'three'].map(error);
  await at(50);
  await no(calls[1], two);
  assert.deepEqual(log.slice(2), ['onFailure 2 hedge']);
  await at(80);
  assert.equal(calls.length, 2, 'a failure speeds nothing up');
  await no(calls[0], one);
  assert.deepEqual(log.slice(3), ['onFailure 1', 'onRetry 2']);
  await at(179);
  assert.equal(calls.length, 2);
  await at(180);
  const { attempt } = calls[2];
  assert.deepEqual([attempt.attempt, attempt.previousError, attempt.previousDelayMs], [3, one, 100]);
  await at(300);
  assert.equal(calls.length, 3, 'no hedge past maxAttempts');
  await no(calls[2], three);
  assert.equal(run.error, three);
  assert.deepEqual(asked, [
    ['two', 2],
    ['one', 1],
    ['three', 3],
  ]);
  const { reason, attempts, dropped, records } = report();
  assert.deepEqual([reason, attempts, dropped], ['exhausted', 3, 0]);
  assert.deepEqual(records, [
    { attempt: 1, error: one, startMs: 0, durationMs: 80, delayMs: 100 },
    { attempt: 2, error: two, startMs: 50, durationMs: 0, hedge: true },
    { attempt: 3, error: three, startMs: 180, durationMs: 120 },
  ]);
});

timed('the outcome of a round is its last failure: the hedge', async ({ at, begin }) => {
  const { calls, run, log, report } = begin({ maxAttempts: 2 });
  const [one, two] = ['one', 'two'].map(error);
  await at(60);
  await no(calls[0], one);
  assert.deepEqual(log.slice(2), ['onFailure 1']);
  await at(90);
  await no(calls[1], two);
  assert.equal(run.error, two);
  assert.deepEqual(log.slice(3), ['onFailure 2 hedge', 'onGiveUp 2']);
  assert.deepEqual(report().records, [
    { attempt: 1, error: one, startMs: 0, durationMs: 60 },
    { attempt: 2, error: two, startMs: 50, durationMs: 40, hedge: true },
  ]);
});

timed('waits follow rounds, and their number', async ({ at, begin }) => {
  const ks = [];
  const { calls, run } = begin({ maxAttempts: 6, backoff: (k) => ks.push(k) * 100 });
  await at(50);
  await no(calls[0], error('1'));
  await no(calls[1], error('2'));
  await at(150);
  assert.equal(calls[2].attempt.attempt, 3);
  await at(200);
  assert.equal(calls[3].attempt.attempt, 4);
  await no(calls[3], error('4'));
  await no(calls[2], error('3'));
  assert.deepEqual(ks, [1, 2]);
  await at(400);
  assert.equal(calls[4].attempt.attempt, 5);
  await ok(calls[4], 'fifth');
  assert.equal(run.value, 'fifth');
});

timed('a failure that ends the operation ends the round at once', async ({ at, begin }) => {
  const cases = [
    [0, permanent(error('gone')), {}, 'permanent'],
    [1, permanent(error('gone')), {}, 'permanent'],
    [0, error('no'), { retryIf: () => false }, 'notRetryable'],
    [1, error('no'), { retryIf: async () => false }, 'notRetryable'],
    [1, error('no'), { retryIf: () => 5 }, 'callback'],
  ];
  for (const [which, reason, options, ends] of cases) {
    const start = performance.now();
    const { calls, run, signals, report, log } = begin(options);
    await at(start + 60);
    await no(calls[which], reason);
    assert.equal(run.state, 'rejected');
    assert.equal(report().reason, ends);
    const other = signals()[1 - which];
    assert.ok(other.reason instanceof SupersededError);
    assert.equal(signals()[which].aborted, false);
    assert.equal(log.at(-1), 'onGiveUp 2');
    const records = report().records;
    assert.deepEqual(
      records.map((record) => [record.attempt, record.hedge, record.superseded]),
      [
        [1, undefined, which === 1 ? true : undefined],
        [2, true, which === 0 ? true : undefined],
      ],
    );
    assert.equal(records[1 - which].error, other.reason);
    await no(calls[1 - which], error('too late'));
  }
});

timed('the answer about a failure is dropped once the round has ended', async ({ at, begin }) => {
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

timed('two answers may be pending, and the round waits for both', async ({ at, begin }) => {
  const asked = [];
  const { calls, run } = begin({ maxAttempts: 2, retryIf: () => new Promise((resolve) => asked.push(resolve)) });
  const [one, two] = ['one', 'two'].map(error);
  await at(60);
  await no(calls[0], one);
  await no(calls[1], two);
  asked[1](true);
  await microtasks();
  assert.equal(run.state, 'pending');
  asked[0](true);
  await microtasks();
  assert.equal(run.error, two, 'the last failure, whichever answer came last');
});

timed('abort ends all: one reason for both signals, and nothing is left', async ({ at, begin, clock }) => {
  for (const failed of [undefined, 0, 1]) {
    const start = performance.now();
    const controller = new AbortController();
    const { calls, run, signals, report, log } = begin({ signal: controller.signal, totalTimeoutMs: 1000 });
    await at(start + 60);
    if (failed !== undefined) await no(calls[failed], error('before'));
    const reason = error('enough');
    controller.abort(reason);
    for (const which of [0, 1]) if (which !== failed) assert.equal(signals()[which].reason, reason, 'at once');
    await microtasks();
    assert.equal(run.error, reason);
    assert.equal(report(), undefined);
    assert.equal(log.at(-1), 'onGiveUp 2');
    assert.equal(clock.pending.size, 0);
    for (const call of calls) await no(call, error('too late'));
  }
});

timed('the deadline ends all; the error before it is the cause', async ({ at, begin }) => {
  for (const failed of [undefined, 0, 1]) {
    const start = performance.now();
    const { calls, run, signals, report } = begin({ totalTimeoutMs: 200 });
    const before = error('before');
    await at(start + 60);
    if (failed !== undefined) await no(calls[failed], before);
    await at(start + 200);
    assert.ok(run.error instanceof TimeoutError);
    assert.equal(run.error.cause, failed === undefined ? undefined : before);
    assert.equal(report().reason, 'timeout');
    for (const which of [0, 1]) if (which !== failed) assert.equal(signals()[which].reason, run.error);
    assert.deepEqual(
      report().records.map((record) => [record.attempt, record.durationMs, record.error]),
      [
        [1, failed === 0 ? 60 : 200, failed === 0 ? before : run.error],
        [2, failed === 1 ? 10 : 150, failed === 1 ? before : run.error],
      ],
    );
  }
});

timed('a result of the hedge that was not accepted is returned at the deadline', async ({ at, begin }) => {
  const { calls, run, report } = begin({ totalTimeoutMs: 200, retryOnResult: (value) => value === 'no' });
  await at(60);
  await ok(calls[1], 'no');
  assert.equal(run.state, 'pending');
  await at(200);
  assert.deepEqual([run.state, run.value], ['fulfilled', 'no']);
  assert.equal(report(), undefined);
});

timed('an accepted result wins over another one', async ({ at, begin }) => {
  const { calls, run } = begin({ retryOnResult: (value) => value === 'no' });
  await at(60);
  await ok(calls[0], 'no');
  assert.equal(run.state, 'pending');
  await ok(calls[1], 'yes');
  assert.equal(run.value, 'yes');
});

timed('each attempt has its own timeout, from its own start', async ({ at, begin }) => {
  const { calls, run, signals, report } = begin({ attemptTimeoutMs: 80, maxAttempts: 2 });
  await at(50);
  await at(80);
  assert.ok(signals()[0].reason instanceof TimeoutError);
  assert.equal(signals()[1].aborted, false);
  await at(129);
  assert.equal(run.state, 'pending');
  await at(130);
  assert.ok(run.error instanceof TimeoutError);
  assert.equal(run.error, signals()[1].reason);
  assert.match(run.error.message, /attempt 2 timed out after 80 ms/);
  assert.deepEqual(
    report().records.map(({ startMs, durationMs }) => [startMs, durationMs]),
    [
      [0, 80],
      [50, 80],
    ],
  );
  await no(calls[0], error('too late'));
});

timed('no hedge, nor a timer of one: without attempts left, past the deadline', async ({ at, begin, clock }) => {
  for (const [options, timers] of [
    [{ maxAttempts: 1 }, 0],
    [{ totalTimeoutMs: 50 }, 1],
  ]) {
    const start = performance.now();
    const { calls, api } = begin(options);
    assert.equal(clock.pending.size, timers);
    await at(start + 60);
    assert.equal(calls.length, 1);
    assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 0, won: 0, refused: 0 });
    await ok(calls[0]);
  }
});

timed('no hedge after a hint: the round has failed', async ({ at, begin }) => {
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

timed('the largest hint of a round counts', async ({ at, begin }) => {
  for (const [first, second, other] of [
    [300, 200, 0],
    [200, 300, 1],
    [300, undefined, 0],
  ]) {
    const start = performance.now();
    const { calls, run } = begin();
    const failure = (ms) => (ms === undefined ? error('plain') : retryAfter(ms, error('busy')));
    await at(start + 60);
    await no(calls[other], failure(first));
    await no(calls[1 - other], failure(second));
    await at(start + 359);
    assert.equal(calls.length, 2);
    await at(start + 360);
    assert.equal(calls.length, 3);
    await ok(calls[2], 'later');
    assert.equal(run.value, 'later');
  }
});

timed('half-open, open and cooling down: no hedge', async ({ at, begin }) => {
  const parts = () => [hedge({ delayMs: 50 }), breaker({ consecutiveFailures: 1, openMs: 1000 }), cooldown()];
  const probe = begin({}, ...parts());
  await at(10);
  probe.api.open(100);
  await at(60);
  assert.equal(probe.calls.length, 1);
  assert.deepEqual(probe.api.status().hedge, { delayMs: 50, hedges: 0, won: 0, refused: 1 });
  await ok(probe.calls[0]);

  await at(200);
  const slow = controlled();
  const run = watched(probe.policy.run(slow.fn));
  assert.equal(probe.api.status().breaker.state, 'half-open');
  await at(260);
  assert.equal(slow.calls.length, 1);
  assert.equal(probe.api.status().hedge.refused, 2);
  await ok(slow.calls[0], 'good');
  assert.equal(run.value, 'good');
  assert.equal(probe.api.status().breaker.state, 'closed');

  const { calls, api } = begin({}, ...parts());
  const other = new RetryPolicy({ maxAttempts: 1, protection: api });
  watched(
    other.run(() => {
      throw retryAfter(1000);
    }),
  );
  await at(320);
  assert.equal(calls.length, 1);
  assert.equal(api.status().hedge.refused, 1);
  await ok(calls[0]);
});

timed('both budgets pay: if the second has none, the first gets its token back', async ({ at, begin }) => {
  const { api, calls, policy, run } = begin(
    { totalTimeoutMs: 1000 },
    hedge({ delayMs: 50 }),
    budget({ capacity: 1, perSuccess: 0.25 }),
  );
  await at(60);
  assert.deepEqual([calls.length, api.status().budget.tokens, api.status().budget.granted], [2, 0, 1]);
  await ok(calls[1], 1);
  assert.equal(run.value, 1);
  assert.equal(api.status().budget.tokens, 0.25, 'a token of a hedge is never given back');

  const slow = () => watched(policy.run(controlled().fn));
  for (let i = 0; i < 15; i += 1) slow();
  await at(200);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 1, refused: 15 });
  for (let i = 0; i < 3; i += 1) await policy.run(() => i);
  slow();
  await at(300);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 2, won: 1, refused: 15 });
  await at(2000);
});

timed('10 hedges, then maxRatio per successful operation', async ({ at, begin }) => {
  const { api, policy, calls } = begin({ totalTimeoutMs: 1000 }, hedge({ delayMs: 50, maxRatio: 0.5 }));
  for (let i = 0; i < 14; i += 1) watched(policy.run(controlled().fn));
  await at(60);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 10, won: 0, refused: 5 });
  await ok(calls[0]);
  for (let i = 0; i < 3; i += 1) await policy.run(() => i);
  await at(2000);
  assert.equal(api.status().hedge.hedges, 10);
  for (let i = 0; i < 5; i += 1) watched(policy.run(controlled().fn));
  await at(4000);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 12, won: 0, refused: 8 });
});

timed('a success in the first round gives perSuccess, one after a retry what that took', async ({ at, begin }) => {
  const parts = () => [hedge({ delayMs: 50 }), budget({ capacity: 10, perSuccess: 0.5, cost: 2 })];
  const first = begin({}, ...parts());
  await at(60);
  await ok(first.calls[1]);
  assert.equal(first.api.status().budget.tokens, 8.5);

  const second = begin({}, ...parts());
  await no(second.calls[0], error('fast'));
  assert.equal(second.api.status().budget.tokens, 8);
  await at(160 + 60);
  assert.equal(second.api.status().budget.tokens, 6);
  await ok(second.calls[2], 'hedge of the retry');
  assert.equal(second.api.status().budget.tokens, 8, 'the tokens of the retry, not those of the hedge');
});

timed('an abort in onAttempt of the hedge: it is not called, and both tokens are put back', async ({ at, begin }) => {
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

timed('the breaker hears each attempt, and nothing of a superseded one', async ({ at, begin }) => {
  const { api, calls } = begin({ maxAttempts: 2 }, hedge({ delayMs: 50 }), breaker({ windowMs: 1e6 }));
  const numbers = () => [api.status().breaker.calls, api.status().breaker.failures];
  await at(60);
  assert.deepEqual(numbers(), [2, 0]);
  await no(calls[0], error('one'));
  assert.deepEqual(numbers(), [2, 1]);
  await no(calls[1], error('two'));
  assert.deepEqual(numbers(), [2, 2]);

  const opens = begin({}, hedge({ delayMs: 50 }), breaker({ consecutiveFailures: 1 }));
  await at(120);
  await ok(opens.calls[1]);
  await no(opens.calls[0], error('superseded'));
  assert.deepEqual([opens.api.status().breaker.state, opens.api.status().breaker.failures], ['closed', 0]);
});

timed('a rejection by an inner layer ends the round', async ({ at, begin }) => {
  const { calls, run, signals } = begin();
  await at(60);
  const refused = new RejectedError('breaker', 5);
  await no(calls[1], refused);
  assert.equal(run.error, refused);
  assert.ok(signals()[0].reason instanceof SupersededError);
});

timed('the learned delay: 20 first attempts, and the upper edge of the slot of the quantile', async ({ at, begin }) => {
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

timed('what is learned: successes, timeouts and superseded first attempts; no failures', async ({ at, begin }) => {
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

timed('at most one timer of a hedge, and one of each attempt that runs', async ({ at, begin, clock }) => {
  const { calls } = begin({ attemptTimeoutMs: 500, totalTimeoutMs: 1000 });
  assert.equal(clock.pending.size, 3);
  await at(50);
  assert.deepEqual([calls.length, clock.pending.size], [2, 3]);
  await at(400);
  assert.deepEqual([calls.length, clock.pending.size], [2, 3]);
  await ok(calls[1]);
  assert.equal(clock.pending.size, 0);
});

timed('the callback of a hedge may throw at once, and abort while it is called', async ({ at, begin }) => {
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

timed('records of many rounds are in order, the first and the last nine', async ({ at, begin }) => {
  const { calls, report } = begin({ maxAttempts: 13, baseMs: 0 }, hedge({ delayMs: 50, maxRatio: 1 }));
  let time = 0;
  for (let i = 0; i < 12; i += 2) {
    await at((time += 51));
    await no(calls[i + 1], error(`${i + 2}`));
    await no(calls[i], error(`${i + 1}`));
    await at((time += 1));
  }
  await no(calls[12], error('13'));
  const { records, dropped, attempts } = report();
  assert.deepEqual(
    records.map((record) => [record.attempt, record.error.message]),
    [1, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((number) => [number, `${number}`]),
  );
  assert.deepEqual([attempts, dropped], [13, 3]);
});

test('retrySync takes no hedge', () => {
  assert.throws(() => retrySync(() => 1, { protection: protect(hedge()) }), {
    name: 'TypeError',
    message: 'rejitter: protection must have no hedge(): retrySync makes one attempt at a time. Use retry instead',
  });
  assert.equal(
    retrySync(() => 1, { protection: protect(budget()) }),
    1,
  );
});

test('the options of hedge() are checked, and the recipe shows them', () => {
  assert.deepEqual({ ...hedge() }, { part: 'hedge', quantile: 0.95, maxRatio: 0.1 });
  assert.deepEqual({ ...hedge({ delayMs: 0, maxRatio: 1 }) }, { part: 'hedge', delayMs: 0, maxRatio: 1 });
  assert.ok(Object.isFrozen(hedge()));
  for (const [options, message] of [
    [{ quantile: 0 }, /quantile must be a number above 0 and below 1, got 0/],
    [{ quantile: 1 }, /quantile/],
    [{ quantile: '0.5' }, /quantile/],
    [{ delayMs: -1 }, /delayMs/],
    [{ delayMs: Infinity }, /delayMs/],
    [{ maxRatio: 0 }, /maxRatio must be a number between 0.001 and 1, got 0/],
    [{ maxRatio: 1.5 }, /maxRatio/],
    [{ quantile: 0.5, delayMs: 5 }, /quantile must be omitted \(got 0.5\): delayMs takes its place/],
    [{ delay: 5 }, /delay/],
  ])
    assert.throws(() => hedge(options), message);
  assert.throws(() => protect(hedge(), hedge()), /hedge\(\) must be there once/);
});
