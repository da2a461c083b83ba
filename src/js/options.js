// @ts-check
// From the caller's options to settings: read once, checked, all problems reported at once.

import { seedBits } from './randomness.js';
import {
  ADDITIVE, ADDITIVE_MAX, BACKOFFS, CUSTOM, DECORRELATED, DEFAULT_CAP_MS, EXPONENTIAL, FULL, JITTERS, LINEAR, MAX_MS,
  POLLY_V2, PROPORTIONAL, RULES, SLOTTED, TRUNCATED, errorOf, problemOf, show, unknown,
} from './rules.js';

/**
 * What the options of one function, or of a policy, start from.
 * @typedef {object} Base
 * @property {() => import('./decision.js').Core} load
 * @property {number} backoff
 * @property {number} jitter
 * @property {number} capRule what the cap bounds; only presets change it (src/core/jitter.rs)
 * @property {number} maxAttempts
 * @property {readonly string[]} refused at most two options that must be left out here
 * @property {string} because why
 * @property {(() => import('./metrics.js').Metrics) | undefined} newMetrics how to count, where there is more than one operation
 */

/**
 * @param {() => import('./decision.js').Core} load
 * @param {Partial<Base>} [own]
 * @returns {Base}
 */
export function defaults(load, own) {
  return { load, backoff: EXPONENTIAL, jitter: FULL, capRule: 0, maxAttempts: 6, refused: [], because: '', newMetrics: undefined, ...own };
}

/**
 * Validated options as the rest of the driver uses them: one shape, numbers where the core takes
 * numbers. `undefined` is "not given": the core knows the defaults of the curve. (NaN would say it
 * as well, but engines allocate a box for each such field of each object.)
 */
export class Settings {
  /** @param {Base} base */
  constructor(base) {
    this.base = base;
    this.backoff = base.backoff;
    this.jitter = base.jitter;
    /** @type {number | undefined} */
    this.baseMs = undefined;
    /** @type {number | undefined} */
    this.capMs = undefined;
    /** @type {number | undefined} */
    this.minMs = undefined;
    /** @type {number | undefined} */
    this.factor = undefined;
    /** @type {number | undefined} */
    this.stepMs = undefined;
    /** @type {number | undefined} */
    this.truncateAt = undefined;
    /** @type {number | undefined} the jitter's own parameter: a ratio or milliseconds */
    this.spread = undefined;
    /** @type {((k: number) => number) | readonly number[] | undefined} */
    this.curve = undefined;
    /** @type {number | undefined} */
    this.maxRetryAfterMs = undefined;
    this.capLongRetryAfter = false;
    this.maxAttempts = base.maxAttempts;
    /** @type {number | undefined} above 0 and finite */
    this.attemptTimeoutMs = undefined;
    /** @type {number | undefined} above 0 and finite */
    this.totalTimeoutMs = undefined;
    /** @type {AbortSignal | undefined} */
    this.signal = undefined;
    /** @type {Function | undefined} */
    this.retryIf = undefined;
    /** @type {Function | undefined} */
    this.retryOnResult = undefined;
    /**
     * What a wrapper of this package knows of a failed attempt beside its outcome: a wait that the
     * server asks for, or a reason to stop. Asked after the predicate.
     * @type {(() => { afterMs?: number, stop?: string } | undefined) | undefined}
     */
    this.rule = undefined;
    /** @type {import('./hooks.js').Hooks | undefined} */
    this.hooks = undefined;
    /** @type {(() => number) | undefined} */
    this.random = undefined;
    this.seeded = false;
    this.seedHigh = 0;
    this.seedLow = 0;
    this.unref = false;
    this.wrap = false;
    /** @type {import('./metrics.js').Metrics | undefined} */
    this.metrics = undefined;
    /** Whether signals or timeouts may interrupt an operation. */
    this.interruptible = false;
    /** Whether an operation has more to do at its start than to call the callback. */
    this.watched = false;
    /** How many operations have begun, which is the next one's index. */
    this.operations = 0;
  }
}

const { hasOwnProperty } = Object.prototype;

/**
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options
 * @param {Base} base
 * @returns {Settings}
 */
export function readOptions(options, base) {
  const settings = new Settings(base);
  if (options === undefined) return settings;
  requireObject(options);
  const { refused } = base;
  /** @type {Error[]} */
  const problems = [];
  // Not `Object.keys`, nor a table of checks: this is read at each call of a function, and engines
  // know by the object's shape what such a loop finds.
  for (const name in options) {
    if (!hasOwnProperty.call(options, name)) continue;
    const value = options[name];
    if (value === undefined) continue;
    let valid = true;
    switch (name) {
      case 'baseMs':
        valid = isMs((settings.baseMs = value));
        break;
      case 'capMs':
        valid = isLongest((settings.capMs = value));
        break;
      case 'minMs':
        valid = isMs((settings.minMs = value));
        break;
      case 'stepMs':
        valid = isMs((settings.stepMs = value));
        break;
      case 'factor':
        valid = isWithin((settings.factor = value), 1, Number.MAX_VALUE);
        break;
      case 'truncateAt':
        valid = Number.isInteger((settings.truncateAt = value)) && isWithin(value, 1, 1024);
        break;
      case 'backoff':
        valid = readable(() => readBackoff(value, settings));
        break;
      case 'jitter':
        valid = readable(() => readJitter(value, settings));
        break;
      case 'maxRetryAfterMs':
        valid = isLongest((settings.maxRetryAfterMs = value));
        break;
      case 'longRetryAfter':
        valid = (settings.capLongRetryAfter = value === 'cap') || value === 'stop';
        break;
      case 'maxAttempts':
        settings.maxAttempts = value;
        valid = (Number.isSafeInteger(value) && value >= 1) || value === Infinity;
        break;
      case 'attemptTimeoutMs':
        valid = isLimit(value);
        if (valid && value < Infinity) settings.attemptTimeoutMs = value;
        break;
      case 'totalTimeoutMs':
        valid = isLimit(value);
        if (valid && value < Infinity) settings.totalTimeoutMs = value;
        break;
      case 'signal':
        valid = isSignal((settings.signal = value));
        break;
      case 'retryIf':
        valid = isFunction((settings.retryIf = value));
        break;
      case 'retryOnResult':
        valid = isFunction((settings.retryOnResult = value));
        break;
      case 'onAttempt':
      case 'onFailure':
      case 'onRetry':
      case 'onSuccess':
      case 'onGiveUp':
        valid = isFunction(value);
        settings.hooks = { ...settings.hooks, [name]: value };
        break;
      case 'random':
        valid = isFunction((settings.random = value));
        break;
      case 'seed':
        valid = isSeed(value);
        if (valid) seed(settings, value);
        break;
      case 'unref':
        valid = isSwitch((settings.unref = value));
        break;
      case 'finalError':
        valid = (settings.wrap = value === 'wrap') || value === 'last';
        break;
      case 'metrics':
        valid = isSwitch(value);
        if (value === true) {
          settings.metrics = base.newMetrics?.();
          if (settings.metrics === undefined) problems.push(leftOut(name, value, 'only a RetryPolicy counts over many operations'));
        }
        break;
      default:
        problems.push(unknown(name, Object.keys(RULES)));
        continue;
    }
    if (!valid) problems.push(problemOf(name, value));
    if (name === refused[0] || name === refused[1]) problems.push(leftOut(name, value, base.because));
  }
  // Comparisons between options make sense only once each is valid by itself.
  if (problems.length === 0) contradictions(settings, problems);
  if (problems.length > 0) throw errorOf(problems);
  settings.interruptible = settings.signal !== undefined || settings.attemptTimeoutMs !== undefined || settings.totalTimeoutMs !== undefined;
  settings.watched = settings.interruptible || settings.retryOnResult !== undefined || settings.hooks !== undefined || settings.metrics !== undefined;
  return settings;
}

/**
 * A value that throws when it is looked at is not what an option can be.
 * @param {() => boolean} look
 */
function readable(look) {
  try {
    return look();
  } catch {
    return false;
  }
}

/**
 * @param {any} value
 * @param {Settings} settings
 */
function readBackoff(value, settings) {
  settings.backoff = BACKOFFS.indexOf(value);
  if (settings.backoff >= 0) return true;
  settings.backoff = CUSTOM;
  settings.curve = value;
  if (isFunction(value)) return true;
  if (!Array.isArray(value)) return false;
  // A copy: what the caller does with the list later changes nothing.
  const list = (settings.curve = Array.from(value));
  return list.length > 0 && list.every(isLongest);
}

/**
 * @param {any} value
 * @param {Settings} settings
 */
function readJitter(value, settings) {
  settings.jitter = JITTERS.indexOf(value);
  if (settings.jitter >= 0) return true;
  if (value === null || typeof value !== 'object') return false;
  const { type, ratio, maxMs, ...rest } = ownOf(value);
  const proportional = type === 'proportional';
  const bounded = maxMs !== undefined;
  settings.spread = bounded ? maxMs : ratio;
  settings.jitter = proportional ? PROPORTIONAL : bounded ? ADDITIVE_MAX : ADDITIVE;
  return (
    Object.keys(rest).length === 0 &&
    (bounded ? type === 'additive' && ratio === undefined : proportional || type === 'additive') &&
    isWithin(settings.spread, Number.MIN_VALUE, bounded ? MAX_MS : proportional ? 1 : 1000)
  );
}

/**
 * @param {Settings} settings
 * @param {number | bigint | string} value
 */
function seed(settings, value) {
  settings.seeded = true;
  [settings.seedHigh, settings.seedLow] = seedBits(value);
}

/**
 * The options of `policy.run`: a signal.
 * @param {any} options
 * @returns {AbortSignal | undefined}
 */
export function readRunOptions(options) {
  if (options === undefined) return undefined;
  const { signal } = readOnly(options, ['signal']);
  if (signal !== undefined && !isSignal(signal)) throw problemOf('signal', signal);
  return signal;
}

/**
 * The options of `policy.delays`: a seed, which takes the place of the policy's.
 * @param {any} options
 * @param {Settings} settings
 * @returns {Settings}
 */
export function readDelaysOptions(options, settings) {
  const given = readOnly(options, ['seed']);
  if (given.seed === undefined) return settings;
  if (!isSeed(given.seed)) throw problemOf('seed', given.seed);
  const seeded = Object.assign(new Settings(settings.base), settings);
  seed(seeded, given.seed);
  /** @type {Error[]} */
  const problems = [];
  contradictions(seeded, problems);
  if (problems.length > 0) throw errorOf(problems);
  return seeded;
}

/**
 * The own options that are given, each read once.
 * @param {any} options
 * @param {string[]} [names] all that are known here
 * @returns {Record<string, any>}
 */
export function readOnly(options, names) {
  if (options === undefined) return Object.create(null);
  requireObject(options);
  const read = ownOf(options);
  for (const name of Object.keys(read)) {
    if (names !== undefined && !names.includes(name)) throw unknown(name, names);
  }
  return read;
}

/**
 * The own options that are given, each read once. Without a prototype, so that a name which is
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
  if (!isFunction(fn)) throw problemOf('the callback', fn, ['', 'a function that is called for each attempt']);
}

/**
 * @param {any} options
 * @param {string} [name]
 * @param {string} [rule]
 */
export function requireObject(options, name = 'options', rule = 'an object') {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`${name} is ${Array.isArray(options) ? 'an array' : show(options)}; it must be ${rule}`);
  }
}

/**
 * @param {Settings} settings
 * @param {Error[]} problems where to put what is found
 */
function contradictions({ backoff, jitter, baseMs = NaN, capMs = NaN, minMs = NaN, factor, stepMs, truncateAt, seeded, random }, problems) {
  // A comparison with NaN is false.
  if (capMs < baseMs) problems.push(new RangeError(`capMs is ${capMs}; it must be at least baseMs, which is ${baseMs}`));
  const cap = capMs >= 0 ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
  if (minMs > cap) problems.push(new RangeError(`minMs is ${minMs}; it must be at most capMs, which is ${cap}`));
  const ownCurve = jitter >= DECORRELATED && jitter <= POLLY_V2;
  const why = ownCurve ? ` (jitter '${JITTERS[jitter]}' has a curve of its own)` : '';
  if (factor !== undefined && (ownCurve || backoff !== EXPONENTIAL)) {
    problems.push(leftOut('factor', factor, `only backoff 'exponential' has it${why}`));
  }
  if (stepMs !== undefined && (ownCurve || backoff !== LINEAR)) {
    problems.push(leftOut('stepMs', stepMs, `only backoff 'linear' has it${why}`));
  }
  if (truncateAt !== undefined && backoff !== TRUNCATED && jitter !== SLOTTED) {
    problems.push(leftOut('truncateAt', truncateAt, "only backoff 'truncated' and jitter 'slotted' have it"));
  }
  if (seeded && random !== undefined) problems.push(new TypeError('seed and random were both given; they must be given one at a time'));
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {string} because
 */
function leftOut(name, value, because) {
  return problemOf(name, value, ['', `left out, because ${because}`]);
}

/**
 * @param {any} value
 * @param {number} least
 * @param {number} most
 */
function isWithin(value, least, most) {
  return typeof value === 'number' && value >= least && value <= most;
}

/** @param {unknown} value */
export function isMs(value) {
  return isWithin(value, 0, MAX_MS);
}

/** @param {unknown} value */
export function isLongest(value) {
  return isWithin(value, 0, Infinity);
}

/** @param {unknown} value */
function isLimit(value) {
  return isWithin(value, Number.MIN_VALUE, Infinity);
}

/** @param {unknown} value */
export function isFunction(value) {
  return typeof value === 'function';
}

/** @param {unknown} value */
export function isSwitch(value) {
  return typeof value === 'boolean';
}

/** @param {unknown} value */
export function isSeed(value) {
  if (typeof value === 'bigint') return value >= 0n && value < 1n << 64n;
  return typeof value === 'string' || (Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0);
}

/**
 * By what it can do and not by `instanceof`, which is false for the signals of another realm.
 * @param {any} value
 */
export function isSignal(value) {
  return readable(
    () =>
      value !== null &&
      typeof value === 'object' &&
      isSwitch(value.aborted) &&
      isFunction(value.addEventListener) &&
      isFunction(value.removeEventListener),
  );
}
