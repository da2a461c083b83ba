// @ts-check
// Protection: what it costs a first attempt that succeeds, and what it holds of each destination.

import { inEachNode, inNode } from '../lib/child.mjs';
import { compare } from '../lib/harness.mjs';
import { heapBytes } from '../lib/heap.mjs';
import { planOf } from '../lib/plans.mjs';
import { designsOf } from '../lib/successes.mjs';
import { patchTimers } from '../lib/timers.mjs';
import { verify } from '../lib/verify.mjs';

/** @param {import('./all.mjs').Context} context */
export async function run(context) {
  const { nodes, choice, say } = context;
  const results = await inEachNode(context, import.meta.url);
  for (const node of nodes) {
    say(`${node.name}, memory`);
    results[node.name].memory = await inNode(node, import.meta.url, 'memory', choice, ['--expose-gc']);
  }
  return results;
}

/** @param {import('../lib/plans.mjs').Choice} choice */
export async function measure(choice) {
  patchTimers('immediate');
  const { CONTENDERS } = await import('../protected/all.mjs');
  for (const contender of CONTENDERS) await verify(contender);
  return { samples: await compare(designsOf(CONTENDERS), planOf(choice)) };
}

/** Keys that a protection keeps. */
const KEYS = 1000;

/** @param {import('../lib/plans.mjs').Choice} choice */
export async function memory({ quick }) {
  const { RetryPolicy } = await import('rejitter');
  const { breaker, budget, protect } = await import('rejitter/protection');
  const newUse = () => {
    const protection = protect(budget(), breaker());
    const policy = new RetryPolicy({ protection });
    const use = (/** @type {string} */ key) => policy.run(async () => key, { key });
    return { protection, use };
  };
  // The engine compiles what keys need. That must not count as memory of a key.
  const other = newUse();
  for (let i = 0; i < KEYS; i++) await other.use(`key ${i}`);
  const { protection, use } = newUse();
  // The list of keys has its first entry.
  await use('first');
  const before = await heapBytes();
  for (let i = 1; i < KEYS; i++) await use(`key ${i}`);
  const full = await heapBytes();
  const more = { keys: quick ? 10_000 : 100_000, operations: quick ? 100_000 : 10_000_000 };
  for (let i = 0; i < more.keys; i++) await use(`other ${i}`);
  for (let i = 0; i < more.operations; i++) await use('first');
  return {
    perKey: (full - before) / (KEYS - 1),
    kept: (await heapBytes()) - full,
    left: protection.keys().length,
    // Read at the end, so that it lives as long.
    leftOfOther: other.protection.keys().length,
    ...more,
  };
}
