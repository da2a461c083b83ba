// Whole processes: what keeps one alive, what stays in its memory, what it takes from the host, and what happens when
// the core traps. Each program prints what is expected of it. The ids are those of bug-reports.md.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { printed, runNode } from '../lib/consumer.mjs';
import { IMPORT, whole } from '../lib/processes.mjs';

const CHANNEL = (change, most = 1) => [
  `let looks = 0; ${change}
  const seen = [retrySync(() => 1)];
  for (const call of [() => retry(() => 1), () => retry(second, { baseMs: 0 }),
    () => new RetryPolicy({ baseMs: 0 }).run(second), () => new RetryPolicy().wrap(() => 2)()]) seen.push(await call());
  const reads = looks;
  Reflect.deleteProperty(globalThis, 'process');
  console.log(seen.join(), reads);`,
  `1,1,value,value,2 ${most}`,
];

/** Program, and what it prints before it ends, long before its waits do; flags of Node. */
const PROGRAMS = {
  'X01 unref: true lets a process end in the middle of a wait': [`retry(fails, { ...long, unref: true });`, ''],
  'X01 unref: true, in rejitter/light': [
    `const light = await import('rejitter/light'); light.retry(fails, { ...long, unref: true });`,
    '',
  ],
  'X01 without unref a waiting operation keeps the process alive until it ends': [
    // This timer alone would not: it is unref'd.
    `setTimeout(() => controller.abort('stopped'), 300).unref();
     retry(fails, { ...long, signal }).catch((reason) => console.log(reason));`,
    'stopped',
  ],
  'nothing of the options stays alive after a call': [
    `const kept = [];
    for (const make of [() => ({ retryIf: () => true }), () => ({ signal: new AbortController().signal }),
      () => ({ maxAttempts: 2 })]) {
      let options = make();
      const refs = [options, ...Object.values(options)].filter((each) => Object(each) === each)
        .map((each) => new WeakRef(each));
      await retry(() => 1, options);
      options = undefined;
      // Before the next call, whose options would take the place of these.
      await new Promise((go) => setImmediate(go));
      gc();
      kept.push(...refs.map((each) => each.deref() !== undefined));
    }
    console.log(kept.join());`,
    'false,false,false,false,false',
    ['--expose-gc'],
  ],
  'frozen prototypes of errors: timeouts, RetryError and marks work all the same': [
    `for (const { prototype } of [Error, AggregateError, TypeError, RangeError, Object, Function]) Object.freeze(prototype);
    const timeout = await end(retry(hangs, { attemptTimeoutMs: 1, maxAttempts: 2, baseMs: 0 }));
    const deadline = await end(retry(hangs, { totalTimeoutMs: 1 }));
    const wrapped = await end(retry(fails, { finalError: 'wrap', maxAttempts: 1 }));
    const mine = new Error('mine');
    const marked = await Promise.all([permanent(mine), retryAfter(0, mine)]
      .map((mark) => end(retry(() => Promise.reject(mark), { maxAttempts: 1 }))));
    console.log(timeout instanceof TimeoutError, deadline instanceof TimeoutError, deadline.name,
      wrapped instanceof RetryError, wrapped.name, permanent(mine).name, marked.every((error) => error === mine));`,
    'true true TimeoutError true RetryError PermanentError true',
  ],
  'retryAfter() says once per process that a value which is no number of milliseconds requests nothing': [
    `console.warn = console.log;
    for (const ms of [1, 0, NaN, -1, null, undefined, new Date(), '2', 2n, { seconds: 2 }]) retryAfter(ms, new Error('x'));`,
    'rejitter: ms of retryAfter() must be a non-negative number of milliseconds or Infinity, got an object',
  ],
  'retrySync really blocks, in Node and in a worker of it: two waits of 30 ms, and no timer fires': [
    `const { isMainThread, parentPort, Worker } = await import('node:worker_threads');
    let fired = false;
    setTimeout(() => { fired = true; }, 0);
    const began = performance.now();
    const value = retrySync(third, { baseMs: 30, backoff: 'fixed', jitter: 'none' });
    // Each is at most a rounding of the clock too short.
    const seen = [value, performance.now() - began >= 59, fired].join(' ');
    if (!isMainThread) parentPort.postMessage(seen);
    else new Worker(new URL(import.meta.url)).on('message', (of) => console.log(seen + ', ' + of));`,
    '3 true false, 3 true false',
    // In a process, whose main thread may block.
    ['--unhandled-rejections=strict'],
  ],
  'retrySync: a promise that it rejects is not unhandled': [
    `const lost = async () => { throw new Error('lost'); };
    for (const [fn, options] of [[lost], [fails, { retryIf: lost }], [() => 1, { retryOnResult: lost }]])
      try { retrySync(fn, options); } catch (error) { console.log(error.name); }`,
    'TypeError\nTypeError\nTypeError',
    ['--unhandled-rejections=strict'],
  ],
  'W01 100 first calls at once: one instance, all right; two failures make none': [
    `let instances = 0;
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = (bytes) => { instances += 1; return instantiate(bytes); };
    ${IMPORT}
    const alone = await retry(third, { baseMs: 0 });
    const before = instances;
    const values = await Promise.all(Array.from({ length: 100 }, () => retry(third, { baseMs: 0 })));
    console.log(alone, before, instances, values.every((value) => value === 3));`,
    '3 0 1 true',
  ],
  'W03 a trap in the core changes no outcome: 100 that wait and later ones go on, with the core as JavaScript': [
    // A real trap: a module whose one function is `unreachable`.
    `const trap = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1,
      96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11]))).exports.trap;
    const { instantiate } = WebAssembly;
    let traps = false;
    let calls = 0;
    WebAssembly.instantiate = async (bytes) => {
      const { decide, draw } = (await instantiate(bytes)).instance.exports;
      const counted = (...numbers) => { calls += 1; if (traps) trap(); return decide(...numbers); };
      return { instance: { exports: { draw, decide: counted } } };
    };
    ${IMPORT}
    // Until it is compiled, the other form answers.
    while (calls === 0) await retry(second, { baseMs: 0 });
    calls = 0;
    const waits = { baseMs: 50, jitter: 'none', totalTimeoutMs: 60_000 };
    const delay = ({ attempt, previousDelayMs }) => { if (attempt < 2) throw 0; return previousDelayMs; };
    const seeded = () => retry(delay, { baseMs: 4, seed: 7 });
    const before = await seeded();
    const waiting = Array.from({ length: 100 }, () => retry(third, waits));
    // All have decided, and no timer has fired.
    for (let i = 0; i < 100; i += 1) await undefined;
    const untrapped = calls;
    traps = true;
    const after = await seeded();
    const values = await Promise.all(waiting);
    // The instance that has trapped is never used again.
    console.log(untrapped, calls, before === after, values.every((value) => value === 3));
    await new Promise((go) => setTimeout(go, 20));`,
    '101 102 true true',
    ['--unhandled-rejections=strict', '--trace-warnings'],
  ],
  'the tracing channel is loaded by its first operation; a subscriber that throws changes no outcome': [
    `const { tracingChannel } = await import('node:diagnostics_channel');
    const { getBuiltinModule } = process;
    let loads = 0;
    process.getBuiltinModule = (name) => { loads += 1; return getBuiltinModule(name); };
    const thrown = [];
    // Node reports it like an exception in a timer.
    process.on('uncaughtException', (error) => thrown.push(error.message));
    const spoil = () => { throw new Error('subscriber'); };
    // Before the package is loaded.
    tracingChannel('rejitter:operation').subscribe({ start: spoil, end: spoil, asyncStart: spoil, asyncEnd: spoil,
      error: spoil });
    ${IMPORT}
    await import('rejitter/fetch');
    const atImport = loads;
    for (let i = 0; i < 3; i += 1) console.log(await retry(second, { baseMs: 1 }));
    await new Promise((go) => setTimeout(go, 5));
    console.log(atImport, loads, thrown.length);`,
    'value\nvalue\nvalue\n0 1 12',
  ],
  'process.getBuiltinModule that throws, as in edge routes of Next.js, is called once': CHANNEL(
    "process.getBuiltinModule = () => { looks += 1; throw new Error('not supported in the Edge Runtime'); };",
  ),
  'a getter of process that throws is read once, and by the second draw of a process': CHANNEL(
    "Object.defineProperty(globalThis, 'process', { configurable: true, get() { looks += 1; throw new Error('read'); } });",
    2,
  ),
  'channels without tracing are asked for once': CHANNEL(
    "process.getBuiltinModule = () => { looks += 1; return { get tracingChannel() { throw new Error('read'); } }; };",
  ),
};
for (const [name, [program, says, flags]] of Object.entries(PROGRAMS))
  test(name, async () => assert.equal((await printed(whole(program), { flags })).trimEnd(), says));

test('X01 unref: true, awaited at the top level: Node ends with code 13, as for any pending promise', async () => {
  const { code } = await runNode(whole('await retry(fails, { ...long, unref: true });'));
  assert.equal(code, 13);
});
