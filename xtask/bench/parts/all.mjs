// @ts-check
// The parts of the benchmark, in their order. The names are the files of this folder.

/**
 * @typedef {object} Context
 * @property {import('../lib/nodes.mjs').Node[]} nodes
 * @property {import('../lib/plans.mjs').Choice} choice
 * @property {(what: string) => void} say progress
 */

/**
 * @typedef {object} Part
 * @property {(context: Context) => Promise<any>} run
 */

export const PARTS = [
  'sizes',
  'success',
  'retries',
  'fetch',
  'protection',
  'heap',
  'cold',
  'bulk',
  'simulation',
  'worlds',
  'browsers',
];
