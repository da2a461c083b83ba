// @ts-check
// Memory of a running operation, of a finished one, and of a million together.

import assert from 'node:assert/strict';

import { FILES } from '../contenders/all.mjs';
import { inNode } from '../lib/child.mjs';
import { loopOf } from '../lib/harness.mjs';
import { heapBytes } from '../lib/heap.mjs';
import { mainOf } from '../lib/nodes.mjs';
import { fixTimers, patchTimers } from '../lib/timers.mjs';

/** @param {import('./all.mjs').Context} context */
export async function run({ nodes, choice, say }) {
  const main = mainOf(nodes, ({ name }) => name);
  /** @type {Record<string, any>} */
  const results = {};
  for (const node of nodes) {
    results[node.name] = { contenders: {}, absent: {} };
    // Unbounded growth shows after fewer operations too.
    const many = choice.quick ? 50_000 : node === main ? 1_000_000 : 100_000;
    for (const file of FILES) {
      say(`${node.name}, ${file}`);
      const answer = await inNode(node, import.meta.url, 'measure', { ...choice, file, many }, ['--expose-gc']);
      if (answer.absent === undefined) results[node.name].contenders[answer.name] = answer;
      else results[node.name].absent[file] = answer.absent;
    }
  }
  return results;
}

/**
 * Returns the bytes of each of `count` operations while `hold` keeps them from ending, and after it lets them.
 * @param {number} count
 * @param {() => unknown} operation
 * @param {{ start: () => void, pending: () => boolean, end: () => void }} hold
 */
async function bytesOf(count, operation, { start, pending, end }) {
  start();
  const before = await heapBytes();
  /** @type {unknown[] | undefined} */
  let operations = new Array(count);
  const empty = await heapBytes();
  for (let i = 0; i < count; i++) operations[i] = operation();
  const during = await heapBytes();
  const held = pending();
  end();
  await Promise.all(operations);
  operations = undefined;
  const after = await heapBytes();
  return held ? { pending: (during - empty) / count, kept: (after - before) / count } : undefined;
}

/** @param {import('../lib/plans.mjs').Choice & { file: string, many: number }} choice */
export async function measure({ quick, file, many }) {
  /** @type {WebAssembly.Instance[]} */
  const instances = [];
  WebAssembly.Instance = class extends WebAssembly.Instance {
    /** @param {WebAssembly.Module} module @param {WebAssembly.Imports} [imports] */
    constructor(module, imports) {
      super(module, imports);
      instances.push(this);
    }
  };
  let contender;
  try {
    contender = await import(`../contenders/${file}.mjs`);
  } catch (error) {
    if (file.startsWith('rejitter')) throw error;
    return { absent: /** @type {Error} */ (error).message.split('\n')[0] };
  }
  const { name, call, scope, retries = true } = contender;
  const count = quick ? 2000 : 10_000;

  // In the first attempt: all callbacks wait for one promise.
  /** @type {() => void} */
  let open = () => {};
  /** @type {Promise<void>} */
  let gate;
  const close = () => {
    gate = new Promise((done) => {
      open = done;
    });
  };
  const attempting = operationOf(
    call,
    scope(() => gate),
  );
  const inAttempt = () => bytesOf(count, attempting, { start: close, pending: () => true, end: () => open() });
  await inAttempt();
  const attempt = await inAttempt();

  // In the wait after the first failure, with a timer of the host.
  let failing = true;
  let calls = 0;
  const error = new Error('flaky');
  const waiting = operationOf(
    call,
    scope(async () => {
      calls += 1;
      if (failing) throw error;
      return 1;
    }),
  );
  let wait;
  for (let holdMs = quick ? 500 : 1000; retries && wait === undefined; holdMs *= 2) {
    assert.ok(holdMs < 60_000, `${name}: the waits end before they are measured`);
    fixTimers(holdMs);
    // The first time, code and tables come into being: only the second counts.
    for (let time = 0; time < 2; time++) {
      wait = await bytesOf(count, waiting, {
        start: () => {
          failing = true;
          calls = 0;
        },
        // Some draw a wait of 0 and fail once more before they wait.
        pending: () => calls < 1.05 * count,
        end: () => {
          failing = false;
        },
      });
    }
  }

  // Very many, half of which fail once.
  patchTimers('microtask');
  let turn = 0;
  const loop = loopOf(
    call,
    scope(async () => {
      turn += 1;
      if (retries && turn % 3 === 2) throw error;
      return 1;
    }),
  );
  await loop(5000);
  const before = await heapBytes();
  await loop(many);
  const after = await heapBytes();
  return {
    name,
    attempt,
    wait,
    many: { operations: many, kept: after - before },
    wasmBytes: instances.reduce((sum, instance) => sum + memoryOf(instance), 0),
    wasmInstances: instances.length,
  };
}

/**
 * @param {string} call
 * @param {Record<string, unknown>} scope
 */
const operationOf = (call, scope) =>
  new Function(...Object.keys(scope), `return () => ${call};`)(...Object.values(scope));

/** @param {WebAssembly.Instance} instance */
function memoryOf({ exports }) {
  const memories = Object.values(exports).filter((value) => value instanceof WebAssembly.Memory);
  return memories.reduce((sum, memory) => sum + /** @type {WebAssembly.Memory} */ (memory).buffer.byteLength, 0);
}
