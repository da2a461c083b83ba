/**
 * What an operation can be told: options, curves, draws.
 */

import type { Attempt, AttemptEvent, FailureEvent, GiveUpEvent, RetryEvent, SuccessEvent } from './events.js';
import type { RetryError, RetryPolicy, TimeoutError, retryAfter, retrySync } from './index.js';

/** What {@link CommonOptions.retryIf} and `retryOnResult` answer. */
export type Verdict = boolean | { readonly afterMs: number };

/**
 * Options of every strategy. `Answer` is what the predicates may return: where nothing waits with
 * a promise, in {@link retrySync}, no promise either.
 */
export interface CommonOptions<Answer = Verdict | PromiseLike<Verdict>> {
  /**
   * No ceiling is above this, in ms; looked at for each wait. The cap bounds the ceiling *before*
   * the draw, so waits stay spread out at the cap. From 0; `Infinity` for none; not below {@link CommonOptions.baseMs}.
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
   * `Infinity`. Looked at after each failed attempt, after {@link CommonOptions.retryIf}.
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
   * answers like {@link CommonOptions.retryIf}, with `true` for "again" and `false` for "good". When attempts
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
   * {@link CommonOptions.longRetryAfter} is 'cap'. From 0; `Infinity` for no limit.
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
   * before {@link CommonOptions.retryIf}.
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
   * own; the one-shot functions are always operation 0. Not together with {@link CommonOptions.random}.
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
   * {@link CommonOptions.seed}.
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

/** How the ceiling `c` grows with the number `k` of the wait, from 1; never above `capMs`. */
export type Backoff =
  /** `baseMs`. */
  | 'fixed'
  /** `baseMs + stepMs·(k−1)`, which is `baseMs·k` unless `stepMs` is given. */
  | 'linear'
  /** `baseMs·factor^(k−1)`: the first ceiling is `baseMs`, not twice that. */
  | 'exponential'
  /**
   * Truncated binary exponential, as in Ethernet (IEEE 802.3): `a·2^(min(k, N)−1)` with `N = truncateAt`,
   * and `a = baseMs` or, when that is not given, `capMs/2^(N−1)`, so that wait N is the first at the cap.
   */
  | 'truncated'
  /** `baseMs·F(k)` with the Fibonacci numbers. */
  | 'fibonacci'
  /**
   * Your own: called once per wait, after `retryIf`; returns milliseconds from 0 (anything else ends the
   * operation with a `RangeError`). Capped and jittered like any curve.
   */
  | ((k: number) => number)
  /** Your own: milliseconds from 0, the last of which repeats. Capped and jittered like any curve. */
  | readonly number[];

/** Any curve, without an option of its own. */
export interface PlainCurveOptions {
  /**
   * The curve: see {@link Backoff}. Looked at for each wait. Without effect beside a jitter with a curve of
   * its own, except that 'truncated' still settles the default of `baseMs`.
   *
   * @default 'exponential'
   * @example `{ backoff: [100, 500, 2000] }`
   */
  backoff?: Backoff | undefined;
  factor?: undefined;
  stepMs?: undefined;
  truncateAt?: undefined;
}

/** The exponential curve, with its growth. */
export interface ExponentialOptions {
  /** The curve: see {@link Backoff}. */
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

/** The linear curve, with its growth. */
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

/** The truncated curve, with its end. */
export interface TruncatedOptions {
  /** The curve: see {@link Backoff}. */
  backoff: 'truncated';
  /**
   * The wait at which the curve, or with jitter 'slotted' the number of slots, stops growing. A whole
   * number from 1 to 1024.
   *
   * @default 10
   * @example `{ backoff: 'truncated', truncateAt: 6 }`
   */
  truncateAt?: number | undefined;
  factor?: undefined;
  stepMs?: undefined;
}

/** The curve, with the option that belongs to it. */
export type CurveOptions = PlainCurveOptions | ExponentialOptions | LinearOptions | TruncatedOptions;

/** The draw. */
export interface JitterOptions<Allowed = Jitter> {
  /**
   * How the wait is drawn: see {@link Jitter}. Looked at for each wait.
   *
   * @default 'full'
   * @example `{ jitter: 'equal' }`
   */
  jitter?: Allowed | undefined;
}

/** Whole slots, as in Ethernet, with the end of their growth. */
export interface SlottedOptions {
  /** How the wait is drawn: see {@link Jitter}. */
  jitter: 'slotted';
  /** The curve: see {@link Backoff}. */
  backoff?: Backoff | undefined;
  /** The wait at which the number of slots stops growing. A whole number from 1 to 1024. */
  truncateAt?: number | undefined;
  factor?: undefined;
  stepMs?: undefined;
}

/**
 * The curve and the draw, as far as they go together. A jitter with a curve of its own takes no `factor`
 * and no `stepMs`.
 */
export type CurveAndJitter =
  | ((PlainCurveOptions | TruncatedOptions) & JitterOptions)
  | ((ExponentialOptions | LinearOptions) & JitterOptions<CurveJitter>)
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
export type DecorrelatedOptions = CommonOptions & (PlainCurveOptions | TruncatedOptions) & { jitter?: undefined };

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
export type FixedDelayOptions = Named<PlainCurveOptions>;
/** Options of `retryWithTruncatedBackoff`. */
export type TruncatedBackoffOptions = Named<TruncatedOptions>;

/** Options of {@link retrySync}: predicates answer at once, and what needs a timer is left out. */
export type SyncOptions = Omit<CommonOptions<Verdict>, 'attemptTimeoutMs' | 'unref'> & {
  attemptTimeoutMs?: undefined;
  unref?: undefined;
} & CurveAndJitter;
