// The simulations as users make them: from a policy and options to the wasm. That knows ranges and defaults; names and
// types are checked here, as in all options.

import { isObject } from '../../src/js/options/checks.js';
import { ownOf, read, readInto } from '../../src/js/options/reader.js';
import { SWITCH } from '../../src/js/options/rules.js';
import { RULES } from '../../src/js/options/table.js';
import { NUMBERS } from './numbers.js';
import { calls } from './calls.js';
import { simulationOf } from './run.js';
import { dataOf, seedOf } from './values.js';

/**
 * The simulations of the lab's wasm (lab/src/bindings/simulation.rs). Each takes the data of a policy, if it has one,
 * both halves of a seed, and options.
 * @typedef {'outage' | 'contention' | 'load' | 'rateLimit' | 'hedging'} Name
 * @typedef {{ labSimulate: (name: Name, ...args: unknown[]) => import('./run.js').Running }} SimulationCore
 */

/** @import { Rule, Rules } from '../../src/js/options/reader.js' */

/** @type {Rule} */
const NUMBER = ['', (value) => typeof value === 'number', 'a number'];

/** @type {Rule} */
const ARRIVALS = [
  '',
  (value, name) => {
    const own = ownOf(value);
    const numbers = own.type === 'closed' ? ['clients', 'thinkMs'] : ['perS'];
    const known = ['regular', 'poisson', 'closed'].includes(own.type) && Object.keys(own).length === 1 + numbers.length;
    return known && numbers.every((each) => typeof own[each] === 'number') && { [name]: own };
  },
  "{ type: 'regular', perS }, { type: 'poisson', perS } or { type: 'closed', clients, thinkMs }",
];

/** @type {Rule} */
const PRESET = ['', (value) => value === 'awsSdk2026', "'awsSdk2026'"];

// The options by name, but for the seed.
const OUTAGE = numbers(NUMBERS.OutageOptions);
const CONTENTION = numbers(NUMBERS.ContentionOptions);
const LINE = {
  figure: choice('none', 'exponential', 'equal', 'full', 'decorrelated'),
  ...numbers(['baseMs', 'capMs']),
};
const { processes, ...ofLoad } = numbers(NUMBERS.LoadOptions);
const LOAD = {
  arrivals: ARRIVALS,
  ...ofLoad,
  protection: section({
    budget: section({
      ...numbers(['capacity', 'perSuccess', 'cost', 'perRequest', 'perSecond', 'maxTokens', 'tokenRatio']),
      refund: SWITCH,
      preset: PRESET,
    }),
    breaker: section({
      ...numbers(['failureRatio', 'minimumCalls', 'windowMs', 'consecutiveFailures', 'openMs', 'maxOpenMs']),
      ...numbers(['closeAfter', 'draw']),
    }),
  }),
  processes,
};
const RATE_LIMIT = {
  ...numbers(NUMBERS.RateLimitOptions),
  hints: choice('ignored', 'followed'),
  protection: section({
    cooldown: section({ ...numbers(['maxHoldMs']), probe: SWITCH }),
    limiter: section(numbers(NUMBERS.RateLimiter)),
  }),
};
const HEDGING = {
  ...numbers(NUMBERS.HedgingOptions),
  service: section(numbers(NUMBERS.ServiceTimes)),
  hedge: section(numbers(['delayMs', 'quantile', ...NUMBERS.HedgeRule])),
  load: section(numbers(NUMBERS.ServerLoad)),
};

/** @param {Name} name @param {Rules} rules @param {any} options @param {any} [policy] its data, if there is one */
function simulate(name, rules, options, policy) {
  const { seed, ...given } = read(options, { ...rules, seed: RULES.seed });
  const bits = seedOf(seed, policy?.seed);
  return simulationOf(calls, (core) => core.labSimulate(name, policy, ...bits, given));
}

/** @typedef {(policy: any, options?: any) => object} Simulate */

/** @type {Simulate} */
export const simulateOutage = (policy, options) => simulate('outage', OUTAGE, options, dataOf(policy));

/** @type {Simulate} */
export const simulateLoad = (policy, options) => simulate('load', LOAD, options, dataOf(policy));

/** @type {Simulate} */
export const simulateRateLimit = (policy, options) => simulate('rateLimit', RATE_LIMIT, options, dataOf(policy));

/** @type {Simulate} */
export const simulateContention = (policy, options) => {
  const line = isObject(policy) && Object.hasOwn(policy, 'figure');
  return simulate('contention', CONTENTION, options, line ? read(policy, LINE) : dataOf(policy));
};

/** @type {(options?: any) => object} */
export const simulateHedging = (options) => simulate('hedging', HEDGING, options);

/** Returns the rule of an object of options. @param {Rules} rules @returns {Rule} */
function section(rules) {
  return [
    '',
    // Throws if it is not an object: then the rule is broken.
    (value, name, problems) => ({ [name]: readInto(value, rules, problems, undefined, `${name}.`) }),
    'an object of options',
  ];
}

/** @param {string[]} names @returns {Rule} */
function choice(...names) {
  return ['', (value) => names.includes(value), names];
}

/** Returns the rules of numbers. @param {string[]} names @returns {Rules} */
function numbers(names) {
  return Object.fromEntries(names.map((name) => [name, NUMBER]));
}
