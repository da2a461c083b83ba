/**
 * The options of the retry functions.
 */

import type { Attempt, AttemptEvent, FailureEvent, GiveUpEvent, RetryEvent, SuccessEvent } from './events.js';
import type { RetryError, RetryPolicy, TimeoutError, isTransientError, retryAfter, retrySync } from './index.js';
import type { Protection } from './protection.js';

/**
 * Return value of {@link RetryOptions.retryIf} and {@link RetryOptions.retryOnResult}: whether to
 * retry, or the exact wait in ms.
 */
export type Verdict = boolean | { readonly afterMs: number };

/** How long an attempt may be silent: see {@link RetryOptions.idleTimeoutMs}. */
export interface IdleTimeout {
  /** From its start to the first sign of life, in ms. Above 0; `Infinity` means no limit. */
  readonly firstMs: number;
  /** From each sign of life to the next, in ms. Above 0; `Infinity` means no limit. */
  readonly thenMs: number;
}

/**
 * All options of the retry functions; all are optional, and `undefined` means unset. Only own
 * properties are read, each once, before the first attempt; the object is never changed. Invalid
 * values, unknown names and conflicts are reported together, in one `TypeError` or `RangeError`,
 * before the callback is called.
 *
 * One flat interface: extend it, spread it over defaults, `Omit` from it, keep it in a variable.
 * Some options belong to one backoff or jitter (`factor`, `stepMs`, `truncateAt`); set elsewhere,
 * they are an error at run time that names the reason.
 *
 * `T` is the callback's result, which {@link RetryOptions.retryOnResult} receives.
 *
 * @example
 * ```js
 * const defaults = { maxAttempts: 4, totalTimeoutMs: 20_000 }; // in TypeScript `const defaults: RetryOptions`
 * const user = await retry(() => callApi(), { ...defaults, backoff: 'linear', stepMs: 50 });
 * ```
 */
export interface RetryOptions<T = any> {
  /**
   * Upper bound of each computed wait, in ms, except with presets of systems whose own cap is another. It
   * bounds the backoff's value *before* the jitter is drawn, so that waits stay spread out at the cap.
   * Non-negative; at least {@link RetryOptions.baseMs}; `Infinity` means no cap. Applied to each wait.
   *
   * @default 10_000, or `baseMs` or the longest entry of a list as `backoff`, if that is more; no cap with a function
   * @example `{ capMs: 8000 }`
   */
  capMs?: number | undefined;
  /**
   * The backoff's value at wait 1, in ms: the upper bound of the first wait. Between 0 and 2^53 − 1.
   *
   * @default 100; with backoff 'truncated' `capMs / 2^(truncateAt − 1)`
   * @example `{ baseMs: 50 }`
   */
  baseMs?: number | undefined;
  /**
   * Minimum wait, in ms. Use it to avoid the near-zero waits that full jitter sometimes draws.
   * Where the backoff's value is not above `minMs`, every client waits exactly `minMs`: nothing is
   * left of the jitter. Between 0 and the cap.
   *
   * @default 0
   * @example `{ minMs: 20 }`
   */
  minMs?: number | undefined;
  /**
   * The backoff: how waits grow. See {@link Backoff}. A jitter that replaces the backoff ignores
   * it, except that 'truncated' still determines the default of `baseMs`.
   *
   * @default 'exponential'
   * @example `{ backoff: [100, 500, 2000] }`
   */
  backoff?: Backoff | undefined;
  /**
   * Growth of backoff 'exponential' from wait to wait. Finite, at least 1. Only with that backoff.
   *
   * @default 2
   * @example `{ factor: 1.5 }`
   */
  factor?: number | undefined;
  /**
   * Growth of backoff 'linear' from wait to wait, in ms. Between 0 and 2^53 − 1. Only with that
   * backoff.
   *
   * @default baseMs
   * @example `{ backoff: 'linear', stepMs: 250 }`
   */
  stepMs?: number | undefined;
  /**
   * Number of the wait at which backoff 'truncated' stops growing, or with jitter 'slotted' the
   * number of slots. An integer between 1 and 1024. Only with one of these.
   *
   * @default 10
   * @example `{ backoff: 'truncated', truncateAt: 6 }`
   */
  truncateAt?: number | undefined;
  /**
   * The jitter: how each wait is drawn. See {@link Jitter}.
   *
   * @default 'full'; 'none' in the functions named after a backoff, except retryWithTruncatedBackoff
   * @example `{ jitter: 'equal' }`
   */
  jitter?: Jitter | undefined;
  /**
   * Maximum number of attempts, *including the first*. A positive integer, or `Infinity`. Checked
   * after each failed attempt, after {@link RetryOptions.retryIf}.
   *
   * @default 6; Infinity in retryWithTruncatedBackoff
   * @example `{ maxAttempts: 4 }`
   */
  maxAttempts?: number | undefined;
  /**
   * Time limit of each attempt, in ms, from that attempt's own start. An attempt that takes longer
   * fails with a {@link TimeoutError}, which is retried like any failure. Its `attempt.signal` is
   * aborted with the same error, and its later outcome is ignored. Near the deadline, the remaining
   * time is the limit. Above 0; `Infinity` means no limit.
   *
   * If the timer is more than 50 ms late, as after a stop of the process, the host gets 20 ms to read
   * its sockets before the time counts as over. So it is with the deadline; not in pages.
   *
   * @default Infinity
   * @example `{ attemptTimeoutMs: 2000 }`
   */
  attemptTimeoutMs?: number | undefined;
  /**
   * How long an attempt may be silent, in ms: from its start to the first {@link Attempt.alive},
   * {@link Attempt.progress} or item of {@link Attempt.watch}, and then from each to the next. An object has the time
   * until the first, `firstMs`, and the time from then on, `thenMs`. An attempt that is silent for longer ends as if it
   * had taken longer than {@link attemptTimeoutMs}, with a {@link TimeoutError} that names this option. Both may be
   * set. Above 0; `Infinity` means no limit.
   *
   * An attempt that never gives a sign of life is ended by this, too: the first time that happens, a warning says so.
   * Not an option of `createFetch`, which does not see a body that you read, and of {@link retrySync}.
   *
   * @default Infinity
   * @example `{ idleTimeoutMs: { firstMs: 60_000, thenMs: 10_000 } }`
   */
  idleTimeoutMs?: number | IdleTimeout | undefined;
  /**
   * Deadline of the whole operation, in ms from the call, waits included, on the monotonic clock.
   * Checked before each wait and by a timer: if the next wait would end at or after the deadline,
   * the operation ends immediately with the last error (`reason: 'deadline'`). If the deadline
   * passes during an attempt, the operation rejects with a {@link TimeoutError} whose `cause` is the
   * previous failure (`reason: 'timeout'`). After a result that {@link RetryOptions.retryOnResult}
   * did not accept, it resolves with that result instead. Above 0; `Infinity` means no deadline.
   *
   * @default Infinity
   * @example `{ totalTimeoutMs: 30_000 }`
   */
  totalTimeoutMs?: number | undefined;
  /**
   * Aborts the operation at once: before the first attempt, during an attempt or during a wait.
   * The promise rejects with `signal.reason` itself, and neither timer nor listener remains. If the
   * signal is already aborted, the callback is not called.
   *
   * Node 20 garbage-collects `AbortSignal.any([AbortSignal.timeout(ms)])` written inline before it
   * fires: keep the timeout's signal in a variable, or set `totalTimeoutMs`.
   *
   * @default none
   * @example `{ signal: AbortSignal.timeout(60_000) }`
   */
  signal?: AbortSignal | undefined;
  /**
   * Decides whether to retry a failure. Called once after each failed attempt, the last included,
   * with the error and the {@link Attempt} that the callback received. A `permanent()` or
   * `retryAfter()` wrapper is removed first. Not called for permanent errors or after an abort.
   *
   * Return `false` to end the operation with that error, `true` to wait as computed, or
   * `{ afterMs }` to wait exactly that long, uncapped and without jitter (0: at once). A promise of
   * these is awaited, at most until the deadline. If the function throws, the operation rejects
   * with what it threw. Any other return value is a `TypeError`, because a forgotten `return`
   * would otherwise silently disable retries. Either error gets the callback's failure as its
   * `cause`.
   *
   * @default () => true
   * @example
   * ```js
   * import { isTransientError, retry } from 'rejitter';
   * await retry(callApi, { retryIf: isTransientError });
   * ```
   *
   * If the function asks `isTransientError`, and the error's server requests a delay, that is followed as if `hint`
   * had returned it.
   */
  retryIf?: ((error: any, attempt: Attempt) => Verdict | PromiseLike<Verdict>) | undefined;
  /**
   * Decides whether to retry a result. Called once after each successful attempt; returns the same
   * values as {@link RetryOptions.retryIf}: `true` to retry, `false` to accept the result. When
   * attempts or time run out, the operation *resolves* with the last result, unless
   * {@link RetryOptions.finalResult} is 'reject'. Only a deadline during the first attempt is a
   * {@link TimeoutError}.
   *
   * To {@link RetryOptions.protection}, a result that is retried is an answer of the destination,
   * unless its HTTP status says otherwise: throw what means that the server fails.
   *
   * @default () => false
   * @example
   * ```js
   * const job = await retry(() => callApi('/job/7'), { retryOnResult: (job) => job.status === 202 });
   * ```
   */
  retryOnResult?: ((result: T, attempt: Attempt) => Verdict | PromiseLike<Verdict>) | undefined;
  /**
   * Returns the delay that a server requests in an error, in ms (non-negative), or `undefined` for none; or a promise
   * of these, which is awaited until an abort or the deadline. Called once per failed attempt, the last included,
   * before {@link RetryOptions.retryIf}; not for permanent errors. The wait is that of {@link retryAfter}. If
   * {@link isTransientError} finds a delay as well, the longer one counts; `retryAfter` and `{ afterMs }` override
   * both. If it throws or returns an invalid value, that is reported like the error of a hook.
   *
   * @default none
   * @example
   * ```js
   * await retry(callApi, { hint: (error) => error.waitSeconds * 1000 || undefined });
   * ```
   */
  hint?: ((error: any, attempt: Attempt) => number | undefined | PromiseLike<number | undefined>) | undefined;
  /**
   * Longest delay that a server may request through {@link retryAfter}, {@link RetryOptions.hint} or
   * {@link isTransientError}, in ms. A longer one ends the operation (`reason: 'hint'`, the requested delay in the
   * report's `hintMs`), unless {@link RetryOptions.longRetryAfter} is 'cap'. Checked for each requested delay.
   * Non-negative; `Infinity` means no limit.
   *
   * This also bounds the wait, which is longer than the requested delay because it is spread
   * upwards: at most 1.5 × `maxRetryAfterMs` (`maxRetryAfterMs + baseMs`, if that is more), or the
   * policy's own wait if that is longer.
   *
   * @default 60_000
   * @example `{ maxRetryAfterMs: 120_000 }`
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * Reaction to a requested delay above `maxRetryAfterMs`: 'stop' ends the operation, 'cap' treats
   * it as a request for `maxRetryAfterMs`. The wait is then up to 1.5 times that, or `baseMs` more,
   * so the next attempt may be earlier than the server asked.
   *
   * @default 'stop'
   * @example `{ longRetryAfter: 'cap' }`
   */
  longRetryAfter?: 'stop' | 'cap' | undefined;
  /**
   * Hook: called before each attempt.
   *
   * Hooks are not awaited and cannot change the outcome. An error that a hook throws or rejects
   * with is reported: by `reportError` in windows and workers, elsewhere printed by
   * `console.error`. It never ends a Node process.
   *
   * @default none
   * @example `{ onAttempt: ({ attempt, attemptsLeft }) => console.log(attempt, attemptsLeft) }`
   */
  onAttempt?: ((event: AttemptEvent) => unknown) | undefined;
  /**
   * Hook: called after each failed attempt, and after each result if `retryOnResult` is set; before
   * `retryIf` and `retryOnResult`.
   *
   * @default none
   * @example `{ onFailure: ({ attempt, error }) => console.warn(attempt, error) }`
   */
  onFailure?: ((event: FailureEvent) => unknown) | undefined;
  /**
   * Hook: called before each wait. To do something and wait for it, use
   * {@link RetryOptions.beforeRetry}.
   *
   * @default none
   * @example `{ onRetry: ({ delayMs }) => console.log(delayMs) }`
   */
  onRetry?: ((event: RetryEvent) => unknown) | undefined;
  /**
   * Hook: called when the operation succeeds, before the promise resolves.
   *
   * @default none
   * @example `{ onSuccess: ({ attempt }) => console.log(attempt) }`
   */
  onSuccess?: ((event: SuccessEvent) => unknown) | undefined;
  /**
   * Hook: called when the operation ends without success, before the promise settles. Not called
   * if the options are invalid or the signal was aborted before the call.
   *
   * @default none
   * @example `{ onGiveUp: ({ reason, report }) => console.error(reason, report.records) }`
   */
  onGiveUp?: ((event: GiveUpEvent) => unknown) | undefined;
  /**
   * Called after each wait, before the next attempt, *and awaited*: refresh a token, reconnect. Its
   * event is that of {@link RetryOptions.onRetry}. Its time counts towards the deadline but not
   * towards the next attempt's timeout; the deadline and an abort end the operation without
   * waiting for it. If it throws or rejects, the operation rejects with that error
   * (`reason: 'callback'`), which gets the last failure as its `cause`.
   *
   * @default none
   * @example
   * ```js
   * const connect = async () => ({ load: () => callApi('/user/7') });
   * let connection = await connect();
   * const user = await retry(() => connection.load(), {
   *   beforeRetry: async () => {
   *     connection = await connect();
   *   },
   * });
   * ```
   */
  beforeRetry?: ((event: RetryEvent) => unknown) | undefined;
  /**
   * Name of the operation, for logs: `attempt.name`, and `name` in every event. A string.
   *
   * @default none
   * @example `{ name: 'load user' }`
   */
  name?: string | undefined;
  /**
   * Whether a Node process may exit while only timers of this operation are pending. Applied to
   * each timer; no effect in other hosts.
   *
   * @default false
   * @example `{ unref: true }`
   */
  unref?: boolean | undefined;
  /**
   * Value that a failed operation rejects with: 'last' is the last error itself, the very same
   * value; 'wrap' is a {@link RetryError} around it. The reason of an abort is never wrapped.
   *
   * @default 'last'
   * @example `{ finalError: 'wrap' }`
   */
  finalError?: 'last' | 'wrap' | undefined;
  /**
   * Outcome of an operation that ends after a result which {@link RetryOptions.retryOnResult} did
   * not accept: 'resolve' resolves with that result; 'reject' rejects with a {@link RetryError}
   * whose `result` it is. If that result is an answer and a part of
   * {@link RetryOptions.protection} rejects the next attempt, the operation rejects with a
   * `RejectedError` in either case.
   *
   * @default 'resolve'
   * @example `{ finalResult: 'reject' }`
   */
  finalResult?: 'resolve' | 'reject' | undefined;
  /**
   * Makes the waits reproducible: equal seeds and options give equal waits, bit for bit, in every
   * JavaScript engine and in the Rust crate. A non-negative integer below 2^53, a bigint of at most
   * 64 bits, or a string. In a {@link RetryPolicy} each operation, counted from its call, has
   * separate draws; the one-shot functions are always operation 0. Not together with
   * {@link RetryOptions.random}; as an override, it replaces that.
   *
   * Never set one constant seed in production: clients that share a seed retry together.
   *
   * @default fresh for each operation, from `crypto.getRandomValues` and `Math.random`
   * @example `{ seed: 'a test' }`
   */
  seed?: number | bigint | string | undefined;
  /**
   * Replaces the built-in randomness. Called once for each wait that is drawn, which excludes waits
   * with jitter 'none' and exact ones (`{ afterMs }`) but never those that a server requested; and by
   * protection, when a circuit opens or a cooldown holds an attempt. Must return a number in [0, 1);
   * anything else is an error that ends the operation. Not together with {@link RetryOptions.seed}; as
   * an override, it replaces that.
   *
   * @default the built-in generator, freshly seeded for each operation
   * @example `{ random: () => 0.5 }`
   */
  random?: (() => number) | undefined;
  /**
   * Limits that keep retries from hurting, made by `protect` of `rejitter/protection`: its parts may reject an attempt
   * or delay it. Operations with the same object share its state. `false` turns it off, as for a health check.
   *
   * @default false
   * @example
   * ```js
   * import { retry } from 'rejitter';
   * import { breaker, budget, protect } from 'rejitter/protection';
   * const protection = protect(budget(), breaker());
   * const user = await retry(() => callApi(), { protection });
   * ```
   */
  protection?: Protection | false | undefined;
  /**
   * Number of units that the start of an attempt takes from the `limiter` of {@link RetryOptions.protection}, such as
   * the tokens of a model: finite, positive; or a function that returns it for the number of an attempt, called once
   * per attempt, before that waits for its turn. What it throws, or an invalid value, ends the operation. Without a
   * limiter, it does nothing.
   *
   * @default 1
   * @example `{ weight: 1200 }`
   */
  weight?: number | ((attempt: number) => number) | undefined;
}

/**
 * How each wait is drawn. `c` is the backoff's value, already capped; `r` is uniform on [0, 1).
 *
 * 'decorrelated', 'decorrelatedBounded', 'slotted' and 'pollyV2' replace the backoff: with them,
 * only `baseMs`, `capMs` and `minMs` apply (and `truncateAt` with 'slotted').
 */
export type Jitter =
  /** `c`. All clients wait equally long and retry together. */
  | 'none'
  /** `r·c`: uniform on [0, c). Causes the least work for the server (AWS, "Exponential Backoff And Jitter", 2015). */
  | 'full'
  /** `c/2 + r·c/2`: uniform on [c/2, c). Same source. */
  | 'equal'
  /**
   * `min(capMs, baseMs + r·(3·previous − baseMs))`, where `previous` is the operation's previous
   * computed wait, and `baseMs` before the first. Same source. Draws above the cap are clipped to
   * it: with the defaults 31% of the waits in the long run.
   */
  | 'decorrelated'
  /** `baseMs + r·(min(capMs, 3·previous) − baseMs)`: 'decorrelated' without clipped waits. */
  | 'decorrelatedBounded'
  /** `min(capMs, baseMs·U{0 … 2^min(k,N)−1})` with `N = truncateAt`: whole slots, as in Ethernet (IEEE 802.3). */
  | 'slotted'
  /** Polly's DecorrelatedJitterBackoffV2; a value above the cap is drawn again from the cap's upper half. */
  | 'pollyV2'
  /**
   * Uniform on [h·(1−ratio), h·(1+ratio)) with `h = min(c, capMs/(1+ratio))`: the plus-minus jitter
   * of Google's clients and gRPC, never above the cap. `ratio` is above 0 and at most 1.
   */
  | { type: 'proportional'; ratio: number }
  /**
   * `h + r·x`, upwards only: `x = ratio·h` (`ratio` above 0 and at most 1000) or `x = maxMs`, with
   * `h` such that the sum never exceeds the cap.
   */
  | { type: 'additive'; ratio: number }
  | { type: 'additive'; maxMs: number };

/** How the upper bound of waits grows with the number `k` of the wait, from 1; never above `capMs`. */
export type Backoff =
  /** `baseMs`. */
  | 'fixed'
  /** `baseMs + stepMs·(k−1)`; `stepMs` defaults to `baseMs`. */
  | 'linear'
  /** `baseMs·factor^(k−1)`: the first value is `baseMs`, not twice that. */
  | 'exponential'
  /**
   * Truncated binary exponential backoff, as in Ethernet (IEEE 802.3): `a·2^(min(k, N)−1)` with
   * `N = truncateAt`. `a` is `baseMs`, or if that is unset `capMs/2^(N−1)`: wait N is the first at
   * the cap.
   */
  | 'truncated'
  /** `baseMs·F(k)` with the Fibonacci numbers 1, 1, 2, 3, 5, … */
  | 'fibonacci'
  /**
   * A function, called once per wait, after `retryIf`. Returns non-negative milliseconds; any other
   * value is a `RangeError` that ends the operation. Capped and jittered like the others.
   */
  | ((k: number) => number)
  /**
   * A list of 1 to 1,000 entries, each non-negative milliseconds; the last repeats. Capped and jittered like the
   * others.
   */
  | readonly number[];

/** Options of a {@link RetryPolicy}. */
export interface PolicyOptions<T = any> extends RetryOptions<T> {
  /**
   * Enables counting over all operations of this policy, for `policy.metrics()`. Disabled by
   * default, because counting costs each success a few nanoseconds.
   *
   * @default false
   * @example `{ metrics: true }`
   */
  metrics?: boolean | undefined;
}

/**
 * Options of one {@link RetryPolicy.run}; each overrides the policy's, except `signal`. A `seed` gives the draws of
 * operation 0.
 */
export interface RunOptions<T = any> extends RetryOptions<T> {
  /** Aborts this operation. The policy's own signal still does, too. */
  signal?: AbortSignal | undefined;
  /**
   * Selects the state of the policy's protection: that of `protection.for(key)`. Without protection, it does nothing.
   */
  key?: string | undefined;
}

/**
 * Options of {@link retrySync}: callbacks return their values at once, and options that need a
 * timer are not supported.
 */
export interface SyncOptions<T = any>
  extends Omit<RetryOptions<T>, 'attemptTimeoutMs' | 'idleTimeoutMs' | 'unref' | 'hint' | 'retryIf' | 'retryOnResult'> {
  /** Not supported: nothing could end an attempt that blocks. */
  attemptTimeoutMs?: undefined;
  /** Not supported, for the same reason. */
  idleTimeoutMs?: undefined;
  /** Not supported: a wait blocks, and needs no timer. */
  unref?: undefined;
  /** Same as {@link RetryOptions.hint}, without promises. */
  hint?: ((error: any, attempt: Attempt) => number | undefined) | undefined;
  /** Same as {@link RetryOptions.retryIf}, without promises. */
  retryIf?: ((error: any, attempt: Attempt) => Verdict) | undefined;
  /** Same as {@link RetryOptions.retryOnResult}, without promises. */
  retryOnResult?: ((result: T, attempt: Attempt) => Verdict) | undefined;
}
