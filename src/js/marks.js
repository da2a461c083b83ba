// @ts-check
// What the callback may throw to say more than "failed": permanent(error), retryAfter(ms, error).

import { hide } from './report.js';
import { LONGEST, isLongest, messageOf, problemOf } from './rules.js';

// Shared by all copies of the package in a process and by all realms; `instanceof` is not.
const MARK = Symbol.for('rejitter.mark');

/** How far marks are looked for along `cause`. */
const DEEPEST = 10;

/**
 * What is attached to a marked error.
 * @typedef {object} Mark
 * @property {boolean} permanent
 * @property {number} afterMs NaN when the mark asks for no wait
 * @property {boolean} wraps whether the marked error's `cause` is the caller's own error
 */

/** The function that made each mark, for the message about a mark that was returned. @type {WeakMap<object, string>} */
const makers = new WeakMap();

/**
 * Joins its marks with those of the error, so that marks around marks are never deep.
 * @param {string} maker
 * @param {string} name
 * @param {string} message
 * @param {unknown[]} errors the caller's own error, if there is one
 * @param {boolean} permanent
 * @param {number} afterMs
 */
function marked(maker, name, message, errors, permanent, afterMs) {
  const wraps = errors.length > 0;
  const inner = readMarks(errors[0]);
  const error = new Error(messageOf(inner.error, message), wraps ? { cause: inner.error } : undefined);
  hide(error, 'name', name);
  hide(error, MARK, { permanent: permanent || inner.permanent, afterMs: afterMs >= 0 ? afterMs : inner.afterMs, wraps });
  makers.set(error, maker);
  return error;
}

/** @param {unknown} error */
export function permanent(error) {
  return marked('permanent', 'PermanentError', 'permanent', [error], true, NaN);
}

/**
 * Never throws: it is called where a failure is about to be thrown, which must not get lost.
 * @param {any} ms
 * @param {unknown[]} errors the error, unless left out
 */
export function retryAfter(ms, ...errors) {
  const valid = isLongest(ms);
  const message = valid ? `retry after ${ms} ms` : problemOf('ms', ms, LONGEST).message;
  return marked('retryAfter', 'RetryAfterError', message, errors.slice(0, 1), false, valid ? ms : NaN);
}

/** @param {unknown} error */
export function isPermanent(error) {
  return readMarks(error).permanent;
}

/**
 * The error for a mark that the callback returned where it should have thrown it; undefined for any
 * other value.
 * @param {any} value
 */
export function returnedMark(value) {
  // Most results are checked by this line alone.
  const maker = typeof value === 'object' ? makers.get(value) : undefined;
  return maker && new TypeError(`rejitter: ${maker}() was returned; throw it`, value[MARK].wraps ? { cause: value.cause } : undefined);
}

/**
 * What the marks along `cause` say together, and the caller's own error from under those at its top. Marks
 * come from other copies of the package too, so their shape is checked.
 * @param {any} error
 */
export function readMarks(error) {
  const marks = { error, permanent: false, afterMs: NaN };
  try {
    let outer = true;
    for (let depth = 0; depth <= DEEPEST && error !== null && typeof error === 'object'; depth++) {
      const { permanent, afterMs, wraps } = /** @type {any} */ ({ __proto__: null, ...error[MARK] });
      const valid = typeof permanent === 'boolean' && typeof wraps === 'boolean' && typeof afterMs === 'number' && !(afterMs < 0);
      if (valid) {
        marks.permanent ||= permanent;
        if (!(marks.afterMs >= 0)) marks.afterMs = afterMs;
      }
      outer &&= valid && wraps && Object.hasOwn(error, MARK) && Object.hasOwn(error, 'cause');
      error = error.cause;
      if (outer) marks.error = error;
    }
  } catch {
    // A value that throws when it is looked at says no more than it did before.
  }
  return marks;
}
