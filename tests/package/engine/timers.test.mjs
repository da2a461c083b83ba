// The waits as the host sees them: the arguments of setTimeout, and their time.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import FakeTimers from '@sinonjs/fake-timers';

import { fails } from '../lib/callbacks.mjs';
import { VirtualClock, turn, underClock } from '../lib/clock.mjs';
import { importPackage, printed } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';
import { COMBINATIONS } from '../lib/shortcuts.mjs';

const { RetryPolicy, TimeoutError, retry, retryReport } = await importPackage();
const failing = fails(0);
const hangs = () => new Promise(() => {});
const LIMIT = 2 ** 31 - 1;

const assertArmable = (delays, label) => {
  for (const ms of delays) assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= LIMIT, `${label}: setTimeout(${ms})`);
};

test('T01 a wait that is longer than a timer can be lasts as long, in pieces', async () => {
  for (const ms of [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 0.5, 3 * 2 ** 31 + 7]) {
    const starts = [];
    const fn = (_, clock) => {
      starts.push(clock.now);
      throw 0;
    };
    const { delays } = await operate(fn, { baseMs: ms, jitter: 'none', capMs: Infinity, maxAttempts: 2 });
    assertArmable(delays, String(ms));
    assert.equal(starts[1] - starts[0], Math.ceil(ms));
  }
});

test('L01 long attemptTimeoutMs and totalTimeoutMs wait where AbortSignal.timeout fires at once', async () => {
  for (const ms of [2 ** 31, 2 ** 32 - 1, 2 ** 40])
    for (const option of ['attemptTimeoutMs', 'totalTimeoutMs']) {
      const clock = new VirtualClock().install();
      try {
        let outcome = 'pending';
        retry(hangs, { [option]: ms, maxAttempts: 1 }).catch((error) => {
          outcome = error;
        });
        await clock.advance(ms - 2);
        assert.equal(outcome, 'pending', option);
        await clock.advance(4);
        assert.ok(outcome instanceof TimeoutError, option);
        assertArmable(clock.delays, option);
      } finally {
        clock.uninstall();
      }
    }
});

for (const options of COMBINATIONS) {
  const label = `${options.backoff ?? 'its own curve'}, jitter ${options.jitter}`;
  test(`T03 T05 5,000 failing attempts (${label}): finite waits within the cap, as in the policy's list`, async () => {
    const policy = { ...options, capMs: 9000, minMs: 5, maxAttempts: 5000, seed: 'T03' };
    const { delays } = await operate(failing, policy);
    assert.equal(delays.length, 4999);
    assertArmable(delays, label);
    for (const ms of delays) assert.ok(ms >= 5 && ms <= 9000, `${ms}`);
    assert.deepEqual(delays, [...new RetryPolicy(policy).delays()].map(Math.ceil));
    // Attempt 5,000 has the bounds of attempt 50: the late waits are as spread as the earlier ones.
    if (options.jitter !== 'none' && options.backoff !== 'fixed') {
      const [early, late] = [delays.slice(50, 1050), delays.slice(-1000)];
      const mean = (list) => list.reduce((a, b) => a + b) / list.length;
      assert.ok(Math.abs(mean(early) - mean(late)) < 1000, `${mean(early)} against ${mean(late)}`);
    }
  });
}

test('M03 maxAttempts Infinity works: 20,000 failures, then a value', async () => {
  const fn = ({ attempt }) => (attempt <= 20_000 ? failing() : 'value');
  const { value, calls } = await operate(fn, { maxAttempts: Infinity, baseMs: 0 });
  assert.deepEqual([value, calls], ['value', 20_001]);
});

test('M07 zero waits let the event loop turn: an abort by a real timer gets through', async () => {
  const stdout = await printed(`
    import { retry } from 'rejitter';
    const c = new AbortController();
    let calls = 0, ticks = 0;
    const ticker = setInterval(() => { ticks += 1; if (ticks === 3) c.abort('enough'); }, 1);
    const error = await retry(() => { calls += 1; if (calls > 1e6) process.exit(9); throw 0; },
      { baseMs: 0, maxAttempts: Infinity, signal: c.signal }).catch((e) => e);
    clearInterval(ticker);
    console.log(error, ticks);
  `);
  assert.equal(stdout, 'enough 3\n');
});

test('timers and the clock are looked up at each use, not kept from the import', async () => {
  let calls = 0;
  const fn = () => {
    calls += 1;
    return calls % 3 ? failing() : calls;
  };
  const work = () => retry(fn, { jitter: 'none' });
  const first = await underClock(work);
  const second = await underClock(work);
  assert.deepEqual(first.clock.delays, [100, 200]);
  assert.deepEqual(second.clock.delays, [100, 200]);
  // In the middle of one operation as well: the second wait goes to the clock of that moment.
  const one = new VirtualClock().install();
  let two;
  try {
    const promise = work();
    await turn();
    assert.deepEqual(one.delays, [100]);
    two = new VirtualClock({ start: one.now });
    const waiting = one.next();
    one.uninstall();
    two.install();
    two.now += 100;
    waiting.callback();
    await turn();
    assert.deepEqual(one.delays, [100]);
    assert.deepEqual(two.delays, [200]);
    await two.drain();
    assert.equal(await promise, 9);
  } finally {
    if (two?.saved) two.uninstall();
    if (one.saved) one.uninstall();
  }
});

test('setTimeout is called as a global function, which browsers insist on', async () => {
  const stdout = await printed(`
    import { retry } from 'rejitter';
    for (const name of ['setTimeout', 'clearTimeout']) {
      const real = globalThis[name];
      // A module is strict code: called as a method of something else, \`this\` is that something.
      globalThis[name] = function (...args) {
        if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation');
        return real(...args);
      };
    }
    const c = new AbortController();
    const value = await retry(({ attempt }) => { if (attempt < 3) throw 0; return attempt; }, { baseMs: 1 });
    const p = retry(() => { throw 0; }, { baseMs: 60000, capMs: 60000, jitter: 'none', signal: c.signal }).catch((e) =>
      e);
    setTimeout(() => c.abort('enough'), 5);
    console.log(value, await p);
  `);
  assert.equal(stdout, '3 enough\n');
});

for (const [name, fakes] of Object.entries({
  sinon: () => {
    const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    return { tick: (ms) => clock.tickAsync(ms), end: () => clock.uninstall(), left: () => clock.countTimers() };
  },
  'sinon, without performance.now': () => {
    const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout'] });
    return { tick: (ms) => clock.tickAsync(ms), end: () => clock.uninstall(), left: () => clock.countTimers() };
  },
  'node:test': () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    return {
      tick: async (ms) => {
        mock.timers.tick(ms);
        await turn();
      },
      end: () => mock.timers.reset(),
      left: () => 0,
    };
  },
})) {
  test(`F03 attempt timeout and deadline fire in the time of ${name}`, async () => {
    const fake = fakes();
    try {
      const signals = [];
      let ended;
      const end = (error) => {
        ended = error;
      };
      const fn = ({ signal }) => {
        signals.push(signal);
        return hangs();
      };
      const options = { backoff: 'fixed', jitter: 'none', baseMs: 10, maxAttempts: 3 };
      retry(fn, { ...options, attemptTimeoutMs: 5000 }).catch(end);
      await fake.tick(4999);
      assert.deepEqual([signals.length, signals[0].aborted], [1, false]);
      await fake.tick(1);
      assert.ok(signals[0].aborted && signals[0].reason instanceof TimeoutError);
      for (const ms of [10, 5000, 10, 5000]) await fake.tick(ms);
      assert.equal(signals.length, 3);
      assert.ok(ended instanceof TimeoutError);
      assert.equal(retryReport(ended).reason, 'exhausted');

      ended = undefined;
      retry(hangs, { totalTimeoutMs: 60_000 }).catch(end);
      await fake.tick(59_999);
      assert.equal(ended, undefined);
      await fake.tick(1);
      assert.equal(retryReport(ended).reason, 'timeout');
      assert.equal(fake.left(), 0);
    } finally {
      fake.end();
    }
  });
}
