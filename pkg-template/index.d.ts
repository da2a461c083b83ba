/**
 * Retries with backoff and jitter.
 *
 * An *operation* is one call of a retry function. An *attempt* is one call of your callback;
 * attempts are numbered from 1. *Wait* k follows failed attempt k. The *backoff* determines how
 * waits grow; its value, capped, is the wait's upper bound with most jitters. The *jitter* draws
 * the wait. All times are milliseconds; fractions are allowed, and each is rounded up when a timer
 * starts.
 *
 * Importing has no side effect: the package takes randomness at the first failed attempt. In Node, Deno and Bun it
 * compiles its WebAssembly after some failures, in the background; until then, JavaScript made of it answers.
 *
 * @module rejitter
 */

/// <reference lib="es2021.promise" />

import type { Attempt, RetryReport, StopReason } from './events.js';
import type { PolicyOptions, RetryOptions, RunOptions, SyncOptions } from './options.js';

export * from './events.js';
export * from './options.js';

/**
 * Callback of an operation, called once per attempt. An attempt fails if the callback throws or its
 * promise rejects. Any other return value, promise or not, is a success, except for two mistakes that
 * end the operation with a `TypeError`: an error made by {@link permanent} or {@link retryAfter} that
 * is returned instead of thrown, and a generator, whose code runs only while it is read. Generators
 * are known by their tag: what a compiler makes of one for old hosts is a success like any result.
 */
export type Operation<T> = (attempt: Attempt) => T | PromiseLike<T>;

/**
 * Calls `fn` until it succeeds, by default up to six times with waits of 0 to 100, 200, 400, … ms.
 *
 * *Every* error is retried, bugs included, unless `retryIf` decides otherwise: {@link isTransientError} is true for
 * failures of networks, servers and databases that may pass. {@link permanent} ends the operation from inside.
 *
 * The promise resolves with the first success. It rejects with the last attempt's own error, the very same value, or
 * with the reason of `options.signal`. {@link retryReport} returns what happened.
 *
 * For a connection that is meant to stay, use `keepConnected` of `rejitter/reconnect`: here, its attempts would never
 * count from 1 again, and `attemptTimeoutMs` would limit its life.
 *
 * @param fn one attempt; the first is called before this function returns. Pass the attempt's `signal` on, so that a
 * timeout or an abort ends the work as well
 * @param options limits, waits, predicates, hooks. Invalid ones reject the promise with a `TypeError` or `RangeError`;
 * the function never throws
 * @example
 * ```js
 * import { isTransientError, retry } from 'rejitter';
 * const user = await retry(({ signal }) => callApi('/user', { signal }), {
 *   maxAttempts: 4,
 *   attemptTimeoutMs: 5000,
 *   retryIf: isTransientError,
 * });
 * ```
 */
export function retry<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * {@link retry} with full jitter: each wait is uniform between 0 and the backoff's value. `jitter`
 * must be unset.
 *
 * @example
 * ```js
 * import { retryWithFullJitter } from 'rejitter';
 * const user = await retryWithFullJitter(() => callApi(), { baseMs: 100, capMs: 8000, maxAttempts: 5 });
 * ```
 */
export function retryWithFullJitter<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * {@link retry} with equal jitter: each wait is uniform between half the backoff's value and all of
 * it. `jitter` must be unset.
 *
 * @example
 * ```js
 * import { retryWithEqualJitter } from 'rejitter';
 * // Waits of 100 … 200, 200 … 400, … ms.
 * const user = await retryWithEqualJitter(() => callApi(), { baseMs: 200 });
 * ```
 */
export function retryWithEqualJitter<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * {@link retry} with decorrelated jitter: each wait is uniform between `baseMs` and three times the
 * previous wait, clipped to the cap. `jitter` must be unset.
 *
 * @example
 * ```js
 * import { retryWithDecorrelatedJitter } from 'rejitter';
 * const user = await retryWithDecorrelatedJitter(() => callApi(), { baseMs: 50, capMs: 5000 });
 * ```
 */
export function retryWithDecorrelatedJitter<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * {@link retry} with exponential backoff. `backoff` must be unset. Without `jitter`, clients that
 * fail together retry together.
 *
 * @example
 * ```js
 * import { retryWithExponentialBackoff } from 'rejitter';
 * // Waits of 100, 300, 900, … ms.
 * const user = await retryWithExponentialBackoff(() => callApi(), { factor: 3 });
 * ```
 */
export function retryWithExponentialBackoff<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * {@link retry} with linear backoff. `backoff` must be unset. Without `jitter`, clients that fail
 * together retry together.
 *
 * @example
 * ```js
 * import { retryWithLinearBackoff } from 'rejitter';
 * // Waits of 100, 150, 200, … ms.
 * const user = await retryWithLinearBackoff(() => callApi(), { stepMs: 50 });
 * ```
 */
export function retryWithLinearBackoff<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * {@link retry} with a wait of `baseMs` each time. `backoff` must be unset. Without `jitter`,
 * clients that fail together retry together.
 *
 * @example
 * ```js
 * import { retryWithFixedDelay } from 'rejitter';
 * const user = await retryWithFixedDelay(() => callApi(), { baseMs: 250, maxAttempts: 10 });
 * ```
 */
export function retryWithFixedDelay<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * {@link retry} with truncated binary exponential backoff and full jitter. `backoff` must be unset.
 * Defaults: `truncateAt` 10, `capMs` 10,000, and no limit of attempts.
 *
 * @example
 * ```js
 * import { retryWithTruncatedBackoff } from 'rejitter';
 * const user = await retryWithTruncatedBackoff(() => callApi(), { totalTimeoutMs: 60_000 });
 * ```
 */
export function retryWithTruncatedBackoff<T>(fn: Operation<T>, options?: RetryOptions<NoInfer<T>>): Promise<T>;

/**
 * Callback of {@link retrySync}. It must not return a promise, because nothing can await it.
 *
 * The inner condition keeps callbacks that return `any`, and those of generic wrappers.
 */
export type SyncOperation<T> = ((attempt: Attempt) => T) &
  (([0] extends [1 & T] ? 'any' : [T] extends [never] ? 'never' : T) extends PromiseLike<unknown>
    ? 'retrySync cannot await a promise: use retry'
    : unknown);

/**
 * {@link retry} for code without promises, such as scripts, build tools and workers: blocks the
 * thread during waits (`Atomics.wait`), returns the first success, and throws where the promise
 * would reject. Options, waits, hooks and reports are those of `retry`. Blocking changes this:
 * - Nothing else in the thread runs: no timer, no promise, no event.
 * - `signal` is checked before each attempt, after each callback and after each wait. It cannot
 *   interrupt either: nothing in this thread can abort it while they run.
 * - `totalTimeoutMs` bounds the waits but cannot cut an attempt short. An attempt that succeeds
 *   after the deadline is a success; one that fails after it ends the operation with its own error
 *   (`reason: 'deadline'`).
 * - `attemptTimeoutMs`, `idleTimeoutMs` and `unref` must be unset. `progress()` and `commit()` of an attempt work.
 * - A promise of any function but a hook, which nothing could wait for, ends the operation with a `TypeError`
 *   (`reason: 'callback'`).
 *
 * @throws {TypeError | RangeError} if the options are invalid
 * @throws {Error} before the first attempt, if the host forbids blocking (a page's main thread) or
 *   has no `SharedArrayBuffer` (pages and workers that are not cross-origin isolated)
 * @example
 * ```js
 * import { retrySync } from 'rejitter';
 * const user = retrySync(() => callApiSync(), { baseMs: 20, maxAttempts: 4 });
 * ```
 */
export function retrySync<T>(fn: SyncOperation<T>, options?: SyncOptions<NoInfer<T>>): T;

/** Counts over all operations of a policy so far. */
export interface RetryMetrics {
  /** Number of operations started. */
  readonly operations: number;
  /** Number of callback calls. */
  readonly attempts: number;
  /** Number of attempts after the first of their operation, without hedges. */
  readonly retries: number;
  /** Number of hedges of `rejitter/protection`: attempts that started while another one was running. */
  readonly hedges: number;
  /** Number of operations that succeeded at the first attempt, or at its hedge. */
  readonly firstAttemptSuccesses: number;
  /** Number of operations that succeeded after a retry. */
  readonly retriedSuccesses: number;
  /** Number of operations that ended without success, by reason. A reason that did not occur is absent. */
  readonly failures: { readonly [reason in StopReason]?: number };
  /** Sum of all waits started, in ms. */
  readonly totalWaitMs: number;
  /** The longest wait started, in ms. */
  readonly maxWaitMs: number;
  /** Number of operations that have not settled yet. */
  readonly inFlight: number;
}

/** A policy as data, as {@link RetryPolicy.toJSON} returns it. */
export interface PolicyData {
  /** Version of the format. */
  readonly version: 1;
  /** The options that were set; `backoff` and `jitter` always. */
  readonly [option: string]: unknown;
}

/**
 * Options validated once, for any number of operations. A policy never changes, and operations
 * that share it are independent. Policies of another copy of this package work as well. A copy
 * by spread or `structuredClone` does not work; use `with`, or `toJSON` and `fromData` of `rejitter/data`.
 *
 * Called on a subclass, `with` makes its instance without calling its constructor: a subclass that has
 * fields must override it. `wrap` does not call an overridden `run`.
 *
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * const policy = new RetryPolicy({ baseMs: 50, maxAttempts: 4 });
 * const user = await policy.run(() => callApi());
 * const order = await policy.with({ totalTimeoutMs: 5000 }).run(() => callApi('/order/8'));
 * const callApiWithRetry = policy.wrap(callApi);
 * ```
 */
export class RetryPolicy {
  /**
   * Validates the options.
   *
   * @throws {TypeError | RangeError} listing every invalid option
   */
  constructor(options?: PolicyOptions);
  /**
   * Returns the policy as data, which `fromData` of `rejitter/data` reads. Omits callbacks, hooks, the signal
   * and the protection; writes `Infinity` as a string.
   *
   * @throws {TypeError} if the backoff is a function
   */
  toJSON(): PolicyData;
  /**
   * Returns a new policy, with `overrides` instead of this policy's options of these names. Overriding
   * `backoff` or `jitter` drops the options that belong to what it replaces; `seed` and `random`
   * replace each other. An option that is `undefined` is inherited. This policy stays unchanged. The
   * new policy starts with new counts, and a seed's operations start at 0.
   *
   * @throws {TypeError | RangeError} listing every invalid option
   */
  with(overrides?: PolicyOptions): this;
  /**
   * Calls {@link retry} with this policy. `options` override the policy's for this operation;
   * `signal` adds to the policy's: either one aborts.
   */
  run<T>(fn: Operation<T>, options?: RunOptions<NoInfer<T>>): Promise<T>;
  /**
   * Wraps `fn`, which then receives its {@link Attempt} before the caller's arguments. The returned
   * function has the remaining parameters, the same `this` and the same result; every call is
   * retried.
   *
   * @example
   * ```js
   * import { RetryPolicy } from 'rejitter';
   * const policy = new RetryPolicy({ attemptTimeoutMs: 2000 });
   * const load = policy.wrap(({ signal }, path) => callApi(path, { signal }), { withAttempt: true });
   * const user = await load('/user/7');
   * ```
   */
  wrap<This, Arguments extends unknown[], T>(
    fn: (this: This, attempt: Attempt, ...args: Arguments) => T | PromiseLike<T>,
    options: { withAttempt: true },
  ): (this: This, ...args: Arguments) => Promise<T>;
  /**
   * Wraps `fn`: same parameters, `this` and result, with every call retried.
   *
   * Without `withAttempt`, `fn` receives no {@link Attempt.signal}, so nothing can cancel it: after
   * an abort it keeps running, and after an attempt's timeout it does so while the next attempt runs.
   *
   * @throws {TypeError} if `fn` is not a function
   */
  wrap<Arguments extends unknown[], T>(
    fn: (this: void, ...args: Arguments) => T | PromiseLike<T>,
    options?: { withAttempt?: false | undefined },
  ): (...args: Arguments) => Promise<T>;
  /**
   * Wraps a function that has a `this`, which the wrapped function has, too. As a decorator,
   * `@policy.wrap` wraps a method. Compilers that call decorators without the object before the dot,
   * such as esbuild, need `@((method) => policy.wrap(method))`.
   */
  wrap<This, Arguments extends unknown[], T>(
    fn: (this: This, ...args: Arguments) => T | PromiseLike<T>,
    options?: { withAttempt?: false | undefined } | ClassMethodDecoratorContext,
  ): (this: This, ...args: Arguments) => Promise<T>;
  /**
   * Iterates over the waits of one operation in which every attempt fails, in ms: `maxAttempts − 1`
   * waits, endless without a limit. Deadlines do not apply. For your own loop, and for plots.
   *
   * A seed, this one or the policy's, determines the waits: those of operation 0. Without one, they
   * differ at each call.
   *
   * @throws {TypeError | RangeError} if the seed is invalid
   */
  delays(options?: { seed?: number | bigint | string | undefined }): Delays;
  /**
   * Returns wait `k` of an operation in ms, as {@link RetryPolicy.delays} would yield it, also beyond
   * `maxAttempts`: for schedulers that own the loop, such as job queues. Keeps no state. `k` is a
   * positive integer; with a jitter that replaces the backoff at most 100,000, because each wait
   * depends on the previous one.
   *
   * `seed` overrides the policy's. `operation` (a non-negative integer, default 0) selects the
   * operation whose draws a seed determines. `hintMs` (non-negative, default 0, which
   * requests nothing) is a delay that a server requested: the wait is then spread upwards from it, as
   * after {@link retryAfter}.
   *
   * @throws {TypeError | RangeError} if an argument is invalid, or `hintMs` is above `maxRetryAfterMs`,
   *   which ends an operation unless the policy says otherwise
   * @example
   * ```js
   * import { RetryPolicy } from 'rejitter';
   * const policy = new RetryPolicy({ baseMs: 1000, capMs: 60_000 });
   * const backoffStrategy = (attemptsMade) => policy.delayMs(attemptsMade); // BullMQ
   * await policy.run(() => callApi());
   * ```
   */
  delayMs(
    k: number,
    options?: {
      seed?: number | bigint | string | undefined;
      operation?: number | undefined;
      hintMs?: number | undefined;
    },
  ): number;
  /** Returns the counts so far, or `undefined` unless the option `metrics` is true. */
  metrics(): RetryMetrics | undefined;
}

/** The waits of one operation. It has the iterator helpers (`take`, `map`, …) if the host has them. */
export interface Delays extends IterableIterator<number> {
  /** Returns the next wait in ms; done when no attempts are left. */
  next(): IteratorResult<number, undefined>;
  /** Starts again as the next operation: the same backoff, fresh draws. */
  reset(): void;
}

/**
 * Creates an error to *throw* from the callback to end the operation at once. The operation rejects
 * with `error` itself, even if it is not an Error: `permanent('gone')` rejects with the string.
 *
 * An error with such an error among its causes (`cause`, `detail`, `original`), up to 10 levels deep, ends the
 * operation as well; then the promise rejects with the thrown error itself.
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
 * Creates an error to *throw* from the callback to pass on the delay that a server requested, in
 * ms. The wait is `ms + r·max(baseMs, ms/2)`, or the policy's own wait if that is longer: never
 * less than requested, and spread out, because a server sends many clients the same number. Limited by
 * {@link RetryOptions.maxRetryAfterMs}. The operation rejects with `error` itself, if passed.
 *
 * `ms` is non-negative; 0 requests nothing. The function never throws: an invalid `ms` requests
 * nothing either, so that the failure that you are about to throw is not lost. A `Date`, a string or
 * any other value that cannot be a number of milliseconds is reported once per process, by
 * `console.warn`; `null`, `undefined` and invalid numbers are not, because a header may be missing.
 *
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
 * Returns whether {@link permanent} created this error, or one along its causes (`cause`, `detail`, `original`), up to
 * 10 levels deep. For code that catches errors to throw others, which would hide it.
 *
 * @example
 * ```js
 * import { isPermanent, permanent, retry } from 'rejitter';
 * const log = (error) => console.log(isPermanent(error) ? 'permanent' : 'transient');
 * await retry(() => callApi().catch((error) => {
 *   log(permanent(error)); // permanent
 *   log(error); // transient
 *   throw error;
 * }));
 * ```
 */
export function isPermanent(error: unknown): boolean;

/**
 * Returns whether {@link retryAfter} created this error with a valid delay, or one along its causes, up to 10 levels
 * deep.
 *
 * @example
 * ```js
 * import { isPermanent, isRetryAfter, retry } from 'rejitter';
 * await retry(() => callApi().catch((error) => {
 *   if (isPermanent(error) || isRetryAfter(error)) throw error;
 *   throw new Error('the API failed', { cause: error });
 * }));
 * ```
 */
export function isRetryAfter(error: unknown): boolean;

/**
 * Returns whether an error is most likely a mistake in the program, which no retry corrects: a
 * `ReferenceError`, or a `TypeError` that is not a network failure of `fetch`, on any host, and that has no cause of
 * another kind. For `retryIf`.
 *
 * @example
 * ```js
 * import { isProgrammingError, retry } from 'rejitter';
 * const user = await retry(() => callApi(), { retryIf: (error) => !isProgrammingError(error) });
 * ```
 */
export function isProgrammingError(error: unknown): boolean;

/**
 * Returns whether a retry may cure a failure. For `retryIf`. Reads `status`, `code`, `name`, `message`, `headers` and
 * the causes (up to 10 levels deep) of the errors of `fetch`, undici, axios, got, Node's sockets, DNS and HTTP/2, the
 * AWS SDK, gRPC, pg, mysql2, Prisma, ioredis, redis and common API clients.
 *
 * True for statuses such as 429 and 503, broken connections, timeouts, unknown hosts, servers that are starting,
 * stopping or overloaded, deadlocks and serialization failures, and {@link retryAfter}. False for aborts, mistakes in
 * the program, other statuses from 400 on, certificates, errors in SQL, {@link permanent}, and everything unknown. An
 * error that no retry can cure makes a chain of causes false. `createFetch` uses the same table, and takes what is
 * unknown for a failure of the network, because it knows where the error comes from.
 *
 * An operation whose `retryIf` asks it follows the server's own word: `Retry-After` and its relatives in the headers of
 * the error or its response, gRPC's pushback, the delays in errors of Slack and Discord. See
 * {@link RetryOptions.hint}.
 *
 * It cannot know whether the server has processed the call: repeat only what may happen twice.
 *
 * @example
 * ```js
 * import { isTransientError, retry } from 'rejitter';
 * const user = await retry(() => callApi(), { retryIf: isTransientError });
 * ```
 */
export function isTransientError(error: unknown): boolean;

/**
 * Returns the report of the operation that rejected with this error object, or gave up and resolved
 * with this result object. If several did, returns the latest report. Returns `undefined` for
 * anything else: values that are not objects, and the reason of an abort, which may belong to many
 * operations (`onGiveUp` receives their reports). A response of `rejitter/fetch` has one whenever the operation made
 * more than one attempt.
 *
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
 * Error of an attempt that exceeded `attemptTimeoutMs` or `idleTimeoutMs`, or of an operation that exceeded
 * `totalTimeoutMs`.
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
  /** The name that the DOM's own timeout errors have. */
  readonly name: 'TimeoutError';
  /** The previous failure, if the deadline passed during a later attempt. An attempt's timeout has none. */
  readonly cause?: unknown;
  /** (rejitter/fetch) Method of the request. */
  readonly method?: string;
  /** (rejitter/fetch) Origin of the request's URL, without its path and query. */
  readonly origin?: string | undefined;
}

/**
 * Error with which an operation rejects if you set `finalError: 'wrap'`, or `finalResult: 'reject'`
 * and it ended after a result. `errors` holds the errors that the report kept.
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
  /** Identifies the error where `instanceof` does not work, such as across realms. */
  readonly name: 'RetryError';
  /** The last error, which the operation would otherwise have rejected with. `undefined` after a result. */
  readonly cause: unknown;
  /** The reason why the operation ended. */
  readonly reason: StopReason;
  /** The report that {@link retryReport} returns. Not enumerable, so that loggers do not print its errors. */
  readonly report: RetryReport;
  /** With `finalResult: 'reject'`: the last result. Not enumerable. */
  readonly result?: unknown;
}
