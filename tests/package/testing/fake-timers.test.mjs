// F01 F03: fake timers of each kind drive the waits and the timeouts of a retry, whenever they are installed, and the
// real ones do again once they are gone. The package is imported before any of them, as in a user's tests.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import FakeTimers from '@sinonjs/fake-timers';

import { turn } from '../lib/clock.mjs';
import { importPackage, printed } from '../lib/consumer.mjs';
import { inFramework } from '../lib/frameworks.mjs';

const { retry } = await importPackage();

/** A retry that fails twice, on waits of `ms`; the result has its progress. */
function start(retry, ms, options) {
  const state = { calls: 0 };
  const flaky = ({ attempt }) => {
    state.calls += 1;
    if (attempt < 3) throw new Error('flaky');
    return attempt;
  };
  retry(flaky, { backoff: 'fixed', jitter: 'none', baseMs: ms, capMs: 60_000, ...options }).then(
    (value) => Object.assign(state, { value }),
    (error) => Object.assign(state, { error }),
  );
  return state;
}

/** The tests of all frameworks, which differ in `timers`: they install, move, count and remove the fake ones. */
const SUITE = `
${start}
const done = { calls: 3, value: 3 };
test('waits', async () => {
  for (const ms of [0, 1, 2, 100, 60_000]) {
    timers.install();
    const state = start(retry, ms);
    await timers.tick(0);
    // Fakes differ in whether a timer of 0 ms, Node's 1 ms, needs a tick of 1.
    if (ms === 0) await timers.tick(1);
    else {
      assert.equal(state.calls, 1);
      await timers.tick(ms - 1);
      assert.equal(state.calls, 1, ms + ' ms: early');
      await timers.tick(1);
      assert.equal(state.calls, 2, ms + ' ms: not after the time of the wait');
    }
    await timers.tick(Math.max(1, ms));
    assert.deepEqual(state, done, ms + ' ms');
    assert.equal(timers.left(), 0, ms + ' ms: a timer is left');
    timers.remove();
  }
});
test('all timers, one after the other', async () => {
  timers.install();
  const state = start(retry, 60_000);
  await timers.all();
  assert.deepEqual(state, done);
  timers.remove();
});
test('an abort in a wait', async () => {
  timers.install();
  const controller = new AbortController();
  const state = start(retry, 60_000, { signal: controller.signal });
  await timers.tick(5);
  controller.abort('enough');
  await timers.tick(0);
  assert.deepEqual(state, { calls: 1, error: 'enough' });
  assert.equal(timers.left(), 0);
  timers.remove();
});
test('an attempt timeout and a deadline', async () => {
  timers.install();
  const signals = [];
  const ends = [];
  const hang = ({ signal }) => { signals.push(signal); return new Promise(() => {}); };
  const go = (options) => retry(hang, { backoff: 'fixed', jitter: 'none', baseMs: 10, maxAttempts: 2, ...options })
    .catch(({ message }) => ends.push(message));
  go({ attemptTimeoutMs: 5000 });
  await timers.tick(4999);
  assert.deepEqual([signals.length, signals[0].aborted], [1, false]);
  await timers.tick(1);
  assert.equal(signals[0].reason.name, 'TimeoutError');
  for (const ms of [10, 5000]) await timers.tick(ms);
  assert.match(ends.join(), /^rejitter: attempt 2 timed out after 5000 ms/);
  go({ totalTimeoutMs: 60_000 });
  await timers.tick(59_999);
  assert.equal(ends.length, 1);
  await timers.tick(1);
  assert.match(ends[1], /^rejitter: the operation timed out after 60000 ms/);
  assert.equal(timers.left(), 0);
  timers.remove();
});
test('real timers afterwards', async () => {
  const began = performance.now();
  const state = start(retry, 15, { maxAttempts: 2 });
  while (state.error === undefined) await new Promise((go) => setImmediate(go));
  assert.ok(performance.now() - began >= 14);
});
test('invalid options differ by the class of their error', async () => {
  await assert.rejects(retry(() => 1, { baseMs: -1 }), RangeError);
});
if (process.env.MUST_FAIL) test('control', () => assert.fail());
`;

for (const [framework, object, load] of [
  ['Vitest', 'vi', "import assert from 'node:assert/strict'; import { retry } from 'rejitter';"],
  ['Jest', 'jest', "const assert = require('node:assert/strict'); const { retry } = require('rejitter');"],
]) {
  const timers = `const timers = { install: () => ${object}.useFakeTimers(), left: () => ${object}.getTimerCount(),
    tick: (ms) => ${object}.advanceTimersByTimeAsync(ms), all: () => ${object}.runAllTimersAsync(),
    remove: () => ${object}.useRealTimers() };`;
  test(`F01 F03 ${framework}: its fake timers drive the waits and the timeouts`, async () => {
    const text = `${load}\n${timers}\n${SUITE}`;
    const { passes, output } = await inFramework(framework, text, 6);
    assert.ok(passes, output);
    // The control: a failing test in the same file is seen.
    assert.equal((await inFramework(framework, text, 6, { MUST_FAIL: '1' })).passes, false);
  });
}

const sinon = (config) => `
  import { createRequire } from 'node:module';
  const FakeTimers = createRequire(${JSON.stringify(import.meta.url)})('@sinonjs/fake-timers');
  let clock;
  const fake = { install: () => (clock = FakeTimers.install(${JSON.stringify(config)})), left: () => clock.countTimers(),
    tick: (ms) => clock.tickAsync(ms), all: () => clock.runAllAsync(), remove: () => clock.uninstall() };
`;
/** Some of these move performance.now and some do not: the package must not wait for a clock that stands. */
const SCRIPTS = {
  'sinon, everything faked': sinon({}),
  'sinon, only setTimeout faked': sinon({ toFake: ['setTimeout', 'clearTimeout'] }),
  'sinon, all but performance and the microtasks faked': sinon({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'Date'],
  }),
  'node:test': `
    import { mock } from 'node:test';
    const turn = () => new Promise((go) => setImmediate(go));
    const tick = async (ms) => { if (ms > 0) mock.timers.tick(ms); await turn(); };
    const fake = { install: () => mock.timers.enable({ apis: ['setTimeout'] }), left: () => 0, tick,
      all: async () => { for (let i = 0; i < 2; i += 1) { mock.timers.runAll(); await turn(); } },
      remove: () => mock.timers.reset() };`,
};

for (const [kind, code] of Object.entries(SCRIPTS)) {
  // In a process of its own: what fakes process.nextTick would stop the test runner's output as well.
  test(`F01 F03 ${kind}: the clock drives the waits and the timeouts, and an abort ends a wait`, async () => {
    const program = `
      import assert from 'node:assert/strict';
      import { retry } from 'rejitter';
      ${code}
      // A clock that is not faked stands still: a busy machine may take the millisecond of a wait between two ticks.
      const { now } = performance;
      const timers = { ...fake, install() { const stands = now.call(performance); performance.now = () => stands;
        fake.install(); }, remove() { fake.remove(); performance.now = now; } };
      const tests = [];
      const test = (name, body) => tests.push(body);
      ${SUITE}
      for (const body of tests) await body();
      console.log('end');`;
    // That of node:test warns that it is experimental.
    const stdout = await printed(program, { flags: ['--disable-warning=ExperimentalWarning'] });
    assert.equal(stdout, 'end\n');
  });
}

test("F01 sinon: installed in the middle of an operation, the next wait is the fake's", async () => {
  const state = start(retry, 5);
  assert.equal(state.calls, 1);
  await turn();
  const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const deadline = performance.now() + 5000;
    // The real timer, armed before, fires; if it does so a little early, the rest of its wait is the
    // fake's already.
    while (clock.countTimers() === 0 && performance.now() < deadline) await turn();
    assert.equal(clock.countTimers(), 1);
    await clock.tickAsync(20);
    assert.deepEqual(state, { calls: 3, value: 3 });
    assert.equal(clock.countTimers(), 0);
  } finally {
    clock.uninstall();
  }
});
