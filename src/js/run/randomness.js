// @ts-check
// Seeds of operations that have none of the caller's: entropy that no two clients share by accident.

import { now } from './timer.js';

const TWO_32 = 2 ** 32;

/** Entropy of this process: two 32-bit integers, taken at the first failure, never at import. */
let processHigh = 0;
let processLow = 0;
/** Operations seeded so far; 0 also says that there is no entropy yet. */
let count = 0;

/**
 * Gives an operation a seed of its own. Process entropy alone would repeat in clones of a
 * snapshot taken after warm-up, `Math.random` alone where it is stubbed; with both and a counter
 * no two operations are equal. Clones of a running machine have all of these in common, and are
 * told apart by the clock.
 * @param {{ seedHigh: number, seedLow: number, index: number }} operation
 */
export function seedAfresh(operation) {
  if (count === 0) [processHigh, processLow] = processEntropy();
  operation.index = count++;
  operation.seedHigh = processHigh ^ chance();
  operation.seedLow = processLow ^ chance() ^ (now() * 1e6);
}

/** @returns {ArrayLike<number> & Iterable<number>} */
function processEntropy() {
  const words = new Uint32Array([Date.now(), now() * 1e6]);
  try {
    globalThis.crypto.getRandomValues(words);
  } catch {
    // Some test environments have no crypto; the clocks and Math.random then have to do.
  }
  return words;
}

/** 32 bits of `Math.random`, or 0 where a stub of it throws or answers nonsense. */
function chance() {
  try {
    return (Math.random() * TWO_32) | 0;
  } catch {
    return 0;
  }
}
