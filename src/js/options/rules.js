// @ts-check
// The options by name, and the rule of each.

import { isCount, isFunction, isLongest, isMs, isObject, isSeed, isSignal, isSwitch, isWithin } from './checks.js';
import { ADDITIVE, ADDITIVE_MAX, BACKOFFS, CUSTOM, JITTERS, MAX_LIST, MAX_MS, PROPORTIONAL } from './codes.js';
import { leftOut, problemOf } from './messages.js';

/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {import('./reader.js').Rule} Rule */

/** @type {Rule} */
const MILLISECONDS = ['number', 'milliseconds', isMs];
/** @type {Rule} */
export const LIMIT = ['number', 'limit', (value) => isWithin(value, Number.MIN_VALUE, Infinity)];
/** @type {Rule} */
export const LONGEST = ['number', 'longest', isLongest];
/** @type {Rule} */
export const FINITE = ['number', 'finite', (value) => isWithin(value, 0, Number.MAX_VALUE)];
/** @type {Rule} */
export const COUNT = ['number', 'count', (value) => Number.isSafeInteger(value) && value >= 0];
/** @type {Rule} */
export const FUNCTION = ['', 'fn', isFunction];
/** @type {Rule} */
export const HOOK = ['', 'fn', (value, settings) => (settings.hooks = isFunction(value))];
/** @type {Rule} */
export const SWITCH = ['', 'switch', isSwitch];
/** @type {Rule} */
export const SIGNAL = ['', 'signal', isSignal];

/** Under this name, an object made by `protect` has what the driver calls. All copies of the package share it. */
export const PROTECTION = Symbol.for('rejitter.protection');

/** @type {Rule} */
const PROTECT = [
  '',
  'protection',
  (value, settings) => {
    settings.protection = value?.[PROTECTION];
    return value === false || settings.protection !== undefined;
  },
];

/** The options by name. @type {import('./reader.js').Rules} */
export const RULES = {
  baseMs: MILLISECONDS,
  capMs: LONGEST,
  minMs: MILLISECONDS,
  factor: ['number', 'factor', (value) => isWithin(value, 1, Number.MAX_VALUE)],
  backoff: ['string', 'backoff', readBackoff],
  jitter: ['string', 'jitter', readJitter],
  stepMs: MILLISECONDS,
  truncateAt: ['number', 'truncateAt', (value) => isWithin(value, 1, 1024) && isCount(value)],
  maxRetryAfterMs: LONGEST,
  longRetryAfter: choice('stop', 'cap'),
  maxAttempts: ['number', 'maxAttempts', isCount],
  attemptTimeoutMs: LIMIT,
  totalTimeoutMs: LIMIT,
  signal: SIGNAL,
  retryIf: FUNCTION,
  retryOnResult: FUNCTION,
  onAttempt: HOOK,
  onFailure: HOOK,
  onRetry: HOOK,
  onSuccess: HOOK,
  onGiveUp: HOOK,
  beforeRetry: FUNCTION,
  name: ['', 'text', (value) => typeof value === 'string'],
  random: FUNCTION,
  seed: ['number bigint', 'seed', readSeed],
  unref: SWITCH,
  finalError: choice('last', 'wrap'),
  finalResult: choice('resolve', 'reject'),
  protection: PROTECT,
  metrics: SWITCH,
};

/** @param {any} value @param {Settings} settings where the answer goes @param {Error[]} problems */
function readBackoff(value, settings, problems) {
  settings.backoff = BACKOFFS.indexOf(value);
  if (settings.backoff >= 0) return true;
  settings.backoff = CUSTOM;
  settings.curve = value;
  if (isFunction(value)) return true;
  if (!Array.isArray(value)) return false;
  const { length } = value;
  if (!isWithin(length, 1, MAX_LIST)) {
    problems.push(problemOf('backoff.length', length, ['number', 'listLength', , MAX_LIST]));
    return true;
  }
  // A copy: later changes of the list have no effect.
  const list = (settings.curve = Array.from({ length }, (_, i) => value[i]));
  const bad = list.findIndex((ms) => !isLongest(ms));
  if (bad >= 0) problems.push(problemOf(`backoff[${bad}]`, list[bad], LONGEST));
  return true;
}

/** @param {any} value @param {Settings} settings where the answer goes @param {Error[]} problems */
function readJitter(value, settings, problems) {
  settings.jitter = JITTERS.indexOf(value);
  if (settings.jitter >= 0) return true;
  if (!isObject(value)) return false;
  const given = /** @type {any} */ ({ __proto__: null, ...value });
  const { type } = given;
  if (type === undefined) return false;
  const proportional = type === 'proportional';
  const [jitter, name, most] = proportional
    ? [PROPORTIONAL, 'ratio', 1]
    : given.maxMs === undefined
      ? [ADDITIVE, 'ratio', 1000]
      : [ADDITIVE_MAX, 'maxMs', MAX_MS];
  settings.jitter = jitter;
  settings.spread = given[name];
  const other = Object.keys(given).find((key) => key !== 'type' && key !== name && given[key] !== undefined);
  if (!proportional && type !== 'additive') problems.push(problemOf('jitter.type', type, ['string', 'jitterType']));
  else if (other !== undefined) problems.push(leftOut(`jitter.${other}`, given[other], 'jitterParts'));
  else if (!isWithin(given[name], Number.MIN_VALUE, most))
    problems.push(problemOf(`jitter.${name}`, given[name], ['number', 'spread', , most]));
  return true;
}

/** @param {any} value @param {Settings} settings where the answer goes */
function readSeed(value, settings) {
  if (!isSeed(value)) return false;
  settings.seed = seedBits(value);
  return true;
}

/**
 * Returns the rule of a choice. The first is the default, and unset in settings.
 * @param {string[]} names
 * @returns {Rule}
 */
function choice(...names) {
  return [
    'string',
    'oneOf',
    (value, settings, _, name) => {
      if (value === names[0]) settings[name] = undefined;
      return names.includes(value);
    },
    names,
  ];
}

/** Returns whether an option can be written as data: no function, nothing of a process. @param {string} name */
export function isData(name) {
  return ![FUNCTION, HOOK, SIGNAL, PROTECT].includes(RULES[name]);
}

/**
 * A seed's 64 bits as two 32-bit integers. Text is hashed by FNV-1a over its UTF-16 code units,
 * little-endian, as `Seed::from(&str)` does in Rust.
 * @param {number | bigint | string} seed
 * @returns {[high: number, low: number]}
 */
export function seedBits(seed) {
  let bits;
  if (typeof seed === 'string') {
    bits = 0xcbf29ce484222325n;
    for (let i = 0; i < 2 * seed.length; i++) {
      const byte = (seed.charCodeAt(i >> 1) >> (8 * (i & 1))) & 255;
      bits = BigInt.asUintN(64, (bits ^ BigInt(byte)) * 0x100000001b3n);
    }
  } else {
    bits = BigInt(seed);
  }
  return [Number(bits >> 32n), Number(bits & 0xffffffffn)];
}
