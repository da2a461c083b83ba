// Calls from one place of a program mostly have the same options: to read them again costs more than all the rest.

import { isObject, isReference } from './checks.js';
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
  /** @type {unknown[]} */
  let values = [];
  /** @type {Settings} */
  let last;
  return (options) => {
    // Other prototypes are mistakes, or another realm's. A copy of a preset has more than names: what its cap bounds.
    if (
      left === 0 ||
      !isObject(options) ||
      Object.getPrototypeOf(options) !== Object.prototype ||
      options[ORIGIN] !== undefined
    )
      return read(options);
    let count = 0;
    /** The values, once one differs. @type {unknown[] | undefined} */
    let given;
    // Each is read once, and without a copy: engines know by the object's shape what such a loop finds.
    for (const name in options) {
      const value = options[name];
      if (name !== names[count] || value !== values[count]) given ??= values.slice(0, count);
      given?.push(value);
      count++;
    }
    // Inherited names, where somebody has added to Object.prototype, come last.
    if (!given && count === names.length && Object.hasOwn(options, names[count - 1])) {
      left = MOST;
      return last;
    }
    const own = Object.keys(options);
    if (count === 0 || count !== own.length) return read(options);
    const found = given ?? values.slice(0, count);
    const settings = read(Object.fromEntries(own.map((name, i) => [name, found[i]])));
    left--;
    if (!found.some(isReference)) [names, values, last] = [own, found, settings];
    return settings;
  };
}
