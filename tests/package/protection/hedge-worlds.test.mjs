// Random worlds of hedged operations that share one protection, on a virtual clock: the rules that hold in all of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock } from '../lib/clock.mjs';
import { generator } from '../schedules/random.mjs';
import { importAll } from './entry.mjs';

const { RetryPolicy, SupersededError, breaker, budget, cooldown, hedge, permanent, protect, retryAfter, retryReport } =
  await importAll();

const WORLDS = 150;

/** One operation: `calls` has each call of its callback, in order. */
function begin(draw, { policy, clock }) {
  const operation = { calls: [], settled: 0, begun: clock.now };
  const end = (call, how, value) => {
    call.endedAt = clock.now;
    call.value = value;
    how(value);
  };
  const fn = (attempt) => {
    const { signal } = attempt;
    const call = { attempt: attempt.attempt, at: clock.now, signal, endedAt: undefined, value: undefined };
    operation.calls.push(call);
    assert.equal(operation.settled, 0, 'a call after the end');
    assert.equal(signal.aborted, false);
    const [kind, ms, listens] = [draw(), draw() < 0.2 ? 0 : Math.floor(draw() * 150), draw() < 0.5];
    if (kind < 0.05) throw (call.value = Object.assign(new Error('at once'), { endedAt: (call.endedAt = clock.now) }));
    return new Promise((resolve, reject) => {
      if (listens) signal.addEventListener('abort', () => end(call, reject, signal.reason));
      // Some never end.
      if (kind > 0.95) return;
      globalThis.setTimeout(() => {
        if (call.endedAt !== undefined) return;
        if (kind < 0.4) end(call, resolve, { good: true });
        else if (kind < 0.5) end(call, resolve, { good: false });
        else if (kind < 0.6) end(call, reject, retryAfter(Math.floor(draw() * 80), new Error('busy')));
        else if (kind < 0.65) end(call, reject, permanent(new Error('gone')));
        else end(call, reject, new Error('down'));
      }, ms);
    });
  };
  const controller = new AbortController();
  if (draw() < 0.15) globalThis.setTimeout(() => controller.abort(new Error('enough')), draw() * 300);
  const done = (state) => (outcome) => {
    Object.assign(operation, { state, outcome, settled: operation.settled + 1, endedAt: clock.now });
    operation.aborted = operation.calls.map(({ signal }) => signal.aborted);
  };
  policy.run(fn, { signal: controller.signal }).then(done('fulfilled'), done('rejected'));
  operation.signal = controller.signal;
  return operation;
}

/** Checks the rules for each operation that has settled. */
function check(operation, { maxAttempts, totalTimeoutMs = Infinity }) {
  const { calls, state, outcome, signal } = operation;
  assert.equal(operation.settled, 1);
  assert.ok(operation.endedAt - operation.begun <= totalTimeoutMs + 1);
  assert.deepEqual(
    calls.map(({ attempt }) => attempt),
    calls.map((_, i) => i + 1),
  );
  assert.ok(calls.length <= maxAttempts);
  calls.forEach((call, i) => {
    const before = calls.slice(0, i).filter((other) => other.endedAt === undefined || other.endedAt > call.at);
    assert.ok(
      before.filter((other) => !other.signal.aborted || other.signal.reason instanceof SupersededError).length <= 1,
    );
    const own = call.endedAt !== undefined && call.value === outcome;
    if (own) return;
    const ended = call.endedAt !== undefined && call.endedAt <= operation.endedAt;
    if (!ended) assert.ok(call.signal.aborted, 'the signal of a loser');
  });
  if (state === 'fulfilled') {
    const winner = calls.find((call) => call.value === outcome);
    assert.ok(winner !== undefined, 'the result is of the callback');
    assert.equal(winner.signal.aborted, false, 'the signal of the winner');
  } else if (signal.aborted && outcome === signal.reason) {
    assert.ok(calls.every((call) => call.endedAt < operation.endedAt || call.signal.aborted));
  }
  const report = retryReport(outcome);
  if (report === undefined) return;
  const numbers = report.records.map(({ attempt }) => attempt);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
  assert.equal(new Set(numbers).size, numbers.length);
  assert.equal(report.attempts, calls.length);
  assert.equal(report.records.length + report.dropped, report.attempts);
}

test(`${WORLDS} worlds of hedged operations`, async () => {
  const unhandled = [];
  const note = (reason) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  let [hedges, won, refused] = [0, 0, 0];
  try {
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const draw = generator(seed, 0).unit;
      const clock = new VirtualClock({ start: 0 }).install();
      const maybe = (probability, make) => (draw() < probability ? [make()] : []);
      const maxRatio = 0.1 + Math.floor(draw() * 9) / 10;
      const api = protect(
        hedge(draw() < 0.7 ? { delayMs: Math.floor(draw() * 60), maxRatio } : { quantile: 0.5, maxRatio }),
        ...maybe(0.4, () => budget({ capacity: 1 + Math.floor(draw() * 30) })),
        ...maybe(0.3, () => breaker({ minimumCalls: 5, openMs: 50, windowMs: 200 })),
        ...maybe(0.3, () => cooldown({ maxHoldMs: 100 })),
      );
      const later = (answer) => new Promise((resolve) => globalThis.setTimeout(() => resolve(answer), draw() * 40));
      const options = {
        maxAttempts: 1 + Math.floor(draw() * 6),
        totalTimeoutMs: draw() < 0.6 ? 50 + Math.floor(draw() * 300) : 2000,
        ...(draw() < 0.5 && { attemptTimeoutMs: 20 + Math.floor(draw() * 100) }),
        ...(draw() < 0.5 && { retryOnResult: ({ good }) => !good }),
        ...(draw() < 0.5 && { retryIf: () => (draw() < 0.3 ? later(draw() < 0.8) : draw() < 0.9) }),
        baseMs: Math.floor(draw() * 50),
        seed,
        protection: api,
        metrics: true,
      };
      const policy = new RetryPolicy(options);
      const operations = [];
      let successes = 0;
      for (let i = 0; i < 25; i += 1) {
        operations.push(begin(draw, { policy, clock }));
        await clock.advance(Math.floor(draw() * 40));
        const status = api.status().hedge;
        successes = operations.filter(({ state }) => state === 'fulfilled').length;
        assert.ok(status.hedges <= 10 + maxRatio * successes + 1e-9, 'hedges by successes');
      }
      await clock.drain();
      clock.uninstall();
      for (const operation of operations) check(operation, options);
      const status = api.status().hedge;
      const metrics = policy.metrics();
      assert.equal(metrics.hedges, status.hedges);
      assert.equal(
        metrics.attempts,
        operations.reduce((sum, { calls }) => sum + calls.length, 0),
      );
      assert.equal(metrics.inFlight, 0);
      assert.ok(status.won <= status.hedges);
      const tokens = api.status().budget;
      if (tokens !== undefined) assert.ok(tokens.tokens >= 0 && tokens.tokens <= tokens.capacity);
      hedges += status.hedges;
      won += status.won;
      refused += status.refused;
    }
    assert.deepEqual(unhandled, []);
    assert.ok(hedges > WORLDS && won > WORLDS / 5 && refused > WORLDS / 5, `${[hedges, won, refused]}`);
  } finally {
    process.off('unhandledRejection', note);
  }
});
