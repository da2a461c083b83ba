// The rules of options. Which option has which is in the table of all options (crates/rejitter/src/data/table.rs), by the
// names that these have there in small letters.

import {
  isCount,
  isFunction,
  isLimit,
  isLongest,
  isMs,
  isObject,
  isSeed,
  isSignal,
  isSwitch,
  isText,
  isWhole,
  isWithin,
} from './checks.js';
import { ADDITIVE, ADDITIVE_MAX, BACKOFFS, CUSTOM, JITTERS, MAX_LIST, MAX_MS, PROPORTIONAL } from './codes.js';
import { leftOut, problemOf } from './messages.js';

/** @import { Rule } from './reader.js' */

/** @type {Rule} */
export const MILLISECONDS = ['number', isMs];
/** @type {Rule} */
export const LIMIT = ['number', isLimit];
/** @type {Rule} */
export const LONGEST = ['number', isLongest];
/** @type {Rule} */
export const FACTOR = ['number', (value) => isWithin(value, 1, Number.MAX_VALUE)];
/** @type {Rule} */
export const TRUNCATE_AT = ['number', (value) => isWithin(value, 1, 1024) && isCount(value)];
/** @type {Rule} */
export const MAX_ATTEMPTS = ['number', isCount];
/** @type {Rule} */
export const FINITE = ['number', (value) => isWithin(value, 0, Number.MAX_VALUE), 'finite'];
/** @type {Rule} */
export const COUNT = ['number', isWhole];
/** @type {Rule} */
export const FUNCTION = ['', isFunction];
/** @type {Rule} */
export const HOOK = ['', (value, name) => isFunction(value) && { [name]: value, hooks: true }, 'fn'];
/** @type {Rule} */
export const SWITCH = ['', isSwitch];
/** A switch of policies. In one operation, to set it to false says nothing new. @type {Rule} */
export const POLICY_SWITCH = [
  '',
  (value, name, problems) => isSwitch(value) && !(value && !problems.push(leftOut(name, value, 'onlyPolicy'))),
  'switch',
  true,
];
/** @type {Rule} */
export const SIGNAL = ['', isSignal];
/** @type {Rule} */
export const TEXT = ['', isText];
/** @type {Rule} */
export const SEED = ['number bigint', (value) => isSeed(value) && { seed: seedBits(value) }];
/** @type {Rule} */
export const BACKOFF = ['string', readBackoff];
/** @type {Rule} */
export const JITTER = ['string', readJitter];

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
  if (isFunction(value)) return { backoff: CUSTOM, curve: value };
  if (!Array.isArray(value)) return false;
  const { length } = value;
  if (!isWithin(length, 1, MAX_LIST)) {
    problems.push(problemOf('backoff.length', length, ['number', 'listLength', MAX_LIST]));
    return true;
  }
  // A copy: later changes of the list have no effect.
  const curve = Array.from({ length }, (_, i) => value[i]);
  const bad = curve.findIndex((ms) => !isLongest(ms));
  if (bad >= 0) problems.push(problemOf(`backoff[${bad}]`, curve[bad], LONGEST));
  return { backoff: CUSTOM, curve };
}

/** @param {any} value @param {string} _ @param {Error[]} problems */
function readJitter(value, _, problems) {
  const known = JITTERS.indexOf(value);
  if (known >= 0) return { jitter: known };
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
  const spread = given[name];
  const other = Object.keys(given).find((key) => key !== 'type' && key !== name && given[key] !== undefined);
  if (!proportional && type !== 'additive') problems.push(problemOf('jitter.type', type, ['string', 'jitterType']));
  else if (other !== undefined) problems.push(leftOut(`jitter.${other}`, given[other], 'jitterParts'));
  else if (!isWithin(spread, Number.MIN_VALUE, most))
    problems.push(problemOf(`jitter.${name}`, spread, ['number', 'spread', most]));
  return { jitter, spread };
}

/**
 * Returns the rule of a choice. The first is the default, and unset in settings.
 * @param {string[]} names
 * @returns {Rule}
 */
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
