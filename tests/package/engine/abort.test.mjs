// Abort: it acts at once, everywhere, with the caller's own reason, and leaves nothing behind.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { VirtualClock, microtasks, turn, underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { retry, RetryPolicy } = await importPackage();
const listeners = (signal) => getEventListeners(signal, 'abort').length;
const failing = () => {
  throw new Error('from fn');
};

/** The state of a promise, found without leaving the current macrotask. */
async function settledNow(promise) {
  let state = { settled: false };
  promise.then(
    (value) => {
      state = { settled: true, value };
    },
    (error) => {
      state = { settled: true, error };
    },
  );
  await microtasks();
  return state;
}

async function withClock(body) {
  const clock = new VirtualClock().install();
  try {
    await body(clock);
  } finally {
    clock.uninstall();
  }
}

// The reasons people really pass. `undefined` becomes the platform's own AbortError.
const REASONS = {
  'an Error': new Error('enough'),
  'a frozen object': Object.freeze({ why: 'enough' }),
  'a string': 'enough',
  0: 0,
  null: null,
  false: false,
  NaN,
  undefined: undefined,
};

test('A05 the same in a wait that is longer than one timer can be', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const promise = retry(failing, {
      signal: controller.signal,
      backoff: 'fixed',
      baseMs: 2 ** 33,
      capMs: Infinity,
      jitter: 'none',
    });
    promise.catch(() => {});
    await clock.advance(2 ** 31 + 5);
    assert.ok(clock.armed.length > 1, 'the wait is in its second chunk');
    controller.abort('enough');
    assert.deepEqual(await settledNow(promise), { settled: true, error: 'enough' });
    assert.equal(clock.pending.size, 0);
    assert.equal(listeners(controller.signal), 0);
  }));

test('A11 rejects with the reason itself in every phase, and it is the reason of the attempt signal', async () => {
  for (const [name, given] of Object.entries(REASONS)) {
    for (const phase of ['attempt 1', 'attempt 2', 'the wait', 'the predicate']) {
      await withClock(async (clock) => {
        const controller = new AbortController();
        let attemptSignal;
        const promise = retry(
          ({ attempt, signal }) => {
            attemptSignal = signal;
            if (phase === `attempt ${attempt}`) return new Promise(() => {});
            throw new Error('from fn');
          },
          {
            signal: controller.signal,
            baseMs: 10,
            jitter: 'none',
            retryIf: () => (phase === 'the predicate' ? new Promise(() => {}) : true),
          },
        );
        promise.catch(() => {});
        await clock.advance(phase === 'attempt 2' ? 15 : 5);
        controller.abort(given);
        const state = await settledNow(promise);
        const reason = controller.signal.reason;
        const label = `${name} in ${phase}`;
        assert.ok(state.settled, label);
        assert.ok(Object.is(state.error, reason), label);
        if (given !== undefined) assert.ok(Object.is(reason, given), label);
        assert.equal(listeners(controller.signal), 0, label);
        if (phase.startsWith('attempt')) {
          assert.ok(attemptSignal.aborted, label);
          assert.ok(Object.is(attemptSignal.reason, reason), label);
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
    const promise = retry(
      (attempt) => {
        kept = attempt;
        return new Promise(() => {});
      },
      { signal: controller.signal },
    );
    promise.catch(() => {});
    controller.abort('enough');
    assert.deepEqual(await settledNow(promise), { settled: true, error: 'enough' });
    assert.equal(kept.signal.aborted, true);
    assert.equal(kept.signal.reason, 'enough');
  }));

test('an abort after the success changes nothing', async () => {
  const controller = new AbortController();
  const kept = [];
  const { value } = await underClock(() =>
    retry(
      (attempt) => {
        kept.push(attempt.signal);
        if (attempt.attempt < 2) throw 0;
        return 'value';
      },
      { signal: controller.signal },
    ),
  );
  controller.abort('late');
  assert.equal(value, 'value');
  // The attempts have ended: aborting their signals now would reach into work that has been handed over.
  assert.deepEqual(
    kept.map((signal) => signal.aborted),
    [false, false],
  );
});

test('A01 1,000 operations on one signal leave no listener, and each has at most one while it lives', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const warnings = [];
  const onWarning = (warning) => warnings.push(warning);
  process.on('warning', onWarning);
  let most = 0;
  const endings = [
    () => 'value',
    async () => 'value',
    () => {
      throw 'sync';
    },
    async () => {
      throw 'async';
    },
    ({ attempt }) => {
      if (attempt < 2) throw 0;
      return 1;
    },
  ];
  for (let i = 0; i < 1000; i += 1) {
    await underClock(() => {
      const promise = retry(
        (attempt) => {
          if (i % 3 === 0) void attempt.signal;
          most = Math.max(most, listeners(signal));
          return endings[i % endings.length](attempt);
        },
        { signal, maxAttempts: 2 },
      );
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
    const promises = Array.from({ length: 100 }, () =>
      retry(failing, { signal: controller.signal, baseMs: 1000, jitter: 'none' }),
    );
    const outcomes = Promise.allSettled(promises);
    await clock.advance(1500);
    assert.equal(listeners(controller.signal), 1);
    assert.equal(clock.pending.size, 100);
    controller.abort('enough');
    const state = await settledNow(outcomes);
    assert.ok(state.settled);
    assert.ok(state.value.every(({ reason }) => reason === 'enough'));
    assert.equal(listeners(controller.signal), 0);
    assert.equal(clock.pending.size, 0);
  }));

test('operations share a signal: an ended one leaves the rest listening, one started during the abort rejects', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const { signal } = controller;
    const short = retry(failing, { signal, maxAttempts: 2, baseMs: 10, jitter: 'none' });
    const long = retry(failing, { signal, baseMs: 1000, jitter: 'none' });
    let late;
    const asking = retry(
      (attempt) =>
        new Promise((_, reject) => {
          attempt.signal.addEventListener('abort', () => {
            late = retry(failing, { signal });
            late.catch(() => {});
            reject('aborted');
          });
        }),
      { signal },
    );
    for (const promise of [short, long, asking]) promise.catch(() => {});
    await clock.advance(20);
    assert.ok((await settledNow(short)).settled);
    assert.equal(listeners(signal), 1);
    controller.abort('enough');
    for (const promise of [long, asking, late])
      assert.deepEqual(await settledNow(promise), { settled: true, error: 'enough' });
    assert.equal(listeners(signal), 0);
  }));

test('the signal of the policy and the signal of the run both abort; neither keeps a listener', () =>
  withClock(async (clock) => {
    for (const which of ['policy', 'run']) {
      const controllers = { policy: new AbortController(), run: new AbortController() };
      const policy = new RetryPolicy({ signal: controllers.policy.signal, jitter: 'none' });
      const promise = policy.run(failing, { signal: controllers.run.signal });
      promise.catch(() => {});
      await clock.advance(10);
      controllers[which].abort(which);
      assert.deepEqual(await settledNow(promise), { settled: true, error: which });
      assert.equal(listeners(controllers.policy.signal), 0);
      assert.equal(listeners(controllers.run.signal), 0);
    }
  }));

test('one signal given to the policy and to the run has one listener', () =>
  withClock(async (clock) => {
    const { signal } = new AbortController();
    const policy = new RetryPolicy({ signal, jitter: 'none', maxAttempts: 2 });
    const promise = policy.run(failing, { signal });
    promise.catch(() => {});
    await clock.advance(10);
    assert.equal(listeners(signal), 1);
    await clock.drain();
    await assert.rejects(promise);
    assert.equal(listeners(signal), 0);
  }));

test('aborted before the run by either signal: fn is not called', async () => {
  const aborted = AbortSignal.abort('enough');
  let calls = 0;
  const fn = () => {
    calls += 1;
  };
  assert.deepEqual(await settledNow(new RetryPolicy({ signal: aborted }).run(fn)), { settled: true, error: 'enough' });
  assert.deepEqual(await settledNow(new RetryPolicy().run(fn, { signal: aborted })), {
    settled: true,
    error: 'enough',
  });
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
    const promise = retry(failing, { signal: foreign.signal, jitter: 'none' });
    promise.catch(() => {});
    await clock.advance(10);
    assert.equal(foreign.signal.listeners.size, 1);
    foreign.abort('enough');
    assert.deepEqual(await settledNow(promise), { settled: true, error: 'enough' });
    assert.equal(foreign.signal.listeners.size, 0);
    assert.equal(clock.pending.size, 0);
    assert.deepEqual(await settledNow(retry(failing, { signal: foreign.signal })), { settled: true, error: 'enough' });
  }));
