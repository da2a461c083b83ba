// A part of a protection, as its function returns it: a recipe. `protect` makes its state, once per destination.

import { isCount, isWithin } from '../options/checks.js';
import { hide } from '../run/report.js';

/** Under this name, a recipe has what makes its state. All copies of the package share it. */
export const PART = Symbol.for('rejitter.part');

/**
 * Returns the rule of a number. Parts call it when they are called themselves, so that bundlers can leave each out.
 * @type {(least: number, most: number) => import('../options/reader.js').Rule}
 */
export const range = (least, most) => ['number', (value) => isWithin(value, least, most)];

/** @type {import('../options/reader.js').Rule} */
export const COUNT = ['number', isCount, 'positive'];

/**
 * Returns a recipe, which shows the options to the caller.
 * @type {(part: keyof import('./state.js').Makers, options: object, make: import('./state.js').Make<object>) => any}
 */
export function recipe(part, options, make) {
  const made = { part, ...options };
  hide(made, PART, make);
  return Object.freeze(made);
}
