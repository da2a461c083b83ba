// @ts-check
// permanent(error) and retryAfter(ms, error): errors that say more than "failed".

import { isLongest } from '../options/checks.js';
import { messageOf, problemOf } from '../options/messages.js';
import { LONGEST } from '../options/rules.js';
import { TimeoutError, hide } from './report.js';

// Shared by all copies of the package in a process and by all realms; `instanceof` is not.
const MARK = Symbol.for('rejitter.mark');

/** Number of causes that are searched for marks. */
const DEEPEST = 10;

/**
 * Mark of an error.
 * @typedef {object} Mark
 * @property {boolean} permanent
 * @property {number} afterMs NaN when the mark asks for no wait
 * @property {boolean} wraps whether the marked error's `cause` is the caller's own error
 */

/** Name of the function that made each error, for the message about one that was returned. @type {WeakMap<object, string>} */
const makers = new WeakMap();

/**
 * Makes a marked error. It joins the marks of the error that it wraps, so that nesting is never deep.
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
 * Never throws for an invalid time, because the failure that is about to be thrown would get lost.
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
 * Returns an error for a mark that the callback returned instead of throwing it; undefined for any other
 * value.
 * @param {any} value
 */
export function returnedMark(value) {
  const maker = typeof value === 'object' ? makers.get(value) : undefined;
  return maker && new TypeError(`rejitter: ${maker}() was returned; throw it`, value[MARK].wraps ? { cause: value.cause } : undefined);
}

/**
 * Reads the marks along `cause`, and the caller's own error under those at the top. Checks the shape of each,
 * because it may come from another copy of the package.
 * @param {any} error
 */
export function readMarks(error) {
  const marks = { error, permanent: false, afterMs: NaN };
  try {
    let outer = true;
    // A TimeoutError of ours has as its cause the failure before it, whose marks have had their say.
    for (let depth = 0; depth <= DEEPEST && error !== null && typeof error === 'object' && !(error instanceof TimeoutError); depth++) {
      const mark = error[MARK];
      const valid = mark !== undefined && typeof mark.permanent === 'boolean' && typeof mark.wraps === 'boolean' && typeof mark.afterMs === 'number' && !(mark.afterMs < 0);
      if (valid) {
        marks.permanent ||= mark.permanent;
        if (!(marks.afterMs >= 0)) marks.afterMs = mark.afterMs;
      }
      outer &&= valid && mark.wraps && Object.hasOwn(error, MARK) && Object.hasOwn(error, 'cause');
      error = error.cause;
      if (outer) marks.error = error;
    }
  } catch {
    // The value throws when it is read. The marks found so far count.
  }
  return marks;
}
