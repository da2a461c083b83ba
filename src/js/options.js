// @ts-check
// From the caller's options to settings: read once, checked, all problems reported at once.

import { seedBits } from './randomness.js';
import {
  ADDITIVE, ADDITIVE_MAX, BACKOFFS, CUSTOM, DECORRELATED, DEFAULT_CAP_MS, EXPONENTIAL, FULL, JITTERS, LINEAR, MAX_MS,
  POLLY_V2, PROPORTIONAL, RULES, SLOTTED, TRUNCATED, errorOf, problemOf, show, unknown,
} from './rules.js';

/**
 * Validated options as the rest of the driver uses them: one shape, numbers where the core takes
 * numbers. NaN is "not given": the core knows the defaults of the curve.
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
    /** The option that the function's name settles, '' if none. */
    this.named = '';
    /** Whether the operation blocks the thread, in which nothing can interrupt it. */
    this.blocking = false;
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
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options
 * @param {Settings} base
 * @param {() => import('./metrics.js').Metrics} [makeMetrics]
 * @returns {Settings}
 */
export function readOptions(options, base, makeMetrics) {
  const settings = new Settings(base.load);
  settings.backoff = base.backoff;
  settings.jitter = base.jitter;
  settings.maxAttempts = base.maxAttempts;
  settings.named = base.named;
  settings.capRule = base.capRule;
  if (options === undefined) return settings;
  requireObject(options);
  /** @type {import('./rules.js').Problem[] | undefined} */
  let problems;
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined) continue;
    let valid = true;
    switch (name) {
      case 'baseMs':
        valid = isMs(value);
        settings.baseMs = value;
        break;
      case 'capMs':
        valid = isLongest(value);
        settings.capMs = value;
        break;
      case 'maxAttempts':
        valid = (Number.isSafeInteger(value) && value >= 1) || value === Infinity;
        settings.maxAttempts = value;
        break;
      case 'retryIf':
        valid = typeof value === 'function';
        settings.retryIf = value;
        break;
      case 'signal':
        valid = isSignal(value);
        settings.signal = value;
        settings.interruptible = settings.watched = true;
        break;
      case 'attemptTimeoutMs':
        valid = isLimit(value);
        settings.attemptTimeoutMs = value;
        if (valid && value < Infinity) settings.interruptible = settings.watched = true;
        break;
      case 'totalTimeoutMs':
        valid = isLimit(value);
        settings.totalTimeoutMs = value;
        if (valid && value < Infinity) settings.interruptible = settings.watched = true;
        break;
      case 'minMs':
        valid = isMs(value);
        settings.minMs = value;
        break;
      case 'factor':
        valid = typeof value === 'number' && value >= 1 && value < Infinity;
        settings.factor = value;
        break;
      case 'backoff':
        valid = readable(() => readBackoff(value, settings));
        break;
      case 'jitter':
        valid = readable(() => readJitter(value, settings));
        break;
      case 'stepMs':
        valid = isMs(value);
        settings.stepMs = value;
        break;
      case 'truncateAt':
        valid = Number.isInteger(value) && value >= 1 && value <= 1024;
        settings.truncateAt = value;
        break;
      case 'maxRetryAfterMs':
        valid = isLongest(value);
        settings.maxRetryAfterMs = value;
        break;
      case 'longRetryAfter':
        valid = value === 'stop' || value === 'cap';
        settings.capLongRetryAfter = value === 'cap';
        break;
      case 'retryOnResult':
        valid = typeof value === 'function';
        settings.retryOnResult = value;
        settings.watched = true;
        break;
      case 'onAttempt':
      case 'onFailure':
      case 'onRetry':
      case 'onSuccess':
      case 'onGiveUp':
        valid = typeof value === 'function';
        settings.hooks = { ...settings.hooks, [name]: value };
        settings.watched = true;
        break;
      case 'random':
        valid = typeof value === 'function';
        settings.random = value;
        break;
      case 'seed':
        valid = isSeed(value);
        settings.seeded = true;
        if (valid) [settings.seedHigh, settings.seedLow] = seedBits(value);
        break;
      case 'unref':
        valid = typeof value === 'boolean';
        settings.unref = value;
        break;
      case 'finalError':
        valid = value === 'last' || value === 'wrap';
        settings.wrap = value === 'wrap';
        break;
      case 'metrics':
        valid = typeof value === 'boolean';
        if (value && makeMetrics !== undefined) {
          settings.metrics = makeMetrics();
          settings.watched = true;
        } else if (value) {
          problems = add(problems, TypeError, 'metrics is true; it must be left out here, because only a RetryPolicy counts over many operations');
        }
        break;
      default:
        problems = add(problems, TypeError, unknown(name, Object.keys(RULES)));
        continue;
    }
    if (!valid) (problems ??= []).push(problemOf(name, value));
    if (name === base.named) {
      problems = add(problems, TypeError, `${name} is ${show(value)}; it must be left out, because the function's name settles it`);
    }
    if (base.blocking && (name === 'attemptTimeoutMs' || name === 'unref')) {
      problems = add(problems, TypeError, `${name} is ${show(value)}; it must be left out in retrySync, which blocks: no timer can run meanwhile`);
    }
  }
  // Comparisons between options make sense only once each is valid by itself.
  problems ??= crossChecks(settings);
  if (problems !== undefined) throw errorOf(problems);
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
  settings.backoff = CUSTOM;
  settings.curve = value;
  if (typeof value === 'function') return true;
  if (Array.isArray(value)) {
    // A copy: what the caller does with the list later changes nothing.
    const list = (settings.curve = Array.from(value));
    return list.length > 0 && list.every(isLongest);
  }
  settings.curve = undefined;
  settings.backoff = BACKOFFS.indexOf(value);
  return settings.backoff >= 0;
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
  const bounded = maxMs !== undefined;
  settings.spread = bounded ? maxMs : ratio;
  const largest = bounded ? MAX_MS : type === 'proportional' ? 1 : 1000;
  settings.jitter = bounded ? ADDITIVE_MAX : type === 'proportional' ? PROPORTIONAL : ADDITIVE;
  return (
    Object.keys(rest).length === 0 &&
    (bounded ? type === 'additive' && ratio === undefined : type === 'proportional' || type === 'additive') &&
    typeof settings.spread === 'number' &&
    settings.spread > 0 &&
    settings.spread <= largest
  );
}

/**
 * The options of `policy.run`: a signal.
 * @param {any} options
 * @returns {AbortSignal | undefined}
 */
export function readRunOptions(options) {
  const { signal } = readOnly(options, ['signal']);
  if (signal !== undefined && !isSignal(signal)) throw errorOf([problemOf('signal', signal)]);
  return signal;
}

/**
 * The options of `policy.delays`: a seed, which takes the place of the policy's.
 * @param {any} options
 * @param {Settings} settings
 * @returns {Settings}
 */
export function readDelaysOptions(options, settings) {
  const { seed } = readOnly(options, ['seed']);
  if (seed === undefined) return settings;
  if (!isSeed(seed)) throw errorOf([problemOf('seed', seed)]);
  const [seedHigh, seedLow] = seedBits(seed);
  const seeded = Object.assign(new Settings(settings.load), settings, { seeded: true, seedHigh, seedLow });
  const problems = crossChecks(seeded);
  if (problems !== undefined) throw errorOf(problems);
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
    if (names !== undefined && !names.includes(name)) throw new TypeError(unknown(name, names));
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
  if (typeof fn !== 'function') throw new TypeError(`the callback is ${show(fn)}; it must be a function that is called for each attempt`);
}

/** @param {unknown} options */
function requireObject(options) {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`options is ${Array.isArray(options) ? 'an array' : show(options)}; it must be an object`);
  }
}

/** @param {Settings} settings */
function crossChecks({ backoff, jitter, baseMs, capMs, minMs, factor, stepMs, truncateAt, seeded, random }) {
  /** @type {import('./rules.js').Problem[] | undefined} */
  let problems;
  // A comparison with NaN, "not given", is false.
  if (capMs < baseMs) {
    problems = add(problems, RangeError, `capMs is ${capMs}; it must be at least baseMs, which is ${baseMs}`);
  }
  const cap = capMs >= 0 ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
  if (minMs > cap) {
    problems = add(problems, RangeError, `minMs is ${minMs}; it must be at most capMs, which is ${cap}`);
  }
  const curve = !(jitter >= DECORRELATED && jitter <= POLLY_V2);
  if (factor >= 1 && !(curve && backoff === EXPONENTIAL)) problems = misplaced(problems, 'factor', factor, "backoff 'exponential' has it", jitter);
  if (stepMs >= 0 && !(curve && backoff === LINEAR)) problems = misplaced(problems, 'stepMs', stepMs, "backoff 'linear' has it", jitter);
  if (truncateAt >= 1 && backoff !== TRUNCATED && jitter !== SLOTTED) {
    problems = misplaced(problems, 'truncateAt', truncateAt, "backoff 'truncated' and jitter 'slotted' have it", FULL);
  }
  if (seeded && random !== undefined) {
    problems = add(problems, TypeError, 'seed and random were both given; they must be given one at a time');
  }
  return problems;
}

/**
 * @param {import('./rules.js').Problem[] | undefined} problems
 * @param {string} name
 * @param {number} value
 * @param {string} owner
 * @param {number} jitter
 */
function misplaced(problems, name, value, owner, jitter) {
  const why = jitter >= DECORRELATED && jitter <= POLLY_V2 ? ` (jitter '${JITTERS[jitter]}' has a curve of its own)` : '';
  return add(problems, TypeError, `${name} is ${value}; it must be left out, because only ${owner}${why}`);
}

/**
 * @param {import('./rules.js').Problem[] | undefined} problems
 * @param {ErrorConstructor} kind
 * @param {string} text
 */
function add(problems, kind, text) {
  problems ??= [];
  problems.push({ kind, text });
  return problems;
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
      typeof value.aborted === 'boolean' &&
      typeof value.addEventListener === 'function' &&
      typeof value.removeEventListener === 'function',
  );
}
