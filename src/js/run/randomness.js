// Seeds of operations that have none of the caller's: entropy that no two clients share by accident.

import { now } from './timer.js';

const TWO_32 = 2 ** 32;

/** Entropy of this process: two 32-bit integers, taken at the first failures, never at import. */
let processHigh = 0;
let processLow = 0;
/** Seeds made so far. */
let count = 0;

/**
 * Returns a seed that no other call gets, and the index that belongs to it. Process entropy alone would repeat in
 * clones of a snapshot taken after warm-up, `Math.random` alone where it is stubbed; with both and a counter no two
 * seeds are equal. Clones of a running machine have all of these in common, and differ only by the clock.
 * @type {(time?: number) => [high: number, low: number, index: number]}
 */
export function freshSeed(time = now()) {
  // For the first draw the clocks and Math.random, which engines seed per process, have to do: the first use of crypto
  // takes longer than all the rest of a failure.
  if (count < 2) [processHigh, processLow] = processEntropy(count > 0);
  return [processHigh ^ chance(), processLow ^ chance() ^ (time * 1e6), count++];
}

/** @param {boolean} strong whether to ask crypto @returns {ArrayLike<number> & Iterable<number>} */
function processEntropy(strong) {
  const words = new Uint32Array(2);
  try {
    // The monotonic clock is in each seed: here as well it would cancel itself out until it moves. Its origin tells
    // apart processes that started within a millisecond.
    words[0] = Date.now();
    words[1] = globalThis.performance.timeOrigin * 1000;
    if (strong && !isNode()) globalThis.crypto.getRandomValues(words);
  } catch {
    // Compartments of SES have no clock, some test environments no crypto: what else there is has to do.
  }
  return words;
}

/** Whether this is Node: its crypto blocks for milliseconds at first, and V8 seeds Math.random from the system. */
function isNode() {
  const { process } = /** @type {any} */ (globalThis);
  return typeof process?.versions?.node === 'string';
}

/** 32 bits of `Math.random`, or 0 where a stub of it throws or returns something else. */
function chance() {
  try {
    return (Math.random() * TWO_32) | 0;
  } catch {
    return 0;
  }
}
