// Hedging: the attempt and the hedge of a round, who of both ends the operation, and what its report says.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { controlled, importAll, watched } from './entry.mjs';
import { begin, error, hedged, no, ok } from './hedging.mjs';

const { SupersededError, hedge, permanent } = await importAll();

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

hedged('a result of the hedge that was not accepted is returned at the deadline', async ({ at }) => {
  const { calls, run, report } = begin({ totalTimeoutMs: 200, retryOnResult: (value) => value === 'no' });
  await at(60);
  await ok(calls[1], 'no');
  assert.equal(run.state, 'pending');
  await at(200);
  assert.deepEqual([run.state, run.value], ['fulfilled', 'no']);
  assert.equal(report(), undefined);
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
