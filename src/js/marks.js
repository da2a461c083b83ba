// How entries, copies and realms of this package recognise its errors and policies, for which `instanceof` fails. It
// imports nothing: the entries that share no other module share this one.

/** Name of an error's mark. */
export const MARK = Symbol.for('rejitter.mark');

/**
 * Under this name, a RetryPolicy has a function that returns its parts. The property is enumerable, so that a copy by
 * spread is found out and `structuredClone` throws: without options, both would silently stand for the defaults.
 */
export const POLICY = 'rejitter.policy';

/** Version of what is behind a policy: rejitter-lab, a package of its own, reads it, and rejects another one. */
export const SEAM = 1;

/** Parts of a RetryPolicy. @type {(policy: any) => import('./options/settings.js').Behind<any> | undefined} */
export function behindOf(policy) {
  // A copy by spread has the function, too, but no methods.
  return typeof policy?.run === 'function' && Object.hasOwn(policy, POLICY) ? policy[POLICY]() : undefined;
}

/**
 * The mark of an error tells how to go on after the attempt that failed with it.
 * @typedef {object} Mark
 * @property {boolean} [permanent]
 * @property {number} [afterMs] NaN when it asks for no wait
 * @property {boolean} wraps whether the error's `cause` is the caller's own error; if not, a cause is of the past, and says
 *   nothing of this attempt: the search ends
 * @property {boolean} [rejected] whether protection made the error: another attempt makes no sense yet
 */

/** Number of errors that are searched for marks: the error itself and ten causes. */
const SEARCHED = 11;

/**
 * Reads the marks along `cause`, and those of errors that have lost theirs. Checks their shape, because they may come
 * from another version of the package. Joins them: the caller's own error, under the marks at the top; the error by
 * which protection rejected, if one did; and a wait, undefined without a mark.
 * @param {any} error @param {(error: any) => Mark | undefined} [markOf]
 */
export function readMarks(error, markOf) {
  /** @type {{ error: any, permanent: boolean, rejected: any, afterMs: any }} */
  const found = { error, permanent: false, rejected: undefined, afterMs: undefined };
  try {
    for (let left = SEARCHED; left-- && Object(error) === error; error = error.cause) {
      /** @type {any} */
      const { permanent, wraps, afterMs, rejected } = { __proto__: null, ...(error[MARK] ?? markOf?.(error)) };
      if (
        typeof permanent === 'boolean' &&
        typeof wraps === 'boolean' &&
        typeof afterMs === 'number' &&
        !(afterMs < 0)
      ) {
        found.permanent ||= permanent;
        if (!(found.afterMs >= 0)) found.afterMs = afterMs;
        if (rejected) found.rejected = error;
        if (wraps && error === found.error && Object.hasOwn(error, 'cause')) found.error = error.cause;
      }
      if (wraps === false) break;
    }
  } catch {
    // The value throws when it is read. The marks found so far count.
  }
  return found;
}

/**
 * The same in brief, for rejitter/light, where a check of the shape is a twentieth of the bytes: whether no other
 * attempt makes sense, and the caller's own error.
 * @param {any} error
 */
export function readBriefly(error) {
  let cause = error;
  /** @type {boolean | undefined} */
  let last;
  try {
    for (let left = SEARCHED; left-- && error; error = error.cause) {
      const mark = error[MARK];
      last ||= mark?.permanent || mark?.rejected;
      if (mark?.wraps && error === cause) cause = error.cause;
      if (mark?.wraps === false) break;
    }
  } catch {
    // The value throws when it is read.
  }
  return { cause, last };
}
