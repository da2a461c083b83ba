// The package's functions as users call them: from a policy, or options, to the wasm and back.

import { read } from '../../src/js/options/reader.js';
import { RULES } from '../../src/js/options/table.js';
import { calls } from './calls.js';
import { dataOf, numbersOf, policyFacts, seedOf, whole } from './values.js';

export { peakOf, timeToServeMs } from './outage-result.js';
export {
  simulateContention,
  simulateHedging,
  simulateLoad,
  simulateOutage,
  simulateRateLimit,
} from './simulations.js';

/**
 * The lab's wasm, linked (lab/src/bindings/analysis.rs). Each function takes the data of a policy first.
 * @typedef {'labPlan' | 'labExplain' | 'labSample' | 'labCells' | 'labCdf' | 'labQuantiles'} Name
 * @typedef {import('./simulations.js').SimulationCore & Record<Name, (...args: any[]) => any>} LabCore
 */

/** Number of waits of a policy without a limit of attempts. */
const DEFAULT_WAITS = 20;

/** Far beyond where the distributions of waits still change. */
const MAX_WAITS = 1000;

/** Samples per call: 128 MiB, and some 0.4 s. */
const MAX_SAMPLES = 2 ** 24;

/** Checked below: one limit depends on another option. @type {import('../../src/js/options/reader.js').Rule} */
const NUMBER = ['', () => true, 'a number'];
const SAMPLE = { waits: NUMBER, operations: NUMBER, firstOperation: NUMBER, seed: RULES.seed };

/** @type {(name: Name, ...args: unknown[]) => any} */
const ask = (name, ...args) => calls.call((core) => core[name](...args));

/** @type {(policy: any, k?: number) => any} */
export function plan(policy, k) {
  const data = dataOf(policy);
  return ask('labPlan', data, waitsOf('k', k, data));
}

/** @type {(policy: any) => any} */
export const explain = (policy) => ask('labExplain', ...policyFacts(policy));

/** @type {(policy: any, options?: any) => any} */
export function sample(policy, options) {
  const data = dataOf(policy);
  const given = read(options, SAMPLE);
  const waits = waitsOf('waits', given.waits, data);
  const operations = whole('operations', given.operations ?? 1, 1, Math.floor(MAX_SAMPLES / Math.max(1, waits)));
  const first = whole('firstOperation', given.firstOperation ?? 0, 0, Number.MAX_SAFE_INTEGER);
  return ask('labSample', data, ...seedOf(given.seed, data.seed), waits, first, operations);
}

/** @type {(policy: any, k: number, resolution?: number) => any} */
export function density(policy, k, resolution = 32) {
  const data = dataOf(policy);
  const cells = whole('resolution', resolution, 1, 1000);
  return ask('labCells', data, whole('k', k, 1, MAX_WAITS), cells);
}

/** @type {(policy: any, k: number, ms: any) => any} */
export function cdf(policy, k, ms) {
  const values = numbersOf('ms', ms, '', (value) => !Number.isNaN(value));
  return ask('labCdf', dataOf(policy), whole('k', k, 1, MAX_WAITS), values);
}

/** @type {(policy: any, k: number, probabilities: any) => any} */
export function quantiles(policy, k, probabilities) {
  const values = numbersOf('probabilities', probabilities, ' between 0 and 1', (value) => value >= 0 && value <= 1);
  return ask('labQuantiles', dataOf(policy), whole('k', k, 1, MAX_WAITS), values);
}

/** Defaults to the waits that attempts leave room for. @type {(name: string, waits: unknown, data: any) => number} */
function waitsOf(name, waits, { maxAttempts }) {
  if (waits !== undefined) return whole(name, waits, 1, MAX_WAITS);
  return typeof maxAttempts === 'number' ? Math.min(maxAttempts - 1, MAX_WAITS) : DEFAULT_WAITS;
}
