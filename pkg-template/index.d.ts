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
   * A signal for this attempt alone: fresh and not aborted when the attempt begins; aborted with
   * the same reason when the operation is aborted, and with a {@link TimeoutError} when the
   * attempt times out or the deadline passes. Pass it on: `fetch(url, { signal })`.
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
  /** Milliseconds until the operation's deadline, at least 0; `Infinity` without `totalTimeoutMs`. */
  readonly remainingMs: number;
  /** What the previous attempt threw or rejected with; `undefined` in the first. */
  readonly previousError: unknown;
  /** The wait before this attempt, in ms; `undefined` in the first. */
  readonly previousDelayMs: number | undefined;
}

/**
 * What is retried: called once per attempt. A rejection and a synchronous throw are the same
 * failure; anything else, promise or not, is success.
 */
export type Operation<T> = (attempt: Attempt) => T | PromiseLike<T>;

/** What {@link CommonOptions.retryIf} and `retryOnResult` answer. */
export type Verdict = boolean | { readonly afterMs: number };

/**
 * Why an operation ended without success.
 * - `exhausted`: `maxAttempts` attempts were made.
 * - `permanent`: the callback threw a {@link permanent} error.
 * - `notRetryable`: `retryIf` said no.
 * - `deadline`: the next wait would not have ended before the deadline.
 * - `timeout`: the deadline passed during an attempt, or in a hook before the first.
 * - `hint`: the server asked for a wait longer than `maxRetryAfterMs`.
 * - `callback`: `retryIf`, `retryOnResult`, `backoff` or `random` threw or answered nonsense.
 * - `aborted`: a signal was aborted.
 * - `bodyNotReplayable`: (rejitter/fetch) the request's body was a stream, which is sent once.
 */
export type StopReason =
  | 'exhausted'
  | 'permanent'
  | 'notRetryable'
  | 'deadline'
  | 'timeout'
  | 'hint'
  | 'callback'
  | 'aborted'
  | 'bodyNotReplayable';

/** What one attempt did. */
export interface AttemptRecord {
  /** Its number, from 1. */
  readonly attempt: number;
  /** What it failed with; absent when it had a result. */
  readonly error?: unknown;
  /** Its result, when `retryOnResult` was asked about one. */
  readonly result?: unknown;
  /** When it began, in ms since the operation began. */
  readonly startMs: number;
  /** How long it took, in ms; `undefined` for a first attempt that nobody timed. */
  readonly durationMs: number | undefined;
  /** The wait after it, in ms; absent after the last. */
  readonly delayMs?: number;
}

/** The story of an operation that ended without success. */
export interface RetryReport {
  /** Why it ended. */
  readonly reason: StopReason;
  /** How often the callback was called. */
  readonly attempts: number;
  /** Milliseconds from its call to its end. */
  readonly elapsedMs: number;
  /** The wait that the server asked for in the last failure, in ms, if it did. */
  readonly hintMs?: number;
  /** How many records were dropped: the first and the last nine are kept. */
  readonly dropped: number;
  /** What each attempt did, in order. */
  readonly records: readonly AttemptRecord[];
}

/** What hooks get: frozen, one object per call. */
export interface AttemptEvent {
  /** The attempt's number, from 1. */
  readonly attempt: number;
  /** Milliseconds since the operation began. */
  readonly elapsedMs: number;
}

/** An attempt's outcome: an error, or a result that `retryOnResult` judges. */
export interface FailureEvent extends AttemptEvent {
  /** What the attempt failed with; absent when it had a result. */
  readonly error?: unknown;
  /** Its result, when `retryOnResult` judges it. */
  readonly result?: unknown;
}

/** A wait begins. */
export interface RetryEvent extends FailureEvent {
  /** The wait that begins, in ms. */
  readonly delayMs: number;
}

/** The operation has succeeded. */
export interface SuccessEvent extends AttemptEvent {
  /** What its promise resolves with. */
  readonly result: unknown;
}

/** The operation has ended without success. */
export interface GiveUpEvent extends FailureEvent {
  /** Why. */
  readonly reason: StopReason;
  /** What {@link retryReport} gives. */
  readonly report: RetryReport;
}

/**
 * Options of every strategy. `Answer` is what the predicates may return: where nothing waits with
 * a promise, in {@link retrySync}, no promise either.
 */
export interface CommonOptions<Answer = Verdict | PromiseLike<Verdict>> {
  /**
   * No ceiling is above this, in ms; looked at for each wait. The cap bounds the ceiling *before*
   * the draw, so waits stay spread out at the cap. From 0; `Infinity` for none; not below {@link CurveOptions.baseMs}.
   *
   * @default 10_000, or `baseMs` when that is more
   * @example `{ capMs: 8000 }`
   */
  capMs?: number | undefined;
  /**
   * The first ceiling, in ms. From 0 to 2^53 − 1.
   *
   * @default 100; with backoff 'truncated' `capMs / 2^(truncateAt − 1)`
   * @example `{ baseMs: 50 }`
   */
  baseMs?: number | undefined;
  /**
   * No wait is below this, in ms: a floor for the draw, for those who do not want full jitter's
   * occasional wait of nearly nothing. From 0 to the cap.
   *
   * @default 0
   * @example `{ minMs: 20 }`
   */
  minMs?: number | undefined;
  /**
   * How many attempts there are at most, *the first included*. A whole number from 1, or
   * `Infinity`. Looked at after each failed attempt, after {@link retryIf}.
   *
   * @default 6; in retryWithTruncatedBackoff Infinity
   * @example `{ maxAttempts: 4 }`
   */
  maxAttempts?: number | undefined;
  /**
   * Aborts the operation: before the first attempt, during an attempt, or during a wait, at once.
   * The promise rejects with `signal.reason` itself, the timer is cleared, and no listener
   * remains after the operation. If it is aborted already, the callback is not called.
   * @default none
   * @example `{ signal: AbortSignal.timeout(60_000) }`
   */
  signal?: AbortSignal | undefined;
  /**
   * How long each attempt may take, in ms, from its own start. An attempt that takes longer fails
   * with a {@link TimeoutError}, which is retried like any failure; its `attempt.signal` is
   * aborted with the same error, and whatever it still does is ignored. Above 0; `Infinity` for
   * no limit. Near the deadline the time left is the limit.
   *
   * @default Infinity
   * @example `{ attemptTimeoutMs: 2000 }`
   */
  attemptTimeoutMs?: number | undefined;
  /**
   * The deadline of the whole operation, in ms from its call, waits included. A wait that would
   * end at or after it is not begun: the operation ends at once with the last error
   * (`reason: 'deadline'`). When it passes during an attempt, the operation ends with a
   * {@link TimeoutError} whose `cause` is the previous failure (`reason: 'timeout'`). Above 0;
   * `Infinity` for none. Measured by the monotonic clock.
   *
   * @default Infinity
   * @example `{ totalTimeoutMs: 30_000 }`
   */
  totalTimeoutMs?: number | undefined;
  /**
   * Says what to do about this failure: called once after each failed attempt, the last one
   * included, with what the attempt threw (a `permanent()` or `retryAfter()` wrapper removed) and
   * the {@link Attempt} that the callback got. Not called for permanent errors, nor after an
   * abort. `false` ends the operation with that error, `true` waits as computed,
   * `{ afterMs }` waits exactly that long, uncapped and unjittered (0: at once). It may return a
   * promise of these; the deadline also ends a promise that never settles. What it throws ends
   * the operation and is what the promise rejects with. Any other value is an error, because a
   * forgotten `return` would otherwise silently mean no retry.
   *
   * @default () => true
   * @example
   * ```js
   * await retry(callApi, { retryIf: (error) => error.status === 429 || error.status >= 500 });
   * ```
   */
  retryIf?: ((error: any, attempt: Attempt) => Answer) | undefined;
  /**
   * Says whether a result is not good enough: called once after each attempt that succeeded;
   * answers like {@link retryIf}, with `true` for "again" and `false` for "good". When attempts
   * or deadline are spent, the operation *resolves* with the last result.
   *
   * @default () => false
   * @example
   * ```js
   * const job = await retry(() => callApi('/job/7'), { retryOnResult: (job) => job.state === 'running' });
   * ```
   */
  retryOnResult?: ((result: any, attempt: Attempt) => Answer) | undefined;
  /**
   * The longest wait that a server may ask for through {@link retryAfter}, in ms. A longer one
   * ends the operation (`reason: 'hint'`, the value in the report's `hintMs`), unless
   * {@link longRetryAfter} is 'cap'. From 0; `Infinity` for no limit.
   *
   * @default 60_000
   * @example `{ maxRetryAfterMs: 120_000 }`
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * What to do about a longer one: 'stop', or 'cap' to come back after `maxRetryAfterMs`, which
   * is earlier than the server asked.
   *
   * @default 'stop'
   * @example `{ longRetryAfter: 'cap' }`
   */
  longRetryAfter?: 'stop' | 'cap' | undefined;
  /**
   * Called before each attempt. Hooks are not awaited; what they throw is reported like an
   * exception in an event listener and changes nothing.
   *
   * @default none
   * @example `{ onAttempt: ({ attempt }) => console.log(attempt) }`
   */
  onAttempt?: ((event: AttemptEvent) => unknown) | undefined;
  /**
   * Called after each attempt that failed, or whose result `retryOnResult` is about to judge;
   * before {@link retryIf}.
   *
   * @default none
   * @example `{ onFailure: ({ attempt, error }) => console.warn(attempt, error) }`
   */
  onFailure?: ((event: FailureEvent) => unknown) | undefined;
  /**
   * Called before each wait, with its length in ms.
   *
   * @default none
   * @example `{ onRetry: ({ delayMs }) => console.log(delayMs) }`
   */
  onRetry?: ((event: RetryEvent) => unknown) | undefined;
  /**
   * Called when the operation succeeds, before the promise resolves.
   *
   * @default none
   * @example `{ onSuccess: ({ attempt }) => console.log(attempt) }`
   */
  onSuccess?: ((event: SuccessEvent) => unknown) | undefined;
  /**
   * Called when the operation ends without success, before the promise settles; not if it was
   * refused or already aborted at the call.
   *
   * @default none
   * @example `{ onGiveUp: ({ reason, report }) => console.error(reason, report.records) }`
   */
  onGiveUp?: ((event: GiveUpEvent) => unknown) | undefined;
  /**
   * Whether Node may exit while only timers of this operation are pending; looked at for each
   * timer. Without effect elsewhere.
   *
   * @default false
   * @example `{ unref: true }`
   */
  unref?: boolean | undefined;
  /**
   * What a failed operation rejects with: 'last' is the last error itself, the very same value;
   * 'wrap' a {@link RetryError} around it. An abort's reason is never wrapped.
   *
   * @default 'last'
   * @example `{ finalError: 'wrap' }`
   */
  finalError?: 'last' | 'wrap' | undefined;
  /**
   * Makes the waits reproducible: equal seeds and options give equal waits, bit for bit, in every
   * engine and in the Rust crate. A whole number from 0 to 2^53 − 1, a bigint of at most 64 bits,
   * or a string. In a {@link RetryPolicy} each operation, counted from its call, has draws of its
   * own; the one-shot functions are always operation 0. Not together with {@link random}.
   *
   * Do not ship one: clients that share a seed retry together.
   *
   * @default fresh for each operation, from `crypto.getRandomValues` and `Math.random`
   * @example `{ seed: 'a test' }`
   */
  seed?: number | bigint | string | undefined;
  /**
   * Takes the place of the built-in randomness: called once per wait, must return a number from 0
   * to below 1; anything else ends the operation with a `RangeError`. Not together with
   * {@link seed}.
   * @default the built-in generator, seeded afresh for each operation
   * @example `{ random: () => 0.5 }`
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
   * Uniform on [h·(1−ratio), h·(1+ratio)), `h = min(c, capMs/(1+ratio))`: the plus-minus jitter of
   * Google's clients and gRPC, never above the cap. `ratio` above 0, at most 1.
   */
  | { type: 'proportional'; ratio: number }
  /**
   * `h + r·x`, upwards only: `x = ratio·h` (`ratio` above 0, at most 1000) or `x = maxMs`, with `h`
   * such that the sum never exceeds the cap.
   */
  | { type: 'additive'; ratio: number }
  | { type: 'additive'; maxMs: number }
  | CurvedJitter;

/** Jitters with a curve of their own: they take `baseMs` and `capMs` only. */
export type CurvedJitter =
  /**
   * `min(capMs, baseMs + r·(3·previous − baseMs))`, where `previous` is the operation's previous
   * computed wait, and `baseMs` before the first. As in the AWS article, what is drawn above the
   * cap becomes the cap: with the defaults 31 % of the waits in the long run.
   */
  | 'decorrelated'
  /** `baseMs + r·(min(capMs, 3·previous) − baseMs)`: decorrelated without the pile at the cap. */
  | 'decorrelatedBounded'
  /** `min(capMs, baseMs·U{0 … 2^min(k,N)−1})`, whole slots as in Ethernet; `N = truncateAt`. */
  | 'slotted'
  /** Polly's DecorrelatedJitterBackoffV2; what comes out above the cap is drawn again from its upper half. */
  | 'pollyV2';

/** Jitters that are drawn from the backoff curve. */
export type CurveJitter = Exclude<Jitter, CurvedJitter>;

/**
 * How the ceiling `c` grows with the number `k` of the wait, from 1; never above `capMs`. A
 * function gets `k` and returns milliseconds from 0 (anything else ends the operation with a
 * `RangeError`); of a list the last value repeats. Both are capped and jittered like any curve.
 */
export type Backoff =
  | 'fixed'
  | 'linear'
  | 'exponential'
  | 'truncated'
  | 'fibonacci'
  | ((k: number) => number)
  | readonly number[];

/** `c = min(capMs, baseMs·factor^(k−1))`: the first ceiling is `baseMs`, not twice that. */
export interface ExponentialOptions {
  /**
   * The curve: see {@link Backoff}. Looked at for each wait.
   *
   * @default 'exponential'
   * @example `{ backoff: 'linear' }`
   */
  backoff?: 'exponential' | undefined;
  /**
   * The curve's growth from wait to wait. Finite, from 1.
   *
   * @default 2
   * @example `{ factor: 1.5 }`
   */
  factor?: number | undefined;
  stepMs?: undefined;
  truncateAt?: undefined;
}

/** `c = min(capMs, baseMs + stepMs·(k−1))`, which is `baseMs·k` unless `stepMs` is given. */
export interface LinearOptions {
  /** The curve: see {@link Backoff}. */
  backoff: 'linear';
  /**
   * The curve's growth from wait to wait, in ms. From 0 to 2^53 − 1.
   *
   * @default baseMs
   * @example `{ backoff: 'linear', stepMs: 250 }`
   */
  stepMs?: number | undefined;
  factor?: undefined;
  truncateAt?: undefined;
}

/** `c = min(capMs, baseMs)`. */
export interface FixedOptions {
  /** The curve: see {@link Backoff}. */
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
  /** The curve: see {@link Backoff}. */
  backoff: 'truncated';
  /**
   * The wait at which the curve stops growing. A whole number from 1 to 1024.
   *
   * @default 10
   * @example `{ backoff: 'truncated', truncateAt: 6 }`
   */
  truncateAt?: number | undefined;
  factor?: undefined;
  stepMs?: undefined;
}

/** Curves without options of their own: `baseMs·F(k)` with the Fibonacci numbers, or your own. */
export interface OwnCurveOptions {
  /**
   * The curve: see {@link Backoff}. A function is called once per wait, after `retryIf`.
   *
   * @example `{ backoff: [100, 500, 2000] }`
   */
  backoff: 'fibonacci' | ((k: number) => number) | readonly number[];
  factor?: undefined;
  stepMs?: undefined;
  truncateAt?: undefined;
}

/** The curve, with the options that belong to it. */
export type CurveOptions = ExponentialOptions | LinearOptions | FixedOptions | TruncatedOptions | OwnCurveOptions;

/** The draw, from the backoff curve. */
export interface CurveJitterOptions {
  /**
   * How the wait is drawn: see {@link Jitter}. Looked at for each wait.
   *
   * @default 'full'
   * @example `{ jitter: 'equal' }`
   */
  jitter?: CurveJitter | undefined;
}

/** The draw, with a curve of its own: `factor` and `stepMs` have no place beside it. */
export interface CurvedJitterOptions {
  /** How the wait is drawn: see {@link Jitter}. */
  jitter: Exclude<CurvedJitter, 'slotted'>;
}

/** The backoff beside a jitter with a curve of its own: without effect, but for 'truncated'. */
export interface CurvedOptions {
  /** Without effect here. */
  backoff?: Exclude<Backoff, 'truncated'> | undefined;
  factor?: undefined;
  stepMs?: undefined;
  truncateAt?: undefined;
}

/** Whole slots, as in Ethernet. */
export interface SlottedOptions {
  /** How the wait is drawn: see {@link Jitter}. */
  jitter: 'slotted';
  /** No curve is taken from it; 'truncated' still settles the default of `baseMs`. */
  backoff?: Backoff | undefined;
  /**
   * The wait at which the number of slots stops growing. A whole number from 1 to 1024.
   *
   * @default 10
   * @example `{ jitter: 'slotted', truncateAt: 6 }`
   */
  truncateAt?: number | undefined;
  factor?: undefined;
  stepMs?: undefined;
}

/** The curve and the draw, as far as they go together. */
export type CurveAndJitter =
  | (CurveOptions & CurveJitterOptions)
  | ((CurvedOptions | TruncatedOptions) & CurvedJitterOptions)
  | SlottedOptions;

/**
 * All options, each optional. An `undefined` value is the same as none. Only own properties are
 * read, each once, before the first attempt; the object is never changed. Every problem is
 * reported at once, in one `TypeError` or `RangeError`, before the callback is called.
 */
export type RetryOptions = CommonOptions & CurveAndJitter;

/** Options of a {@link RetryPolicy}. */
export type PolicyOptions = RetryOptions & {
  /**
   * Count over all operations of this policy, for `policy.metrics()`. Opt-in, because counting
   * costs each success a few nanoseconds.
   *
   * @default false
   * @example `{ metrics: true }`
   */
  metrics?: boolean | undefined;
};

/** Options of a function whose name settles the jitter. */
export type JitteredOptions = CommonOptions & CurveOptions & { jitter?: undefined };

/** Options of `retryWithDecorrelatedJitter`. */
export type DecorrelatedOptions = CommonOptions & (CurvedOptions | TruncatedOptions) & { jitter?: undefined };

/** Of a function whose name settles the backoff and names no jitter. */
export interface NamedOptions {
  backoff?: undefined;
  /**
   * How the wait is drawn: see {@link Jitter}. Looked at for each wait.
   *
   * @default 'none'; in retryWithTruncatedBackoff 'full'
   * @example `{ jitter: 'full' }`
   */
  jitter?: CurveJitter | undefined;
}

type Named<Curve> = CommonOptions & Omit<Curve, 'backoff'> & NamedOptions;

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

/** Options of {@link retrySync}: predicates answer at once, and what needs a timer is left out. */
export type SyncOptions = Omit<CommonOptions<Verdict>, 'attemptTimeoutMs' | 'unref'> & {
  attemptTimeoutMs?: undefined;
  unref?: undefined;
} & CurveAndJitter;

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
   * A policy from what {@link toJSON} gave (parsed: `JSON.parse` first).
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
  /** Why the operation ended. */
  readonly reason: StopReason;
  /** What {@link retryReport} gives. */
  readonly report: RetryReport;
}
