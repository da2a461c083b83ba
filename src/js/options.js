// @ts-check
// From the caller's options to settings: read once, checked, all problems reported at once.

import { seedBits } from './randomness.js';
import {
  ADDITIVE, ADDITIVE_MAX, BACKOFFS, CUSTOM, DECORRELATED, DEFAULT_CAP_MS, EXPONENTIAL, FULL, JITTERS, LINEAR, MAX_MS,
  POLLY_V2, PROPORTIONAL, RULES, SLOTTED, TRUNCATED, errorOf, problemOf, show, unknown,
} from './rules.js';

/**
 * Validated options as the rest of the driver uses them: numbers where the core takes numbers. NaN is
 * "not given": the core knows the defaults of the curve.
 *
 * This makes the defaults of a function, or of a policy; what is read inherits from them, because a
 * call that copies three dozen fields takes longer than everything else that it does.
 */
export class Settings {
  /** @param {() => import('./decision.js').Core} load */
  constructor(load) {
    this.load = load;
    this.backoff = EXPONENTIAL;
    this.jitter = FULL;
    /** What the cap bounds; only presets change it (src/core/jitter.rs). */
    this.capRule = 0;
    this.baseMs = NaN;
    this.capMs = NaN;
    this.minMs = NaN;
    this.factor = NaN;
    this.stepMs = NaN;
    this.truncateAt = NaN;
    /** The jitter's own parameter: a ratio or milliseconds. */
    this.spread = NaN;
    /** @type {((k: number) => number) | readonly number[] | undefined} */
    this.curve = undefined;
    this.maxRetryAfterMs = NaN;
    this.capLongRetryAfter = false;
    this.maxAttempts = 6;
    this.attemptTimeoutMs = Infinity;
    this.totalTimeoutMs = Infinity;
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
    /** How many seeded operations have begun, which is the next one's index. */
    this.operations = 0;
    /** @type {readonly string[]} options that must be left out: backoff, jitter, attemptTimeoutMs, unref */
    this.refused = [];
    /** Why. */
    this.because = '';
    /** @type {(() => import('./metrics.js').Metrics) | undefined} how to count, where there is more than one operation */
    this.newMetrics = undefined;
  }
}

/**
 * @param {() => import('./decision.js').Core} load
 * @param {Partial<Settings>} [own]
 */
export function defaults(load, own) {
  return Object.assign(new Settings(load), own);
}

/**
 * @param {Settings} base
 * @returns {Settings}
 */
export function inheriting(base) {
  return Object.create(base);
}

const { hasOwnProperty } = Object.prototype;

/**
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options
 * @param {Settings} base
 * @returns {Settings}
 */
export function readOptions(options, base) {
  const settings = inheriting(base);
  if (options === undefined) return settings;
  requireObject(options);
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
        refuse(name, value, base, problems);
        valid = readable(readBackoff, value, settings);
        break;
      case 'jitter':
        refuse(name, value, base, problems);
        valid = readable(readJitter, value, settings);
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
        refuse(name, value, base, problems);
        valid = isLimit((settings.attemptTimeoutMs = value));
        break;
      case 'totalTimeoutMs':
        valid = isLimit((settings.totalTimeoutMs = value));
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
        refuse(name, value, base, problems);
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
  }
  // Comparisons between options make sense only once each is valid by itself.
  if (problems.length === 0) contradictions(settings, problems);
  if (problems.length > 0) throw errorOf(problems);
  if (settings.signal !== undefined || settings.attemptTimeoutMs < Infinity || settings.totalTimeoutMs < Infinity) {
    settings.interruptible = settings.watched = true;
  } else if (settings.retryOnResult !== undefined || settings.hooks !== undefined || settings.metrics !== undefined) {
    settings.watched = true;
  }
  return settings;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {Settings} base
 * @param {Error[]} problems
 */
function refuse(name, value, { refused, because }, problems) {
  if (refused.includes(name)) problems.push(leftOut(name, value, because));
}

/**
 * A value that throws when it is looked at is not what an option can be. No closure: a loop that makes
 * one allocates a context in each round.
 * @template T
 * @param {(value: T, settings: Settings) => boolean} look
 * @param {T} value
 * @param {Settings} settings
 */
function readable(look, value, settings) {
  try {
    return look(value, settings);
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
  const seeded = inheriting(settings);
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
function contradictions(settings, problems) {
  const { baseMs, capMs, minMs, factor, stepMs, truncateAt } = settings;
  // A comparison with NaN, "not given", is false.
  if (capMs < baseMs) problems.push(new RangeError(`capMs is ${capMs}; it must be at least baseMs, which is ${baseMs}`));
  if (minMs > 0) {
    const cap = capMs >= 0 ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
    if (minMs > cap) problems.push(new RangeError(`minMs is ${minMs}; it must be at most capMs, which is ${cap}`));
  }
  if (factor >= 1) onlyWith(EXPONENTIAL, 'factor', settings, problems);
  if (stepMs >= 0) onlyWith(LINEAR, 'stepMs', settings, problems);
  if (truncateAt >= 1 && settings.backoff !== TRUNCATED && settings.jitter !== SLOTTED) {
    problems.push(leftOut('truncateAt', truncateAt, "only backoff 'truncated' and jitter 'slotted' have it"));
  }
  if (settings.seeded && settings.random !== undefined) {
    problems.push(new TypeError('seed and random were both given; they must be given one at a time'));
  }
}

/**
 * @param {number} backoff the one that has this option
 * @param {'factor' | 'stepMs'} name
 * @param {Settings} settings
 * @param {Error[]} problems
 */
function onlyWith(backoff, name, settings, problems) {
  const { jitter } = settings;
  const ownCurve = jitter >= DECORRELATED && jitter <= POLLY_V2;
  if (!ownCurve && settings.backoff === backoff) return;
  const why = ownCurve ? ` (jitter '${JITTERS[jitter]}' has a curve of its own)` : '';
  problems.push(leftOut(name, settings[name], `only backoff '${BACKOFFS[backoff]}' has it${why}`));
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
  return typeof value === 'number' && value >= 0 && value <= MAX_MS;
}

/** @param {unknown} value */
export function isLongest(value) {
  return typeof value === 'number' && value >= 0;
}

/** @param {unknown} value */
function isLimit(value) {
  return typeof value === 'number' && value > 0;
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
  try {
    return (
      value !== null &&
      typeof value === 'object' &&
      isSwitch(value.aborted) &&
      isFunction(value.addEventListener) &&
      isFunction(value.removeEventListener)
    );
  } catch {
    return false;
  }
}
