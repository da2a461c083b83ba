// @ts-check
// The lab's functions as users call them: from a policy, or options, to the wasm and back.

import { numbers, policyData, seedOf, whole } from './lab-values.js';
import { readOnly } from './options.js';
import { createSimulations } from './simulations.js';

/**
 * The lab's wasm, linked (src/js/lab.rs).
 * @typedef {import('./simulations.js').SimulationCore & LabFunctions} LabCore
 *
 * @typedef {object} LabFunctions
 * @property {(policy: unknown, waits: number) => any} labPlan
 * @property {(policy: unknown) => any} labExplain
 * @property {(policy: unknown, seedHigh: number, seedLow: number, waits: number, operations: number) => Float64Array} labSample
 * @property {(policy: unknown, k: number, resolution: number) => Float64Array} labCells
 * @property {(policy: unknown, k: number, ms: Float64Array) => Float64Array} labCdf
 * @property {(policy: unknown, k: number, probabilities: Float64Array) => Float64Array} labQuantiles
 */

/** Waits that are looked at in a policy without a limit of attempts. */
const DEFAULT_WAITS = 20;

/** Far beyond where the distributions of waits still change. */
const MAX_WAITS = 1000;

/** What fits into one typed array in every host: 2 GiB. */
const MAX_SAMPLES = 2 ** 28;

/**
 * @param {import('./lab-values.js').PolicyClass} RetryPolicy
 * @param {() => LabCore} load
 */
export function createLab(RetryPolicy, load) {
  /** @param {any} policy */
  const dataOf = (policy) => policyData(RetryPolicy, policy);

  return {
    ...createSimulations(RetryPolicy, load),

    /** @param {any} policy @param {number} [waits] */
    plan(policy, waits) {
      const data = dataOf(policy);
      return load().labPlan(data, whole('k', waits ?? waitsOf(data), waits === undefined ? 0 : 1, MAX_WAITS));
    },

    /** @param {any} policy */
    explain(policy) {
      return load().labExplain(dataOf(policy));
    },

    /** @param {any} policy @param {any} [options] */
    sample(policy, options) {
      const data = dataOf(policy);
      const given = readOnly(options, ['waits', 'operations', 'seed']);
      const waits = whole('waits', given.waits ?? waitsOf(data), given.waits === undefined ? 0 : 1, MAX_WAITS);
      const operations = whole('operations', given.operations ?? 1, 1, Math.floor(MAX_SAMPLES / Math.max(1, waits)));
      const [seedHigh, seedLow] = seedOf(given.seed, data.seed);
      return load().labSample(data, seedHigh, seedLow, waits, operations);
    },

    /** @param {any} policy @param {number} k @param {number} [resolution] */
    density(policy, k, resolution = 32) {
      return load().labCells(dataOf(policy), whole('k', k, 1, MAX_WAITS), whole('resolution', resolution, 1, 1000));
    },

    /** @param {any} policy @param {number} k @param {ArrayLike<number>} ms */
    cdf(policy, k, ms) {
      const values = numbers('ms', ms, '', (value) => !Number.isNaN(value));
      return load().labCdf(dataOf(policy), whole('k', k, 1, MAX_WAITS), values);
    },

    /** @param {any} policy @param {number} k @param {ArrayLike<number>} probabilities */
    quantiles(policy, k, probabilities) {
      const values = numbers('probabilities', probabilities, ' between 0 and 1', (value) => value >= 0 && value <= 1);
      return load().labQuantiles(dataOf(policy), whole('k', k, 1, MAX_WAITS), values);
    },
  };
}

/**
 * As many as the attempts leave room for.
 * @param {any} data
 */
function waitsOf({ maxAttempts }) {
  return typeof maxAttempts === 'number' ? Math.min(maxAttempts - 1, MAX_WAITS) : DEFAULT_WAITS;
}
