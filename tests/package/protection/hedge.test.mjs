// Hedging: the attempt and the hedge of a round, who of both ends the operation, and what its report says.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { controlled, importAll, watched } from './entry.mjs';
import { begin, error, hedged, no, ok } from './hedging.mjs';

const { SupersededError, TimeoutError, hedge, permanent, retryAfter } = await importAll();

hedged('the first success wins: the hedge, and the signal of the attempt is aborted', async ({ at, clock }) => {
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
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 1, rejected: 0 });
  const { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight } = policy.metrics();
  assert.deepEqual(
    { attempts, retries, hedges, firstAttemptSuccesses, retriedSuccesses, inFlight },
    { attempts: 2, retries: 0, hedges: 1, firstAttemptSuccesses: 1, retriedSuccesses: 0, inFlight: 0 },
  );
});

hedged('the first success wins: the attempt, and the signal of the hedge is aborted', async ({ at }) => {
  const { api, calls, run, log, signals } = begin();
  await at(60);
  await ok(calls[0], 'first');
  assert.deepEqual([run.state, run.value], ['fulfilled', 'first']);
  const [first, second] = signals();
  assert.equal(first.aborted, false);
  assert.ok(second.reason instanceof SupersededError);
  await no(calls[1], error('too late'));
  assert.deepEqual(log, ['onAttempt 1', 'onAttempt 2 hedge', 'onSuccess 1']);
  assert.deepEqual(api.status().hedge, { delayMs: 50, hedges: 1, won: 0, rejected: 0 });
});

hedged('one winner, whichever of two ends in the same turn came first', async ({ at }) => {
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

hedged('a round that failed is followed by one wait, after the last failure', async ({ at }) => {
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

hedged('the outcome of a round is its last failure: the hedge', async ({ at }) => {
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

hedged('waits follow rounds, and their number', async ({ at }) => {
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

hedged('a failure that ends the operation ends the round at once', async ({ at }) => {
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

hedged('the answer about a failure is dropped once the round has ended', async ({ at }) => {
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

hedged('two answers may be pending, and the round waits for both', async ({ at }) => {
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

hedged('abort ends all: one reason for both signals, and nothing is left', async ({ at, clock }) => {
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

hedged('the deadline ends all; the error before it is the cause', async ({ at }) => {
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

hedged('a result of the hedge that was not accepted is returned at the deadline', async ({ at }) => {
  const { calls, run, report } = begin({ totalTimeoutMs: 200, retryOnResult: (value) => value === 'no' });
  await at(60);
  await ok(calls[1], 'no');
  assert.equal(run.state, 'pending');
  await at(200);
  assert.deepEqual([run.state, run.value], ['fulfilled', 'no']);
  assert.equal(report(), undefined);
});

hedged('an accepted result wins over another one', async ({ at }) => {
  const { calls, run } = begin({ retryOnResult: (value) => value === 'no' });
  await at(60);
  await ok(calls[0], 'no');
  assert.equal(run.state, 'pending');
  await ok(calls[1], 'yes');
  assert.equal(run.value, 'yes');
});

hedged('each attempt has its own timeout, from its own start', async ({ at }) => {
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

hedged('the largest hint of a round counts', async ({ at }) => {
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

hedged('the callback of a hedge may throw at once, and abort while it is called', async ({ at }) => {
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

hedged('records of many rounds are in order, the first and the last nine', async ({ at }) => {
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

hedged('the wait that the caller demands after the last failure counts, whichever answer came last', async ({ at }) => {
  const asked = [];
  const { calls, run, log } = begin({ retryIf: () => new Promise((resolve) => asked.push(resolve)) });
  await at(60);
  await no(calls[1], error('first'));
  await no(calls[0], error('last'));
  asked[1]({ afterMs: 7 });
  await microtasks();
  assert.equal(log.at(-1), 'onFailure 1');
  asked[0](true);
  await microtasks();
  await at(66);
  assert.equal(calls.length, 2);
  await at(67);
  assert.equal(calls.length, 3);
  await ok(calls[2], 'third');
  assert.equal(run.value, 'third');
});

hedged('an attempt that returns a mistake is recorded, whatever the hedge has done before', async ({ at }) => {
  for (const failed of [false, true]) {
    const start = performance.now();
    const { calls, run, report } = begin();
    await at(start + 60);
    if (failed) await no(calls[1], error('before'));
    await ok(calls[0], permanent(error('returned')));
    assert.match(run.error.message, /a PermanentError was returned; throw it/);
    const { reason, dropped, records } = report();
    assert.deepEqual([reason, dropped], ['callback', 0]);
    assert.deepEqual(
      records.map(({ attempt, error, superseded }) => [attempt, error.message, superseded]),
      [
        [1, run.error.message, undefined],
        failed ? [2, 'before', undefined] : [2, 'rejitter: another attempt has ended the operation', true],
      ],
    );
  }
});
