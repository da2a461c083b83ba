// @ts-check
// The lab's functions as users call them: from a policy, or options, to the wasm and back.

import { readOnly } from './options.js';
import { seedAfresh, seedBits } from './randomness.js';
import { errorOf, isSeed, problemOf, show } from './rules.js';

/**
 * The lab's wasm, linked (src/js/lab.rs).
 * @typedef {object} LabCore
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
 * @param {new (options?: any) => { toJSON(): any }} RetryPolicy
 * @param {() => LabCore} load
 */
export function createLab(RetryPolicy, load) {
  /**
   * By what it can do and not by `instanceof`, which is false for the policies of another copy.
   * @param {any} policy
   */
  const dataOf = (policy) => (typeof policy?.toJSON === 'function' ? policy : new RetryPolicy(policy)).toJSON();

  return {
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
      const values = numbers('ms', ms, 'a list of numbers', (value) => !Number.isNaN(value));
      return load().labCdf(dataOf(policy), whole('k', k, 1, MAX_WAITS), values);
    },

    /** @param {any} policy @param {number} k @param {ArrayLike<number>} probabilities */
    quantiles(policy, k, probabilities) {
      const values = numbers('probabilities', probabilities, 'a list of numbers from 0 to 1', (value) => value >= 0 && value <= 1);
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

/**
 * The seed that is given, else the policy's own, else a fresh one.
 * @param {any} seed
 * @param {any} own
 * @returns {[high: number, low: number]}
 */
function seedOf(seed, own) {
  if (seed !== undefined) {
    if (!isSeed(seed)) throw errorOf([problemOf('seed', seed)]);
    return seedBits(seed);
  }
  if (own !== undefined) return seedBits(BigInt(own.bits));
  const fresh = { seedHigh: 0, seedLow: 0, index: 0 };
  seedAfresh(fresh);
  // The index sets this call apart where the host's randomness is stubbed.
  return [fresh.seedHigh, fresh.seedLow ^ Math.imul(fresh.index, 0x9e3779b9)];
}

/**
 * @param {string} name
 * @param {any} value
 * @param {number} least
 * @param {number} most
 * @returns {number}
 */
function whole(name, value, least, most) {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new (typeof value === 'number' ? RangeError : TypeError)(`${name} is ${show(value)}; it must be a whole number from ${least} to ${most}`);
}

/**
 * @param {string} name
 * @param {any} list
 * @param {string} rule
 * @param {(value: number) => boolean} allowed
 */
function numbers(name, list, rule, allowed) {
  if (list === null || typeof list !== 'object' || typeof list.length !== 'number') {
    throw new TypeError(`${name} is ${show(list)}; it must be ${rule}`);
  }
  const values = Array.from(/** @type {ArrayLike<unknown>} */ (list));
  for (const [i, value] of values.entries()) {
    if (typeof value !== 'number' || !allowed(value)) {
      throw new (typeof value === 'number' ? RangeError : TypeError)(`${name}[${i}] is ${show(value)}; it must be ${rule}`);
    }
  }
  return Float64Array.from(/** @type {number[]} */ (values));
}
