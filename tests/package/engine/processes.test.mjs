// Whole processes: what keeps one alive, what stays in its memory, and what happens when the core traps. The ids are
// those of bug-reports.md.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { printed, runNode } from '../lib/consumer.mjs';

const HANGS = 'retry(() => { throw 0; }, { baseMs: 60_000, capMs: 60_000, jitter: "none", unref: UNREF, signal })';
/** Programs, and what they print before they end, long before their waits do. */
const ENDS = {
  'X01 unref: true lets a process end in the middle of a wait': [`${HANGS.replace('UNREF', true)};`, ''],
  'X01 unref: true, in rejitter/light': [
    `const light = await import('rejitter/light'); light.${HANGS.replace('UNREF', true).replace(', jitter: "none"', '')};`,
    '',
  ],
  'X01 without unref a waiting operation keeps the process alive until it ends': [
    // This timer alone would not: it is unref'd.
    `setTimeout(() => controller.abort('stopped'), 300).unref();
     ${HANGS.replace('UNREF', false)}.catch((reason) => console.log(reason));`,
    'stopped\n',
  ],
  "X01 the deadline and the attempt timeout are unref'd as well": [
    'retry(() => new Promise(() => {}), { attemptTimeoutMs: 50_000, totalTimeoutMs: 60_000, unref: true });',
    '',
  ],
  'X03 success at the second attempt: neither the attempt timeout nor the deadline holds the process': [
    `console.log(await retry(({ attempt }) => { if (attempt < 2) throw 0; return 'value'; },
      { baseMs: 1, attemptTimeoutMs: 60_000, totalTimeoutMs: 3_600_000 }),
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length);`,
    'value 0\n',
  ],
};
for (const [name, [program, says]] of Object.entries(ENDS))
  test(name, async () => {
    const stdout = await printed(`
      import { retry } from 'rejitter';
      const began = performance.now();
      process.on('exit', () => console.log('in time', performance.now() - began < 50_000));
      const controller = new AbortController();
      const { signal } = controller;
      ${program}
    `);
    assert.equal(stdout, `${says}in time true\n`);
  });

test('X01 unref: true, awaited at the top level: Node ends with code 13, as for any pending promise', async () => {
  const { code } = await runNode(
    `import { retry } from 'rejitter'; const signal = undefined; await ${HANGS.replace('UNREF', true)};`,
  );
  assert.equal(code, 13);
});

test('W03 a trap in the core changes no outcome: 100 that wait and later ones go on, with the core as JavaScript', async () => {
  const { code, stdout, stderr } = await runNode(
    `
    // A real trap: a module whose one function is \`unreachable\`.
    const trap = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1,
      96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11]))).exports.trap;
    const { Instance } = WebAssembly;
    let traps = false;
    let calls = 0;
    WebAssembly.Instance = function (module, imports) {
      const { decide, draw } = new Instance(module, imports).exports;
      return { exports: { draw, decide: (...numbers) => { calls += 1; if (traps) trap(); return decide(...numbers); } } };
    };
    const { retry } = await import('rejitter');
    const waiting = Array.from({ length: 100 }, (_, i) => retry(({ attempt }) => { if (attempt < 3) throw i; return i;
      }, { baseMs: 400, jitter: 'none', totalTimeoutMs: 60_000 }));
    const seeded = () => retry(({ attempt, previousDelayMs }) => { if (attempt < 2) throw 0; return previousDelayMs; },
      { baseMs: 4, seed: 7 });
    const before = await seeded();
    const untrapped = calls;
    traps = true;
    const after = await seeded();
    const values = await Promise.all(waiting);
    console.log(untrapped, calls, before === after, values.every((value, i) => value === i));
    await new Promise((go) => setTimeout(go, 20));
  `,
    { flags: ['--unhandled-rejections=strict', '--trace-warnings'] },
  );
  // The instance that has trapped is never used again.
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '101 102 true true\n', stderr: '' });
});

test('M01 a million failing attempts in one operation: the heap stays flat, the report is bounded', async () => {
  const stdout = await printed(
    `
    import { retry, retryReport } from 'rejitter';
    // No real timer is that fast: each is a turn of the microtask queue and now and then of the loop.
    let armed = 0;
    const immediate = setImmediate;
    globalThis.setTimeout = (callback) => { if (++armed % 64 === 0) immediate(callback); else queueMicrotask(callback);
      return armed; };
    const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
    let before, after;
    const error = await retry(({ attempt }) => {
      if (attempt === 100_000) before = heap();
      if (attempt === 1_000_000) after = heap();
      throw new Error('failure ' + attempt);
    }, { baseMs: 0, maxAttempts: 1_000_000 }).catch((error) => error);
    const { attempts, dropped, records } = retryReport(error);
    const kept = records.map((record) => record.attempt);
    console.log(JSON.stringify({ grown: after - before, attempts, dropped, kept }));
  `,
    { flags: ['--expose-gc', '--stack-trace-limit=0'] },
  );
  const { grown, ...counts } = JSON.parse(stdout);
  assert.deepEqual(counts, {
    attempts: 1_000_000,
    dropped: 999_990,
    kept: [1, ...Array.from({ length: 9 }, (_, i) => 999_992 + i)],
  });
  assert.ok(grown < 1_000_000, `${grown} bytes in 900,000 attempts`);
});
