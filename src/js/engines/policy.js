// Reads a policy for engines, without its core: its settings, and whether a failed attempt is followed by another.

import { addHint, behindOf, readHints, readMarks, shared } from '../marks.js';

/**
 * The marks of errors that came from another process: their names go there, and nothing under a symbol.
 * @type {Record<string, import('../marks.js').Mark>}
 */
const NAMES = {
  __proto__: /** @type {any} */ (null),
  PermanentError: { permanent: true, wraps: true },
  RetryAfterError: { permanent: false, wraps: true },
  RejectedError: { permanent: false, wraps: false, rejected: true },
  TimeoutError: { wraps: false },
};

const MINUTE = 60_000;

const nothing = () => {};

/**
 * An attempt that failed, as an engine knows it. The time is since the job was made.
 * @typedef {{ attempt: number, maxAttempts: number, elapsedMs: number, error: unknown, seed?: any }} Failure
 */

/** @param {any} policy @returns {any} its settings */
export function settingsOf(policy) {
  const parts = behindOf(policy);
  if (parts === undefined) throw new TypeError('rejitter: the first argument must be a RetryPolicy');
  return parts.settings;
}

/** Reads a number of attempts, which SQS has as text. @param {string} name @param {any} value */
export function countOf(name, value) {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new RangeError(`rejitter: ${name} must be a positive integer, got ${String(value)}`);
}

/** JSON has no infinity. @param {any} error */
const hintIn = ({ retryAfterMs: ms }) => (ms === null ? Infinity : Number(ms));

/** Calls `next` with a value, at once unless it is a promise. @type {(value: any, next: (value: any) => any) => any} */
const then = (value, next) => (typeof value?.then === 'function' ? Promise.resolve(value).then(next) : next(value));

/**
 * Returns the wait after a failed attempt in whole ms, or undefined if none may follow; a promise where `hint` or
 * `retryIf` do.
 * @param {any} policy @param {Failure} failure @returns {number | undefined | Promise<number | undefined>}
 */
export function delayAfter(policy, { attempt, maxAttempts, elapsedMs, error, seed }) {
  const { hint, retryIf = () => true, maxRetryAfterMs, longRetryAfter, name } = settingsOf(policy);
  let isNamed = false;
  const found = readMarks(error, (each) => {
    const mark = NAMES[each.name];
    isNamed ||= mark !== undefined;
    return mark && { ...mark, afterMs: hintIn(each) };
  });
  const { permanent, rejected, afterMs = NaN } = found;
  // A cause that came from another process is no error any more: `retryIf` gets the error around it.
  const own = isNamed && !(found.error instanceof Error) ? error : found.error;
  /** The job's own wish stands above a server's word. */
  const failure = {
    outcome: own,
    hintMs: (afterMs >= 0 ? afterMs : rejected && hintIn(rejected)) || 0,
    lastHint: afterMs >= 0 ? Infinity : 0,
  };
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
    const { hintMs } = failure;
    // Protection asks for patience, and is no server whose wait is final.
    if (hintMs > longest && !rejected && longRetryAfter !== 'cap') return undefined;
    return Math.ceil(policy.delayMs(attempt, { seed, hintMs: Math.min(hintMs, longest) }));
  };

  if (rejected) return follow(true);
  const facts = {
    attempt,
    attemptsLeft: Math.max(0, maxAttempts - attempt),
    name,
    // The engine has deadlines of its own, and what came before is in another process.
    signal: new AbortController().signal,
    elapsedMs,
    remainingMs: Infinity,
    // The attempt is over: nothing that it could tell matters.
    ...{ alive: nothing, progress: nothing, commit: nothing, watch: (/** @type {unknown} */ source) => source },
  };
  return then(hint?.(own, facts), (hintMs) => {
    if (hintMs > 0) addHint(failure, hintMs);
    failure.lastHint ||= shared().last;
    return then(retryIf(own, facts), (verdict) => {
      readHints(failure);
      return follow(verdict);
    });
  });
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
  throw new TypeError('rejitter: hint and retryIf must return no promise in nextDelay, which cannot wait for it');
}
