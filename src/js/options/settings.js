// From the caller's options to settings: read once, checked, all problems reported at once.

import { isCount, isFunction, isLongest, isMs, isSignal } from './checks.js';
import { BOUND, EXPONENTIAL, FULL, ORIGIN } from './codes.js';
import { contradictions, dropReplaced } from './curve.js';
import { errorOf, problemOf } from './messages.js';
import { iterable, ownOf, readOne } from './reader.js';
import { RULES } from './table.js';

/** @import { Rules } from './reader.js' */

/** @typedef {import('../../../pkg-template/index.js').PolicyOptions} Options */

/**
 * Options as the driver uses them. An unset number is NaN or undefined, which it is for the core: that knows the
 * defaults of the curve.
 * @template {keyof Options} Name
 * @typedef {{ [Each in Name]-?: NonNullable<Options[Each]> extends number ? number : NonNullable<Options[Each]> |
 *   undefined }} Values
 */

/**
 * Settings in another form than their option's, and what follows from several.
 * @typedef {object} Derived
 * @property {number} backoff
 * @property {number} jitter
 * @property {number} capRule the value that the cap bounds; only presets change it (crates/rejitter/src/core/jitter.rs)
 * @property {number} spread the jitter's own parameter: a ratio or milliseconds
 * @property {((k: number) => number) | readonly number[] | undefined} curve
 * @property {boolean} hooks whether there are any
 * @property {{ firstMs: number, thenMs: number } | false | undefined} idleTimeoutMs false for `Infinity`
 * @property {[high: number, low: number, index?: number] | undefined} seed
 * @property {import('../protection/state.js').State | undefined} protection
 * @property {number} [needs] what an operation has to do before it calls the callback; undefined for nothing
 */

/** @typedef {Values<Exclude<keyof Options, keyof Derived>> & Derived} Settings */

/** It asks protection, and nothing else. */
export const NEEDS_PROTECTION = 1;
/** It takes all steps of the loop. */
const NEEDS_STEPS = 2;
/** Signals or timeouts may interrupt it, too. */
export const NEEDS_LIMITS = 3;

/**
 * Makes settings for one call after the other: the defaults, except its own. What they inherit is made at the first
 * call, because an app uses one or two of the functions that it imports.
 * @type {(own?: object) => () => Settings}
 */
export function settingsOf(own) {
  /** @type {any} */
  let Call;
  return () => {
    if (Call === undefined) {
      // Engines allocate what a constructor makes faster than what `Object.create` does.
      Call = function () {};
      // A call inherits these: to copy them would take longer than everything else that it does.
      // Nothing is found on `Object.prototype`, where anything may have put it.
      Call.prototype = {
        __proto__: null,
        backoff: EXPONENTIAL,
        jitter: FULL,
        capRule: BOUND,
        maxAttempts: 6,
        attemptTimeoutMs: Infinity,
        totalTimeoutMs: Infinity,
        ...own,
      };
    }
    return new Call();
  };
}

/**
 * The parts of a RetryPolicy: its settings and the state that all of its operations share.
 * @template Metrics
 * @typedef {{ seam?: number, settings: Settings, operations: number, metrics: Metrics | undefined }} Behind
 */

/** @param {Settings} base @param {object} [own] @returns {any} settings that differ from others */
export function inheriting(base, own) {
  return Object.assign(Object.create(base), own);
}

/** A preset determines all of these: those that it does not name have their defaults. */
const WAITS = {
  backoff: EXPONENTIAL,
  jitter: FULL,
  baseMs: NaN,
  capMs: NaN,
  minMs: NaN,
  factor: NaN,
  stepMs: NaN,
  truncateAt: NaN,
};

/**
 * Returns settings with options that override some of them. An override of `backoff` or `jitter` drops the options that
 * belong to what it replaces; of `seed` and `random`, one replaces the other.
 * @type {(options: any, base: Settings, rules: Rules) => Settings}
 */
export function readOverrides(options, base, rules) {
  return readOptions(options, inheriting(base, options?.[ORIGIN] && WAITS), rules, dropReplaced);
}

/**
 * Reads each own option into the settings, once, and throws one error that lists every problem. Calls `adapt` before
 * the options are compared.
 * @type {(options: any, settings: Settings, rules?: Rules, adapt?: (settings: Settings, problems: Error[]) => void) =>
 *   Settings}
 */
export function readOptions(options, settings, rules = RULES, adapt = undefined) {
  if (options === undefined) return settings;
  /** @type {import('./preset.js').ReadCopy | undefined} */
  const readCopy = options?.[ORIGIN];
  if (readCopy !== undefined && Object.hasOwn(options, ORIGIN))
    return readCopy(readOptions, options, settings, rules, adapt);
  /** @type {Error[]} */
  const problems = [];
  const given = iterable(options);
  // This is read at each call of a function. Engines know by the object's shape what such a loop finds, as they do not
  // with `Object.keys`; and a name that is written here costs a quarter of one that is looked up, hence those that
  // nearly every call has.
  for (const name in given) {
    const value = given[name];
    if (name === 'baseMs' && isMs(value)) settings.baseMs = value;
    else if (name === 'capMs' && isLongest(value)) settings.capMs = value;
    else if (name === 'maxAttempts' && isCount(value)) settings.maxAttempts = value;
    else readOne(name, value, rules, settings, problems);
  }
  // Comparisons between options make sense only once each is valid by itself.
  if (problems.length === 0) {
    adapt?.(settings, problems);
    contradictions(settings, problems);
  }
  if (problems.length > 0) throw errorOf(problems);
  const { signal, attemptTimeoutMs, idleTimeoutMs, totalTimeoutMs, protection } = settings;
  if (signal || attemptTimeoutMs < Infinity || idleTimeoutMs || totalTimeoutMs < Infinity || protection?.hedge)
    settings.needs = NEEDS_LIMITS;
  else if (settings.retryOnResult || settings.hooks || settings.metrics) settings.needs = NEEDS_STEPS;
  else if (protection) settings.needs ||= NEEDS_PROTECTION;
  return settings;
}

/**
 * Returns the settings and the signal of one run of a policy. The signal adds to the policy's. With a seed of its own,
 * the run is that seed's first operation.
 * @type {(options: any, policy: Settings, rules: Rules) => [Settings, AbortSignal | undefined, ownSeed: boolean]}
 */
export function readRunOptions(options, policy, rules) {
  const given = ownOf(options);
  const { signal, key, seed } = given;
  // Most runs with options have a signal, and no settings of their own.
  if (Object.keys(given).length === 1 && isSignal(signal)) return [policy, signal, false];
  delete given.key;
  const settings = readOverrides(given, policy, rules);
  settings.signal = policy.signal;
  if (key !== undefined) settings.protection = settings.protection?.of(key);
  return [settings, signal, seed !== undefined];
}

/** @param {unknown} fn */
export function requireFunction(fn) {
  if (!isFunction(fn)) throw problemOf('the callback', fn, ['', 'callback']);
}
