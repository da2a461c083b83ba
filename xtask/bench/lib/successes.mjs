// @ts-check
// Loops in which every first attempt succeeds; for Node and for pages.

import { loopOf } from './harness.mjs';

/** @typedef {import('../contenders/all.mjs').Contender} Contender */

/** A callback that succeeds, of its own for each contender. */
const succeeding = () => /** @type {() => Promise<number>} */ (new Function('return async () => 1;')());

/** @param {Contender[]} contenders */
export const designsOf = (contenders) =>
  contenders.map(({ name, call, scope }) => ({ name, loop: loopOf(call, scope(succeeding())) }));

/**
 * One call is one attempt, and returns its result.
 * @param {Contender} contender
 */
export async function verifyOnce({ name, call, scope }) {
  let calls = 0;
  /** @type {unknown[]} */
  const results = [];
  const note = (/** @type {Promise<unknown>} */ promise) => promise.then((result) => results.push(result));
  await loopOf(`note(${call})`, { ...scope(async () => ++calls), note })(1);
  if (calls !== 1 || results[0] !== 1) throw new Error(`${name}: ${calls} attempts, result ${results[0]}`);
}
