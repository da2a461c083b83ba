// Abort: it acts at once, everywhere, with the caller's own reason, and leaves nothing behind.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { VirtualClock, microtasks, turn, underClock } from '../lib/clock.mjs';
import { fails } from '../lib/callbacks.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { retry, RetryPolicy } = await importPackage();
const listeners = (signal) => getEventListeners(signal, 'abort').length;
const failing = fails(new Error('from fn'));
const hangs = () => new Promise(() => {});

/** Checks that a promise rejects with this reason, without leaving the current macrotask. */
async function rejectsNow(promise, reason, label) {
  let end = 'pending';
  promise.then(
    () => {
      end = 'resolved';
    },
    (error) => {
      end = { error };
    },
  );
  await microtasks();
  assert.ok(Object.is(end.error, reason) && typeof end === 'object', label);
}

async function withClock(body) {
  const clock = new VirtualClock().install();
  try {
    await body(clock);
  } finally {
    clock.uninstall();
  }
}

/** Starts an operation whose rejection is handled. */
function started(fn, options, run = retry) {
  const promise = run(fn, options);
  promise.catch(() => {});
  return promise;
}

// The reasons people really pass. `undefined` becomes the platform's own AbortError.
const REASONS = [new Error('enough'), Object.freeze({ why: 'enough' }), 'enough', 0, null, false, NaN, undefined];

test('A05 acts at once in a wait that is longer than one timer can be', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const options = { backoff: 'fixed', baseMs: 2 ** 33, capMs: Infinity, jitter: 'none' };
    const promise = started(failing, { signal: controller.signal, ...options });
    await clock.advance(2 ** 31 + 5);
    assert.ok(clock.armed.length > 1, 'the wait is in its second chunk');
    controller.abort('enough');
    await rejectsNow(promise, 'enough');
    assert.equal(clock.pending.size, 0);
    assert.equal(listeners(controller.signal), 0);
  }));

test('A11 rejects with the reason itself in every phase, and it is the reason of the attempt signal', async () => {
  for (const given of REASONS) {
    for (const phase of ['attempt 1', 'attempt 2', 'the wait', 'the predicate']) {
      await withClock(async (clock) => {
        const controller = new AbortController();
        const { signal } = controller;
        let attemptSignal;
        const fn = (attempt) => {
          attemptSignal = attempt.signal;
          return phase === `attempt ${attempt.attempt}` ? hangs() : failing();
        };
        const retryIf = () => (phase === 'the predicate' ? hangs() : true);
        const promise = started(fn, { signal, baseMs: 10, jitter: 'none', retryIf });
        await clock.advance(phase === 'attempt 2' ? 15 : 5);
        controller.abort(given);
        const label = `${String(given)} in ${phase}`;
        await rejectsNow(promise, signal.reason, label);
        if (given !== undefined) assert.ok(Object.is(signal.reason, given), label);
        assert.equal(listeners(signal), 0, label);
        if (phase.startsWith('attempt')) {
          assert.ok(attemptSignal.aborted, label);
          assert.ok(Object.is(attemptSignal.reason, signal.reason), label);
        }
        assert.equal(clock.pending.size, 0, label);
      });
    }
  }
});

test('an attempt signal that is first read after the abort is aborted with the reason', () =>
  withClock(async () => {
    const controller = new AbortController();
    let kept;
    const fn = (attempt) => {
      kept = attempt;
      return hangs();
    };
    const promise = started(fn, { signal: controller.signal });
    controller.abort('enough');
    await rejectsNow(promise, 'enough');
    assert.deepEqual([kept.signal.aborted, kept.signal.reason], [true, 'enough']);
  }));

test('an abort after the success changes nothing', async () => {
  const controller = new AbortController();
  const kept = [];
  const fn = ({ attempt, signal }) => {
    kept.push(signal);
    return attempt < 2 ? failing() : 'value';
  };
  assert.equal((await operate(fn, { signal: controller.signal })).value, 'value');
  controller.abort('late');
  // The attempts have ended: aborting their signals now would reach into work that has been handed over.
  assert.ok(kept.length === 2 && kept.every(({ aborted }) => !aborted));
});

test('A01 1,000 operations on one signal leave no listener, and each has at most one while it lives', async () => {
  const { signal } = new AbortController();
  const warnings = [];
  const onWarning = (warning) => warnings.push(warning);
  process.on('warning', onWarning);
  let most = 0;
  const endings = [() => 1, async () => 1, failing, async () => failing(), ({ attempt }) => attempt > 1 || failing()];
  for (let i = 0; i < 1000; i += 1) {
    const fn = (attempt) => {
      if (i % 3 === 0) void attempt.signal;
      most = Math.max(most, listeners(signal));
      return endings[i % endings.length](attempt);
    };
    await underClock(() => {
      const promise = retry(fn, { signal, maxAttempts: 2 });
      most = Math.max(most, listeners(signal));
      return promise;
    });
    assert.equal(listeners(signal), 0, `after operation ${i}`);
  }
  assert.ok(most <= 1, `${most} listeners for one operation`);
  await turn();
  process.off('warning', onWarning);
  assert.deepEqual(warnings, []);
});

test('A01 100 living operations on one signal have one listener together, and one abort ends all', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const { signal } = controller;
    const all = Array.from({ length: 100 }, () => started(failing, { signal, baseMs: 1000, jitter: 'none' }));
    await clock.advance(1500);
    assert.equal(listeners(signal), 1);
    assert.equal(clock.pending.size, 100);
    controller.abort('enough');
    for (const promise of all) await rejectsNow(promise, 'enough');
    assert.equal(listeners(signal), 0);
    assert.equal(clock.pending.size, 0);
  }));

test('operations share a signal: an ended one leaves the rest listening, one started during the abort rejects', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const { signal } = controller;
    const short = started(failing, { signal, maxAttempts: 2, baseMs: 10, jitter: 'none' });
    const long = started(failing, { signal, baseMs: 1000, jitter: 'none' });
    let late;
    const starting = (attempt) =>
      new Promise((_, reject) => {
        attempt.signal.addEventListener('abort', () => {
          late = started(failing, { signal });
          reject('aborted');
        });
      });
    const asking = started(starting, { signal });
    await clock.advance(20);
    await assert.rejects(short, /from fn/);
    assert.equal(listeners(signal), 1);
    controller.abort('enough');
    for (const promise of [long, asking, late]) await rejectsNow(promise, 'enough');
    assert.equal(listeners(signal), 0);
  }));

test('the signals of the policy and of the run both abort, neither keeps a listener, and one for both has one', () =>
  withClock(async (clock) => {
    for (const which of [0, 1]) {
      const controllers = [new AbortController(), new AbortController()];
      const [{ signal }, { signal: ofRun }] = controllers;
      const promise = started(failing, { signal: ofRun }, (...args) => new RetryPolicy({ signal }).run(...args));
      await clock.advance(0);
      controllers[which].abort(which);
      await rejectsNow(promise, which);
      assert.deepEqual([listeners(signal), listeners(ofRun)], [0, 0]);
    }
    const { signal } = new AbortController();
    const policy = new RetryPolicy({ signal, jitter: 'none', maxAttempts: 2 });
    const promise = started(failing, { signal }, (...args) => policy.run(...args));
    await clock.advance(10);
    assert.equal(listeners(signal), 1);
    await clock.drain();
    await assert.rejects(promise);
    assert.equal(listeners(signal), 0);
  }));

test('aborted before the run by either signal: fn is not called', async () => {
  const signal = AbortSignal.abort('enough');
  let calls = 0;
  const fn = () => {
    calls += 1;
  };
  await rejectsNow(new RetryPolicy({ signal }).run(fn), 'enough');
  await rejectsNow(new RetryPolicy().run(fn, { signal }), 'enough');
  assert.equal(calls, 0);
});

test('A13 a signal of another realm, for which instanceof is false, is accepted and honoured', () =>
  withClock(async (clock) => {
    // A signal of a jsdom window, an iframe or a test framework's environment: the same interface, from
    // classes that this realm has never seen.
    const foreign = runInContext(
      `
    class Signal {
      aborted = false; reason = undefined; listeners = new Set();
      addEventListener(type, listener) { if (type === 'abort') this.listeners.add(listener); }
      removeEventListener(type, listener) { this.listeners.delete(listener); }
      throwIfAborted() { if (this.aborted) throw this.reason; }
    }
    const signal = new Signal();
    ({ signal, abort(reason) {
      signal.aborted = true; signal.reason = reason;
      for (const l of [...signal.listeners]) typeof l === 'function' ? l.call(signal,
        { type: 'abort', target: signal }) : l.handleEvent({ type: 'abort', target: signal });
    } })`,
      createContext({}),
    );
    assert.equal(foreign.signal instanceof AbortSignal, false);
    assert.equal(foreign.signal instanceof Object, false);
    const promise = started(failing, { signal: foreign.signal, jitter: 'none' });
    await clock.advance(10);
    assert.equal(foreign.signal.listeners.size, 1);
    foreign.abort('enough');
    await rejectsNow(promise, 'enough');
    assert.equal(foreign.signal.listeners.size, 0);
    assert.equal(clock.pending.size, 0);
    await rejectsNow(started(failing, { signal: foreign.signal }), 'enough');
  }));
