// Many designs against each other in one process: interleaved in shuffled rounds, so that whatever
// changes while it runs (the clock of the processor, the heap, a neighbour) changes for all.

import { shuffled, uniform } from './random.mjs';

/**
 * @typedef {object} Design
 * @property {string} name
 * @property {(n: number) => unknown} loop does it n times; a promise is awaited
 */

/**
 * @typedef {object} Plan
 * @property {number} rounds
 * @property {number} batchMs how long one batch takes, about
 * @property {number} warmUpMs for each design, before anything counts
 * @property {number} seed of the order
 * @property {() => number} [now] the clock, in ms
 */

/**
 * Each design has its own loop: a shared one would be optimised for all of them and suit none.
 * @param {string} call the expression that is awaited
 * @param {Record<string, unknown>} scope what its names mean
 */
export const loopOf = (call, scope) =>
  made(`async function loop(n) { for (let i = 0; i < n; i++) await ${call}; }`, scope);

/** A function that runs the call once. */
export const operationOf = (call, scope) => made(`() => ${call}`, scope);

const made = (code, scope) => new Function(...Object.keys(scope), `return ${code};`)(...Object.values(scope));

/**
 * Waits take a turn of the event loop, as there is one between real attempts: what is left of a retry is the work of
 * the library. To be called before the contenders are imported, since some keep `setTimeout`.
 */
export function patchTimers() {
  const set = (callback, _ms, ...args) => setImmediate(callback, ...args);
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clearImmediate });
}

/** The size of a batch that takes about `ms`. */
export async function batchOf({ loop }, ms, now) {
  for (let n = 1; ; n *= 2) {
    let took = Infinity;
    // The best of three: a pause of the machine must not make batches of nothing.
    for (let i = 0; i < 3; i++) {
      const start = now();
      await loop(n);
      took = Math.min(took, now() - start);
    }
    if (took >= ms / 2) return Math.max(1, Math.round((n * ms) / took));
  }
}

/** Returns the times of one operation, in ns, by design and round. @param {Design[]} designs @param {Plan} plan */
export async function compare(designs, { rounds, batchMs, warmUpMs, seed, now = () => performance.now() }) {
  const random = uniform(seed);
  for (const { loop } of designs) {
    const end = now() + warmUpMs;
    do await loop(1000);
    while (now() < end);
  }
  const batches = new Map();
  // Again after all are warm: each has made code and shapes that the others met.
  for (const design of designs) batches.set(design, await batchOf(design, batchMs, now));
  const samples = Object.fromEntries(designs.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const design of shuffled(designs, random)) {
      const n = batches.get(design) ?? 1;
      const start = now();
      await design.loop(n);
      samples[design.name].push(((now() - start) * 1e6) / n);
    }
  }
  return samples;
}
