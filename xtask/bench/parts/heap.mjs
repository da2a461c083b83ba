// Memory of an operation that waits, and of a finished one.

import { FIELDS, load } from '../contenders.mjs';
import { inNode } from '../lib/child.mjs';
import { operationOf } from '../lib/harness.mjs';

export async function run({ node, choice, say }) {
  const results = {};
  for (const [index, { name, retries = true }] of FIELDS.retries.entries()) {
    if (!retries) continue;
    say(name);
    const result = await inNode(node, import.meta.url, 'measure', { ...choice, index }, ['--expose-gc']);
    if (result) results[name] = result;
  }
  return results;
}

/** Bytes inside and outside the JavaScript heap, after a full collection. */
export async function heapBytes() {
  for (let i = 0; i < 4; i++) {
    await new Promise((done) => setImmediate(done));
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const { setTimeout: hosts } = globalThis;

export async function measure({ quick, index }) {
  const { name, call } = FIELDS.retries[index];
  const scope = await load(FIELDS.retries[index]);
  if (scope === undefined) return undefined;
  const count = quick ? 2000 : 10_000;

  // In the wait after the first failure, with a timer of the host.
  let failing = true;
  let calls = 0;
  const error = new Error('flaky');
  const waiting = scope(async () => {
    calls += 1;
    if (failing) throw error;
    return 1;
  });
  const operation = operationOf(call, waiting);
  const bytes = async () => {
    [failing, calls] = [true, 0];
    const before = await heapBytes();
    let operations = new Array(count);
    const empty = await heapBytes();
    for (let i = 0; i < count; i++) operations[i] = operation();
    const during = await heapBytes();
    // Some draw a wait of 0 and fail once more before they wait.
    const held = calls < 1.05 * count;
    failing = false;
    await Promise.all(operations);
    operations = undefined;
    const after = await heapBytes();
    return held ? { pending: (during - empty) / count, kept: (after - before) / count } : undefined;
  };
  for (let holdMs = quick ? 500 : 1000; holdMs < 60_000; holdMs *= 2) {
    // All waits of contenders take this long, whatever they ask for.
    globalThis.setTimeout = (callback, _ms, ...args) => hosts(callback, holdMs, ...args);
    // The first time, code and tables come into being: only the second counts.
    await bytes();
    const wait = await bytes();
    if (wait) return wait;
  }
  throw new Error(`${name}: the waits end before they are measured`);
}
