// @ts-check
// What the lab's functions are given, as the wasm takes it: policies as data, seeds as bits, numbers in range.

import { seedAfresh, seedBits } from './randomness.js';
import { isSeed, problemOf } from './rules.js';

/** @typedef {new (options?: any) => { toJSON(): any }} PolicyClass */

/**
 * A policy's data: by what it can do and not by `instanceof`, which is false for the policies of another copy.
 * @param {PolicyClass} RetryPolicy
 * @param {any} policy or options
 */
export function policyData(RetryPolicy, policy) {
  return (typeof policy?.toJSON === 'function' ? policy : new RetryPolicy(policy)).toJSON();
}

/**
 * The seed that is given, else the policy's own, else a fresh one.
 * @param {any} seed
 * @param {any} own
 * @returns {[high: number, low: number]}
 */
export function seedOf(seed, own) {
  if (seed !== undefined) {
    if (!isSeed(seed)) throw problemOf('seed', seed);
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
export function whole(name, value, least, most) {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw problemOf(name, value, ['number', `an integer between ${least} and ${most}`]);
}

/**
 * @param {string} name
 * @param {any} list
 * @param {string} rule of the elements
 * @param {(value: number) => boolean} allowed
 */
export function numbers(name, list, rule, allowed) {
  if (list === null || typeof list !== 'object' || typeof list.length !== 'number') {
    throw problemOf(name, list, ['', `a list of numbers${rule}`]);
  }
  const values = Array.from(/** @type {ArrayLike<unknown>} */ (list));
  for (const [i, value] of values.entries()) {
    if (typeof value !== 'number' || !allowed(value)) {
      throw problemOf(`${name}[${i}]`, value, ['number', `a number${rule}`]);
    }
  }
  return Float64Array.from(/** @type {number[]} */ (values));
}
