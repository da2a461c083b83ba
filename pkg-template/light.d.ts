/**
 * The smallest `retry`: attempts, waits, limits and a predicate, over the same core and with the same defaults as the
 * main entry. Reports, hooks, seeds, protection, other backoffs and jitters, and the rules of `fetch` are in
 * `rejitter`, `rejitter/protection` and `rejitter/fetch`.
 *
 * Waits are drawn with `Math.random`. Needs no WebAssembly.
 *
 * @module rejitter/light
 */

/** One attempt, as the callback and {@link LightOptions.retryIf} receive it. */
export interface LightAttempt {
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * Signal of this attempt alone, made when it is first read. Aborted with the reason of
   * {@link LightOptions.signal}, or with a {@link TimeoutError} when the attempt or the operation times out.
   *
   * A getter that the attempt inherits: destructuring reads it, a spread (`{ ...attempt }`) loses it.
   */
  readonly signal: AbortSignal;
}

/**
 * All options of `rejitter/light`; all are optional, and `undefined` means unset. Only own properties are read, each
 * once, before the first attempt; the object is never changed. The first invalid value and the first unknown name
 * are a `TypeError` or a `RangeError`.
 *
 * @example
 * ```js
 * import { retry } from 'rejitter/light';
 * const defaults = { maxAttempts: 4, totalTimeoutMs: 20_000 }; // in TypeScript `const defaults: LightOptions`
 * const user = await retry(() => callApi(), { ...defaults, jitter: 'equal' });
 * ```
 */
export interface LightOptions {
  /**
   * Maximum number of attempts, *including the first*. A positive integer, or `Infinity`. Checked after each failed
   * attempt, after {@link LightOptions.retryIf}.
   *
   * @default 6
   * @example `{ maxAttempts: 4 }`
   */
  maxAttempts?: number | undefined;
  /**
   * Upper bound of the first wait, in ms. Between 0 and 2^53 − 1.
   *
   * @default 100
   * @example `{ baseMs: 50 }`
   */
  baseMs?: number | undefined;
  /**
   * Upper bound of each computed wait, in ms. It bounds the backoff's value *before* the jitter is drawn. Non-negative;
   * at least {@link LightOptions.baseMs}; `Infinity` means no cap.
   *
   * @default 10_000, or `baseMs` if that is more
   * @example `{ capMs: 8000 }`
   */
  capMs?: number | undefined;
  /**
   * Growth of the upper bound from wait to wait. At least 1, below 2^53, finite.
   *
   * @default 2
   * @example `{ factor: 1.5 }`
   */
  factor?: number | undefined;
  /**
   * How each wait is drawn: between 0 and its upper bound, between half of that and all of it, or not at all.
   *
   * @default 'full'
   * @example `{ jitter: 'equal' }`
   */
  jitter?: 'full' | 'equal' | 'none' | undefined;
  /**
   * Aborts the operation at once: before the first attempt, during an attempt or during a wait. The promise rejects
   * with `signal.reason` itself, and neither timer nor listener remains.
   *
   * @default none
   * @example `{ signal: AbortSignal.timeout(10_000) }`
   */
  signal?: AbortSignal | undefined;
  /**
   * Time limit of each attempt, in ms, from that attempt's own start. An attempt that takes longer fails with a
   * {@link TimeoutError}, which is retried like any failure, and its later outcome is ignored. Near the deadline, the
   * remaining time is the limit. Above 0; `Infinity` means no limit.
   *
   * If the timer is more than 50 ms late, as after a stop of the process, the host gets 20 ms to read its sockets
   * before the time counts as over. So it is with the deadline; not in pages.
   *
   * @default Infinity
   * @example `{ attemptTimeoutMs: 2000 }`
   */
  attemptTimeoutMs?: number | undefined;
  /**
   * Deadline of the whole operation, in ms from the call, waits included. Checked before each wait and by a timer: if
   * the next wait would end at or after the deadline, the operation ends immediately with the last error. If the
   * deadline passes during an attempt, the operation rejects with a {@link TimeoutError} whose `cause` is the previous
   * failure. Above 0; `Infinity` means no deadline.
   *
   * @default Infinity
   * @example `{ totalTimeoutMs: 30_000 }`
   */
  totalTimeoutMs?: number | undefined;
  /**
   * Decides whether to retry a failure. Called once after each failed attempt. Return `true` to retry after the
   * computed wait, `false` to stop, or `{ afterMs }` to wait exactly that long, uncapped and without jitter. A promise
   * of these is awaited, at most until the deadline. If the function throws, the operation rejects with what it threw;
   * any other return value is an error.
   *
   * An error that it throws ends the operation in place of the failure, which the main entry keeps as its cause.
   *
   * @default () => true
   * @example `{ retryIf: (error) => error.status >= 500 }`
   */
  retryIf?: ((error: any, attempt: LightAttempt) => LightVerdict | PromiseLike<LightVerdict>) | undefined;
  /**
   * Replaces `Math.random`. Called once for each wait that is drawn. Must return a number in [0, 1).
   *
   * @default Math.random
   * @example `{ random: () => 0.5 }`
   */
  random?: (() => number) | undefined;
  /**
   * Whether a Node process may exit while only timers of this operation are pending. No effect in other hosts.
   *
   * @default false
   * @example `{ unref: true }`
   */
  unref?: boolean | undefined;
}

/**
 * An attempt outlived `attemptTimeoutMs`, or an operation outlived `totalTimeoutMs`. Another class than that of
 * `rejitter`; its `name` is the same.
 *
 * @example
 * ```js
 * import { TimeoutError, retry } from 'rejitter/light';
 * const hangs = () => callApi().catch(() => new Promise(() => {}));
 * const error = await retry(hangs, { attemptTimeoutMs: 50, maxAttempts: 2 }).catch((error) => error);
 * console.log(error instanceof TimeoutError, error.message);
 * ```
 */
export class TimeoutError extends Error {
  /** The name that the DOM's own timeout errors have. */
  readonly name: 'TimeoutError';
  /** The previous failure, if the deadline passed during a later attempt. An attempt's timeout has none. */
  readonly cause?: unknown;
}

/** Result of {@link LightOptions.retryIf}. */
export type LightVerdict = boolean | { readonly afterMs: number };

/**
 * Calls `fn` until it succeeds, by default up to six times with waits of 0 to 100, 200, 400, … ms.
 *
 * *Every* error is retried, bugs included, unless {@link LightOptions.retryIf} decides otherwise. Pass the attempt's
 * `signal` on, so that a timeout or an abort ends the work as well.
 *
 * The first attempt is called before this function returns. The promise resolves with the first success. It rejects
 * with the last attempt's own error, the very same value, or with `signal.reason`. An error made by `permanent()` of
 * `rejitter` ends the operation with the error inside; `retryAfter()` counts as the error inside, and its time is
 * ignored. Invalid options reject the promise.
 *
 * @example
 * ```js
 * import { retry } from 'rejitter/light';
 * const user = await retry(() => callApi(), { maxAttempts: 4, totalTimeoutMs: 10_000 });
 * ```
 */
export function retry<T>(fn: (attempt: LightAttempt) => T | PromiseLike<T>, options?: LightOptions): Promise<T>;

/**
 * Returns the wait after failed attempt `k`, in ms: a fresh draw, whatever `maxAttempts` is. Throws for invalid
 * options.
 *
 * @example
 * ```js
 * import { delayMs } from 'rejitter/light';
 * const ms = delayMs(3, { jitter: 'none' }); // 400
 * ```
 */
export function delayMs(k: number, options?: LightOptions): number;
