// @ts-check
// Reads the marks that `permanent(error)` and `retryAfter(ms, error)` of the main entry make. Copies of the package
// share the symbol.

const MARK = Symbol.for('rejitter.mark');

/** Number of errors that are searched for marks: the error itself and ten causes. */
const SEARCHED = 11;

/**
 * Returns the caller's own error, and whether a mark along `cause` says that no other attempt makes sense.
 * @param {any} error
 * @returns {{ cause: unknown, last: boolean }}
 */
export function readMarks(error) {
  let cause = error;
  let outer = true;
  let last = false;
  try {
    for (let left = SEARCHED; left-- && error; ) {
      const mark = error[MARK];
      last ||= mark?.permanent || mark?.rejected;
      error = error.cause;
      if ((outer &&= mark?.wraps)) cause = error;
    }
  } catch {
    // The value throws when it is read.
  }
  return { cause, last };
}
