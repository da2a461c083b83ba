// permanent(error) and retryAfter(ms, error): errors that say more than "failed".

import { MARK, readMarks } from '../marks.js';
import { isLongest, isObject } from '../options/checks.js';
import { messageOf, problemOf } from '../options/messages.js';
import { LONGEST } from '../options/rules.js';
import { warnOnce } from '../options/warnings.js';
import { hide } from './report.js';

/** Marks an error by which protection rejects an attempt. @param {Error} error */
export function markRejected(error) {
  hide(error, MARK, { permanent: false, afterMs: NaN, wraps: false, rejected: true });
}

/**
 * Makes an error with a mark, around the caller's own if there is one: it joins that one's marks, so that nesting is
 * never deep.
 * @type {(name: string, message: string, errors: unknown[], permanent: boolean, afterMs: number) => Error}
 */
function directed(name, message, errors, permanent, afterMs) {
  const wraps = errors.length > 0;
  const inner = readMarks(errors[0]);
  const error = new Error(messageOf(inner.error, message), wraps ? { cause: inner.error } : undefined);
  hide(error, 'name', name);
  afterMs = afterMs >= 0 ? afterMs : (inner.afterMs ?? NaN);
  hide(error, MARK, { permanent: permanent || inner.permanent, afterMs, wraps, rejected: false });
  // For rejitter/engines: into another process, errors take their names, and nothing under a symbol.
  if (afterMs >= 0) hide(error, 'retryAfterMs', afterMs);
  return error;
}

/** @param {unknown} error */
export function permanent(error) {
  return directed('PermanentError', 'permanent', [error], true, NaN);
}

/** An invalid time throws nothing: the failure would get lost. @type {(ms: any, ...errors: unknown[]) => Error} */
export function retryAfter(ms, ...errors) {
  const valid = isLongest(ms);
  const message = valid ? `retry after ${ms} ms` : problemOf('ms of retryAfter()', ms, LONGEST).message;
  // With an error, nothing else would say so. NaN, null and undefined may be the absence of a header.
  if (typeof (ms ?? 0) !== 'number') warnOnce('ms', message);
  return directed('RetryAfterError', message, errors.slice(0, 1), false, valid ? ms : NaN);
}

/** @param {unknown} error */
export function isPermanent(error) {
  return readMarks(error).permanent;
}

/** @param {unknown} error */
export function isRetryAfter(error) {
  return readMarks(error).afterMs >= 0;
}

/**
 * Returns an error for a result that the callback cannot have meant: an error with a mark, which belongs into a
 * `throw`, or a generator, whose code has not run; undefined for any other value.
 * @param {any} value
 */
export function mistakeIn(value) {
  if (!isObject(value)) return undefined;
  let text;
  try {
    if (/^(Async)?Generator$/.test(value[Symbol.toStringTag]))
      text = 'a generator was returned; read it in the callback';
    if (Object.hasOwn(value, MARK) && !value[MARK].rejected) text = `a ${value.name} was returned; throw it`;
    return text && new TypeError(`rejitter: ${text}`, { cause: value.cause });
  } catch {
    // A value that throws when it is read is a result like any other.
    return undefined;
  }
}
