// @ts-check
// From the caller's options to settings: read once, checked, all problems reported at once.

import { isCount, isFunction, isLongest, isMs, isSignal } from './checks.js';
import {
  BACKOFFS,
  BOUND,
  CUSTOM,
  DEFAULT_CAP_MS,
  EXPONENTIAL,
  FULL,
  JITTERS,
  LINEAR,
  SLOTTED,
  TRUNCATED,
  hasOwnCurve,
} from './codes.js';
import { MAX_PROBLEMS, POLICY, errorOf, failure, leftOut, notOptions, problemOf, unknown } from './messages.js';
import { RULES } from './rules.js';

/**
 * The wasm's exports, as the driver uses them (src/bindings/core.rs).
 * @typedef {object} Core
 * @property {(...numbers: number[]) => number} decide
 * @property {(...numbers: number[]) => number} draw
 */

/**
 * Loads the core; with `true`, drops its instance, so that the next call makes another.
 * @typedef {(drop?: boolean) => Core} Load
 */

/**
 * The event that a hook receives.
 * @typedef {object} Event
 * @property {number} attempt
 * @property {number} attemptsLeft
 * @property {string} [name]
 * @property {unknown} [error]
 * @property {unknown} [result]
 * @property {number} [delayMs]
 * @property {string} [reason]
 * @property {number} elapsedMs
 * @property {object} [report]
 */

/** @typedef {(event: Event) => unknown} Hook */

/** Nothing but protection watches an operation. */
export const PROTECTED = 1;
/** Something else does. */
const WATCHED = 2;

/**
 * Validated options as the rest of the driver uses them: codes and numbers where the core takes numbers. What is
 * unset is undefined; a number also as NaN, which it is for the core: that knows the defaults of the curve.
 * @typedef {object} Settings
 * @property {Load} load
 * @property {number} backoff
 * @property {number} jitter
 * @property {number} capRule the value that the cap bounds; only presets change it (src/core/jitter.rs)
 * @property {number} baseMs
 * @property {number} capMs
 * @property {number} minMs
 * @property {number} factor
 * @property {number} stepMs
 * @property {number} truncateAt
 * @property {number} spread the jitter's own parameter: a ratio or milliseconds
 * @property {((k: number) => number) | readonly number[] | undefined} curve
 * @property {boolean} capOfList whether `capMs` is unset, and holds the longest wait of the list in `curve`
 * @property {number} maxRetryAfterMs
 * @property {'stop' | 'cap'} longRetryAfter
 * @property {number} maxAttempts
 * @property {number} attemptTimeoutMs
 * @property {number} totalTimeoutMs
 * @property {AbortSignal | undefined} signal
 * @property {Function | undefined} retryIf
 * @property {Function | undefined} retryOnResult
 * @property {Function | undefined} beforeRetry awaited after each wait, before the next attempt
 * @property {string | undefined} name identifies the operation in events
 * @property {boolean} hooks whether there are any
 * @property {Hook} [onAttempt]
 * @property {Hook} [onFailure]
 * @property {Hook} [onRetry]
 * @property {Hook} [onSuccess]
 * @property {Hook} [onGiveUp]
 * @property {(() => number) | undefined} random
 * @property {[high: number, low: number, index?: number] | undefined} seed
 * @property {boolean} unref
 * @property {'last' | 'wrap'} finalError
 * @property {'resolve' | 'reject'} finalResult
 * @property {boolean} metrics
 * @property {boolean} interruptible whether signals or timeouts may interrupt an operation
 * @property {import('../run/guard.js').Protection | undefined} protection
 * @property {number} [watched] whether an operation has more to do at its start than to call the callback: PROTECTED or
 *   WATCHED
 */

/** Tells settings from options that a caller may pass. */
const SETTINGS = Object.create(null);

/**
 * Returns whether these are settings, and not a caller's options.
 * @param {unknown} options
 * @returns {options is Settings}
 */
export function isSettings(options) {
  return Object.prototype.isPrototypeOf.call(SETTINGS, /** @type {any} */ (options));
}

/** Options that a function does not take, and why. @typedef {Record<string, string>} Excluded */

/** Why `metrics` are not supported where there is only one operation to count. */
export const ONE_OPERATION = 'only RetryPolicy supports it';

/**
 * Makes settings for one call after the other. What they inherit is made at the first: an app uses one or
 * two of the functions that it imports.
 * @param {Load} load
 * @param {Partial<Settings>} [own]
 * @returns {() => Settings}
 */
export function settingsOf(load, own) {
  /** @type {any} */
  let Call;
  return () => {
    if (Call === undefined) {
      // Engines allocate what a constructor makes faster than what `Object.create` does.
      Call = function () {};
      // A call inherits these: to copy them would take longer than everything else that it does.
      // Nothing is found on `Object.prototype`, where anything may have put it.
      Call.prototype = {
        __proto__: SETTINGS,
        load,
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
 * @typedef {{ settings: Settings, operations: number, metrics: Metrics | undefined }} Behind
 */

/**
 * Returns the parts of a RetryPolicy of any copy of the package; undefined for anything else.
 * @param {any} policy
 * @returns {Behind<any> | undefined}
 */
export function behindOf(policy) {
  // A copy by spread has the function, too, but no methods.
  return isFunction(policy?.run) && Object.hasOwn(policy, POLICY) ? policy[POLICY]() : undefined;
}

/**
 * @param {Settings} base
 * @returns {Settings}
 */
export function inheriting(base) {
  return Object.create(base);
}

/**
 * Returns the settings of a policy or a preset with options that override some of them. An override of
 * `backoff` or `jitter` drops the options that belong to what it replaces; of `seed` and `random`, one replaces the
 * other.
 * @param {any} options
 * @param {Settings} base
 * @param {Excluded} [excluded]
 * @param {Partial<Settings>} [own]
 */
export function readOverrides(options, base, excluded, own) {
  return readOptions(options, Object.assign(inheriting(base), own), excluded, dropReplaced);
}

/**
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options
 * @param {Settings} settings where they go
 * @param {Excluded} [excluded]
 * @param {(settings: Settings) => void} [adapt] called before the options are compared
 */
export function readOptions(options, settings, excluded = { metrics: ONE_OPERATION }, adapt) {
  if (options === undefined) return settings;
  requireObject(options);
  /** @type {Error[]} */
  const problems = [];
  const given = ownOptions(options);
  // This is read at each call of a function. Engines know by the object's shape what such a loop finds,
  // as they do not with `Object.keys`; and a name that is written here costs a quarter of one that is
  // looked up, hence those that nearly every call has.
  for (const name in given) {
    const value = given[name];
    if (value === undefined) continue;
    let valid;
    switch (name) {
      case 'baseMs':
        valid = isMs((settings.baseMs = value));
        break;
      case 'capMs':
        valid = isLongest((settings.capMs = value));
        break;
      case 'maxAttempts':
        valid = isCount((settings.maxAttempts = value));
        break;
      case 'retryIf':
        valid = isFunction((settings.retryIf = value));
        break;
      default:
        if (problems.length >= MAX_PROBLEMS) continue;
        valid = readByRule(name, value, settings, problems, excluded);
    }
    if (!valid) problems.push(problemOf(name, value, RULES[name]));
  }
  // Comparisons between options make sense only once each is valid by itself.
  if (problems.length === 0) {
    adapt?.(settings);
    if (settings.backoff === CUSTOM) capList(settings);
    contradictions(settings, problems);
  }
  if (problems.length > 0) throw errorOf(problems);
  const { signal, attemptTimeoutMs, totalTimeoutMs, protection } = settings;
  if (signal !== undefined || attemptTimeoutMs < Infinity || totalTimeoutMs < Infinity || protection?.hedge) {
    settings.interruptible = true;
    settings.watched = WATCHED;
  } else if (settings.retryOnResult !== undefined || settings.hooks || settings.metrics) {
    settings.watched = WATCHED;
  } else if (protection) {
    settings.watched ||= PROTECTED;
  }
  return settings;
}

/**
 * @param {string} name
 * @param {any} value
 * @param {any} settings
 * @param {Error[]} problems
 * @param {Excluded} excluded
 */
function readByRule(name, value, settings, problems, excluded) {
  if (!Object.hasOwn(RULES, name)) {
    problems.push(
      unknown(
        name,
        Object.keys(RULES).filter((known) => !Object.hasOwn(excluded, known)),
      ),
    );
    return true;
  }
  // Elsewhere than in a policy, `metrics: false` says nothing new, and what is neither true nor false breaks its rule.
  if (Object.hasOwn(excluded, name) && (value === true || excluded[name] !== ONE_OPERATION)) {
    problems.push(leftOut(name, value, excluded[name]));
    return true;
  }
  settings[name] = value;
  try {
    return RULES[name][2](value, settings, problems, name);
  } catch {
    // A value whose getters throw is invalid.
    return false;
  }
}

/** `metrics` count over the runs of a policy. @type {Excluded} */
const OF_A_POLICY = { metrics: 'it belongs to the policy' };

/**
 * Returns the settings and the signal of one run of a policy. The signal adds to the policy's. With a seed of its own,
 * the run is that seed's first operation.
 * @param {any} options
 * @param {Settings} policy
 * @returns {{ settings: Settings, signal?: AbortSignal, ownSeed?: boolean }}
 */
export function readRunOptions(options, policy) {
  requireObject(options);
  const names = Object.keys(options);
  // Most runs with options have this one, and no settings of their own.
  if (names.length === 1 && names[0] === 'signal') {
    const { signal } = options;
    if (signal === undefined || isSignal(signal)) return { settings: policy, signal };
    options = { signal };
  }
  const given = readOnly(options);
  const { signal, key } = given;
  delete given.key;
  const settings = readOverrides(given, policy, OF_A_POLICY);
  settings.signal = policy.signal;
  if (key !== undefined) settings.protection = settings.protection?.of(key);
  return { settings, signal, ownSeed: given.seed !== undefined };
}

/**
 * Returns a policy's settings with another seed.
 * @param {unknown} seed
 * @param {Settings} settings
 */
export function reseeded(seed, settings) {
  return seed === undefined ? settings : readOverrides({ seed }, settings);
}

/**
 * Returns the caller's own options, each read once.
 * @param {any} options
 * @param {string[]} [names] all that are known here
 * @returns {Record<string, any>}
 */
export function readOnly(options, names) {
  if (options === undefined) return Object.create(null);
  requireObject(options);
  if (Object.keys(options).length === 0) requirePlain(options);
  const read = ownOf(options);
  for (const name of Object.keys(read)) {
    if (names !== undefined && !names.includes(name)) throw unknown(name, names);
  }
  return read;
}

/**
 * Returns the caller's own options, each read once. Without a prototype, so that a name which is
 * not own is not found there either.
 * @param {any} options
 */
export function ownOf(options) {
  /** @type {Record<string, any>} */
  const read = Object.create(null);
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value !== undefined) read[name] = value;
  }
  return read;
}

/** @param {unknown} fn */
export function requireFunction(fn) {
  if (!isFunction(fn))
    throw problemOf('the callback', fn, [
      '',
      'a function and the first argument, as in retry(() => fetch(url), options)',
    ]);
}

/**
 * @param {any} options
 * @param {string} [name]
 * @param {string} [rule]
 */
export function requireObject(options, name = 'options', rule = 'an object') {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw problemOf(name, options, ['', rule]);
  }
}

/**
 * Returns the own properties only: inherited ones are not options. Calling `hasOwn` for each name would take longer
 * than all the rest of a call.
 * @param {any} options
 */
function ownOptions(options) {
  const own = Object.keys(options).length;
  if (own === 0) requirePlain(options);
  let names = 0;
  for (const _ in options) names++;
  return names === own ? options : { __proto__: null, ...options };
}

/**
 * Rejects a signal, a Map: they have no own properties, so their options would be ignored.
 * @param {object} options without own properties
 */
function requirePlain(options) {
  const prototype = Object.getPrototypeOf(options);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw notOptions(isSignal(options) ? 'an AbortSignal: pass { signal }' : 'an object without own properties');
  }
}

/**
 * @param {Settings} settings whose own properties are overrides
 */
function dropReplaced(settings) {
  const own = (/** @type {string} */ name) => Object.hasOwn(settings, name);
  if (settings.capOfList && !own('capMs')) settings.capMs = NaN;
  settings.capOfList = false;
  if (own('seed') !== own('random')) settings[own('seed') ? 'random' : 'seed'] = undefined;
  if (!own('backoff') && !own('jitter')) return;
  if (settings.backoff !== CUSTOM) settings.curve = undefined;
  if (!own('factor') && !follows(EXPONENTIAL, settings)) settings.factor = NaN;
  if (!own('stepMs') && !follows(LINEAR, settings)) settings.stepMs = NaN;
  if (!own('truncateAt') && !truncates(settings)) settings.truncateAt = NaN;
}

/**
 * Raises the default cap, which would silently cut the caller's list, to its longest wait. For a function,
 * the core has no default cap.
 * @param {Settings} settings
 */
function capList(settings) {
  const { curve, baseMs } = settings;
  if (settings.capMs >= 0 || typeof curve === 'function' || hasOwnCurve(settings.jitter)) return;
  settings.capMs = Math.max(DEFAULT_CAP_MS, baseMs >= 0 ? baseMs : 0, .../** @type {number[]} */ (curve));
  settings.capOfList = true;
}

/** @param {number} backoff @param {Settings} settings */
function follows(backoff, settings) {
  return settings.backoff === backoff && !hasOwnCurve(settings.jitter);
}

/** @param {Settings} settings */
function truncates({ backoff, jitter }) {
  return backoff === TRUNCATED || jitter === SLOTTED;
}

/**
 * @param {Settings} settings
 * @param {Error[]} problems where to put what is found
 */
function contradictions(settings, problems) {
  const { baseMs, capMs, minMs, factor, stepMs, truncateAt } = settings;
  // A comparison with what is unset is false.
  if (capMs < baseMs) problems.push(problemOf('capMs', capMs, ['number', `at least baseMs (${baseMs})`]));
  if (minMs > 0) {
    const cap = capMs >= 0 || follows(CUSTOM, settings) ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
    if (minMs > cap) problems.push(problemOf('minMs', minMs, ['number', `at most capMs (${cap})`]));
  }
  if (factor >= 1) onlyWith(EXPONENTIAL, 'factor', settings, problems);
  if (stepMs >= 0) onlyWith(LINEAR, 'stepMs', settings, problems);
  if (truncateAt >= 1 && !truncates(settings)) {
    problems.push(leftOut('truncateAt', truncateAt, "it applies only to backoff 'truncated' and jitter 'slotted'"));
  }
  if (settings.seed !== undefined && settings.random !== undefined) {
    problems.push(failure(TypeError, 'seed and random are mutually exclusive; set one of them'));
  }
}

/**
 * @param {number} backoff the one that has this option
 * @param {'factor' | 'stepMs'} name
 * @param {Settings} settings
 * @param {Error[]} problems
 */
function onlyWith(backoff, name, settings, problems) {
  if (follows(backoff, settings)) return;
  const { jitter } = settings;
  const why = hasOwnCurve(jitter) ? ` (jitter '${JITTERS[jitter]}' replaces the backoff)` : '';
  problems.push(leftOut(name, settings[name], `it applies only to backoff '${BACKOFFS[backoff]}'${why}`));
}
