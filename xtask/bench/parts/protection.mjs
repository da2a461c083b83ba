// Protection: what it costs a first attempt that succeeds, and what it holds of each destination.

import { inNode } from '../lib/child.mjs';
import { heapBytes } from './heap.mjs';
import { speed } from './speed.mjs';

/** @param {import('../lib/child.mjs').Context} context */
export async function run(context) {
  const { samples } = await speed('protection', 0)(context);
  const perKey = await inNode(context.node, import.meta.url, 'bytesPerKey', null, ['--expose-gc']);
  return { samples, perKey };
}

/** Keys that a protection keeps. */
const KEYS = 1000;

export async function bytesPerKey() {
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
  const bytes = (await heapBytes()) - before;
  // Read at the end, so that they live as long.
  const kept = [protection, other.protection].map((each) => each.keys().length);
  if (kept.some((length) => length !== KEYS)) throw new Error(`${kept} keys`);
  return bytes / (KEYS - 1);
}
