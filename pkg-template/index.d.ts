/**
 * Retries with backoff and jitter.
 *
 * Words. An *operation* is one call of a retry function. An *attempt* is one call of your
 * callback; attempts are numbered from 1. *Wait* k follows failed attempt k. The *ceiling* is the
 * backoff curve's value at wait k, already capped; *jitter* is how the wait is drawn below it.
 * All times are milliseconds; fractions are allowed and are rounded up where a timer is armed.
 *
 * Nothing happens at import: no WebAssembly is compiled and no randomness taken before the first
 * failed attempt.
 *
 * @module rejitter
 */

/// <reference lib="es2021.promise" />

import type { Attempt, RetryReport, StopReason } from './events.js';
import type {
  CommonOptions, DecorrelatedOptions, ExponentialBackoffOptions, FixedDelayOptions, JitteredOptions, LinearBackoffOptions, PolicyOptions, RetryOptions,
  SyncOptions, TruncatedBackoffOptions,
} from './options.js';

export * from './events.js';
export * from './options.js';

/**
 * What is retried: called once per attempt. A rejection and a synchronous throw are the same
 * failure; anything else, promise or not, is success.
 */
export type Operation<T> = (attempt: Attempt) => T | PromiseLike<T>;

/**
 * Calls `fn` until it succeeds or the options say stop: exponential backoff with full jitter
 * unless they say otherwise.
 *
 * The first attempt is called before this returns. The promise resolves with the first success;
 * it rejects with the last attempt's own error, the very same value, or with `signal.reason`.
 * Bad options reject it; it never throws.
 *
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * const user = await retry(() => callApi(), { maxAttempts: 4, backoff: 'linear', jitter: 'equal' });
 * ```
 */
export function retry<T>(fn: Operation<T>, options?: RetryOptions): Promise<T>;

/**
 * {@link retry} with full jitter: wait k is uniform on [0, ceiling).
 *
 * @example
 * ```js
 * import { retryWithFullJitter } from 'rejitter';
 * const user = await retryWithFullJitter(() => callApi(), { baseMs: 100, capMs: 8000, maxAttempts: 5 });
 * ```
 */
export function retryWithFullJitter<T>(fn: Operation<T>, options?: JitteredOptions): Promise<T>;

/**
 * {@link retry} with equal jitter: wait k is uniform on [ceiling/2, ceiling).
 *
 * @example
 * ```js
 * import { retryWithEqualJitter } from 'rejitter';
 * // Waits of 100 … 200, 200 … 400, … ms.
 * const user = await retryWithEqualJitter(() => callApi(), { baseMs: 200 });
 * ```
 */
export function retryWithEqualJitter<T>(fn: Operation<T>, options?: JitteredOptions): Promise<T>;

/**
 * {@link retry} with decorrelated jitter: each wait is drawn from `baseMs` to three times the
 * previous one.
 *
 * @example
 * ```js
 * import { retryWithDecorrelatedJitter } from 'rejitter';
 * const user = await retryWithDecorrelatedJitter(() => callApi(), { baseMs: 50, capMs: 5000 });
 * ```
 */
export function retryWithDecorrelatedJitter<T>(fn: Operation<T>, options?: DecorrelatedOptions): Promise<T>;

/**
 * {@link retry} with exponential backoff and, unless `jitter` is given, no jitter: clients that
 * fail together retry together.
 *
 * @example
 * ```js
 * import { retryWithExponentialBackoff } from 'rejitter';
 * // Waits of 100, 300, 900, … ms.
 * const user = await retryWithExponentialBackoff(() => callApi(), { factor: 3 });
 * ```
 */
export function retryWithExponentialBackoff<T>(fn: Operation<T>, options?: ExponentialBackoffOptions): Promise<T>;

/**
 * {@link retry} with linear backoff and, unless `jitter` is given, no jitter.
 *
 * @example
 * ```js
 * import { retryWithLinearBackoff } from 'rejitter';
 * // Waits of 100, 150, 200, … ms.
 * const user = await retryWithLinearBackoff(() => callApi(), { stepMs: 50 });
 * ```
 */
export function retryWithLinearBackoff<T>(fn: Operation<T>, options?: LinearBackoffOptions): Promise<T>;

/**
 * {@link retry} with a wait of `baseMs` each time and, unless `jitter` is given, no jitter.
 *
 * @example
 * ```js
 * import { retryWithFixedDelay } from 'rejitter';
 * const user = await retryWithFixedDelay(() => callApi(), { baseMs: 250, maxAttempts: 10 });
 * ```
 */
export function retryWithFixedDelay<T>(fn: Operation<T>, options?: FixedDelayOptions): Promise<T>;

/**
 * {@link retry} with truncated binary exponential backoff and full jitter: `truncateAt` 10,
 * `capMs` 10 000, and no limit of attempts unless `maxAttempts` is given.
 * @example
 * ```js
 * import { retryWithTruncatedBackoff } from 'rejitter';
 * const user = await retryWithTruncatedBackoff(() => callApi(), { totalTimeoutMs: 60_000 });
 * ```
 */
export function retryWithTruncatedBackoff<T>(fn: Operation<T>, options?: TruncatedBackoffOptions): Promise<T>;

/** What {@link retrySync} retries. A promise is no result here: nothing could wait for it. */
export type SyncOperation<T> = ((attempt: Attempt) => T) & ([T] extends [never] ? unknown : [T] extends [PromiseLike<unknown>] ? never : unknown);

/**
 * {@link retry} for code without promises, as in scripts, build tools and workers: blocks the
 * thread while it waits (`Atomics.wait`), returns the first success and throws what the promise
 * would reject with. Options, waits, hooks and reports are those of `retry`, with what blocking
 * means for them:
 * - While it runs, nothing else in the thread does: no timer, no promise, no event.
 * - `signal` is looked at before each attempt, after each callback and after each wait. It cannot
 *   interrupt: a worker's signal, say, changes only when its own code runs.
 * - `totalTimeoutMs` bounds the waits, as always without a useless one. An attempt cannot be cut
 *   short; one that succeeds after the deadline is a success, one that fails after it ends the
 *   operation with its own error (`reason: 'deadline'`).
 * - `attemptTimeoutMs` and `unref` are refused.
 * - A callback or predicate that returns a promise ends the operation with a `TypeError`
 *   (`reason: 'callback'`).
 *
 * @throws {TypeError | RangeError} for bad options
 * @throws {Error} before the first attempt, where the host forbids blocking (a page's main
 *   thread) or has no `SharedArrayBuffer` (pages and workers that are not cross-origin isolated)
 * @example
 * ```js
 * import { retrySync } from 'rejitter';
 * const user = retrySync(() => callApiSync(), { baseMs: 20, maxAttempts: 4 });
 * ```
 */
export function retrySync<T>(fn: SyncOperation<T>, options?: SyncOptions): T;

/** Documented settings of other systems, by name. */
export type PresetName =
  /** Standard mode of the AWS SDKs since 2020. */
  | 'awsSdk2020'
  /** Standard mode of the AWS SDKs since 2026, transient errors: base 50 ms. */
  | 'awsSdk2026'
  /** The same for throttling errors: base 1 s. */
  | 'awsSdk2026Throttling'
  /** Google's HTTP client: 500, 750, 1125 … ±50 %, interval capped at 60 s, 15 min. */
  | 'googleHttpClient'
  /** gRPC's proposal A6: doubling, ×U(0.8, 1.2). */
  | 'grpc'
  /** Polly 8: exponential with jitter (DecorrelatedJitterBackoffV2), 2 s, 3 retries. */
  | 'polly'
  /** cenkalti/backoff for Go. */
  | 'cenkalti'
  /** hashicorp/go-retryablehttp: 1 s … 30 s, 4 retries. */
  | 'goRetryableHttp'
  /** jpillora/backoff for Go, with Jitter. */
  | 'jpillora'
  /** p-retry: 10 retries from 1 s, no jitter. */
  | 'pRetry'
  /** p-retry with `randomize`. */
  | 'pRetryRandomized'
  /** Truncated binary exponential backoff, N = 10, T = 10 s. */
  | 'truncatedBinary';

/** What `policy.metrics()` counts, over all operations so far. */
export interface RetryMetrics {
  /** Operations that have begun. */
  readonly operations: number;
  /** How often callbacks were called. */
  readonly attempts: number;
  /** Attempts after the first of their operation. */
  readonly retries: number;
  /** Operations that succeeded at once. */
  readonly firstAttemptSuccesses: number;
  /** Operations that succeeded after a retry. */
  readonly retriedSuccesses: number;
  /** Operations that ended without success, by reason; reasons that did not occur are absent. */
  readonly failures: { readonly [reason in StopReason]?: number };
  /** The sum of all waits that were begun, in ms. */
  readonly totalWaitMs: number;
  /** The longest of them, in ms. */
  readonly maxWaitMs: number;
  /** Operations that have not settled yet. */
  readonly inFlight: number;
}

/** A policy as data, as `toJSON` writes it. */
export interface PolicyData {
  /** The version of the format. */
  readonly version: 1;
  readonly [option: string]: unknown;
}

/**
 * Options that were validated once, for any number of operations. Operations that share a policy
 * are independent.
 *
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * const policy = new RetryPolicy({ baseMs: 50, maxAttempts: 4 });
 * const user = await policy.run(() => callApi());
 * const callApiWithRetry = policy.wrap(callApi);
 * ```
 */
export class RetryPolicy {
  /**
   * @throws {TypeError | RangeError} listing every problem of the options
   */
  constructor(options?: PolicyOptions);
  /**
   * The documented settings of another system, with `overrides` in the place of its own.
   *
   * @throws {RangeError} when there is no such preset, and as the constructor
   */
  static preset(name: PresetName, overrides?: PolicyOptions): RetryPolicy;
  /**
   * A policy from what {@link RetryPolicy.toJSON} gave (parsed: `JSON.parse` first).
   *
   * @throws {TypeError | RangeError} when the version is another, and as the constructor
   */
  static fromJSON(data: unknown): RetryPolicy;
  /**
   * The policy as data. Callbacks, hooks and the signal are left out; `Infinity` is written as a
   * string.
   *
   * @throws {TypeError} when the backoff is a function
   */
  toJSON(): PolicyData;
  /**
   * {@link retry} with this policy. `signal` adds to the policy's own: either aborts.
   */
  run<T>(fn: Operation<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;
  /**
   * A function with `fn`'s parameters, `this` and result, each call of which is retried. `fn` is
   * not told about attempts.
   *
   * @throws {TypeError} when `fn` is not a function
   */
  wrap<This, Arguments extends unknown[], T>(
    fn: (this: This, ...args: Arguments) => T | PromiseLike<T>,
  ): (this: This, ...args: Arguments) => Promise<T>;
  /**
   * The waits of one operation in which every attempt fails, in ms: `maxAttempts − 1` of them,
   * endless without a limit; deadlines are not looked at. For code that has its own loop, and for
   * plots.
   *
   * With a seed, the sequence of operation 0; `seed` takes the place of the policy's. Without,
   * different at each call.
   *
   * @throws {TypeError | RangeError} when the seed is none
   */
  delays(options?: { seed?: number | bigint | string | undefined }): Delays;
  /** The counts so far; `undefined` unless the option `metrics` is true. */
  metrics(): RetryMetrics | undefined;
}

/** The waits of one operation. Where the host has iterator helpers (`take`, `map`, …), so has this. */
export interface Delays extends IterableIterator<number> {
  /** The next wait in ms; done when the attempts have run out. */
  next(): IteratorResult<number, undefined>;
  /** Starts anew, as the next operation: the same curve, fresh draws. */
  reset(): void;
}

/**
 * Throw this from the callback to end the operation now: `throw permanent(error)`. The operation
 * rejects with `error` itself. Found also as the `cause` of what is thrown, up to 10 deep; then
 * the thrown error comes out as it is.
 *
 * @example
 * ```js
 * import { permanent, retry } from 'rejitter';
 * await retry(async () => {
 *   const response = await callApi();
 *   if (response.status === 401) throw permanent(new Error('log in first'));
 *   return response;
 * });
 * ```
 */
export function permanent(error: unknown): Error;

/**
 * Throw this from the callback to say how long the other side asks to wait: at least `ms` from
 * now (from 0; 0 asks for nothing). The wait is `ms + r·max(baseMs, ms/2)`: never less than asked,
 * and spread out, because a server tells many clients the same. See
 * {@link CommonOptions.maxRetryAfterMs}. The operation rejects with `error` itself, if given.
 *
 * @throws {TypeError | RangeError} when `ms` is not a number from 0
 * @example
 * ```js
 * import { retry, retryAfter } from 'rejitter';
 * await retry(async () => {
 *   const response = await callApi();
 *   if (response.status === 429) throw retryAfter(1500, new Error('busy'));
 *   return response;
 * });
 * ```
 */
export function retryAfter(ms: number, error?: unknown): Error;

/**
 * Whether {@link permanent} made this, or something along its `cause`, up to 10 deep.
 *
 * @example
 * ```js
 * import { isPermanent, permanent, retry } from 'rejitter';
 * const log = (error) => console.log(isPermanent(error) ? 'for good' : 'for now');
 * await retry(() => callApi().catch((error) => {
 *   log(permanent(error)); // for good
 *   log(error); // for now
 *   throw error;
 * }));
 * ```
 */
export function isPermanent(error: unknown): boolean;

/**
 * The story of the operation that rejected with this error object, or that gave up and resolved
 * with this result object; of the latest, if several did. `undefined` for anything else, and for
 * errors that are not objects.
 * @example
 * ```js
 * import { retry, retryReport } from 'rejitter';
 * try {
 *   await retry(() => callApi(), { maxAttempts: 2 });
 * } catch (error) {
 *   console.log(retryReport(error)?.reason); // exhausted
 * }
 * ```
 */
export function retryReport(error: unknown): RetryReport | undefined;

/**
 * An attempt that outlived `attemptTimeoutMs`, or an operation that outlived `totalTimeoutMs`.
 *
 * @example
 * ```js
 * import { TimeoutError, retry } from 'rejitter';
 * const hangs = () => callApi().catch(() => new Promise(() => {}));
 * try {
 *   await retry(hangs, { attemptTimeoutMs: 50, maxAttempts: 2 });
 * } catch (error) {
 *   console.log(error instanceof TimeoutError, error.message);
 * }
 * ```
 */
export class TimeoutError extends Error {
  /** As the DOM's own timeout errors are called. */
  readonly name: 'TimeoutError';
  /** The failure before, when the deadline passed during a later attempt. */
  readonly cause?: unknown;
}

/**
 * With `finalError: 'wrap'`: the kept errors in `errors`, the last one as the `cause`.
 *
 * @example
 * ```js
 * import { RetryError, retry } from 'rejitter';
 * try {
 *   await retry(() => callApi(), { maxAttempts: 2, finalError: 'wrap' });
 * } catch (error) {
 *   if (error instanceof RetryError) console.log(error.message, error.errors, error.report.elapsedMs);
 * }
 * ```
 */
export class RetryError extends AggregateError {
  /** By which to tell it where `instanceof` does not reach. */
  readonly name: 'RetryError';
  /** What the operation would have rejected with without 'wrap'. */
  readonly cause: unknown;
  /** Why the operation ended. */
  readonly reason: StopReason;
  /** What {@link retryReport} gives. */
  readonly report: RetryReport;
}
