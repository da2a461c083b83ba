// @ts-check
// The simulations as users make them: from a policy and options to the wasm.

import { ownOf, read, readInto } from '../options/reader.js';
import { RULES, SWITCH } from '../options/rules.js';
import { simulationOf } from './run.js';
import { policyData, seedOf } from './values.js';

/**
 * The simulations of the lab's wasm (src/bindings/simulation/), which knows ranges and defaults.
 * @typedef {import('./run.js').Running} Running
 * @typedef {(policy: unknown, seedHigh: number, seedLow: number, options: unknown) => Running} WithPolicy
 *
 * @typedef {object} SimulationCore
 * @property {WithPolicy} labOutage
 * @property {WithPolicy} labContention
 * @property {WithPolicy} labLoad
 * @property {WithPolicy} labRateLimit
 * @property {(seedHigh: number, seedLow: number, options: unknown) => Running} labHedging
 */

/** @typedef {import('../options/reader.js').Rule} Rule */
/** @typedef {import('../options/reader.js').Rules} Rules */

// The wasm knows the ranges.
/** @type {Rule} */
const NUMBER = ['', 'a number', (value) => typeof value === 'number'];

/** @type {Rule} */
const ARRIVALS = [
  '',
  "{ type: 'regular', perS }, { type: 'poisson', perS } or { type: 'closed', clients, thinkMs }",
  (value, given, _, name) =>
    isOne((given[name] = ownOf(value)), 'type', {
      regular: ['perS'],
      poisson: ['perS'],
      closed: ['clients', 'thinkMs'],
    }),
];

/** @type {Rule} */
const PRESET = ['', "'awsSdk2026'", (value) => value === 'awsSdk2026'];

/** @type {Rule} */
const HINTS = ['', "one of 'ignored', 'followed'", (value) => value === 'ignored' || value === 'followed'];

/** The options of the parts of `rejitter/protection`, and rules to compare them with. */
const PROTECTION = {
  budget: section({
    ...numbers('capacity', 'perSuccess', 'cost', 'perRequest', 'perSecond', 'maxTokens', 'tokenRatio'),
    refund: SWITCH,
    preset: PRESET,
  }),
  breaker: section(
    numbers(
      'failureRatio',
      'minimumCalls',
      'windowMs',
      'consecutiveFailures',
      'openMs',
      'maxOpenMs',
      'closeAfter',
      'draw',
    ),
  ),
};

const FIGURES = ['none', 'exponential', 'equal', 'full', 'decorrelated'];

/** @type {Rule} */
const FIGURE = ['', `one of '${FIGURES.join("', '")}'`, (value) => FIGURES.includes(value)];

/** The options by name; the seed where no policy has one. */
const OUTAGE = numbers(
  'clients',
  'spreadMs',
  'downMs',
  'capacityPerS',
  'burst',
  'rejectionCost',
  'latencyMs',
  'deadlineMs',
  'horizonMs',
  'binMs',
  'traced',
);
const CONTENTION = numbers('clients', 'hopMeanMs', 'hopSdMs', 'runs');
const LINE = { figure: FIGURE, ...numbers('baseMs', 'capMs') };
const LOAD = {
  arrivals: ARRIVALS,
  ...numbers('capacityPerS', 'timeoutMs', 'downFromMs', 'downMs', 'horizonMs', 'binMs'),
  protection: section(PROTECTION),
  processes: NUMBER,
};
const RATE_LIMIT = {
  ...numbers('jobs', 'workers', 'limit', 'windowMs', 'latencyMs', 'horizonMs', 'binMs'),
  hints: HINTS,
  protection: section({ cooldown: section(numbers('maxHoldMs')) }),
};
const HEDGING = {
  requests: NUMBER,
  service: section(numbers('meanMs', 'slowShare', 'slowFromMs', 'slowMeanMs')),
  hedge: section(numbers('delayMs', 'quantile', 'maxRatio')),
  load: section(numbers('servers', 'utilisation')),
  seed: RULES.seed,
};

/** @param {import('./values.js').PolicyClass} RetryPolicy @param {import('./calls.js').Calls<SimulationCore>} calls */
export function createSimulations(RetryPolicy, calls) {
  /**
   * @param {(core: SimulationCore) => WithPolicy} choose
   * @param {any} data
   * @param {any} options
   * @param {Rules} rules
   */
  const retrying = (choose, data, options, rules) => {
    const { seed, ...given } = read(options, { ...rules, seed: RULES.seed });
    const [seedHigh, seedLow] = seedOf(seed, data.seed);
    return simulationOf(calls, (core) => choose(core)(data, seedHigh, seedLow, given));
  };

  return {
    /** @param {any} policy @param {any} [options] */
    simulateOutage(policy, options) {
      return retrying((core) => core.labOutage, policyData(RetryPolicy, policy), options, OUTAGE);
    },

    /** @param {any} policy @param {any} [options] */
    simulateContention(policy, options) {
      const line = policy !== null && typeof policy === 'object' && Object.hasOwn(policy, 'figure');
      const data = line ? read(policy, LINE) : policyData(RetryPolicy, policy);
      return retrying((core) => core.labContention, data, options, CONTENTION);
    },

    /** @param {any} policy @param {any} [options] */
    simulateLoad(policy, options) {
      return retrying((core) => core.labLoad, policyData(RetryPolicy, policy), options, LOAD);
    },

    /** @param {any} policy @param {any} [options] */
    simulateRateLimit(policy, options) {
      return retrying((core) => core.labRateLimit, policyData(RetryPolicy, policy), options, RATE_LIMIT);
    },

    /** @param {any} [options] */
    simulateHedging(options) {
      const { seed, ...given } = read(options, HEDGING);
      const [seedHigh, seedLow] = seedOf(seed, undefined);
      return simulationOf(calls, (core) => core.labHedging(seedHigh, seedLow, given));
    },
  };
}

/** Returns the rule of an object of options. @param {Rules} rules @returns {Rule} */
function section(rules) {
  return [
    '',
    'an object of options',
    (value, given, problems, name) => {
      if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
      given[name] = readInto(value, rules, problems, undefined, `${name}.`);
      return true;
    },
  ];
}

/**
 * Whether it is an object with this tag and the numbers that belong to it, and nothing else.
 * @param {any} value
 * @param {string} tag
 * @param {Record<string, string[]>} kinds
 */
function isOne(value, tag, kinds) {
  if (typeof value[tag] !== 'string' || !Object.hasOwn(kinds, value[tag])) return false;
  const names = kinds[value[tag]];
  return Object.keys(value).length === names.length + 1 && names.every((name) => typeof value[name] === 'number');
}

/** @param {string[]} names @returns {Rules} */
function numbers(...names) {
  return Object.fromEntries(names.map((name) => [name, NUMBER]));
}
