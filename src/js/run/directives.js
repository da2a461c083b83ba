// @ts-check
// permanent(error) and retryAfter(ms, error): errors that say more than "failed".

import { isLongest, isObject, isSwitch } from '../options/checks.js';
import { messageOf, problemOf } from '../options/messages.js';
import { LONGEST } from '../options/rules.js';
import { warnOnce } from './hooks.js';
import { TimeoutError, hide } from './report.js';

// Shared by all copies of the package in a process and by all realms; `instanceof` is not.
const DIRECTIVE = Symbol.for('rejitter.mark');

/** Number of errors that are searched for directives: the error itself and ten causes. */
const SEARCHED = 11;

/**
 * The directives that an error carries.
 * @typedef {object} Directive
 * @property {boolean} permanent
 * @property {number} afterMs NaN when it asks for no wait
 * @property {boolean} wraps whether the `cause` of the error that has it is the caller's own error
 * @property {boolean} [rejected] whether protection made the error: another attempt makes no sense yet
 */

/** Marks an error by which protection rejects an attempt. @param {Error} error */
export function markRejected(error) {
  hide(error, DIRECTIVE, { permanent: false, afterMs: NaN, wraps: false, rejected: true });
}

/**
 * Makes an error with a directive. It joins the directives of the error that it wraps, so that nesting is never deep.
 * @param {string} name
 * @param {string} message
 * @param {unknown[]} errors the caller's own error, if there is one
 * @param {boolean} permanent
 * @param {number} afterMs
 */
function directed(name, message, errors, permanent, afterMs) {
  const wraps = errors.length > 0;
  const inner = readDirectives(errors[0]);
  const error = new Error(messageOf(inner.error, message), wraps ? { cause: inner.error } : undefined);
  hide(error, 'name', name);
  afterMs = afterMs >= 0 ? afterMs : (inner.afterMs ?? NaN);
  hide(error, DIRECTIVE, { permanent: permanent || inner.permanent, afterMs, wraps, rejected: false });
  // For rejitter/engines: into another process, errors take their names, and nothing under a symbol.
  if (afterMs >= 0) hide(error, 'retryAfterMs', afterMs);
  return error;
}

/** @param {unknown} error */
export function permanent(error) {
  return directed('PermanentError', 'permanent', [error], true, NaN);
}

/**
 * Never throws for an invalid time, because the failure that is about to be thrown would get lost.
 * @param {any} ms
 * @param {unknown[]} errors the error, unless left out
 */
export function retryAfter(ms, ...errors) {
  const valid = isLongest(ms);
  const message = valid ? `retry after ${ms} ms` : problemOf('ms of retryAfter()', ms, LONGEST).message;
  // With an error, nothing else would say so. NaN, null and undefined may be the absence of a header.
  if (typeof (ms ?? 0) !== 'number') warnOnce('ms', message);
  return directed('RetryAfterError', message, errors.slice(0, 1), false, valid ? ms : NaN);
}

/** @param {unknown} error */
export function isPermanent(error) {
  return readDirectives(error).permanent;
}

/**
 * Returns an error for a result that the callback cannot have meant: an error with a directive, which belongs into a
 * `throw`, or a generator, whose code has not run; undefined for any other value.
 * @param {any} value
 */
export function mistakeIn(value) {
  if (!isObject(value)) return undefined;
  let text;
  try {
    if (/^(Async)?Generator$/.test(value[Symbol.toStringTag]))
      text = 'a generator was returned; read it in the callback';
    if (Object.hasOwn(value, DIRECTIVE) && !value[DIRECTIVE].rejected) text = `a ${value.name} was returned; throw it`;
    return text && new TypeError(`rejitter: ${text}`, { cause: value.cause });
  } catch {
    // A value that throws when it is read is a result like any other.
    return undefined;
  }
}

/**
 * Reads the directives along `cause`, and the caller's own error under those at the top. Checks the shape of each,
 * because it may come from another copy of the package.
 * @param {any} error
 */
export function readDirectives(error) {
  const directives = {
    error,
    permanent: false,
    rejected: /** @type {boolean | undefined} */ (undefined),
    afterMs: /** @type {number | undefined} */ (undefined),
  };
  try {
    let outer = true;
    // A TimeoutError of ours has as its cause the failure before it, whose directives were followed.
    for (let left = SEARCHED; left-- && isObject(error) && !(error instanceof TimeoutError); error = error.cause) {
      const { permanent, wraps, afterMs, rejected } = /** @type {any} */ ({ __proto__: null, ...error[DIRECTIVE] });
      const valid = isSwitch(permanent) && isSwitch(wraps) && typeof afterMs === 'number' && !(afterMs < 0);
      if (valid) {
        directives.permanent ||= permanent;
        const known = /** @type {number} */ (directives.afterMs);
        if (!(known >= 0)) directives.afterMs = afterMs;
        // Its cause says why, and nothing about this attempt.
        if ((directives.rejected = rejected)) break;
      }
      outer &&= valid && wraps && Object.hasOwn(error, DIRECTIVE) && Object.hasOwn(error, 'cause');
      if (outer) directives.error = error.cause;
    }
  } catch {
    // The value throws when it is read. The directives found so far count.
  }
  return directives;
}
