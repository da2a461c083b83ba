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

test('aborted before the call: rejects with the reason, fn is not called', async () => {
  for (const [name, reason] of Object.entries(REASONS)) {
    const controller = new AbortController();
    controller.abort(reason);
    let calls = 0;
    const state = await settledNow(
      retry(
        () => {
          calls += 1;
        },
        { signal: controller.signal },
      ),
    );
    assert.ok(state.settled, name);
    assert.ok(Object.is(state.error, controller.signal.reason), name);
    assert.equal(calls, 0);
    assert.equal(listeners(controller.signal), 0);
  }
});

test('A05 abort in a wait of 60 s: rejects in the same macrotask, clears the timer, calls nothing', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    let calls = 0;
    const promise = retry(
      () => {
        calls += 1;
        throw 0;
      },
      { signal: controller.signal, baseMs: 60_000, capMs: 60_000, jitter: 'none' },
    );
    promise.catch(() => {});
    await clock.advance(30);
    assert.deepEqual(clock.delays, [60_000]);
    assert.equal(listeners(controller.signal), 1);
    controller.abort(reason);
    const state = await settledNow(promise);
    assert.ok(state.settled, 'not settled in the macrotask of the abort');
    assert.equal(state.error, reason);
    assert.equal(clock.pending.size, 0, 'the timer still waits');
    assert.equal(clock.cleared, 1);
    assert.equal(listeners(controller.signal), 0);
    await clock.advance(600_000);
    assert.equal(calls, 1);
  }));

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

test('the attempt signal fires its event, so that work which listens can stop', () =>
  withClock(async () => {
    const controller = new AbortController();
    let stopped;
    const promise = retry(
      ({ signal }) =>
        new Promise((_, no) => {
          signal.addEventListener('abort', () => {
            stopped = signal.reason;
            no(signal.reason);
          });
        }),
      { signal: controller.signal },
    );
    promise.catch(() => {});
    controller.abort('enough');
    assert.equal(stopped, 'enough');
    assert.deepEqual(await settledNow(promise), { settled: true, error: 'enough' });
  }));

test('an abort inside fn wins over the error that fn throws next, and over a rejection', async () => {
  for (const end of [
    () => {
      throw 'from fn';
    },
    () => Promise.reject('from fn'),
  ]) {
    const controller = new AbortController();
    const { clock, error } = await underClock(() =>
      retry(
        () => {
          controller.abort('enough');
          return end();
        },
        { signal: controller.signal },
      ),
    );
    assert.equal(error, 'enough');
    assert.equal(clock.armed.length, 0);
    assert.equal(listeners(controller.signal), 0);
  }
});

test('an abort inside retryIf wins over its answer', async () => {
  for (const answer of [true, false, Promise.resolve(true)]) {
    const controller = new AbortController();
    let calls = 0;
    const { error } = await underClock(() =>
      retry(
        () => {
          calls += 1;
          throw 'from fn';
        },
        {
          signal: controller.signal,
          retryIf() {
            controller.abort('enough');
            return answer;
          },
        },
      ),
    );
    assert.equal(error, 'enough');
    assert.equal(calls, 1);
    assert.equal(listeners(controller.signal), 0);
  }
});

test('an abort inside fn, which then never settles, or inside a later attempt, ends the operation', () =>
  withClock(async (clock) => {
    for (const when of [1, 2]) {
      const controller = new AbortController();
      const promise = retry(
        ({ attempt }) => {
          if (attempt < when) throw 0;
          controller.abort('enough');
          return new Promise(() => {});
        },
        { signal: controller.signal, jitter: 'none' },
      );
      promise.catch(() => {});
      await clock.drain();
      assert.deepEqual(await settledNow(promise), { settled: true, error: 'enough' });
      assert.equal(listeners(controller.signal), 0);
    }
  }));

test('an abort inside random: no wait starts', async () => {
  const controller = new AbortController();
  let calls = 0;
  const { clock, error } = await underClock(() =>
    retry(
      () => {
        calls += 1;
        throw 0;
      },
      {
        signal: controller.signal,
        random() {
          controller.abort('enough');
          return 0.5;
        },
      },
    ),
  );
  assert.equal(error, 'enough');
  assert.equal(calls, 1);
  assert.equal(clock.armed.length, 0);
});

test('an abort inside fn wins over the value that fn returns next', async () => {
  // Whether the value still counts is a matter of order: the abort came first, and nothing comes after it.
  const controller = new AbortController();
  const { error } = await underClock(() =>
    retry(
      () => {
        controller.abort('enough');
        return 'value';
      },
      { signal: controller.signal },
    ),
  );
  assert.equal(error, 'enough');
});

test('retryIf is not called after an abort', () =>
  withClock(async () => {
    const controller = new AbortController();
    let called = 0;
    let reject;
    const promise = retry(
      () =>
        new Promise((_, no) => {
          reject = no;
        }),
      {
        signal: controller.signal,
        retryIf: () => {
          called += 1;
          return true;
        },
      },
    );
    promise.catch(() => {});
    controller.abort('enough');
    reject('late');
    assert.deepEqual(await settledNow(promise), { settled: true, error: 'enough' });
    assert.equal(called, 0);
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

test('A07 nothing runs after the settlement, however long one waits', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    let calls = 0;
    let called = 0;
    const promise = retry(
      () => {
        calls += 1;
        throw 0;
      },
      {
        signal: controller.signal,
        maxAttempts: Infinity,
        retryIf: () => {
          called += 1;
          return true;
        },
      },
    );
    promise.catch(() => {});
    await clock.advance(500);
    controller.abort('enough');
    await turn();
    const before = { calls, called, armed: clock.armed.length };
    assert.ok(before.calls > 1);
    await clock.advance(600_000);
    assert.deepEqual({ calls, called, armed: clock.armed.length }, before);
  }));

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
