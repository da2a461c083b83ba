// Operations leave nothing behind: no listener, no timer, no heap. Their timers are immediate, so it takes seconds;
// `cargo xtask proofs soak` plays ten million.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { printed } from '../lib/consumer.mjs';

const PRELUDE = `
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
  const { instantiate, Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory { constructor(...args) { super(...args); memories.push(this); } };
  WebAssembly.instantiate = async (bytes) => {
    const made = await instantiate(bytes);
    for (const each of Object.values(made.instance.exports)) if (each instanceof Memory) memories.push(each);
    return made;
  };
  const wasm = () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
  const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
  const second = ({ attempt }) => { if (attempt < 2) throw attempt; };
  const { RetryPolicy, retry, retryReport } = await import('rejitter');
  const print = (found) => console.log(JSON.stringify(found));
  const end = (promise) => promise.catch((error) => error);
  let before, after;
  const grown = (attempt, from, to) => {
    if (attempt === from) before = heap();
    if (attempt === to) after = heap();
  };
`;

/** Returns the JSON that a program prints. Nothing may be on stderr: no MaxListenersExceededWarning either. */
const measured = async (program) =>
  JSON.parse(await printed(PRELUDE + program, { flags: ['--expose-gc', '--stack-trace-limit=0'] }));

test('A01 A03 300,000 operations on one signal: no listener, no timer, flat heap, no more wasm memory', async () => {
  const { heap, most, ...left } = await measured(`
    const { signal } = new AbortController();
    const policy = new RetryPolicy({ baseMs: 0, maxAttempts: 3, signal, attemptTimeoutMs: 1e5, totalTimeoutMs: 1e6,
      onRetry() {}, metrics: true });
    const kinds = [
      (i) => policy.run(() => i),
      () => policy.run(second),
      (i) => policy.run(() => { throw i; }).catch(() => {}),
      () => retry(second, { baseMs: 0, signal, totalTimeoutMs: 1e6 }),
      () => policy.run(({ signal }) => signal.aborted, { signal: new AbortController().signal }),
    ];
    let most = 0;
    const round = async (n) => {
      // Many at a time: from eleven listeners on Node warns.
      for (let i = 0; i < n; i += 20) {
        const batch = Array.from({ length: 20 }, (_, j) => kinds[(i + j) % kinds.length](i + j));
        if (i % 4000 === 0) most = Math.max(most, getEventListeners(signal, 'abort').length);
        await Promise.all(batch);
      }
    };
    await round(50_000);
    before = { heap: heap(), wasm: wasm() };
    await round(300_000);
    print({ listeners: getEventListeners(signal, 'abort').length, timers: live.size, most,
      heap: heap() - before.heap, wasm: wasm() - before.wasm, inFlight: policy.metrics().inFlight });`);
  assert.deepEqual(left, { listeners: 0, timers: 0, wasm: 0, inFlight: 0 });
  assert.equal(most, 1, 'listeners of 20 operations');
  assert.ok(heap < 400_000, `${heap} bytes more after 300,000 operations`);
});

// Only attempts that come after the engine has compiled its code are measured.
for (const [name, pending, most] of [
  ['each on a promise of its own', 'new Promise(() => {})', 10],
  // Their handlers stay on it, with what these hold.
  ['all on one promise that stays pending', 'never', 400],
])
  test(`30,000 attempts that time out, ${name}: at most ${most} B each, and an error that can be cloned`, async () => {
    const [bytes, ...rest] = await measured(`
      const never = new Promise(() => {});
      const hanging = ({ attempt }) => grown(attempt, 20_000, 30_000) ?? ${pending};
      const error = await end(retry(hanging, { baseMs: 0, maxAttempts: 30_000, attemptTimeoutMs: 1 }));
      print([(after - before) / 10_000, structuredClone(error).message, 'cause' in error]);`);
    assert.deepEqual(rest, ['rejitter: attempt 30000 timed out after 1 ms (attemptTimeoutMs)', false]);
    assert.ok(bytes <= most, `${bytes} B for each attempt`);
  });

test('M01 300,000 failing attempts in one operation: the heap stays flat, the report is bounded', async () => {
  const { bytes, ...counts } = await measured(`
    const fn = ({ attempt }) => { grown(attempt, 100_000, 300_000); throw new Error('failure ' + attempt); };
    const error = await end(retry(fn, { baseMs: 0, maxAttempts: 300_000 }));
    const { attempts, dropped, records } = retryReport(error);
    print({ bytes: after - before, attempts, dropped, kept: records.map(({ attempt }) => attempt) });`);
  const kept = [1, ...Array.from({ length: 9 }, (_, i) => 299_992 + i)];
  assert.deepEqual(counts, { attempts: 300_000, dropped: 299_990, kept });
  assert.ok(bytes < 400_000, `${bytes} bytes in 200,000 attempts`);
});

test('200,000 attempts with progress, limited in their silence: the heap stays flat, no timer is left', async () => {
  const { bytes, ...counts } = await measured(`
    const fn = ({ attempt, alive, progress }) => {
      grown(attempt, 20_000, 200_000);
      alive();
      progress();
      if (attempt <= 200_000) throw new Error('failure ' + attempt);
      return attempt;
    };
    const options = { baseMs: 0, maxAttempts: 2, idleTimeoutMs: 5000, totalTimeoutMs: 1e9 };
    print({ value: await retry(fn, options), left: live.size, bytes: after - before });`);
  assert.deepEqual(counts, { value: 200_001, left: 0 });
  assert.ok(bytes < 400_000, `${bytes} bytes in 180,000 attempts`);
});

test('300,000 items of a stream in one attempt: the heap stays flat, no listener is left', async () => {
  const { bytes, ...counts } = await measured(`
    const listeners = new Set();
    const items = (async function* () { for (let i = 1; i <= 300_000; i++) { grown(i, 30_000, 300_000); yield i; } })();
    const value = await retry(async ({ signal, watch }) => {
      const { addEventListener, removeEventListener } = signal;
      signal.addEventListener = (type, each) => { listeners.add(each); addEventListener.call(signal, type, each); };
      signal.removeEventListener = (type, each) => { listeners.delete(each); removeEventListener.call(signal, type, each); };
      let last;
      for await (const item of watch(items)) last = item;
      return last;
    }, { idleTimeoutMs: 5000 });
    print({ value, listeners: listeners.size, left: live.size, bytes: after - before });`);
  assert.deepEqual(counts, { value: 300_000, listeners: 0, left: 0 });
  assert.ok(bytes < 400_000, `${bytes} bytes in 270,000 items`);
});

/** Each is done 100,000 times. The numbers bound the bytes that stay. */
for (const [name, once, least, most] of [
  [
    'M05 100,000 policies, used and dropped: the heap returns to where it was',
    `const policy = new RetryPolicy({ baseMs: 0, maxAttempts: 2, metrics: true, totalTimeoutMs: 1000 });
    await policy.run(() => i);
    policy.delays().next();
    if (i % 1000 === 0) await policy.run(second);`,
    ...[-Infinity, 500_000],
  ],
  ['control: a leak of 10 bytes each is seen', 'await retry(() => i); kept.push(i + 0.5);', 400_000, Infinity],
])
  test(name, async () => {
    const bytes = await measured(`
      const kept = [];
      const round = async (n) => { for (let i = 0; i < n; i += 1) { ${once} } };
      await round(2000);
      before = heap();
      await round(100_000);
      print([heap() - before, kept.length][0]);`);
    assert.ok(bytes > least && bytes < most, `${bytes} bytes`);
  });
