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

/**
 * What your callback is told about its attempt. The object may be kept: it goes on describing
 * its own attempt.
 */
export interface Attempt {
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * A signal for this attempt alone: fresh and not aborted when the attempt begins, aborted with
   * the same reason when the operation is aborted. Pass it on: `fetch(url, { signal })`.
   *
   * Made when first read, because a controller costs more than a whole successful operation.
   */
  readonly signal: AbortSignal;
  /**
   * Milliseconds since the operation began, by the monotonic clock, read at each use. The clock
   * is first looked at when this is first read or when the first attempt has failed; the time
   * before that is not counted.
   */
  readonly elapsedMs: number;
  /** Milliseconds until the operation's deadline; `Infinity` when it has none. */
  readonly remainingMs: number;
  /** What the previous attempt threw or rejected with; `undefined` in the first. */
  readonly previousError: unknown;
  /** The computed wait before this attempt, in ms; `undefined` in the first. */
  readonly previousDelayMs: number | undefined;
}

/**
 * What is retried: called once per attempt. A rejection and a synchronous throw are the same
 * failure; anything else, promise or not, is success.
 */
export type Operation<T> = (attempt: Attempt) => T | PromiseLike<T>;

/** Options of every strategy. */
export interface CommonOptions {
  /**
   * No ceiling is above this, in ms. The cap bounds the ceiling *before* the draw, so waits stay
   * spread out at the cap. From 0; `Infinity` for none; not below {@link CurveOptions.baseMs}.
   *
   * @default 10_000, or `baseMs` when that is more
   */
  capMs?: number | undefined;
  /**
   * The first ceiling, in ms. From 0 to 2^53 − 1.
   *
   * @default 100; with backoff 'truncated' `capMs / 2^(truncateAt − 1)`
   */
  baseMs?: number | undefined;
  /**
   * No wait is below this, in ms: a floor for the draw, for those who do not want full jitter's
   * occasional wait of nearly nothing. From 0 to the cap.
   *
   * @default 0
   */
  minMs?: number | undefined;
  /**
   * How many attempts there are at most, *the first included*. A whole number from 1, or
   * `Infinity`. Looked at after each failed attempt, after {@link retryIf}.
   *
   * @default 6; in retryWithTruncatedBackoff Infinity
   */
  maxAttempts?: number | undefined;
  /**
   * Aborts the operation: before the first attempt, during an attempt, or during a wait, at once.
   * The promise rejects with `signal.reason` itself, the timer is cleared, and no listener
   * remains after the operation. If it is aborted already, the callback is not called.
   */
  signal?: AbortSignal | undefined;
  /**
   * Says whether this failure may be retried: called once after each failed attempt, the last
   * one included, with what the attempt threw and the {@link Attempt} that the callback got. May
   * return a promise. `false` ends the operation with that error; what it throws itself ends the
   * operation too, and is what the promise rejects with. Anything but a boolean is an error,
   * because a forgotten `return` would otherwise silently mean no retry.
   *
   * @default () => true
   * @example
   * ```js
   * await retry(callApi, { retryIf: (error) => error.status === 429 || error.status >= 500 });
   * ```
   */
  retryIf?: ((error: any, attempt: Attempt) => boolean | PromiseLike<boolean>) | undefined;
  /**
   * Makes the waits reproducible: equal seeds and options give equal waits, bit for bit, in every
   * engine and in the Rust crate. A whole number from 0 to 2^53 − 1, a bigint of at most 64 bits,
   * or a string. In a {@link RetryPolicy} each operation, counted from its call, has draws of its
   * own; the one-shot functions are always operation 0. Not together with {@link random}.
   *
   * Do not ship one: clients that share a seed retry together.
   *
   * @default fresh for each operation, from `crypto.getRandomValues` and `Math.random`
   */
  seed?: number | bigint | string | undefined;
  /**
   * Takes the place of the built-in randomness: called once per wait, must return a number from 0
   * to below 1; anything else ends the operation with a `RangeError`. Not together with
   * {@link seed}.
   */
  random?: (() => number) | undefined;
}

/** How the wait is drawn, given the ceiling `c`; `r` is uniform on [0, 1). */
export type Jitter =
  /** `c`. Every client waits equally long, and all of them retry together. */
  | 'none'
  /** `r·c`: uniform on [0, c). The least work for the server (AWS, "Exponential Backoff And Jitter", 2015). */
  | 'full'
  /** `c/2 + r·c/2`: uniform on [c/2, c), never less than half the ceiling. */
  | 'equal'
  /**
   * `min(capMs, baseMs + r·(3·previous − baseMs))`, where `previous` is the operation's previous
   * wait, and `baseMs` before the first. Takes the place of the backoff curve. As in the AWS
   * article, what is drawn above the cap becomes the cap: with the defaults 31 % of the waits in
   * the long run.
   */
  | 'decorrelated';

/** How the ceiling `c` grows with the number `k` of the wait, from 1; never above `capMs`. */
export type Backoff = 'fixed' | 'linear' | 'exponential' | 'truncated';

/** Jitters that are drawn below the backoff curve. */
export type CurveJitter = Exclude<Jitter, 'decorrelated'>;

/** `c = min(capMs, baseMs·factor^(k−1))`: the first ceiling is `baseMs`, not twice that. */
export interface ExponentialOptions {
  backoff?: 'exponential' | undefined;
  /**
   * The curve's growth from wait to wait. Finite, from 1.
   *
   * @default 2
   */
  factor?: number | undefined;
  stepMs?: undefined;
  truncateAt?: undefined;
}

/** `c = min(capMs, baseMs + stepMs·(k−1))`, which is `baseMs·k` unless `stepMs` is given. */
export interface LinearOptions {
  backoff: 'linear';
  /**
   * The curve's growth from wait to wait, in ms. From 0 to 2^53 − 1.
   *
   * @default baseMs
   */
  stepMs?: number | undefined;
  factor?: undefined;
  truncateAt?: undefined;
}

/** `c = min(capMs, baseMs)`. */
export interface FixedOptions {
  backoff: 'fixed';
  factor?: undefined;
  stepMs?: undefined;
  truncateAt?: undefined;
}

/**
 * Truncated binary exponential, as in Ethernet (IEEE 802.3):
 * `c = min(capMs, a·2^(min(k, N)−1))` with `N = truncateAt`, and `a = baseMs` or, when that is
 * not given, `capMs/2^(N−1)`, so that wait N is the first at the cap.
 */
export interface TruncatedOptions {
  backoff: 'truncated';
  /**
   * The wait at which the curve stops growing. A whole number from 1 to 1024.
   *
   * @default 10
   */
  truncateAt?: number | undefined;
  factor?: undefined;
  stepMs?: undefined;
}

/** The curve, with the options that belong to it. */
export type CurveOptions = ExponentialOptions | LinearOptions | FixedOptions | TruncatedOptions;

/** Decorrelated jitter has a curve of its own, so `factor` and `stepMs` have no place beside it. */
export interface DecorrelatedCurve {
  backoff?: Backoff | undefined;
  truncateAt?: number | undefined;
  factor?: undefined;
  stepMs?: undefined;
}

type CurveAndJitter =
  | (CurveOptions & { jitter?: CurveJitter | undefined })
  | (DecorrelatedCurve & { jitter: 'decorrelated' });

/**
 * All options, each optional. An `undefined` value is the same as none. Only own properties are
 * read, each once, before the first attempt; the object is never changed. Every problem is
 * reported at once, in one `TypeError` or `RangeError`, before the callback is called.
 */
export type RetryOptions = CommonOptions & CurveAndJitter;

/** Options of a function whose name settles the jitter. */
export type JitteredOptions = CommonOptions & CurveOptions & { jitter?: undefined };

/** Options of `retryWithDecorrelatedJitter`. */
export type DecorrelatedOptions = CommonOptions & DecorrelatedCurve & { jitter?: undefined };

type Named<Curve> = CommonOptions & Omit<Curve, 'backoff'> & { backoff?: undefined; jitter?: CurveJitter | undefined };

/** Options of `retryWithExponentialBackoff`. */
export type ExponentialBackoffOptions = Named<ExponentialOptions>;
/** Options of `retryWithLinearBackoff`. */
export type LinearBackoffOptions = Named<LinearOptions>;
/** Options of `retryWithFixedDelay`. */
export type FixedDelayOptions = Named<FixedOptions>;
/** Options of `retryWithTruncatedBackoff`. */
export type TruncatedBackoffOptions = Named<TruncatedOptions>;

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

/** {@link retry} with equal jitter: wait k is uniform on [ceiling/2, ceiling). */
export function retryWithEqualJitter<T>(fn: Operation<T>, options?: JitteredOptions): Promise<T>;

/** {@link retry} with decorrelated jitter: each wait is drawn from `baseMs` to three times the previous one. */
export function retryWithDecorrelatedJitter<T>(fn: Operation<T>, options?: DecorrelatedOptions): Promise<T>;

/** {@link retry} with exponential backoff and, unless `jitter` is given, no jitter: clients that fail together retry together. */
export function retryWithExponentialBackoff<T>(fn: Operation<T>, options?: ExponentialBackoffOptions): Promise<T>;

/** {@link retry} with linear backoff and, unless `jitter` is given, no jitter. */
export function retryWithLinearBackoff<T>(fn: Operation<T>, options?: LinearBackoffOptions): Promise<T>;

/** {@link retry} with a wait of `baseMs` each time and, unless `jitter` is given, no jitter. */
export function retryWithFixedDelay<T>(fn: Operation<T>, options?: FixedDelayOptions): Promise<T>;

/**
 * {@link retry} with truncated binary exponential backoff and full jitter: `truncateAt` 10,
 * `capMs` 10 000, and no limit of attempts unless `maxAttempts` is given.
 */
export function retryWithTruncatedBackoff<T>(fn: Operation<T>, options?: TruncatedBackoffOptions): Promise<T>;

/**
 * Options that were validated once, for any number of operations. It keeps nothing of them:
 * operations that share a policy are independent.
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
  constructor(options?: RetryOptions);
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
   * endless without a limit. For code that has its own loop, and for plots.
   *
   * With a seed, the sequence of operation 0; `seed` takes the place of the policy's. Without,
   * different at each call.
   *
   * @throws {TypeError | RangeError} when the seed is none
   */
  delays(options?: { seed?: number | bigint | string | undefined }): Delays;
}

/** The waits of one operation. Where the host has iterator helpers (`take`, `map`, …), so has this. */
export interface Delays extends IterableIterator<number> {
  /** The next wait in ms; done when the attempts have run out. */
  next(): IteratorResult<number, undefined>;
  /** Starts anew, as the next operation: the same curve, fresh draws. */
  reset(): void;
}
