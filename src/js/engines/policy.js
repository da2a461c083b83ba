// @ts-check
// Reads a policy for engines, without its core: its settings, and whether a failed attempt is followed by another.

/** See POLICY in options/messages.js, and DIRECTIVE in run/directives.js. Copies of the package share both. */
const POLICY = 'rejitter.policy';
const MARK = Symbol.for('rejitter.mark');

/** The marks of an error that came from another process, by its name: symbols do not go there. */
const NAMES = {
  __proto__: null,
  PermanentError: { permanent: true, wraps: true },
  RetryAfterError: { wraps: true },
  RejectedError: { rejected: true },
};

const MINUTE = 60_000;

/** Number of errors that are searched for marks: the error itself and ten causes. */
const SEARCHED = 11;

/**
 * An attempt that failed, as an engine knows it. The time is since the job was made.
 * @typedef {{ attempt: number, maxAttempts: number, elapsedMs: number, error: unknown, seed?: any }} Failure
 */

/** @param {any} policy @returns {any} its settings */
export function settingsOf(policy) {
  const settings = policy?.[POLICY]?.().settings;
  if (settings === undefined || typeof policy.delayMs !== 'function')
    throw new TypeError('rejitter: the first argument must be a RetryPolicy');
  return settings;
}

/** Reads a number of attempts, which SQS has as text. @param {string} name @param {any} value */
export function countOf(name, value) {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new RangeError(`rejitter: ${name} must be a positive integer, got ${String(value)}`);
}

/** Returns the caller's own error, and what marks along `cause` say. @param {any} error */
function readMarks(error) {
  const found = { own: error, permanent: false, hintMs: 0, rejected: false };
  try {
    let outer = true;
    // The cause of a TimeoutError is the failure before it.
    for (let left = SEARCHED; left-- && error && error.name !== 'TimeoutError'; error = error.cause) {
      const known = error[MARK];
      /** @type {any} */
      const mark = { __proto__: null, ...(known ?? NAMES[/** @type {'RejectedError'} */ (error.name)]) };
      const afterMs = known && !mark.rejected ? mark.afterMs : error.retryAfterMs;
      found.permanent ||= mark.permanent === true;
      // JSON has no infinity.
      if (known || error.name in NAMES) found.hintMs ||= Number(afterMs === null ? Infinity : afterMs) || 0;
      // Its cause says why, and nothing about this attempt.
      if ((found.rejected = mark.rejected === true)) break;
      // A cause that came from another process is no error any more: `retryIf` gets the error around it.
      if ((outer &&= mark.wraps && (known || error.cause instanceof Error))) found.own = error.cause;
    }
  } catch {
    // The value throws when it is read.
  }
  return found;
}

/**
 * Returns the wait after a failed attempt in whole ms, or undefined if none may follow; a promise where `retryIf` does.
 * @param {any} policy @param {Failure} failure @returns {number | undefined | Promise<number | undefined>}
 */
export function delayAfter(policy, { attempt, maxAttempts, elapsedMs, error, seed }) {
  const { retryIf, maxRetryAfterMs, longRetryAfter, name } = settingsOf(policy);
  const { own, permanent, rejected, hintMs } = readMarks(error);
  const longest = maxRetryAfterMs >= 0 ? maxRetryAfterMs : MINUTE;
  if (permanent) return undefined;

  /** @param {any} verdict */
  const follow = (verdict) => {
    if (verdict === false) return undefined;
    if (verdict !== true) {
      const { afterMs } = Object.assign(Object.create(null), verdict);
      if (afterMs >= 0 && afterMs < Infinity) return Math.ceil(afterMs);
      throw new TypeError('rejitter: retryIf must return true, false or { afterMs }');
    }
    // Protection asks for patience, and is no server whose wait is final.
    if (hintMs > longest && !rejected && longRetryAfter !== 'cap') return undefined;
    return Math.ceil(policy.delayMs(attempt, { seed, hintMs: Math.min(hintMs, longest) }));
  };

  if (rejected || retryIf === undefined) return follow(true);
  const verdict = retryIf(own, {
    attempt,
    attemptsLeft: Math.max(0, maxAttempts - attempt),
    name,
    // The engine has deadlines of its own, and what came before is in another process.
    signal: new AbortController().signal,
    elapsedMs,
    remainingMs: Infinity,
  });
  return typeof verdict?.then === 'function' ? Promise.resolve(verdict).then(follow) : follow(verdict);
}

/** For engines that ask after each failure, or that are told. @param {any} policy @param {any} failure */
export function nextDelay(policy, failure) {
  const { maxAttempts } = settingsOf(policy);
  const { attempt, error, seed, elapsedMs = 0 } = Object.assign(Object.create(null), failure);
  const made = countOf('attempt', attempt);
  if (made >= maxAttempts) return undefined;
  const delay = delayAfter(policy, { attempt: made, maxAttempts, elapsedMs, error, seed });
  if (!(delay instanceof Promise)) return delay;
  delay.catch(() => {});
  throw new TypeError('rejitter: retryIf must return no promise in nextDelay, which cannot wait for it');
}
