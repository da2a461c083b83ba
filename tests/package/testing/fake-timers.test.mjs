// F01: fake timers of each kind drive a retry, whenever they are installed, and the real ones do again
// once they are gone. The package is imported before any of them is installed, as in a user's tests.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import FakeTimers from '@sinonjs/fake-timers';

import { turn } from '../lib/clock.mjs';
import { importPackage, runNode } from '../lib/consumer.mjs';
import { inFramework } from '../lib/frameworks.mjs';

const { retry } = await importPackage();

/** A retry that fails twice, on waits of `ms`; `state` has its progress. */
function start(ms, options = {}) {
  const state = { calls: 0, done: false, value: undefined, error: undefined };
  retry(
    ({ attempt }) => {
      state.calls += 1;
      if (attempt < 3) throw new Error('flaky');
      return attempt;
    },
    { backoff: 'fixed', jitter: 'none', baseMs: ms, ...options },
  ).then(
    (value) => Object.assign(state, { done: true, value }),
    (error) => Object.assign(state, { done: true, error }),
  );
  return state;
}

async function realTimersWorkAgain() {
  const began = performance.now();
  assert.equal(
    await retry(
      ({ attempt }) => {
        if (attempt < 2) throw 0;
        return attempt;
      },
      { backoff: 'fixed', jitter: 'none', baseMs: 15 },
    ),
    2,
  );
  const took = performance.now() - began;
  assert.ok(took >= 14, `${took} ms`);
}

/** An attempt timeout and a deadline fire in the time that `tick` moves. */
async function timeoutsFire(tick) {
  const signals = [];
  const ends = [];
  const go = (options) =>
    retry(
      ({ signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      { backoff: 'fixed', jitter: 'none', baseMs: 10, maxAttempts: 2, ...options },
    ).catch(({ message }) => ends.push(message));
  go({ attemptTimeoutMs: 5000 });
  await tick(4999);
  assert.deepEqual([signals.length, signals[0].aborted], [1, false]);
  await tick(1);
  assert.equal(signals[0].reason.name, 'TimeoutError');
  for (const ms of [10, 5000]) await tick(ms);
  assert.match(ends.join(), /^rejitter: attempt 2 timed out after 5000 ms/);
  go({ totalTimeoutMs: 60_000 });
  await tick(59_999);
  assert.equal(ends.length, 1);
  await tick(1);
  assert.match(ends[1], /^rejitter: the operation timed out after 60000 ms/);
}

// Some of these move performance.now and some do not: the package must not wait for a clock that stands.
const SINON = {
  'everything faked': {},
  'only setTimeout faked': { toFake: ['setTimeout', 'clearTimeout'] },
  'all but performance and the microtasks faked': {
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'Date'],
  },
};

// In a process of its own: what fakes process.nextTick would stop the test runner's output as well.
const sinon = (config) => `
  import assert from 'node:assert/strict';
  import { createRequire } from 'node:module';
  import { retry } from 'rejitter';
  const FakeTimers = createRequire(${JSON.stringify(import.meta.url)})('@sinonjs/fake-timers');
  ${start}
  ${realTimersWorkAgain}
  ${timeoutsFire}
  const { now } = performance;
  for (const ms of [0, 1, 2, 100, 60_000]) {
    // A clock that is not faked stands still: a busy machine may take the millisecond of a wait between two ticks.
    const stands = performance.now();
    if (${JSON.stringify('toFake' in config)}) performance.now = () => stands;
    const clock = FakeTimers.install(${JSON.stringify(config)});
    const state = start(ms, { capMs: 60_000 });
    await clock.tickAsync(0);
    if (ms > 0) {
      assert.equal(state.calls, 1);
      await clock.tickAsync(ms - 1);
      assert.equal(state.calls, 1, ms + ' ms: early');
      await clock.tickAsync(1);
      assert.equal(state.calls, 2, ms + ' ms: not after the time of the wait');
      await clock.tickAsync(ms);
    } else {
      // Fakes differ in whether a timer of 0 ms, Node's 1 ms, needs a tick of 1.
      await clock.tickAsync(1);
      await clock.tickAsync(1);
    }
    assert.deepEqual({ calls: state.calls, value: state.value }, { calls: 3, value: 3 }, ms + ' ms');
    assert.equal(clock.countTimers(), 0, ms + ' ms: a timer is left');
    clock.uninstall();
    performance.now = now;
  }
  await realTimersWorkAgain();

  const clock = FakeTimers.install(${JSON.stringify(config)});
  const controller = new AbortController();
  const state = start(60_000, { capMs: 60_000, signal: controller.signal });
  await clock.tickAsync(5);
  controller.abort('enough');
  await clock.tickAsync(0);
  assert.deepEqual({ calls: state.calls, error: state.error }, { calls: 1, error: 'enough' });
  await timeoutsFire((ms) => clock.tickAsync(ms));
  assert.equal(clock.countTimers(), 0);
  clock.uninstall();
  console.log('end');
`;

for (const [kind, config] of Object.entries(SINON)) {
  test(`F01 F03 sinon, ${kind}: the clock drives the waits and the timeouts, and an abort ends a wait`, async () => {
    const { code, stdout, stderr } = await runNode(sinon(config));
    assert.ok(code === 0 && stdout === 'end\n', stderr);
  });
}

test("F01 sinon: installed in the middle of an operation, the next wait is the fake's", async () => {
  const state = start(5);
  assert.equal(state.calls, 1);
  await turn();
  const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const deadline = performance.now() + 5000;
    // The real timer, armed before, fires; if it does so a little early, the rest of its wait is the
    // fake's already.
    while (clock.countTimers() === 0 && performance.now() < deadline) await turn();
    assert.equal(clock.countTimers(), 1);
    assert.equal(state.done, false);
    await clock.tickAsync(20);
    assert.deepEqual({ calls: state.calls, value: state.value }, { calls: 3, value: 3 });
    assert.equal(clock.countTimers(), 0);
  } finally {
    clock.uninstall();
  }
});

test('F01 F03 node:test: mock.timers drives the waits and the timeouts', async (t) => {
  const timers = t.mock.timers;
  const tick = async (ms) => {
    timers.tick(ms);
    await turn();
  };
  // Not 1 and 2 ms: the clock stays real, and whether a timer of the fake is early by less than 2 ms, as a host's
  // may be, depends on how busy the machine is.
  for (const ms of [0, 100, 60_000]) {
    timers.enable({ apis: ['setTimeout'] });
    const state = start(ms, { capMs: 60_000 });
    await turn();
    if (ms > 1) await tick(ms - 1);
    assert.equal(state.calls, 1, `${ms} ms: early`);
    await tick(1);
    assert.equal(state.calls, 2, `${ms} ms: not after the time of the wait`);
    await tick(Math.max(1, ms));
    assert.deepEqual({ calls: state.calls, value: state.value }, { calls: 3, value: 3 }, `${ms} ms`);
    timers.reset();
  }
  timers.enable({ apis: ['setTimeout'] });
  await timeoutsFire(tick);
  timers.reset();
  await realTimersWorkAgain();
});

// The same text runs in Vitest and in Jest, which differ in the name of the object with the timers.
const SUITE = (timers) => `
  const work = (options) => {
    const state = { calls: 0 };
    retryWithFixedDelay(({ attempt }) => {
      state.calls += 1;
      if (attempt < 3) throw new Error('flaky');
      return attempt;
    }, { baseMs: 60000, capMs: 60000, ...options }).then((value) => { state.value = value; }, (error) =>
      { state.error = error; });
    return state;
  };
  test('waits', async () => {
    for (const baseMs of [1, 2, 100, 60000]) {
      ${timers}.useFakeTimers();
      const state = work({ baseMs });
      await ${timers}.advanceTimersByTimeAsync(baseMs - 1);
      expect(state.calls).toBe(1);
      await ${timers}.advanceTimersByTimeAsync(1);
      expect(state.calls).toBe(2);
      await ${timers}.advanceTimersByTimeAsync(baseMs);
      expect(state).toEqual({ calls: 3, value: 3 });
      expect(${timers}.getTimerCount()).toBe(0);
      ${timers}.useRealTimers();
    }
  });
  test('runAllTimersAsync ends it', async () => {
    ${timers}.useFakeTimers();
    const state = work({});
    await ${timers}.runAllTimersAsync();
    expect(state.value).toBe(3);
    ${timers}.useRealTimers();
  });
  test('abort', async () => {
    ${timers}.useFakeTimers();
    const controller = new AbortController();
    const state = work({ signal: controller.signal });
    await ${timers}.advanceTimersByTimeAsync(5);
    controller.abort('enough');
    await ${timers}.advanceTimersByTimeAsync(0);
    expect(state).toEqual({ calls: 1, error: 'enough' });
    expect(${timers}.getTimerCount()).toBe(0);
    ${timers}.useRealTimers();
  });
  test('F03 attempt timeout', async () => {
    ${timers}.useFakeTimers();
    let calls = 0;
    let error;
    retryWithFixedDelay(() => { calls += 1; return new Promise(() => {}); }, { baseMs: 10, attemptTimeoutMs: 5000,
      maxAttempts: 2 }).catch((last) => { error = last; });
    await ${timers}.advanceTimersByTimeAsync(4999);
    expect(calls).toBe(1);
    await ${timers}.advanceTimersByTimeAsync(11);
    expect(calls).toBe(2);
    await ${timers}.advanceTimersByTimeAsync(5000);
    expect(error.name).toBe('TimeoutError');
    expect(${timers}.getTimerCount()).toBe(0);
    ${timers}.useRealTimers();
  });
  test('real timers afterwards', async () => {
    const began = performance.now();
    await retryWithFixedDelay(({ attempt }) => { if (attempt < 2) throw 0; }, { baseMs: 15 });
    expect(performance.now() - began).toBeGreaterThanOrEqual(14);
  });
  test('invalid options differ by the class of their error', async () => {
    await expect(retryWithFixedDelay(() => 1, { baseMs: -1 })).rejects.toThrow(RangeError);
  });
  if (process.env.MUST_FAIL) test('control', () => { expect(retryWithFixedDelay).toBe(undefined); });
`;

for (const [framework, timers, load] of [
  ['Vitest', 'vi', "import { retryWithFixedDelay } from 'rejitter';"],
  ['Jest', 'jest', "const { retryWithFixedDelay } = require('rejitter');"],
]) {
  test(`F01 F03 ${framework}: its fake timers drive the waits and the timeouts`, async () => {
    const text = `${load}\n${SUITE(timers)}`;
    const { passes, output } = await inFramework(framework, text, 6);
    assert.ok(passes, output);
    // The control: a failing test in the same file is seen.
    assert.equal((await inFramework(framework, text, 6, { MUST_FAIL: '1' })).passes, false);
  });
}
