// Questions about one value, answered without running any of the caller's code that could throw.

import { MAX_MS } from './codes.js';

/** @type {(value: any, least: number, most: number) => boolean} */
export const isWithin = (value, least, most) => typeof value === 'number' && value >= least && value <= most;

export const isMs = (/** @type {unknown} */ value) => isWithin(value, 0, MAX_MS);
export const isLongest = (/** @type {unknown} */ value) => typeof value === 'number' && value >= 0;
export const isLimit = (/** @type {unknown} */ value) => typeof value === 'number' && value > 0;
export const isWhole = (/** @type {any} */ value) => Number.isSafeInteger(value) && value >= 0;
export const isCount = (/** @type {any} */ value) => value === Infinity || (isWhole(value) && value > 0);
export const isText = (/** @type {unknown} */ value) => typeof value === 'string';
export const isSwitch = (/** @type {unknown} */ value) => typeof value === 'boolean';
export const isFunction = (/** @type {unknown} */ value) => typeof value === 'function';
/** Whether it is an object, and no function. */
export const isObject = (/** @type {any} */ value) => typeof value === 'object' && value !== null;
/** Whether it may have members: an object, or a function. */
export const isReference = (/** @type {unknown} */ value) => Object(value) === value;

export const isSeed = (/** @type {unknown} */ value) =>
  typeof value === 'bigint' ? value >= 0n && value < 1n << 64n : isText(value) || isWhole(value);

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
