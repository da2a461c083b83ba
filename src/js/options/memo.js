// Calls from one place of a program mostly have the same options: to read them again costs more than all the rest.

import { isFunction, isObject } from './checks.js';
import { ORIGIN } from './codes.js';

/** Different options in a row, after which the calls of a function seem to have different ones. */
const MOST = 16;

/**
 * Returns what reads options by `read`, and keeps the last ones with their settings. Only values that cannot change
 * inside, and keep nothing of the caller's alive: numbers, strings and the like.
 * @template Settings
 * @param {(options: any) => Settings} read
 * @returns {(options: any) => Settings}
 */
export function remembering(read) {
  /** How many different ones it keeps until it gives up. */
  let left = MOST;
  /** @type {string[]} */
  let names = [];
  /** @type {any} */
  let values;
  /** @type {Settings | undefined} */
  let last;
  return (options) => {
    // Other prototypes are mistakes, or another realm's.
    if (left === 0 || !isObject(options) || Object.getPrototypeOf(options) !== Object.prototype) return read(options);
    // Each is read once.
    const given = { ...options };
    // A copy of a preset has more than these: what its cap bounds.
    if (given[ORIGIN]) return read(given);
    const found = Object.keys(given);
    const isSame = (/** @type {string} */ name, /** @type {number} */ i) =>
      name === names[i] && given[name] === values[name];
    if (last !== undefined && found.length === names.length && found.every(isSame)) {
      left = MOST;
      return last;
    }
    const settings = read(given);
    const keeps = !found.some((name) => isObject(given[name]) || isFunction(given[name]));
    left--;
    if (keeps) [names, values, last] = [found, given, settings];
    return settings;
  };
}
