// @ts-check
// Reads a policy for engines, without its core: its settings, and the directives of an error.

/** See POLICY in options/messages.js, and DIRECTIVE in run/directives.js. Copies of the package share both. */
const POLICY = 'rejitter.policy';
const MARK = Symbol.for('rejitter.mark');

const MINUTE = 60_000;

/** Number of errors that are searched for marks: the error itself and ten causes. */
const SEARCHED = 11;

/** @param {any} policy @returns {any} its settings */
export function settingsOf(policy) {
  const settings = policy?.[POLICY]?.().settings;
  if (settings === undefined || typeof policy.delayMs !== 'function')
    throw new TypeError('rejitter: the first argument must be a RetryPolicy');
  return settings;
}

/** Returns the caller's own error, and what marks along `cause` say. @param {any} error */
function readMarks(error) {
  const found = { own: error, permanent: false, hintMs: 0, rejected: false };
  try {
    let outer = true;
    // The cause of a TimeoutError is the failure before it.
    for (let left = SEARCHED; left-- && error && error.name !== 'TimeoutError'; error = error.cause) {
      const mark = error[MARK];
      found.permanent ||= mark?.permanent === true;
      found.rejected ||= mark?.rejected === true;
      found.hintMs ||= Number(mark?.rejected ? error.retryAfterMs : mark?.afterMs) || 0;
      if ((outer &&= mark?.wraps)) found.own = error.cause;
    }
  } catch {
    // The value throws when it is read.
  }
  return found;
}

/**
 * Returns the wait after failed attempt `k`, in whole ms, or `stop`.
 * @param {any} policy
 * @param {number} k
 * @param {unknown} error
 * @param {string | undefined} seed of the job
 * @param {number} stop
 */
export async function delayAfter(policy, k, error, seed, stop) {
  const { retryIf, maxAttempts, maxRetryAfterMs, longRetryAfter, name } = settingsOf(policy);
  const { own, permanent, rejected, hintMs } = readMarks(error);
  const longest = maxRetryAfterMs >= 0 ? maxRetryAfterMs : MINUTE;
  if (permanent) return stop;
  const attempt = { attempt: k, attemptsLeft: maxAttempts - k, name };
  const verdict = rejected || retryIf === undefined || (await retryIf(own, attempt));
  if (verdict === false) return stop;
  if (verdict !== true) {
    const afterMs = verdict?.afterMs;
    if (afterMs >= 0 && afterMs < Infinity) return Math.ceil(afterMs);
    throw new TypeError('rejitter: retryIf must return true, false or { afterMs }');
  }
  // Protection asks for patience, and is no server whose wait is final.
  if (hintMs > longest && !rejected && longRetryAfter !== 'cap') return stop;
  return Math.ceil(policy.delayMs(k, { seed, hintMs: Math.min(hintMs, longest) }));
}
