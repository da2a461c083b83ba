// retrySync: the same operation as retry, but blocking. Operations at random are in ../schedules.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { fails } from '../lib/callbacks.mjs';
import { importPackage, printed } from '../lib/consumer.mjs';
import { caught } from '../lib/readers.mjs';

const { retryReport, retrySync } = await importPackage();

const failing = fails(new Error('always'));
test('really blocks for the waits, in Node and in a worker of it', async () => {
  const source = `
    import { retrySync } from 'rejitter';
    import { isMainThread, parentPort, Worker } from 'node:worker_threads';
    const go = () => {
      let fired = false;
      setTimeout(() => { fired = true; }, 0);
      const began = performance.now();
      const value = retrySync(({ attempt }) => { if (attempt < 3) throw attempt; return attempt; },
        { baseMs: 30, backoff: 'fixed', jitter: 'none' });
      return [value, performance.now() - began, fired];
    };
    if (isMainThread) {
      console.log(JSON.stringify(go()));
      new Worker(new URL(import.meta.url)).on('message', (message) => console.log(message));
    } else parentPort.postMessage(JSON.stringify(go()));
  `;
  const stdout = await printed(source, { flags: ['--unhandled-rejections=strict'] });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 2);
  for (const [value, ms, fired] of lines) {
    assert.equal(value, 3);
    // Two waits of 30 ms, each at most a rounding of the clock too short.
    assert.ok(ms >= 59 && ms < 5000, `${ms} ms`);
    assert.equal(fired, false, 'a timer ran during the wait');
  }
});

test('a wait that ends up to a millisecond early is made up for; a clock that stands still does not hang', () => {
  const early = underBlockingClock(() => retrySync(failing, { maxAttempts: 2, baseMs: 40, jitter: 'none' }), {
    wake: (ms) => (ms > 1 ? ms - 0.75 : ms),
  });
  assert.deepEqual(early.clock.waits, [40, 0.75]);
  const once = underBlockingClock(() => retrySync(failing, { maxAttempts: 2, baseMs: 0.4, jitter: 'none' }), {
    wake: () => 0,
  });
  assert.deepEqual(once.clock.waits, [1]);
  const still = underBlockingClock(() => retrySync(failing, { maxAttempts: 3, jitter: 'none' }), { wake: () => 0 });
  assert.deepEqual(still.clock.waits, [100, 200]);
});

test('a promise as the result or a verdict, or an invalid verdict, is an error; nothing is unhandled', async () => {
  const lost = async () => failing();
  const verdict = 'true, false, { afterMs } between 0 and 2^53 - 1';
  for (const [fn, options, kind, text] of [
    [lost, {}, TypeError, 'the callback must not return a promise'],
    [() => ({ then() {} }), {}, TypeError, 'the callback must not return a promise'],
    [failing, { retryIf: lost }, TypeError, 'retryIf must not return a promise'],
    [() => 1, { retryOnResult: lost }, TypeError, 'retryOnResult must not return a promise'],
    [failing, { beforeRetry: lost, baseMs: 0 }, TypeError, 'beforeRetry must not return a promise'],
    [failing, { retryIf: () => 'yes' }, TypeError, `retryIf must return ${verdict}, got "yes"`],
    [failing, { retryIf: () => ({ afterMs: -1 }) }, RangeError, `retryIf must return ${verdict}, got { afterMs: -1 }`],
  ]) {
    const { error, clock } = underBlockingClock(() => retrySync(fn, options));
    assert.ok(error instanceof kind, String(error));
    const remedy = /promise$/.test(text) ? ', because retrySync cannot await it. Use retry instead' : '';
    assert.equal(error.message, `rejitter: ${text}${remedy}`);
    const { reason, attempts, records } = retryReport(error);
    assert.deepEqual([reason, attempts, records.length, clock.waits], ['callback', 1, 1, []]);
  }
  await printed(
    `import { retrySync } from 'rejitter';
     const lost = async () => { throw new Error('lost'); };
     const fails = () => { throw 1; };
     for (const [fn, options] of [[lost], [fails, { retryIf: lost }], [fails, { beforeRetry: lost, baseMs: 0 }]])
       try { retrySync(fn, options); } catch {}`,
    { flags: ['--unhandled-rejections=strict'] },
  );
});

test('an aborted signal is seen after whatever may have aborted it', () => {
  const reason = { why: 'enough' };
  const { error: early } = underBlockingClock(() => retrySync(assert.fail, { signal: AbortSignal.abort(reason) }));
  assert.equal(early, reason);
  assert.equal(retryReport(reason), undefined);
  // From outside only shared memory can reach a blocked thread: a signal whose `aborted` looks there.
  const flag = { aborted: false, addEventListener() {}, removeEventListener() {}, reason };
  const wake = (ms) => {
    flag.aborted = ms >= 800;
    return ms;
  };
  const options = { signal: flag, jitter: 'none', maxAttempts: Infinity };
  const { error, clock } = underBlockingClock(() => retrySync(failing, options), { wake });
  assert.equal(error, reason);
  assert.deepEqual(clock.waits, [100, 200, 400, 800]);
  // The operation's abort reaches the signal that an attempt passed on.
  const controller = new AbortController();
  let given;
  const aborting = ({ signal }) => {
    given = signal;
    controller.abort(reason);
  };
  assert.equal(
    caught(() => retrySync(aborting, { signal: controller.signal })),
    reason,
  );
  assert.ok(given.aborted && given.reason === reason);
});

test('where blocking is impossible, the error says so before the first attempt', async () => {
  const stdout = await printed(`
    import { retrySync } from 'rejitter';
    let calls = 0;
    const tell = () => {
      try { retrySync(() => { calls += 1; }); return 'ran'; } catch (error) { return [error.name, error.message,
        error.cause?.message]; }
    };
    const { SharedArrayBuffer } = globalThis;
    const { wait } = Atomics;
    delete globalThis.SharedArrayBuffer;
    const without = tell();
    globalThis.SharedArrayBuffer = SharedArrayBuffer;
    Atomics.wait = () => { throw new TypeError('cannot be called in this context'); };
    const forbidden = tell();
    Atomics.wait = wait;
    console.log(JSON.stringify({ without, forbidden, calls, after: tell() }));
  `);
  const { without, forbidden, calls, after } = JSON.parse(stdout);
  assert.match(without[1], /^rejitter: .*SharedArrayBuffer.*cross-origin isolated.*Use retry instead, or a worker$/);
  assert.match(forbidden[1], /^rejitter: .*cannot block this thread.*Use retry instead, or a worker$/);
  assert.equal(forbidden[2], 'cannot be called in this context');
  assert.equal(calls, 0);
  assert.equal(after, 'ran', 'an earlier rejection is not kept');
});
