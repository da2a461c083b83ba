// Operations that share a protection (tests/vectors/protection.json): when each calls, how it ends, and the numbers of
// the protection on the way. Rust runs the same file.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock } from '../lib/clock.mjs';
import { infinite, vectors } from '../lib/consumer.mjs';
import { PARTS, importAll, namedIn, nth, partsOf } from './entry.mjs';

const { RejectedError, RetryPolicy, TimeoutError, permanent, protect, retryAfter, retryReport } = await importAll();
const scenes = vectors('protection', infinite);

const STEADY = { backoff: 'fixed', jitter: 'none', baseMs: 100, maxAttempts: 1 };

/** The name of an outcome. */
const nameOf = (outcome) => outcome?.message ?? outcome;

/** What `isFailure` says. */
const SAYS = { success: false, failure: true, nothing: 'ignore' };

/**
 * Starts one operation of a scene, and writes down what is seen of it.
 * @param {{ clock: VirtualClock, protection: object, scene: object, hooks: boolean }} world
 */
function start({ clock, protection, scene, hooks }, { attempts, retryIf, retryOnResult, seed, ...operation }, seen) {
  const controller = new AbortController();
  Object.assign(seen, { calls: [], running: new Map(), abort: () => controller.abort('aborted') });
  const { abortAt, totalTimeoutMs, attemptTimeoutMs, weight } = operation;
  const fn = ({ attempt, signal, progress, commit }) => {
    assert.ok(attempts, 'an operation without a script must not call');
    seen.calls.push(clock.now);
    const step = nth(attempts, seen.calls.length);
    seen.running.set(attempt, signal);
    if (step.progress !== undefined) setTimeout(progress, step.progress);
    if (step.commit !== undefined) setTimeout(commit, step.commit);
    const end = () => {
      if (seen.at === undefined) seen.running.delete(attempt);
      const { status, returns } = step;
      if (step.returnsPermanent) return permanent(new Error(step.returnsPermanent));
      if (returns !== undefined) return status === undefined ? returns : { status, message: returns };
      const error = Object.assign(new Error(step.throws), status && { status });
      throw step.retryAfterMs === undefined ? error : retryAfter(step.retryAfterMs, error);
    };
    if (step.takes === undefined) return end();
    return new Promise((done) => {
      setTimeout(done, step.takes);
    }).then(end);
  };
  const policy = new RetryPolicy({
    ...STEADY,
    ...scene.policy,
    ...operation.policy,
    protection,
    ...(seed === undefined ? { random: () => scene.draw } : { seed }),
    ...(retryIf && {
      retryIf(_, { attempt }) {
        const answer = nth(retryIf, attempt);
        if (answer.throws) throw new Error(answer.throws);
        return answer;
      },
    }),
    ...(retryOnResult && {
      finalResult: 'reject',
      retryOnResult: (_, { attempt }) => nth(retryOnResult, attempt),
    }),
    ...(totalTimeoutMs && { totalTimeoutMs }),
    ...(attemptTimeoutMs && { attemptTimeoutMs }),
    ...(weight && { weight }),
    ...(hooks && { onGiveUp: ({ report }) => (seen.report = report) }),
  });
  const signal = abortAt === undefined && operation.abortOn === undefined ? {} : { signal: controller.signal };
  if (abortAt !== undefined) setTimeout(seen.abort, abortAt - clock.now);
  policy.run(fn, signal).then(
    (value) => Object.assign(seen, { at: clock.now, value }),
    (error) => Object.assign(seen, { at: clock.now, error, report: seen.report ?? retryReport(error) }),
  );
}

/** How an operation ended, in the form of the scenes. */
function endOf({ at, value, error, report }, expected) {
  if (error === undefined) return { at, resolves: nameOf(value) };
  if (error === 'aborted') return { at, aborted: true };
  const { reason, attempts, retryAfterMs } = report;
  const records = expected.records && {
    records: report.records.map(({ attempt, error, ...times }) => times),
  };
  if (error instanceof RejectedError) {
    assert.deepEqual([error.by, error.retryAfterMs], [reason, retryAfterMs]);
    const cause = expected.cause && { cause: nameOf(error.cause) };
    return { at, rejectedBy: reason, retryAfterMs, ...cause, ...(attempts > 0 && { attempts }), ...records };
  }
  return {
    at,
    rejects: error instanceof TimeoutError ? 'TimeoutError' : nameOf('result' in error ? error.result : error),
    reason,
    attempts,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(expected.heldMs && { heldMs: report.records.map(({ heldMs }) => heldMs ?? 0) }),
    ...records,
  };
}

async function play(scene, hooks) {
  const clock = new VirtualClock({ start: 0, pause: scene.pause }).install();
  try {
    const { signals } = scene;
    const isFailure = ({ error, result }) => SAYS[signals[nameOf(error ?? result)]];
    const seen = [];
    const onEvent = ({ type }) => {
      for (const [i, { abortOn }] of operations.entries()) if (abortOn === type) seen[i].abort();
    };
    const listens = hooks || scene.needs?.includes('events');
    const protection = protect(...partsOf(scene.parts), { ...(listens && { onEvent }), ...(signals && { isFailure }) });
    const { acts = [], status = [] } = scene;
    const operations = scene.operations.flatMap(({ count = 1, ...operation }) => Array(count).fill(operation));
    const times = [...new Set([...acts, ...operations, ...status].map(({ at }) => at))].sort((a, b) => a - b);
    for (const time of times) {
      await clock.advance(time - clock.now);
      for (const { at, open, close, drain } of acts) {
        if (at === time && open) protection.open(open);
        if (at === time && close) protection.close();
        if (at === time && drain) protection.drain();
      }
      for (const [i, operation] of operations.entries()) {
        if (operation.at !== time) continue;
        start({ clock, protection, scene, hooks }, operation, (seen[i] = {}));
        // One after the other: what ends at once has ended before the next starts.
        await clock.advance(0);
      }
      for (const { at, ...expected } of status)
        if (at === time) assert.deepEqual(namedIn(expected, protection.status()), expected, `at ${at}`);
    }
    await clock.drain();
    if (scene.timers) assert.deepEqual(clock.delays, scene.timers);
    for (const [i, { ends, calls, attempts, at }] of operations.entries()) {
      const about = `operation ${i}, at ${at}`;
      assert.deepEqual(endOf(seen[i], ends), ends, about);
      for (const { aborted } of seen[i].running.values()) assert.ok(aborted, `${about}: an attempt is left`);
      if (calls ?? !attempts) assert.deepEqual(seen[i].calls, calls ?? [], about);
    }
  } finally {
    clock.uninstall();
  }
}

for (const scene of scenes) {
  test(scene.name, async () => {
    // Without hooks a first attempt takes a shorter way.
    for (const hooks of [false, true]) await play(scene, hooks);
  });
}

test('there are scenes of every part and of every reason that protection adds', () => {
  assert.equal(new Set(scenes.map(({ name }) => name)).size, scenes.length);
  assert.deepEqual([...new Set(scenes.flatMap(({ parts }) => Object.keys(parts)))].sort(), Object.keys(PARTS).sort());
  const ends = scenes.flatMap(({ operations }) => operations.map(({ ends }) => ends.rejectedBy ?? ends.reason));
  for (const reason of ['budget', 'breaker', 'cooldown', 'limiter']) assert.ok(ends.includes(reason), reason);
});
