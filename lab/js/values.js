// Converts arguments of the functions for the wasm: policies to data, seeds to bits, numbers in range.

import { RetryPolicy } from 'rejitter';
import { fromData } from 'rejitter/data';

import { SEAM, behindOf } from '../../src/js/marks.js';
import { failure, problemOf } from '../../src/js/options/messages.js';
import { seedBits } from '../../src/js/options/rules.js';
import { freshSeed } from '../../src/js/run/randomness.js';

/** Entries of a list of numbers: 8 MiB. */
const MAX_NUMBERS = 2 ** 20;

/**
 * Returns a policy's data, and what they do not say: whether its protection has a budget and a breaker, whether results
 * may be retried that nothing classifies for these, and its limiter: ms of a unit, concurrency, places of the queue.
 * Options make a policy. Another object may have a `toJSON`, too: whatever that returns is validated before it reaches
 * the wasm.
 * @type {(policy: any) => [data: any, hasBudget: boolean, hasBreaker: boolean, hasUnclassifiedResults: boolean,
 *   intervalMs: number, concurrency: number, maxQueue: number]}
 */
export function policyFacts(policy) {
  const known = behindOf(policy);
  const made = known
    ? policy
    : typeof policy?.toJSON === 'function'
      ? fromData(policy.toJSON())
      : new RetryPolicy(policy);
  const { seam, settings } = known ?? /** @type {NonNullable<typeof known>} */ (behindOf(made));
  if (seam !== SEAM)
    throw failure(TypeError, 'the policy is of a version of rejitter that this rejitter-lab cannot read: update both');
  const { protection, retryOnResult } = settings;
  const unclassified = retryOnResult !== undefined && !protection?.shared.isFailure;
  // Not a method of its own, which may write something else.
  const data = RetryPolicy.prototype.toJSON.call(made);
  const { rate, concurrency, maxQueue } = protection?.limiter?.options ?? {
    rate: [NaN],
    concurrency: NaN,
    maxQueue: NaN,
  };
  const shared = [protection?.budget, protection?.breaker].map((part) => part !== undefined);
  return [data, shared[0], shared[1], unclassified, rate[0], concurrency, maxQueue];
}

/** @param {any} policy @returns {any} */
export const dataOf = (policy) => policyFacts(policy)[0];

/**
 * Returns the bits of a seed, of the policy's own if it is unset, or else fresh ones.
 * @type {(seed: [high: number, low: number] | undefined, own: any) => [high: number, low: number]}
 */
export function seedOf(seed, own) {
  if (seed !== undefined) return seed;
  if (own !== undefined) return seedBits(BigInt(own.bits));
  const [high, low, index] = freshSeed();
  // The index sets this call apart where the host's randomness is stubbed.
  return [high, low ^ Math.imul(index, 0x9e3779b9)];
}

/** @param {string} name @param {any} value @param {number} least @param {number} most @returns {number} */
export function whole(name, value, least, most) {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw problemOf(name, value, ['number', `an integer between ${least} and ${most}`]);
}

/** @type {(name: string, list: any, ruleOfEach: string, allowed: (value: number) => boolean) => Float64Array} */
export function numbersOf(name, list, rule, allowed) {
  if (list === null || typeof list !== 'object' || typeof list.length !== 'number')
    throw problemOf(name, list, ['', `a list of numbers${rule}`]);
  whole(`${name}.length`, list.length, 0, MAX_NUMBERS);
  const values = Array.from(/** @type {ArrayLike<unknown>} */ (list));
  const bad = values.findIndex((value) => typeof value !== 'number' || !allowed(value));
  if (bad >= 0) throw problemOf(`${name}[${bad}]`, values[bad], ['number', `a number${rule}`]);
  return Float64Array.from(/** @type {number[]} */ (values));
}
