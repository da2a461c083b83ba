// @ts-check
// A part of a protection, as its function returns it: a recipe. `protect` makes its state, once per destination.

import { hide } from '../run/report.js';

/** Under this name, a recipe has what makes its state. All copies of the package share it. */
export const PART = Symbol.for('rejitter.part');

/** @typedef {'budget' | 'breaker' | 'cooldown' | 'hedge'} PartName */

/**
 * @param {PartName} part
 * @param {Record<string, any>} options as the caller reads them
 * @param {(time: number) => object} make
 */
export function recipe(part, options, make) {
  const made = { part, ...options };
  hide(made, PART, make);
  return Object.freeze(made);
}

let warned = false;

/**
 * Returns what a machine answers, or what holds without protection: without its wasm it is absent, and must not fail
 * what would work without it. Says so once per process.
 * @template T
 * @param {(drop: true) => unknown} load
 * @param {() => T} ask
 * @param {T} otherwise
 */
export function failOpen(load, ask, otherwise) {
  try {
    return ask();
  } catch (fault) {
    // A trap may leave the instance in a bad state: the next call makes another.
    load(true);
    if (!warned) {
      warned = true;
      try {
        console.warn('rejitter: protection is off.', fault);
      } catch {
        // Test environments make it throw.
      }
    }
    return otherwise;
  }
}
