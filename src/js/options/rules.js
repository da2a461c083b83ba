// @ts-check
// Option names, validation rules and error messages.

import { seedBits } from './seed.js';

// Positions are the codes that src/bindings/core.rs reads.
export const BACKOFFS = ['fixed', 'linear', 'exponential', 'truncated', 'fibonacci'];
export const FIXED = 0;
export const LINEAR = 1;
export const EXPONENTIAL = 2;
export const TRUNCATED = 3;
export const CUSTOM = 5;

export const JITTERS = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];
export const NONE = 0;
export const FULL = 1;
export const EQUAL = 2;
export const DECORRELATED = 3;
export const SLOTTED = 5;
export const POLLY_V2 = 6;
export const PROPORTIONAL = 7;
export const ADDITIVE = 8;
export const ADDITIVE_MAX = 9;

/** Whether a jitter takes the place of the backoff's curve. @param {number} jitter */
export function hasOwnCurve(jitter) {
  return jitter >= DECORRELATED && jitter <= POLLY_V2;
}

export const MAX_MS = Number.MAX_SAFE_INTEGER;

/** The longest list as `backoff`: its last entry repeats anyway. */
export const MAX_LIST = 1000;

/** Problems that one error lists at most. */
export const MAX_PROBLEMS = 10;
export const DEFAULT_CAP_MS = 10_000;

/** @typedef {import('./settings.js').Settings} Settings */

/**
 * The types whose invalid values are out of range (a RangeError; any other is a TypeError), the end of
 * the sentence "must be …", and the check of a value. The settings hold the value already; a check that
 * keeps it in another form puts that there.
 * @typedef {[types: string, rule: string, allows: (value: any, settings: Settings, problems: Error[], name: string) => boolean]} Rule
 */
/** @type {Rule} */
const MILLISECONDS = ['number', 'a number of milliseconds between 0 and 2^53 - 1', isMs];
/** @type {Rule} */
const LIMIT = ['number', 'a positive number of milliseconds or Infinity', (value) => isWithin(value, Number.MIN_VALUE, Infinity)];
/** @type {Rule} */
export const LONGEST = ['number', 'a non-negative number of milliseconds or Infinity', isLongest];
/** @type {Rule} */
export const FUNCTION = ['', 'a function', isFunction];
/** @type {Rule} */
export const HOOK = [
  '',
  'a function',
  (value, settings, _, name) => {
    settings.hooks = { ...settings.hooks, [name]: value };
    return isFunction(value);
  },
];
/** @type {Rule} */
export const SWITCH = ['', 'true or false', isSwitch];

/** @type {Record<string, Rule>} */
export const RULES = {
  baseMs: MILLISECONDS,
  capMs: LONGEST,
  minMs: MILLISECONDS,
  factor: ['number', 'a finite number, at least 1', (value) => isWithin(value, 1, Number.MAX_VALUE)],
  backoff: ['string', `${oneOf(BACKOFFS)}, a function that maps the number of a wait to non-negative milliseconds, or a list of 1 to 1,000 such values`, readBackoff],
  jitter: [
    'string',
    `${oneOf(JITTERS)}, { type: 'proportional', ratio }, { type: 'additive', ratio } or { type: 'additive', maxMs }`,
    readJitter,
  ],
  stepMs: MILLISECONDS,
  truncateAt: ['number', 'an integer between 1 and 1024', (value) => isWithin(value, 1, 1024) && isCount(value)],
  maxRetryAfterMs: LONGEST,
  longRetryAfter: choice('stop', 'cap'),
  maxAttempts: ['number', 'a positive integer (first attempt included) or Infinity', isCount],
  attemptTimeoutMs: LIMIT,
  totalTimeoutMs: LIMIT,
  signal: [
    '',
    'an AbortSignal',
    (value, _, problems) => {
      if (!isSignal(value?.signal)) return isSignal(value);
      problems.push(failure(TypeError, 'signal must be an AbortSignal, got an AbortController: pass controller.signal'));
      return true;
    },
  ],
  retryIf: FUNCTION,
  retryOnResult: FUNCTION,
  onAttempt: HOOK,
  onFailure: HOOK,
  onRetry: HOOK,
  onSuccess: HOOK,
  onGiveUp: HOOK,
  beforeRetry: FUNCTION,
  name: ['', 'a string', (value) => typeof value === 'string'],
  random: FUNCTION,
  seed: ['number bigint', 'an integer between 0 and 2^53 - 1, a bigint between 0n and 2n ** 64n - 1n, or a string', readSeed],
  unref: SWITCH,
  finalError: choice('last', 'wrap'),
  finalResult: choice('resolve', 'reject'),
  metrics: [
    '',
    'true or false',
    (value, settings, problems) => {
      settings.metrics = value === true ? settings.newMetrics?.() : undefined;
      if (value === true && settings.metrics === undefined) problems.push(leftOut('metrics', value, 'only RetryPolicy supports it'));
      return isSwitch(value);
    },
  ],
};

/**
 * Names of options and values in other retry packages, for "Did you mean". Each line: our name, an
 * optional note, a colon, then their names in lower case without "ms".
 */
const FOREIGN = `maxAttempts (it counts the first attempt: retries + 1): retries maxretries maxretry retry
maxAttempts: numofattempts attempts limit
maxAttempts (Infinity): forever
baseMs: mintimeout delay initialdelay startingdelay base interval
capMs: maxtimeout maxdelay backofflimit cap max
minMs: mindelay min
factor: timemultiple multiplier exponent backofffactor
backoff: strategy
jitter: randomize randomizationfactor
attemptTimeoutMs (each attempt) or totalTimeoutMs (all of them): timeout
attemptTimeoutMs: perattempttimeout
totalTimeoutMs: maxretrytime maxelapsedtime deadline maxtotaltimeout timeout
signal: abortsignal
retryIf: shouldretry retrycondition
onFailure: handleerror onerror
onFailure (it is not awaited; beforeRetry is, before the next attempt): onfailedattempt
maxRetryAfterMs: maxretryafter
fixed: constant`;

/** Starts each message of this package, once: in a log, it names the owner. */
const PREFIX = 'rejitter: ';

/**
 * @param {new (message: string) => Error} kind
 * @param {string} text
 */
export function failure(kind, text) {
  return new kind(PREFIX + text);
}

/**
 * Returns the error for an invalid value.
 * @param {string} name
 * @param {unknown} value
 * @param {readonly [types: string, rule: string, ...rest: any]} [rule]
 * @param {string} [verb]
 */
export function problemOf(name, value, [types, rule] = RULES[name], verb = 'be') {
  // A seed or a key may be a secret.
  const shown = typeof value === 'string' && /^(seed|idem)/.test(name) ? `a string of length ${value.length}` : show(value);
  return failure(types.includes(typeof value) ? RangeError : TypeError, `${name} must ${verb} ${rule}, got ${shown}${valueMeant(value, rule)}`);
}

/**
 * Suggests one of the names that a rule lists.
 * @param {unknown} value
 * @param {string} rule
 */
function valueMeant(value, rule) {
  if (typeof value !== 'string') return '';
  const nearest = meant(value, Array.from(rule.matchAll(/'(\w+)'/g), ([, name]) => name));
  return nearest === undefined ? '' : `. Did you mean '${nearest}'?`;
}

/** Precedes the names of all options. */
const LIST = ' Known options: ';

/**
 * @param {string} name
 * @param {string[]} names
 */
export function unknown(name, names) {
  const nearest = meant(name, names);
  return failure(TypeError, `unknown option ${show(name)}.${nearest ? ` Did you mean ${nearest}?` : ''}${LIST}${names.join(', ')}`);
}

/**
 * Returns the known name that another package has under this one, that is at most three edits away, or
 * that begins with this one.
 * @param {string} wrong
 * @param {string[]} names all that are known here
 * @returns {string | undefined}
 */
function meant(wrong, names) {
  const name = wrong.slice(0, 40).toLowerCase();
  const theirs = name.replace(/ms$/, '');
  for (const line of FOREIGN.split('\n')) {
    const [, ours = '', note, all = ''] = /^(\w+)(.*): (.*)$/.exec(line) ?? [];
    if (names.includes(ours) && all.split(' ').includes(theirs)) return ours + note;
  }
  for (let edits = 0; edits <= 3 && edits <= name.length / 3; edits++) {
    const nearest = names.find((known) => isNear(name, known.toLowerCase(), edits));
    if (nearest !== undefined) return nearest;
  }
  return name.length > 2 ? names.find((known) => known.toLowerCase().startsWith(name)) : undefined;
}

/**
 * Returns whether `a` and `b` are at most `edits` edits apart (insert, delete, replace, transpose).
 * @param {string} a
 * @param {string} b
 * @param {number} edits
 * @returns {boolean}
 */
function isNear(a, b, edits) {
  if (a === b) return true;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return isNear(restA, restB, edits);
  if (edits-- === 0) return false;
  return (
    isNear(restA, b, edits) ||
    isNear(a, restB, edits) ||
    isNear(restA, restB, edits) ||
    (a[0] === b[1] && a[1] === b[0] && isNear(a.slice(2), b.slice(2), edits))
  );
}

/**
 * Joins problems to one error, with the names of the options once, at its end.
 * @param {Error[]} problems
 */
export function errorOf(problems) {
  const kind = problems.every((problem) => problem instanceof RangeError) ? RangeError : TypeError;
  const texts = problems.map((problem) => problem.message.replace(PREFIX, '').split(LIST));
  const [, names] = texts.find((parts) => parts.length > 1) ?? [];
  let text = texts.map(([problem]) => problem).join('; ');
  if (texts.length >= MAX_PROBLEMS) text += '; and more';
  return failure(kind, names ? text.replace(/[^.?]$/, '$&.') + LIST + names : text);
}

/**
 * Describes a value, without running any of the caller's code.
 * @param {unknown} value
 */
export function show(value) {
  switch (typeof value) {
    case 'string':
      // JSON escapes the control characters of ASCII only, and makes six characters of one.
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value).replace(/[\x7f-\x9f]/g, '?').slice(0, 100);
    case 'bigint':
      // The digits of a long one take seconds.
      return value < 1e40 && value > -1e40 ? `${value}n` : 'a long bigint';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'object':
      return value === null ? 'null' : kindOf(value);
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

/**
 * Returns an error's message, if it has one that can be read: callers may throw any value.
 * @param {unknown} error
 * @param {string} otherwise
 */
export function messageOf(error, otherwise) {
  try {
    const message = error instanceof Error && error.message;
    return typeof message === 'string' ? message : otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string[]} names
 * @returns {Rule}
 */
function choice(...names) {
  return ['string', oneOf(names), (value) => names.includes(value)];
}

/** @param {string[]} names */
export function oneOf(names) {
  return `one of '${names.join("', '")}'`;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {string} because
 */
export function leftOut(name, value, because) {
  return failure(TypeError, `${name} must be omitted (got ${show(value)}): ${because}`);
}

/** @param {object} value */
function kindOf(value) {
  try {
    if (Array.isArray(value)) return 'an array';
    if (value instanceof Promise) return 'a promise';
  } catch {
    // A revoked proxy is neither.
  }
  return 'an object';
}

/**
 * @param {any} value
 * @param {Settings} settings where the answer goes
 * @param {Error[]} problems
 */
function readBackoff(value, settings, problems) {
  settings.backoff = BACKOFFS.indexOf(value);
  if (settings.backoff >= 0) return true;
  settings.backoff = CUSTOM;
  settings.curve = value;
  if (isFunction(value)) return true;
  if (!Array.isArray(value)) return false;
  const { length } = value;
  if (!isWithin(length, 1, MAX_LIST)) {
    problems.push(problemOf('backoff.length', length, ['number', `between 1 and ${MAX_LIST}`]));
    return true;
  }
  // A copy: later changes of the list have no effect.
  const list = (settings.curve = Array.from({ length }, (_, i) => value[i]));
  const bad = list.findIndex((ms) => !isLongest(ms));
  if (bad >= 0) problems.push(problemOf(`backoff[${bad}]`, list[bad], LONGEST));
  return true;
}

/**
 * @param {any} value
 * @param {Settings} settings where the answer goes
 * @param {Error[]} problems
 */
function readJitter(value, settings, problems) {
  settings.jitter = JITTERS.indexOf(value);
  if (settings.jitter >= 0) return true;
  if (value === null || typeof value !== 'object') return false;
  const given = /** @type {any} */ ({ __proto__: null, ...value });
  const { type, maxMs } = given;
  if (type === undefined) return false;
  const proportional = type === 'proportional';
  const bounded = !proportional && maxMs !== undefined;
  const name = bounded ? 'maxMs' : 'ratio';
  const most = bounded ? MAX_MS : proportional ? 1 : 1000;
  settings.spread = given[name];
  settings.jitter = proportional ? PROPORTIONAL : bounded ? ADDITIVE_MAX : ADDITIVE;
  const other = Object.keys(given).find((key) => key !== 'type' && key !== name && given[key] !== undefined);
  if (!proportional && type !== 'additive') problems.push(problemOf('jitter.type', type, ['string', "'proportional' or 'additive'"]));
  else if (other !== undefined) problems.push(leftOut(`jitter.${other}`, given[other], "a jitter has type and ratio, or type 'additive' and maxMs"));
  else if (!isWithin(settings.spread, Number.MIN_VALUE, most)) problems.push(problemOf(`jitter.${name}`, settings.spread, ['number', `above 0 and at most ${most}`]));
  return true;
}

/**
 * @param {any} value
 * @param {Settings} settings where the answer goes
 */
export function readSeed(value, settings) {
  if (!isSeed(value)) return false;
  settings.seeded = true;
  [settings.seedHigh, settings.seedLow] = seedBits(value);
  return true;
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
export function isCount(value) {
  return value === Infinity || (Number.isSafeInteger(value) && /** @type {number} */ (value) >= 1);
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
