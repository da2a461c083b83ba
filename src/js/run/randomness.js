// @ts-check
// Seeds of operations that have none of the caller's: entropy that no two clients share by accident.

import { now } from './timer.js';

const TWO_32 = 2 ** 32;

/** Entropy of this process: two 32-bit integers, taken at the first failure, never at import. */
let processHigh = 0;
let processLow = 0;
/** Seeds made so far; 0 also says that there is no entropy yet. */
let count = 0;

/**
 * Returns a seed that no other call gets, and the index that belongs to it. Process entropy alone would repeat in
 * clones of a snapshot taken after warm-up, `Math.random` alone where it is stubbed; with both and a counter no two
 * seeds are equal. Clones of a running machine have all of these in common, and differ only by the clock.
 * @returns {[high: number, low: number, index: number]}
 */
export function freshSeed() {
  if (count === 0) [processHigh, processLow] = processEntropy();
  return [processHigh ^ chance(), processLow ^ chance() ^ (now() * 1e6), count++];
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

/** 32 bits of `Math.random`, or 0 where a stub of it throws or returns something else. */
function chance() {
  try {
    return (Math.random() * TWO_32) | 0;
  } catch {
    return 0;
  }
}
