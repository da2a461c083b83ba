// A part of a protection, as its function returns it: a recipe. `protect` makes its state, once per destination.

import { isWithin } from '../options/checks.js';
import { hide } from '../run/report.js';

/** Under this name, a recipe has what makes its state. All copies of the package share it. */
export const PART = Symbol.for('rejitter.part');

/** @typedef {'budget' | 'breaker' | 'cooldown' | 'hedge'} PartName */

/**
 * Returns the rule of a number. Parts call it when they are called themselves, so that bundlers can leave each out.
 * @param {number} least
 * @param {number} most
 * @returns {import('../options/reader.js').Rule}
 */
export const range = (least, most) => ['number', (value) => isWithin(value, least, most)];

/**
 * @param {PartName} part
 * @param {Record<string, any>} options as the caller reads them
 * @param {import('./state.js').Make<object>} make
 */
export function recipe(part, options, make) {
  const made = { part, ...options };
  hide(made, PART, make);
  return Object.freeze(made);
}
