// A million operations on one signal that is never aborted leave nothing behind: no listener, no timer, no
// heap. Successes and failures, with and without timeouts; the timers are immediate, so it takes seconds.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { printed, runNode } from '../lib/consumer.mjs';

const IMMEDIATE = `
  import { getEventListeners } from 'node:events';
  // Timers that fire at once, and sometimes in a later turn of the loop; cleared ones never.
  const live = new Map();
  let count = 0;
  globalThis.setTimeout = (callback, ms) => {
    const id = ++count;
    live.set(id, callback);
    const fire = () => { if (live.delete(id)) callback(); };
    // Long timers are deadlines and timeouts: here nothing takes long enough for them.
    if (ms < 1000) (id % 64 === 0 ? setImmediate : queueMicrotask)(fire);
    return id;
  };
  globalThis.clearTimeout = (id) => { live.delete(id); };
  const memories = [];
  const { Memory, Instance } = WebAssembly;
  WebAssembly.Memory = class extends Memory { constructor(...args) { super(...args); memories.push(this); } };
  WebAssembly.Instance = class extends Instance { constructor(...args) { super(...args);
    for (const each of Object.values(this.exports)) if (each instanceof Memory) memories.push(each); } };
  const wasm = () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
  const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
`;

const KINDS = {
  'first-attempt successes': `policy.run(() => i)`,
  'successes at the second attempt': `policy.run(({ attempt }) => { if (attempt < 2) throw i; return i; })`,
  failures: `policy.run(() => { throw i; }).catch(() => {})`,
  'one-shot functions': `retry(({ attempt }) => { if (attempt < 2) throw i; return i; },
    { baseMs: 0, signal, totalTimeoutMs: 1e6 })`,
  'runs with another signal': `policy.run(({ signal }) => signal.aborted, { signal: new AbortController().signal })`,
};

test('A01 A03 1,000,000 operations on one signal: no listener, no timer, flat heap, no more wasm memory', async () => {
  const { code, stdout, stderr } = await runNode(
    `
    ${IMMEDIATE}
    const { RetryPolicy, retry } = await import('rejitter');
    const controller = new AbortController();
    const { signal } = controller;
    const policy = new RetryPolicy({ baseMs: 0, maxAttempts: 3, signal, attemptTimeoutMs: 1e5, totalTimeoutMs: 1e6,
      onRetry() {}, metrics: true });
    const shares = { ${Object.entries(KINDS)
      .map(([name, call]) => `'${name}': (i) => ${call}`)
      .join(', ')} };
    const kinds = Object.values(shares);
    let most = 0;
    const round = async (n) => {
      // Many at a time: from eleven listeners on Node warns.
      for (let i = 0; i < n; i += 20) {
        const batch = [];
        for (let j = 0; j < 20; j += 1) batch.push(kinds[(i + j) % kinds.length](i + j));
        if (i % 4000 === 0) most = Math.max(most, getEventListeners(signal, 'abort').length);
        await Promise.all(batch);
      }
    };
    await round(50_000);
    const before = { heap: heap(), wasm: wasm() };
    await round(1_000_000);
    console.log(JSON.stringify({
      listeners: getEventListeners(signal, 'abort').length, timers: live.size, most,
      heap: heap() - before.heap, wasm: wasm() - before.wasm, inFlight: policy.metrics().inFlight,
    }));
  `,
    { flags: ['--expose-gc', '--stack-trace-limit=0'] },
  );
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '', 'no MaxListenersExceededWarning either');
  const { heap, most, ...left } = JSON.parse(stdout);
  assert.deepEqual(left, { listeners: 0, timers: 0, wasm: 0, inFlight: 0 });
  assert.equal(most, 1, 'listeners of 20 operations');
  assert.ok(heap < 400_000, `${heap} bytes more after a million operations`);
});

for (const [name, pending, most] of [
  ['each on a promise of its own', 'new Promise(() => {})', 10],
  // Their handlers stay on it, with what these hold.
  ['all on one promise that stays pending', 'never', 400],
])
  test(`12,000 attempts that time out, ${name}: at most ${most} B each, and an error that can be cloned`, async () => {
    const stdout = await printed(
      `
      ${IMMEDIATE}
      const { retry } = await import('rejitter');
      const never = new Promise(() => {});
      let before, after;
      const error = await retry(({ attempt }) => {
        if (attempt === 2000) before = heap();
        if (attempt === 12_000) after = heap();
        return ${pending};
      }, { baseMs: 0, maxAttempts: 12_000, attemptTimeoutMs: 1 }).catch((error) => error);
      console.log(JSON.stringify([(after - before) / 10_000, structuredClone(error).message, 'cause' in error]));
      `,
      { flags: ['--expose-gc'] },
    );
    const [bytes, ...rest] = JSON.parse(stdout);
    assert.deepEqual(rest, ['rejitter: attempt 12000 timed out after 1 ms (attemptTimeoutMs)', false]);
    assert.ok(bytes <= most, `${bytes} B for each attempt`);
  });

test('M05 100,000 policies, used and dropped: the heap returns to where it was', async () => {
  const stdout = await printed(
    `
    ${IMMEDIATE}
    const { RetryPolicy } = await import('rejitter');
    const round = async (n) => {
      for (let i = 0; i < n; i += 1) {
        const policy = new RetryPolicy({ baseMs: 0, maxAttempts: 2, metrics: true, totalTimeoutMs: 1000 });
        await policy.run(() => i);
        policy.delays().next();
        if (i % 1000 === 0) await policy.run(({ attempt }) => { if (attempt < 2) throw 0; });
      }
    };
    await round(2000);
    const before = heap();
    await round(100_000);
    console.log(heap() - before);
  `,
    { flags: ['--expose-gc'] },
  );
  assert.ok(Number(stdout) < 500_000, `${stdout.trim()} bytes`);
});

test('the heap check sees a leak of 10 bytes per operation', async () => {
  const { code, stdout } = await runNode(
    `
    ${IMMEDIATE}
    const { retry } = await import('rejitter');
    const kept = [];
    const before = heap();
    for (let i = 0; i < 100_000; i += 1) { await retry(() => i); kept.push(i + 0.5); }
    console.log(heap() - before, kept.length, getEventListeners(new AbortController().signal, 'abort').length);
  `,
    { flags: ['--expose-gc'] },
  );
  assert.equal(code, 0);
  assert.ok(Number(stdout.split(' ')[0]) > 400_000, stdout);
});
