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
 * @property {boolean} wraps whether the error's `cause` is the caller's own error; if not, a cause is of the past, and
 *   says nothing of this attempt: the search ends
 * @property {boolean} [rejected] whether protection made the error: another attempt makes no sense yet
 */

/** Number of errors that are searched for marks: the error itself and ten causes. */
const SEARCHED = 11;

/** Returns the next error in a chain. Stripe has it in `detail`, Sequelize in `original`. @param {any} error */
export const causeOf = ({ cause, detail, original }) => cause ?? detail ?? original;

/**
 * All copies of the package in a realm share this: the reports of operations, or functions that make them, by what they
 * ended with; waits that servers ask for by the errors that say so, each with its number; and the number of the last of
 * these.
 * @typedef {{ reports: WeakMap<object, object>, hints: WeakMap<object, { ms: number, number: number }>,
 *   last: number }} Shared
 */

/** Name of what they share. */
const SHARED = /* @__PURE__ */ Symbol.for('rejitter.shared');

/** @returns {Shared} */
const newShared = () => ({ reports: new WeakMap(), hints: new WeakMap(), last: 0 });

/** The same of this copy alone. @type {Shared | undefined} */
let own;

/** @returns {Shared} */
export function shared() {
  try {
    const holder = /** @type {any} */ (globalThis);
    return (holder[SHARED] ??= newShared());
  } catch {
    // The global object is frozen.
    return (own ??= newShared());
  }
}

/**
 * Notes the wait that a server asks for beside its error, which stays as it is.
 * @type {(error: any, ms: number) => void}
 */
export function noteHint(error, ms) {
  shared().hints.set(error, { ms, number: ++shared().last });
}

/**
 * Reads the marks along a chain of causes, and those of errors that have lost theirs. Checks their shape, because they
 * may come from another version of the package. Joins them: the caller's own error, under the marks at the top; the
 * error by which protection rejected, if one did; and a wait, undefined without a mark.
 * @param {any} error @param {(error: any) => Mark | undefined | void} [markOf]
 */
export function readMarks(error, markOf) {
  /** @type {{ error: any, permanent: boolean, rejected: any, afterMs: any }} */
  const found = { error, permanent: false, rejected: undefined, afterMs: undefined };
  try {
    for (let left = SEARCHED; left-- && Object(error) === error; error = causeOf(error)) {
      const mark = error[MARK] ?? markOf?.(error);
      if (!mark) continue;
      /** @type {any} */
      const { permanent, wraps, afterMs, rejected } = { __proto__: null, ...mark };
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
 * A failure, the wait that its server asks for, as far as it is known, and the number of the last hint before it;
 * Infinity if the callback itself has asked for a wait, which stands above hints.
 * @typedef {{ outcome?: unknown, hintMs?: number, lastHint?: number }} Hinted
 */

/** Follows a server's word. Of several, the longest counts. @param {Hinted} failure @param {number} ms */
export function addHint(failure, ms) {
  if (failure.lastHint !== Infinity) failure.hintMs = Math.max(ms, failure.hintMs || 0);
}

/** Follows the waits that were noted beside an error and its causes since then. @param {Hinted} failure */
export function readHints(failure) {
  const last = /** @type {number} */ (failure.lastHint);
  // Most programs note none.
  if (shared().last > last)
    readMarks(failure.outcome, (each) => {
      const hint = shared().hints.get(each);
      if (hint && hint.number > last) addHint(failure, hint.ms);
    });
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
