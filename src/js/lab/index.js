// The lab's functions as users call them: from a policy, or options, to the wasm and back.

import { read } from '../options/reader.js';
import { RULES } from '../options/table.js';
import { callsOf } from './run.js';
import { createSimulations } from './simulations.js';
import { numbersOf, policyData, seedOf, whole } from './values.js';

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

/** Checked below: one limit depends on another option. @type {import('../options/reader.js').Rule} */
const NUMBER = ['', () => true, 'a number'];
const SAMPLE = { waits: NUMBER, operations: NUMBER, firstOperation: NUMBER, seed: RULES.seed };

/** @param {import('./values.js').PolicyClass} RetryPolicy @param {(drop?: boolean) => LabCore} load */
export function createLab(RetryPolicy, load) {
  const calls = callsOf(load);
  /** @type {(name: Name, ...args: unknown[]) => any} */
  const ask = (name, ...args) => calls.call((core) => core[name](...args));
  /** @param {any} policy */
  const dataOf = (policy) => policyData(RetryPolicy, policy)[0];

  return /** @satisfies {Record<string, (policy: any, ...args: any[]) => any>} */ ({
    ...createSimulations(dataOf, calls),

    plan(policy, waits) {
      const data = dataOf(policy);
      return ask('labPlan', data, waitsOf('k', waits, data));
    },

    explain: (policy) => ask('labExplain', ...policyData(RetryPolicy, policy)),

    sample(policy, options) {
      const data = dataOf(policy);
      const given = read(options, SAMPLE);
      const waits = waitsOf('waits', given.waits, data);
      const operations = whole('operations', given.operations ?? 1, 1, Math.floor(MAX_SAMPLES / Math.max(1, waits)));
      const first = whole('firstOperation', given.firstOperation ?? 0, 0, Number.MAX_SAFE_INTEGER);
      return ask('labSample', data, ...seedOf(given.seed, data.seed), waits, first, operations);
    },

    density(policy, k, resolution = 32) {
      const data = dataOf(policy);
      const cells = whole('resolution', resolution, 1, 1000);
      return ask('labCells', data, whole('k', k, 1, MAX_WAITS), cells);
    },

    cdf(policy, k, ms) {
      const values = numbersOf('ms', ms, '', (value) => !Number.isNaN(value));
      return ask('labCdf', dataOf(policy), whole('k', k, 1, MAX_WAITS), values);
    },

    quantiles(policy, k, probabilities) {
      const values = numbersOf('probabilities', probabilities, ' between 0 and 1', (value) => value >= 0 && value <= 1);
      return ask('labQuantiles', dataOf(policy), whole('k', k, 1, MAX_WAITS), values);
    },
  });
}

/** Defaults to the waits that attempts leave room for. @type {(name: string, waits: unknown, data: any) => number} */
function waitsOf(name, waits, { maxAttempts }) {
  if (waits !== undefined) return whole(name, waits, 1, MAX_WAITS);
  return typeof maxAttempts === 'number' ? Math.min(maxAttempts - 1, MAX_WAITS) : DEFAULT_WAITS;
}
