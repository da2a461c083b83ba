// The waits as the host sees them: the arguments of setTimeout, and their time.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { VirtualClock, turn, underClock } from '../lib/clock.mjs';
import { importPackage, runNode } from '../lib/consumer.mjs';
import { COMBINATIONS } from '../lib/shortcuts.mjs';

const { retry, RetryPolicy } = await importPackage();
const failing = () => {
  throw 0;
};
const LIMIT = 2 ** 31 - 1;

const assertArmable = (delays, label) => {
  for (const ms of delays) assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= LIMIT, `${label}: setTimeout(${ms})`);
};

test('T01 the host prints no TimeoutOverflowWarning', async () => {
  const { code, stdout, stderr } = await runNode(`
    import { retry } from 'rejitter';
    const c = new AbortController();
    setTimeout(() => c.abort('enough'), 20);
    let calls = 0;
    await retry(() => { calls += 1; throw 0; }, { baseMs: 2 ** 31, capMs: Infinity, jitter: 'none',
      signal: c.signal }).catch(() => {});
    console.log(calls);
  `);
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '1\n', stderr: '' });
});

for (const ms of [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 0.5, 3 * 2 ** 31 + 7]) {
  test(`a wait of ${ms} ms lasts as long, in pieces that a timer can hold`, async () => {
    const starts = [];
    const { clock } = await underClock((clock) =>
      retry(
        () => {
          starts.push(clock.now);
          throw 0;
        },
        { backoff: 'fixed', jitter: 'none', baseMs: ms, capMs: Infinity, maxAttempts: 2 },
      ),
    );
    assertArmable(clock.delays, String(ms));
    assert.equal(starts[1] - starts[0], Math.ceil(ms));
  });
}

for (const options of COMBINATIONS) {
  const label = `${options.backoff ?? 'its own curve'}, jitter ${options.jitter}`;
  test(`T03 T05 5,000 failing attempts (${label}): finite waits within the cap, as in the policy's list`, async () => {
    const policy = { ...options, capMs: 9000, minMs: 5, maxAttempts: 5000, seed: 'T03' };
    const { clock } = await underClock(() => retry(failing, policy));
    assert.equal(clock.armed.length, 4999);
    assertArmable(clock.delays, label);
    for (const ms of clock.delays) assert.ok(ms >= 5 && ms <= 9000, `${ms}`);
    assert.deepEqual(clock.delays, [...new RetryPolicy(policy).delays()].map(Math.ceil));
    // Attempt 5,000 has the bounds of attempt 50: the late waits are as spread as the earlier ones.
    if (options.jitter !== 'none' && options.backoff !== 'fixed') {
      const [early, late] = [clock.delays.slice(50, 1050), clock.delays.slice(-1000)];
      const mean = (list) => list.reduce((a, b) => a + b) / list.length;
      assert.ok(Math.abs(mean(early) - mean(late)) < 1000, `${mean(early)} against ${mean(late)}`);
    }
  });
}

test('T07 enormous factors and bases stay within the cap', () => {
  for (const options of [
    { factor: 1e308, baseMs: 1000, capMs: 1000 },
    { factor: 1e308, baseMs: 1e-300, capMs: 1000 },
    { factor: Number.MAX_VALUE, baseMs: 1, capMs: Infinity },
    { factor: 1e308, baseMs: 0, capMs: Infinity },
    { backoff: 'linear', stepMs: 2 ** 53 - 1, capMs: 1000 },
    { backoff: 'linear', stepMs: 2 ** 53 - 1, capMs: Infinity },
  ]) {
    for (const jitter of ['none', 'full', 'equal']) {
      const cap = options.capMs === Infinity ? 2 ** 53 - 1 : options.capMs;
      const list = [
        ...new RetryPolicy({ backoff: 'exponential', ...options, jitter, maxAttempts: 3000, seed: 7 }).delays(),
      ];
      assert.equal(list.length, 2999);
      for (const [i, wait] of list.entries()) {
        assert.ok(
          Number.isFinite(wait) && wait >= 0 && wait <= cap,
          `${JSON.stringify(options)} ${jitter}: wait ${i + 1} is ${wait}`,
        );
        if (options.baseMs === 0) assert.equal(wait, 0, '0 times infinity is 0');
      }
    }
  }
});

test('M03 maxAttempts Infinity works: 20,000 failures, then a value', async () => {
  let calls = 0;
  const { value } = await underClock(() =>
    retry(
      () => {
        calls += 1;
        if (calls <= 20_000) throw 0;
        return 'value';
      },
      { maxAttempts: Infinity, baseMs: 0 },
    ),
  );
  assert.equal(value, 'value');
  assert.equal(calls, 20_001);
});

test('M07 zero waits let the event loop turn: an abort by a real timer gets through', async () => {
  const { code, stdout, stderr } = await runNode(`
    import { retry } from 'rejitter';
    const c = new AbortController();
    let calls = 0, ticks = 0;
    const ticker = setInterval(() => { ticks += 1; if (ticks === 3) c.abort('enough'); }, 1);
    const error = await retry(() => { calls += 1; if (calls > 1e6) process.exit(9); throw 0; },
      { baseMs: 0, maxAttempts: Infinity, signal: c.signal }).catch((e) => e);
    clearInterval(ticker);
    console.log(error, ticks);
  `);
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'enough 3\n', stderr: '' });
});

test('timers and the clock are looked up at each use, not kept from the import', async () => {
  let calls = 0;
  const work = () =>
    retry(
      () => {
        calls += 1;
        if (calls % 3) throw 0;
        return calls;
      },
      { jitter: 'none' },
    );
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
  const { code, stdout, stderr } = await runNode(`
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
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '3 enough\n', stderr: '' });
});
