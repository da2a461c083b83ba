// @ts-check
// A part of a protection, as its function returns it: a recipe. `protect` makes its state, once per destination.

import { hide } from '../run/report.js';

/** Under this name, a recipe has what makes its state. All copies of the package share it. */
export const PART = Symbol.for('rejitter.part');

/** @typedef {'budget' | 'breaker' | 'cooldown' | 'hedge'} PartName */

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
