// @ts-check
// How many bytes the package may add to an app: minified by esbuild, with the wasm inlined, compressed by
// brotli. The tests hold the limits, `cargo xtask bench` shows them beside the sizes of others.

import { brotliCompressSync, gzipSync } from 'node:zlib';

/**
 * @typedef {object} Budget
 * @property {string} name
 * @property {string} code the module that is bundled
 * @property {number} limit bytes of brotli; more fails the tests
 * @property {number} [target] the aim of the design, if it has one
 * @property {string} [reason] why the limit is above the target
 */

/** @type {Budget[]} */
export const BUDGETS = [
  {
    name: 'retryWithFullJitter',
    code: `export { retryWithFullJitter } from 'rejitter';`,
    limit: 8_200,
    target: 4096,
    reason: 'what every call needs: the checks of options with their texts (2.5 kB), the wasm (1.2 kB), deadline, signals, hooks, reports',
  },
  {
    name: 'RetryPolicy',
    code: `export { RetryPolicy } from 'rejitter';`,
    limit: 9_700,
    target: 4096,
    reason: 'the same, with presets and policies as data, which a class cannot leave out',
  },
  {
    name: 'rejitter, everything',
    code: `export * from 'rejitter';`,
    limit: 10_900,
    target: 4096,
    reason: 'the same, and the other strategies, policies as data and retrySync',
  },
  {
    name: 'rejitter/fetch',
    code: `export { createFetch } from 'rejitter/fetch';`,
    limit: 16_350,
    target: 7168,
    reason: 'the same, and the rules of HTTP',
  },
  {
    name: 'rejitter/lab',
    code: `export * from 'rejitter/lab';`,
    limit: 88_500,
  },
];

/** @typedef {{ raw: number, gzip: number, brotli: number }} Size */

/**
 * Both at their best, as servers send what does not change.
 * @param {Uint8Array} code
 * @returns {Size}
 */
export const weigh = (code) => ({ raw: code.length, gzip: gzipSync(code, { level: 9 }).length, brotli: brotliCompressSync(code).length });

/**
 * What is wrong with a size, or undefined.
 * @param {Budget} budget
 * @param {Size} size
 */
export function overBudget({ name, limit }, { brotli }) {
  return brotli > limit ? `${name}: ${brotli} B of brotli, the budget is ${limit}` : undefined;
}
