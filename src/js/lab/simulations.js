// @ts-check
// The simulations as users make them: from a policy and options to the wasm.

import { errorOf, problemOf } from '../options/messages.js';
import { ownOf, readOnly } from '../options/settings.js';
import { simulationOf } from './run.js';
import { policyData, seedOf } from './values.js';

/**
 * The simulations of the lab's wasm (src/bindings/simulation/), which knows ranges and defaults.
 * @typedef {import('./run.js').Running} Running
 * @typedef {(policy: unknown, seedHigh: number, seedLow: number, options: unknown) => Running} WithPolicy
 * @typedef {(seedHigh: number, seedLow: number, options: unknown) => Running} WithoutPolicy
 *
 * @typedef {object} SimulationCore
 * @property {WithPolicy} labOutage
 * @property {WithPolicy} labContention
 * @property {WithPolicy} labLoad
 * @property {WithPolicy} labRateLimit
 * @property {WithoutPolicy} labHedging
 * @property {WithoutPolicy} labAmplification
 * @property {WithoutPolicy} labEthernet
 */

/**
 * The rule for an option's value and its check, without ranges.
 * @typedef {[rule: string, allowed: (value: any) => boolean]} Shape
 */

/** @type {Shape} */
const NUMBER = ['a number', (value) => typeof value === 'number'];

/** @type {Shape} */
const ARRIVALS = [
  "{ type: 'regular', perS }, { type: 'poisson', perS } or { type: 'closed', clients, thinkMs }",
  (value) => isOne(value, 'type', { regular: ['perS'], poisson: ['perS'], closed: ['clients', 'thinkMs'] }),
];

/** @type {Shape} */
const SWITCH = ['true or false', (value) => typeof value === 'boolean'];

/** @type {Shape} */
const PRESET = ["'awsSdk2026'", (value) => value === 'awsSdk2026'];

/** @type {Shape} */
const HINTS = ["one of 'ignored', 'followed'", (value) => value === 'ignored' || value === 'followed'];

/** Options by name; an object of options is one too. @typedef {{ [name: string]: Shape | Shapes }} Shapes */

/** The options of the parts of `rejitter/protection`, and rules to compare them with. @type {Shapes} */
const PROTECTION = {
  budget: {
    ...numbers('capacity', 'perSuccess', 'cost', 'perRequest', 'perSecond', 'maxTokens', 'tokenRatio'),
    refund: SWITCH,
    preset: PRESET,
  },
  breaker: numbers('failureRatio', 'minimumCalls', 'windowMs', 'consecutiveFailures', 'openMs', 'closeAfter', 'draw'),
};

const FIGURES = ['none', 'exponential', 'equal', 'full', 'decorrelated'];

/** @type {Shape} */
const FIGURE = [`one of '${FIGURES.join("', '")}'`, (value) => FIGURES.includes(value)];

/** The options by name, but for the seed. */
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
  protection: PROTECTION,
  processes: NUMBER,
};
const RATE_LIMIT = {
  ...numbers('jobs', 'workers', 'limit', 'windowMs', 'latencyMs', 'horizonMs', 'binMs'),
  hints: HINTS,
  protection: { cooldown: numbers('maxHoldMs') },
};
const HEDGING = {
  requests: NUMBER,
  service: numbers('meanMs', 'slowShare', 'slowFromMs', 'slowMeanMs'),
  hedge: numbers('delayMs', 'quantile', 'maxRatio'),
  load: numbers('servers', 'utilisation'),
};
const AMPLIFICATION = numbers('attempts', 'layers', 'failure', 'requests');
const ETHERNET = numbers('stations', 'maxAttempts', 'truncateAt', 'runs');

/**
 * @param {import('./values.js').PolicyClass} RetryPolicy
 * @param {import('./calls.js').Calls<SimulationCore>} calls
 */
export function createSimulations(RetryPolicy, calls) {
  /**
   * @param {(core: SimulationCore) => WithPolicy} choose
   * @param {any} data
   * @param {any} options
   * @param {Shapes} shapes
   */
  const retrying = (choose, data, options, shapes) => {
    const { seed, ...given } = read(options, shapes, 'seed');
    const [seedHigh, seedLow] = seedOf(seed, data.seed);
    return simulationOf(calls, (core) => choose(core)(data, seedHigh, seedLow, given));
  };

  /**
   * @param {(core: SimulationCore) => WithoutPolicy} choose
   * @param {any} options
   * @param {Shapes} shapes
   */
  const other = (choose, options, shapes) => {
    const { seed, ...given } = read(options, shapes, 'seed');
    const [seedHigh, seedLow] = seedOf(seed, undefined);
    return simulationOf(calls, (core) => choose(core)(seedHigh, seedLow, given));
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
      return other((core) => core.labHedging, options, HEDGING);
    },

    /** @param {any} [options] */
    simulateAmplification(options) {
      return other((core) => core.labAmplification, options, AMPLIFICATION);
    },

    /** @param {any} [options] */
    simulateEthernet(options) {
      return other((core) => core.labEthernet, options, ETHERNET);
    },
  };
}

/**
 * Reads each own option once; what is of a wrong shape is one error that lists it all.
 * @param {any} options
 * @param {Shapes} shapes
 * @param {string[]} others names that are checked elsewhere
 */
function read(options, shapes, ...others) {
  /** @type {Error[]} */
  const problems = [];
  const given = readInto(problems, options, shapes, others);
  if (problems.length > 0) throw errorOf(problems);
  return given;
}

/**
 * @param {Error[]} problems
 * @param {any} options
 * @param {Shapes} shapes
 * @param {string[]} others
 * @param {string} section before the names of options
 */
function readInto(problems, options, shapes, others = [], section = '') {
  const given = readOnly(options, [...Object.keys(shapes), ...others]);
  for (const [name, value] of Object.entries(given)) {
    if (others.includes(name)) continue;
    const shape = shapes[name];
    if (Array.isArray(shape)) {
      const [rule, allowed] = shape;
      // A copy, so that the wasm gets the values that were checked.
      if (value !== null && typeof value === 'object') given[name] = ownOf(value);
      if (!allowed(given[name])) problems.push(problemOf(section + name, value, ['', rule]));
    } else if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      problems.push(problemOf(section + name, value, ['', 'an object of options']));
    } else given[name] = readInto(problems, value, shape, [], `${name}.`);
  }
  return given;
}

/**
 * Whether it is an object with this tag and the numbers that belong to it, and nothing else.
 * @param {any} value
 * @param {string} tag
 * @param {Record<string, string[]>} kinds
 */
function isOne(value, tag, kinds) {
  if (
    value === null ||
    typeof value !== 'object' ||
    typeof value[tag] !== 'string' ||
    !Object.hasOwn(kinds, value[tag])
  )
    return false;
  const names = kinds[value[tag]];
  return Object.keys(value).length === names.length + 1 && names.every((name) => typeof value[name] === 'number');
}

/**
 * @param {string[]} names
 * @returns {Record<string, Shape>}
 */
function numbers(...names) {
  return Object.fromEntries(names.map((name) => [name, NUMBER]));
}
