// @ts-check
// What the callback may throw to say more than "failed": permanent(error), retryAfter(ms, error).

import { LONGEST, isLongest, messageOf, problemOf } from './rules.js';

// Shared by all copies of the package in a process and by all realms; `instanceof` is not.
const MARK = Symbol.for('rejitter.mark');

/** How far a mark is looked for along `cause`. */
const DEEPEST = 10;

/**
 * @typedef {object} Mark
 * @property {boolean} permanent
 * @property {number} afterMs NaN when the mark asks for no wait
 * @property {boolean} wraps whether there is an error in the marked one's `cause` to give back
 */

/** An error that is not worth another attempt, around the error itself. */
class PermanentError extends Error {
  /** @param {unknown} error */
  constructor(error) {
    super(messageOf(error, 'permanent'), { cause: error });
    this.name = 'PermanentError';
    mark(this, { permanent: true, afterMs: NaN, wraps: true });
  }
}

/** A failure with a wait that the other side asks for, around the error if there is one. */
class RetryAfterError extends Error {
  /**
   * @param {number} ms
   * @param {unknown} error
   * @param {boolean} wraps
   */
  constructor(ms, error, wraps) {
    super(messageOf(error, `retry after ${ms} ms`), wraps ? { cause: error } : undefined);
    this.name = 'RetryAfterError';
    mark(this, { permanent: false, afterMs: ms, wraps });
  }
}

/** @param {unknown} error */
export function permanent(error) {
  return new PermanentError(error);
}

/** @param {any[]} args ms and, unless left out, the error */
export function retryAfter(...args) {
  const [ms, error] = args;
  if (!isLongest(ms)) throw problemOf('ms', ms, LONGEST);
  return new RetryAfterError(ms, error, args.length > 1);
}

/** @param {unknown} error */
export function isPermanent(error) {
  return markOf(error)?.permanent === true;
}

/**
 * The first mark along `cause`.
 * @param {any} error
 * @returns {Mark | undefined}
 */
export function markOf(error) {
  try {
    for (let depth = 0; depth <= DEEPEST && error !== null && typeof error === 'object'; depth++) {
      const found = error[MARK];
      if (found !== undefined) return found;
      error = error.cause;
    }
  } catch {
    // A value that throws when it is looked at carries no mark of ours.
  }
  return undefined;
}

/**
 * The caller's own error, when this is one of our wrappers around it.
 * @param {any} error
 * @param {Mark | undefined} found its mark
 */
export function unwrap(error, found) {
  if (found === undefined || !found.wraps || !Object.hasOwn(error, MARK)) return error;
  return error.cause;
}

/**
 * @param {object} error
 * @param {Mark} value
 */
function mark(error, value) {
  Object.defineProperty(error, MARK, { value });
}
