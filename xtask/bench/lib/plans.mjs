// @ts-check
// Durations of the measurements: the full run, and one that takes a minute.

/** @typedef {{ quick: boolean, seed: number }} Choice */

/**
 * @param {Choice} choice
 * @returns {import('./harness.mjs').Plan}
 */
export const planOf = ({ quick, seed }) => ({ rounds: quick ? 40 : 200, batchMs: 1, warmUpMs: quick ? 20 : 200, seed });
