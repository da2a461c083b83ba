// The rules of options. Which option has which is in the table of all options (crates/rejitter/src/data/table.rs), by
// the names that these have there in small letters.

import * as check from './checks.js';
import { ADDITIVE, ADDITIVE_MAX, BACKOFFS, CUSTOM, JITTERS, MAX_LIST, MAX_MS, PROPORTIONAL } from './codes.js';
import { leftOut, problemOf } from './messages.js';

/** @import { Rule } from './reader.js' */

export const MILLISECONDS = /** @type {Rule} */ (['number', check.isMs]);
export const LIMIT = /** @type {Rule} */ (['number', check.isLimit]);
/** @type {Rule} */
export const IDLE = [
  'number',
  (value) => {
    const both = check.isLimit(value) ? { firstMs: value, thenMs: value } : { __proto__: null, ...value };
    const isValid = Object.keys(both).length === 2 && check.isLimit(both.firstMs) && check.isLimit(both.thenMs);
    return isValid && { idleTimeoutMs: value !== Infinity && both };
  },
];
export const LONGEST = /** @type {Rule} */ (['number', check.isLongest]);
export const FACTOR = /** @type {Rule} */ (['number', (value) => check.isWithin(value, 1, Number.MAX_VALUE)]);
export const TRUNCATE_AT = /** @type {Rule} */ ([
  'number',
  (value) => check.isWithin(value, 1, 1024) && check.isCount(value),
]);
export const MAX_ATTEMPTS = /** @type {Rule} */ (['number', check.isCount]);
export const FINITE = /** @type {Rule} */ (['number', (value) => check.isWithin(value, 0, Number.MAX_VALUE), 'finite']);
export const COUNT = /** @type {Rule} */ (['number', check.isWhole]);
export const FUNCTION = /** @type {Rule} */ (['', check.isFunction]);
export const HOOK = /** @type {Rule} */ ([
  '',
  (value, name) => check.isFunction(value) && { [name]: value, hooks: true },
  'fn',
]);
export const SWITCH = /** @type {Rule} */ (['', check.isSwitch]);
/** A switch of policies. In one operation, to set it to false says nothing new. @type {Rule} */
export const POLICY_SWITCH = [
  '',
  (value, name, problems) => check.isSwitch(value) && !(value && !problems.push(leftOut(name, value, 'onlyPolicy'))),
  'switch',
  true,
];
export const SIGNAL = /** @type {Rule} */ (['', check.isSignal]);
export const WEIGHT = /** @type {Rule} */ ([
  'number',
  (value) => check.isFunction(value) || check.isWithin(value, Number.MIN_VALUE, Number.MAX_VALUE),
]);
export const TEXT = /** @type {Rule} */ (['', check.isText]);
export const SEED = /** @type {Rule} */ ([
  'number bigint',
  (value) => check.isSeed(value) && { seed: seedBits(value) },
]);
export const BACKOFF = /** @type {Rule} */ (['string', readBackoff]);
export const JITTER = /** @type {Rule} */ (['string', readJitter]);

/** Under this name, an object made by `protect` has what the driver calls. All copies of the package share it. */
export const PROTECTION = Symbol.for('rejitter.protection');

/** @type {Rule} */
export const PROTECT = [
  '',
  (value) => {
    const protection = value?.[PROTECTION];
    return (value === false || protection !== undefined) && { protection };
  },
];

/** @param {any} value @param {string} _ @param {Error[]} problems */
function readBackoff(value, _, problems) {
  const backoff = BACKOFFS.indexOf(value);
  if (backoff >= 0) return { backoff };
  if (check.isFunction(value)) return { backoff: CUSTOM, curve: value };
  if (!Array.isArray(value)) return false;
  const { length } = value;
  if (!check.isWithin(length, 1, MAX_LIST)) {
    problems.push(problemOf('backoff.length', length, ['number', 'listLength', MAX_LIST]));
    return true;
  }
  // A copy: later changes of the list have no effect.
  const curve = Array.from({ length }, (_, i) => value[i]);
  const bad = curve.findIndex((ms) => !check.isLongest(ms));
  if (bad >= 0) problems.push(problemOf(`backoff[${bad}]`, curve[bad], LONGEST));
  return { backoff: CUSTOM, curve };
}

/** @param {any} value @param {string} _ @param {Error[]} problems */
function readJitter(value, _, problems) {
  const known = JITTERS.indexOf(value);
  if (known >= 0) return { jitter: known };
  if (!check.isObject(value)) return false;
  const given = /** @type {any} */ ({ __proto__: null, ...value });
  const { type } = given;
  if (type === undefined) return false;
  const proportional = type === 'proportional';
  const [jitter, name, most] = proportional
    ? [PROPORTIONAL, 'ratio', 1]
    : given.maxMs === undefined
      ? [ADDITIVE, 'ratio', 1000]
      : [ADDITIVE_MAX, 'maxMs', MAX_MS];
  const spread = given[name];
  const other = Object.keys(given).find((key) => key !== 'type' && key !== name && given[key] !== undefined);
  if (!proportional && type !== 'additive') problems.push(problemOf('jitter.type', type, ['string', 'jitterType']));
  else if (other !== undefined) problems.push(leftOut(`jitter.${other}`, given[other], 'jitterParts'));
  else if (!check.isWithin(spread, Number.MIN_VALUE, most))
    problems.push(problemOf(`jitter.${name}`, spread, ['number', 'spread', most]));
  return { jitter, spread };
}

/** Returns the rule of a choice. The first is the default, unset in settings. @type {(...names: string[]) => Rule} */
export function choice(...names) {
  return ['string', (value, name) => (value === names[0] ? { [name]: undefined } : names.includes(value)), names];
}

/**
 * A seed's 64 bits as two 32-bit integers. Text is hashed by FNV-1a over its UTF-16 code units,
 * little-endian, as `Seed::from(&str)` does in Rust.
 * @type {(seed: number | bigint | string) => [high: number, low: number]}
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
