// Protection: what it costs a first attempt that succeeds, and what it holds of each destination.

import { inNode } from '../lib/child.mjs';
import { heapBytes } from './heap.mjs';
import { speed } from './speed.mjs';

export async function run(context) {
  const { samples } = await speed('protection', 0)(context);
  const perKey = await inNode(context.node, import.meta.url, 'bytesPerKey', null, ['--expose-gc']);
  return { samples, perKey };
}

/** Keys that a protection keeps. */
const KEYS = 1000;

/** Protections whose keys are weighed: the engine's own memory, which changes meanwhile, then hardly counts. */
const MANY = 20;

export async function bytesPerKey() {
  const { RetryPolicy } = await import('rejitter');
  const { breaker, budget, protect } = await import('rejitter/protection');
  const filled = async () => {
    const protection = protect(budget(), breaker());
    const policy = new RetryPolicy({ protection });
    for (let i = 0; i < KEYS; i++) await policy.run(async () => i, { key: `key ${i}` });
    return protection;
  };
  // The engine compiles what keys need. That must not count as memory of a key.
  for (let i = 0; i < 5; i++) await filled();
  const before = await heapBytes();
  const kept = [];
  for (let i = 0; i < MANY; i++) kept.push(await filled());
  const bytes = (await heapBytes()) - before;
  // Read at the end, so that they live as long.
  if (kept.some((protection) => protection.keys().length !== KEYS)) throw new Error('keys are missing');
  return bytes / (MANY * KEYS);
}
