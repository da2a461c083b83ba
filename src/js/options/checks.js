// Questions about one value, answered without running any of the caller's code that could throw.

import { MAX_MS } from './codes.js';

/** @param {any} value @param {number} least @param {number} most */
export function isWithin(value, least, most) {
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
export function isLimit(value) {
  return typeof value === 'number' && value > 0;
}

/** @param {unknown} value */
export function isCount(value) {
  return value === Infinity || (Number.isSafeInteger(value) && /** @type {number} */ (value) >= 1);
}

/** @param {unknown} value */
export function isWhole(value) {
  return Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
}

/** @param {unknown} value */
export function isText(value) {
  return typeof value === 'string';
}

/** @param {unknown} value */
export function isFunction(value) {
  return typeof value === 'function';
}

/** Returns whether it may have members: an object, or a function. @param {any} value */
export function isReference(value) {
  return Object(value) === value;
}

/** Returns whether it is one, and no function. @param {any} value */
export function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** @param {unknown} value */
export function isSwitch(value) {
  return typeof value === 'boolean';
}

/** @param {unknown} value */
export function isSeed(value) {
  if (typeof value === 'bigint') return value >= 0n && value < 1n << 64n;
  return isText(value) || isWhole(value);
}

/** Checks its methods, because `instanceof` is false for signals of another realm. @param {any} value */
export function isSignal(value) {
  try {
    return (
      isObject(value) &&
      isSwitch(value.aborted) &&
      isFunction(value.addEventListener) &&
      isFunction(value.removeEventListener)
    );
  } catch {
    return false;
  }
}
