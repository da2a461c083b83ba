// @ts-check
// From the caller's options to settings: read once, checked, all problems reported at once.

import { seedBits } from './randomness.js';

/**
 * Validated options as the rest of the driver uses them: one shape, numbers where the core takes
 * numbers. NaN is "not given": the core knows the defaults of the curve.
 * @typedef {object} Settings
 * @property {() => import('./decision.js').Core} load
 * @property {number} backoff position in {@link BACKOFFS}
 * @property {number} jitter position in {@link JITTERS}
 * @property {number} baseMs
 * @property {number} capMs
 * @property {number} minMs
 * @property {number} factor
 * @property {number} stepMs
 * @property {number} truncateAt
 * @property {number} maxAttempts
 * @property {AbortSignal | undefined} signal
 * @property {((error: unknown, attempt: object) => unknown) | undefined} retryIf
 * @property {(() => number) | undefined} random
 * @property {boolean} seeded
 * @property {number} seedHigh
 * @property {number} seedLow
 * @property {number} operations how many operations have begun, which is the next one's index
 * @property {string} named the option that the function's name settles, '' if none
 */

// Positions are the codes that src/js/numeric.rs reads.
export const BACKOFFS = ['fixed', 'linear', 'exponential', 'truncated'];
export const JITTERS = ['none', 'full', 'equal', 'decorrelated'];
const LINEAR = 1;
const EXPONENTIAL = 2;
const TRUNCATED = 3;
const DECORRELATED = 3;

const MAX_MS = Number.MAX_SAFE_INTEGER;
const DEFAULT_CAP_MS = 10_000;

/** @type {Rule} */
const MILLISECONDS = ['number', 'a number of milliseconds from 0 to 2^53 - 1'];
/** @type {Rule} */
const FUNCTION = ['', 'a function'];

/**
 * What each option must be, as the end of the sentence "it must be …". A value of one of the
 * types before it is out of range (a RangeError) when it is refused; any other is a TypeError.
 * @typedef {[types: string, rule: string]} Rule
 * @type {Record<string, Rule>}
 */
const RULES = {
  baseMs: MILLISECONDS,
  capMs: ['number', 'a number of milliseconds from 0, or Infinity'],
  minMs: MILLISECONDS,
  factor: ['number', 'a finite number from 1'],
  backoff: oneOf(BACKOFFS),
  jitter: oneOf(JITTERS),
  stepMs: MILLISECONDS,
  truncateAt: ['number', 'a whole number from 1 to 1024'],
  maxAttempts: ['number', 'a whole number from 1 (it counts the first attempt), or Infinity'],
  signal: ['', 'an AbortSignal'],
  retryIf: FUNCTION,
  random: FUNCTION,
  seed: ['number bigint', 'a whole number from 0 to 2^53 - 1, a bigint from 0n to 2n ** 64n - 1n, or a string'],
};

/**
 * @param {() => import('./decision.js').Core} load
 * @param {Partial<Settings>} [own]
 * @returns {Settings}
 */
export function defaults(load, own) {
  return {
    load,
    backoff: EXPONENTIAL,
    jitter: 1,
    baseMs: NaN,
    capMs: NaN,
    minMs: NaN,
    factor: NaN,
    stepMs: NaN,
    truncateAt: NaN,
    maxAttempts: 6,
    signal: undefined,
    retryIf: undefined,
    random: undefined,
    seeded: false,
    seedHigh: 0,
    seedLow: 0,
    operations: 0,
    named: '',
    ...own,
  };
}

/**
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options
 * @param {Settings} base
 * @returns {Settings}
 */
export function readOptions(options, base) {
  /** @type {Settings} */
  const settings = {
    load: base.load,
    backoff: base.backoff,
    jitter: base.jitter,
    baseMs: base.baseMs,
    capMs: base.capMs,
    minMs: base.minMs,
    factor: base.factor,
    stepMs: base.stepMs,
    truncateAt: base.truncateAt,
    maxAttempts: base.maxAttempts,
    signal: undefined,
    retryIf: undefined,
    random: undefined,
    seeded: false,
    seedHigh: 0,
    seedLow: 0,
    operations: 0,
    named: base.named,
  };
  if (options === undefined) return settings;
  requireObject(options);
  /** @type {Problem[] | undefined} */
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
        valid = typeof value === 'number' && value >= 0;
        settings.capMs = value;
        break;
      case 'minMs':
        valid = isMs(value);
        settings.minMs = value;
        break;
      case 'factor':
        valid = typeof value === 'number' && value >= 1 && value < Infinity;
        settings.factor = value;
        break;
      case 'stepMs':
        valid = isMs(value);
        settings.stepMs = value;
        break;
      case 'truncateAt':
        valid = Number.isInteger(value) && value >= 1 && value <= 1024;
        settings.truncateAt = value;
        break;
      case 'maxAttempts':
        valid = (Number.isSafeInteger(value) && value >= 1) || value === Infinity;
        settings.maxAttempts = value;
        break;
      case 'backoff':
        settings.backoff = BACKOFFS.indexOf(value);
        valid = settings.backoff >= 0;
        break;
      case 'jitter':
        settings.jitter = JITTERS.indexOf(value);
        valid = settings.jitter >= 0;
        break;
      case 'signal':
        valid = isSignal(value);
        settings.signal = value;
        break;
      case 'retryIf':
        valid = typeof value === 'function';
        settings.retryIf = value;
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
      default:
        problems = add(problems, TypeError, unknown(name, Object.keys(RULES)));
        continue;
    }
    if (!valid) (problems ??= []).push(problemOf(name, value));
    if (name === base.named) {
      problems = add(problems, TypeError, `${name} is ${show(value)}; it must be left out, because the function's name settles it`);
    }
  }
  // Comparisons between options make sense only once each is valid by itself.
  problems ??= crossChecks(settings);
  if (problems !== undefined) throw errorOf(problems);
  return settings;
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
  const seeded = { ...settings, seeded: true, seedHigh, seedLow };
  const problems = crossChecks(seeded);
  if (problems !== undefined) throw errorOf(problems);
  return seeded;
}

/**
 * @param {any} options
 * @param {string[]} names all that are known here
 * @returns {Record<string, any>}
 */
function readOnly(options, names) {
  // Without a prototype, so that a name which is not own is not found there either.
  /** @type {Record<string, any>} */
  const read = Object.create(null);
  if (options === undefined) return read;
  requireObject(options);
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined) continue;
    if (!names.includes(name)) throw new TypeError(unknown(name, names));
    read[name] = value;
  }
  return read;
}

/** @param {unknown} options */
function requireObject(options) {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`options is ${Array.isArray(options) ? 'an array' : show(options)}; it must be an object`);
  }
}

/** @typedef {{ kind: ErrorConstructor, text: string }} Problem */

/** @param {Settings} settings */
function crossChecks({ backoff, jitter, baseMs, capMs, minMs, factor, stepMs, truncateAt, seeded, random }) {
  /** @type {Problem[] | undefined} */
  let problems;
  // A comparison with NaN, "not given", is false.
  if (capMs < baseMs) {
    problems = add(problems, RangeError, `capMs is ${capMs}; it must be at least baseMs, which is ${baseMs}`);
  }
  const cap = capMs >= 0 ? capMs : baseMs > DEFAULT_CAP_MS ? baseMs : DEFAULT_CAP_MS;
  if (minMs > cap) {
    problems = add(problems, RangeError, `minMs is ${minMs}; it must be at most capMs, which is ${cap}`);
  }
  const curve = jitter !== DECORRELATED;
  /** @type {[string, number, string, boolean][]} */
  const owners = [
    ['factor', factor, "backoff 'exponential'", curve && backoff === EXPONENTIAL],
    ['stepMs', stepMs, "backoff 'linear'", curve && backoff === LINEAR],
    ['truncateAt', truncateAt, "backoff 'truncated'", backoff === TRUNCATED],
  ];
  for (const [name, value, owner, allowed] of owners) {
    if (!Number.isNaN(value) && !allowed) {
      const why = curve || name === 'truncateAt' ? '' : " (jitter 'decorrelated' has a curve of its own)";
      problems = add(problems, TypeError, `${name} is ${value}; it must be left out, because only ${owner} has it${why}`);
    }
  }
  if (seeded && random !== undefined) {
    problems = add(problems, TypeError, 'seed and random were both given; they must be given one at a time');
  }
  return problems;
}

/**
 * @param {Problem[] | undefined} problems
 * @param {ErrorConstructor} kind
 * @param {string} text
 */
function add(problems, kind, text) {
  problems ??= [];
  problems.push({ kind, text });
  return problems;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {Problem}
 */
function problemOf(name, value) {
  const [types, rule] = RULES[name];
  return { kind: types.includes(typeof value) ? RangeError : TypeError, text: `${name} is ${show(value)}; it must be ${rule}` };
}

/**
 * @param {string} name
 * @param {string[]} names
 */
function unknown(name, names) {
  let nearest = '';
  let fewest = Math.min(3, name.length / 2);
  for (const known of names) {
    const edits = distance(name.toLowerCase(), known.toLowerCase());
    if (edits <= fewest) [nearest, fewest] = [known, edits - 1];
  }
  return `${show(name)} is not an option.${nearest && ` Did you mean ${nearest}?`} Options are: ${names.join(', ')}`;
}

/**
 * Edits (insert, delete, replace, swap of neighbours) between two words.
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= b.length; j++) rows[0][j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i][j] = Math.min(
        rows[i - 1][j] + 1,
        rows[i][j - 1] + 1,
        rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1),
        swapped ? rows[i - 2][j - 2] + 1 : Infinity,
      );
    }
  }
  return rows[a.length][b.length];
}

/** @param {Problem[]} problems */
function errorOf(problems) {
  const kind = problems.every((problem) => problem.kind === RangeError) ? RangeError : TypeError;
  return new kind(problems.map((problem) => problem.text).join('; '));
}

/**
 * A value in words, without running any code of the caller's.
 * @param {unknown} value
 */
export function show(value) {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'object':
      return value === null ? 'null' : 'an object';
    case 'boolean':
    case 'undefined':
      return String(value);
    default:
      return `a ${typeof value}`;
  }
}

/**
 * @param {string[]} names
 * @returns {Rule}
 */
function oneOf(names) {
  return ['string', `one of ${names.map((name) => `'${name}'`).join(', ')}`];
}

/** @param {unknown} value */
function isMs(value) {
  return typeof value === 'number' && value >= 0 && value <= MAX_MS;
}

/** @param {unknown} value */
function isSeed(value) {
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
      typeof value.aborted === 'boolean' &&
      typeof value.addEventListener === 'function' &&
      typeof value.removeEventListener === 'function'
    );
  } catch {
    // What throws when it is looked at is no signal.
    return false;
  }
}
