/**
 * Protection: what keeps retries from hurting. A *budget* bounds how many retries there are, a *breaker* stops calls to
 * a destination that fails, a *cooldown* makes all but a probe wait after one "too many requests", a *limiter* starts
 * no more attempts than a server takes, a *hedge* is a second attempt that starts while a slow one is still running.
 *
 * Operations with the same {@link Protection} share its state: make one per destination, and pass it to the policies
 * and functions that call it. `createFetch` keeps one state per origin.
 *
 * How an attempt ends says that its destination fails, that it works, or nothing:
 *
 * - A status decides, whatever `retryIf` returns: 408 and 5xx except 501 and 505 are failures, 429 says nothing, and
 *   every other one is a success. In `fetch`, responses have it; elsewhere errors may ({@link AttemptEnd.status}), and
 *   results that `retryOnResult` retries.
 * - An error without a status is a failure if it may be retried. So are an attempt's timeout and, in `fetch`, a failure
 *   of the network. A result without a status is a success, also if `retryOnResult` retries it.
 * - The end of attempt 1 by `totalTimeoutMs`, or by a signal of `AbortSignal.timeout()`, is a failure, unless it was
 *   held; a signal counts once. Any other abort says nothing, nor does an error made by `permanent` or `retryAfter`,
 *   whatever its status. A limit whose timer was more than 50 ms late says nothing, except in pages: the process was
 *   stopped.
 *
 * A result that is retried is an *answer*, unless its status is a failure or 429. So is a response in `fetch` that
 * only `retryOn` retries, unless it is a failure, a 429 or, from 400 on, asks for a wait. The attempt after an answer
 * takes no token and counts as a first one. What means that the server fails should be thrown, have an HTTP status, or
 * be classified by {@link ProtectOptions.isFailure}.
 *
 * @module rejitter/protection
 */

/**
 * A recipe of one part, made by {@link budget}, {@link breaker}, {@link cooldown}, {@link limiter} or {@link hedge}. It
 * has no state: {@link protect} makes that.
 */
export interface Part {
  /** Name of the part. */
  readonly part: 'budget' | 'breaker' | 'cooldown' | 'limiter' | 'hedge';
}

/** Options of {@link budget}. */
export interface BudgetOptions {
  /**
   * Number of tokens when the budget is full, as it is at the start. Non-negative, at most 10^9, any fraction; 0
   * allows no retry. Set it to 50, or to the number of calls in 10 ms if that is more: so long a total failure is then
   * retried.
   *
   * @default 50
   * @example `{ capacity: 100 }`
   */
  capacity?: number | undefined;
  /**
   * Number of tokens that an operation gives when it succeeds: finite, 0 or between 0.001 and 1,000. With
   * {@link BudgetOptions.refund}, one that succeeds after a retry returns what its last retry took instead. With 0.2,
   * up to 30% of failures cost nothing (99.9 instead of 89 of 100 calls succeed), but in some overloads the server then
   * stays down.
   *
   * @default 0.1
   * @example `{ perSuccess: 0.05 }`
   */
  perSuccess?: number | undefined;
  /**
   * Number of tokens that a retry after a failure takes, and a hedge: finite, at least 0.001 and at most `capacity`, if
   * that is not 0.
   *
   * @default 1
   * @example `{ cost: 2 }`
   */
  cost?: number | undefined;
  /**
   * Whether a success after a retry returns what its last retry took. Ordinary failures, one by one, then cost
   * nothing; in an overload no retry succeeds.
   *
   * @default true
   * @example `{ refund: false }`
   */
  refund?: boolean | undefined;
  /**
   * The documented numbers of another system: 'awsSdk2026' has a capacity of 500, a retry takes 14 (5 after throttling)
   * and a success gives 1.
   *
   * @default none
   * @example `{ preset: 'awsSdk2026' }`
   */
  preset?: 'awsSdk2026' | undefined;
}

/**
 * Part that bounds retries: each takes tokens, unless it follows an answer, and successes give some back. In an outage,
 * retries stop after `capacity`, so that they do not keep the overload alive. It never rejects a first attempt.
 *
 * An operation whose retry is rejected ends at once with its own last error or result (`reason: 'budget'`).
 *
 * @throws {TypeError | RangeError} listing every invalid option
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { budget, protect } from 'rejitter/protection';
 * const policy = new RetryPolicy({ maxAttempts: 4, protection: protect(budget()) });
 * const user = await policy.run(() => callApi());
 * ```
 */
export function budget(options?: BudgetOptions): Part;

/** Options of {@link breaker}. */
export interface BreakerOptions {
  /**
   * The circuit opens when failures are at least this share of the calls of the window. Finite, positive, at most 1.
   *
   * @default 0.75
   * @example `{ failureRatio: 0.2 }`
   */
  failureRatio?: number | undefined;
  /**
   * Number of calls in the window below which the ratio says nothing. A positive integer, or `Infinity`: the ratio
   * never opens the circuit. Calls are first attempts, those that are running too, and retries that succeed.
   *
   * @default 20
   * @example `{ minimumCalls: 100 }`
   */
  minimumCalls?: number | undefined;
  /**
   * Length of the window in which calls are counted, in ms. Between 100 and 3,600,000; longer than an ordinary answer
   * takes.
   *
   * @default 10_000
   * @example `{ windowMs: 60_000 }`
   */
  windowMs?: number | undefined;
  /**
   * Number of failures in a row that open the circuit, too, however few calls there are. A positive integer, or
   * `Infinity`: no row opens it. A row is what began after the last success; half of it must have failed.
   *
   * @default none: 50, or 10 if the row began at least 1,000 ms ago
   * @example `{ consecutiveFailures: 5 }`
   */
  consecutiveFailures?: number | undefined;
  /**
   * Upper bound of the first opening, in ms; positive, at most 2^53 − 1. The length is drawn from the upper half, so
   * that a fleet does not come back in step. The bound doubles with each further opening in a row, up to `maxOpenMs`.
   *
   * @default 1000
   * @example `{ openMs: 30_000 }`
   */
  openMs?: number | undefined;
  /**
   * Upper bound of all openings, in ms. Positive, at least `openMs`, which takes its place where that is above the
   * default; or `Infinity`. A server that asks a failing probe for a longer wait gets this. Set it higher for fleets of
   * thousands of processes.
   *
   * @default 4000
   * @example `{ maxOpenMs: 60_000 }`
   */
  maxOpenMs?: number | undefined;
  /**
   * Number of successes that close a half-open circuit, one after the other. A failure among them opens it again, so
   * more than 1 suits services that fail rarely. An integer, positive, at most 1,000.
   *
   * @default 1
   * @example `{ closeAfter: 3 }`
   */
  closeAfter?: number | undefined;
}

/**
 * Part that rejects attempts, first ones too, while most calls fail. After a time the circuit becomes half-open: one
 * attempt at a time is let through as a probe, and its success closes the circuit. There is no timer, and an open
 * circuit that nobody has asked for `windowMs` is closed.
 *
 * A rejected operation rejects with a {@link RejectedError}; after a failed attempt, with its own last error or result
 * (`reason: 'breaker'`). Failures of retries do not count while the circuit is closed.
 *
 * @throws {TypeError | RangeError} listing every invalid option
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * import { breaker, protect } from 'rejitter/protection';
 * const users = protect(breaker());
 * const user = await retry(() => callApi(), { protection: users }).catch(() => undefined);
 * ```
 */
export function breaker(options?: BreakerOptions): Part;

/** Options of {@link cooldown}. */
export interface CooldownOptions {
  /**
   * Longest time of a hold, in ms, before it is spread. An attempt that would be held longer is rejected. Non-negative,
   * or `Infinity`. By default, all wait as long as the one whom the server asked to. Set a deadline for operations that
   * cannot wait.
   *
   * @default none: `maxRetryAfterMs` of the policy
   * @example `{ maxHoldMs: 2000 }`
   */
  maxHoldMs?: number | undefined;
  /**
   * Whether one attempt passes each hold, its probe: the limit may be that of one route, and the server's guess too
   * long. With `false`, nobody does, and an attempt that was held is held again while a later hint has not ended. For
   * servers that count, or ban for, what comes too early, such as Slack's, GitHub's and Discord's.
   *
   * @default true
   * @example `{ probe: false }`
   */
  probe?: boolean | undefined;
}

/**
 * Part that holds attempts after one was asked to wait: by a 429 with `Retry-After`, in an error as
 * `isTransientError` reads it as well, or by an error made with `retryAfter`. In `fetch`, a success with which
 * `rateLimitHint` finds that nothing remains of a limit holds them, too, without a probe, until the limit's window
 * ends. Each attempt is held once. They come back spread over half the time that the server asked for.
 *
 * One first attempt passes as a probe. When it, or another attempt that started during the hold, succeeds, the hold
 * ends, unless a 429 has lengthened it since. Attempts that are held keep their times, and new ones start at once. If
 * limits are per route, set a key for each, in `fetch` by `protectionKey`: then others wait for nothing.
 *
 * An attempt that would be held too long is rejected. The operation rejects with a {@link RejectedError}; after a
 * failed attempt, with its own last error or result (`reason: 'cooldown'`). At most 1,000 attempts are held at a time.
 *
 * @throws {TypeError | RangeError} listing every invalid option
 * @example
 * ```js
 * import { createFetch } from 'rejitter/fetch';
 * import { cooldown, protect } from 'rejitter/protection';
 * const api = createFetch({ protection: protect(cooldown()) });
 * await api('https://example.com/limited');
 * ```
 */
export function cooldown(options?: CooldownOptions): Part;

/** Options of {@link limiter}. At least one of `limit`, `concurrency` and `acquire` is set. */
export interface LimiterOptions {
  /**
   * Number of units that start per `perMs` on average; finite, positive, any fraction. The start of an attempt takes
   * one, or the option `weight` of its operation. A server that counts what arrives in sliding windows may need one per
   * cent less than its limit, because requests do not all take equally long to arrive.
   *
   * @default none
   * @example `{ limit: 50 }`
   */
  limit?: number | undefined;
  /**
   * The time for which `limit` is, in ms; positive, at most 2^53 − 1. Only with `limit`.
   *
   * @default 1000
   * @example `{ limit: 100_000, perMs: 60_000 }`
   */
  perMs?: number | undefined;
  /**
   * Number of units that may start at once after a pause. An integer, positive, at most `limit`. With 1, starts are at
   * even distances, so that no window of the server ever has more than `limit`. For a server with a token bucket, set
   * the size of that. Only with `limit`.
   *
   * @default 1
   * @example `{ limit: 10, burst: 10 }`
   */
  burst?: number | undefined;
  /**
   * Number of attempts that run at the same time: a positive integer, or `Infinity`. An attempt has its place until it
   * settles, times out or is aborted: in `fetch` until the headers have come, in `keepConnected` until the connection
   * is open. A call with the same state from within an attempt that has a place may wait for itself: set a deadline.
   *
   * @default Infinity
   * @example `{ concurrency: 8 }`
   */
  concurrency?: number | undefined;
  /**
   * Number of attempts that may wait for their turn: a non-negative integer, or `Infinity`. An attempt that comes when
   * so many wait is rejected.
   *
   * @default 1000
   * @example `{ maxQueue: 0 }`
   */
  maxQueue?: number | undefined;
  /**
   * Asks a limiter elsewhere, such as one that all processes share, for the first attempt in the queue. Returns the
   * time in ms after which to ask again, non-negative; 0 or `undefined` starts it; or a promise of these. It gets the
   * state's key, a signal that is aborted when the answer no longer matters, and the attempt's weight. One start per
   * round trip.
   *
   * If it throws, returns anything else, or takes longer than {@link LimiterOptions.acquireTimeoutMs}, that is reported
   * like an error of a hook, once a minute, and the attempt starts. With `limit`, that alone decides then for ten times
   * `acquireTimeoutMs`: a limiter that is down is no outage.
   *
   * @default none
   * @example `{ limit: 5, acquire: (key) => askRedis(key) }`
   */
  acquire?:
    | ((
        key: string | undefined,
        start: { readonly signal: AbortSignal; readonly weight: number },
      ) => number | undefined | PromiseLike<number | undefined>)
    | undefined;
  /**
   * How long an answer of {@link LimiterOptions.acquire} may take, in ms: positive, or `Infinity`.
   *
   * @default 1000 with `acquire`
   * @example `{ acquireTimeoutMs: 200 }`
   */
  acquireTimeoutMs?: number | undefined;
}

/**
 * Part that starts attempts no faster than a server takes them, and no more at a time: first attempts, retries, hedges
 * and connection attempts alike. Those that have to wait start in the order in which their operations came: a retry
 * starts before an operation that came later. A wait counts towards `totalTimeoutMs`, but not `attemptTimeoutMs`; if it
 * is known to end too late, the operation does not wait. A hedge that would have to wait is not made.
 *
 * A 429 with `Retry-After`, an error made with `retryAfter`, and what {@link cooldown} follows besides, lets nothing
 * start for that time, at most `maxRetryAfterMs`, and up to half of it longer, as one draw decides. Beside a cooldown,
 * all wait in the queue, without a probe.
 *
 * An attempt is rejected if the queue is full, or if its turn does not come before the deadline. The operation rejects
 * with a {@link RejectedError}; after a failed attempt, with its own last error or result (`reason: 'limiter'`).
 *
 * `retrySync` takes a limiter with a rate alone.
 *
 * @throws {TypeError | RangeError} listing every invalid option
 * @example
 * ```js
 * import { createFetch } from 'rejitter/fetch';
 * import { limiter, protect } from 'rejitter/protection';
 * const api = createFetch({ protection: protect(limiter({ limit: 50, concurrency: 10 })), totalTimeoutMs: 60_000 });
 * await api('https://example.com/limited');
 * ```
 */
export function limiter(options: LimiterOptions): Part;

/** Options of {@link hedge}. */
export interface HedgeOptions {
  /**
   * Fraction of first attempts that have ended when a hedge starts, learned from the last 30 to 60 s. Finite, positive,
   * below 1. No hedge starts before 20 first attempts have succeeded or timed out. Omit it if `delayMs` is set.
   *
   * @default 0.95
   * @example `{ quantile: 0.99 }`
   */
  quantile?: number | undefined;
  /**
   * Time after the start of an attempt at which its hedge starts, in ms; finite, non-negative.
   *
   * @default none: it is learned
   * @example `{ delayMs: 100 }`
   */
  delayMs?: number | undefined;
  /**
   * Number of hedges per successful operation, counted in thousandths; finite, between 0.001 and 1. At most 10 are
   * saved up, which is also the number at the start.
   *
   * @default 0.1
   * @example `{ maxRatio: 0.05 }`
   */
  maxRatio?: number | undefined;
}

/**
 * Part that starts a second attempt, the hedge, while a slow one is still running. The first of both that ends the
 * operation wins; the signal of the other is aborted with a {@link SupersededError}. If both fail, one wait follows,
 * after the last failure. Use it for callbacks that may run twice at a time: in `fetch`, only GET, HEAD, OPTIONS, TRACE
 * and QUERY are hedged, and only if their body can be sent again.
 *
 * A hedge counts as one of `maxAttempts`. It starts only while the circuit is closed, no cooldown holds and the limiter
 * has it start at once, and takes tokens of the budget as a retry does.
 *
 * @throws {TypeError | RangeError} listing every invalid option
 * @example
 * ```js
 * import { createFetch } from 'rejitter/fetch';
 * import { budget, hedge, protect } from 'rejitter/protection';
 * const api = createFetch({ protection: protect(budget(), hedge({ quantile: 0.95 })) });
 * await api('https://example.com/search?q=slow');
 * ```
 */
export function hedge(options?: HedgeOptions): Part;

/** Event that `onEvent` receives. Frozen. */
export interface ProtectionEvent {
  /**
   * - `opened`, `half-open`, `closed`: the breaker changed; with the fields of its status.
   * - `rejected`: an attempt was rejected; `by` says by which part.
   * - `held`: an attempt is held, for `holdMs`.
   * - `queued`: an attempt waits for its turn in the limiter, for `waitMs` at least, if that is known.
   * - `budget-empty`: a retry was rejected, for the first time since the budget was full; `budget-full`: it is full
   *   again.
   */
  readonly type: 'opened' | 'half-open' | 'closed' | 'rejected' | 'held' | 'queued' | 'budget-empty' | 'budget-full';
  /** Key of the state. Absent in the one that {@link protect} returned. */
  readonly key?: string;
  /** The part that rejected. */
  readonly by?: 'budget' | 'breaker' | 'cooldown' | 'limiter';
  /** Time after which asking again makes sense, in ms. */
  readonly retryAfterMs?: number;
  /** How long the attempt is held, in ms. */
  readonly holdMs?: number;
  /** How long the attempt waits for its turn at least, in ms. Absent if that depends on other attempts alone. */
  readonly waitMs?: number;
  /** State of the circuit. */
  readonly state?: 'closed' | 'open' | 'half-open';
  /** Failures in the window. */
  readonly failures?: number;
  /** Calls in the window. */
  readonly calls?: number;
  /** Openings in a row. */
  readonly opens?: number;
  /** Tokens that are left. */
  readonly tokens?: number;
  /** Tokens of a full budget. */
  readonly capacity?: number;
}

/** Parameter of {@link ProtectOptions.isFailure}: how an attempt ended. */
export interface AttemptEnd {
  /** Error of the attempt. Absent if the attempt had a result. */
  readonly error?: any;
  /** Result of the attempt; in `fetch` the response. Read the body of a clone: the caller gets the response itself. */
  readonly result?: any;
  /**
   * Status of the response in `fetch`; elsewhere of the error, or of a result that `retryOnResult` retries. It is the
   * first of `status`, `statusCode`, `response.status`, `response.statusCode` and `$metadata.httpStatusCode` that is
   * set, if it is an integer between 100 and 599. Absent on errors that have a status but no response, if their
   * name, code or causes say that no server answered: aborts, TypeErrors, failures of the network.
   */
  readonly status?: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** How long the attempt took, in ms. */
  readonly durationMs: number;
}

/** Options of {@link protect}. */
export interface ProtectOptions {
  /**
   * Called when something happens. It is treated as a hook: not awaited, and its errors are reported and change
   * nothing.
   *
   * @default none
   * @example `{ onEvent: ({ type, key }) => console.log(type, key) }`
   */
  onEvent?: ((event: ProtectionEvent) => unknown) | undefined;
  /**
   * Classifies how an attempt ended, for all parts: `true` is a failure, also of a result that is accepted; `false` is
   * an answer, 'ignore' says nothing, and `undefined` leaves it to the rules of this module. The attempt after `false`
   * or 'ignore' takes no token: bound it by `retryIf` and `maxAttempts`. A 429 starts a cooldown all the same.
   *
   * Called once per attempt with an outcome, after `retryIf` or `retryOnResult`. An error that it throws is reported
   * like that of a hook, and the rules of this module decide.
   *
   * @default none
   * @example `{ isFailure: ({ error }) => (error?.code === 'P2034' ? false : undefined) }`
   */
  isFailure?: ((end: AttemptEnd) => boolean | 'ignore' | undefined) | undefined;
}

/** Numbers of one state. Parts that it does not have are absent. */
export interface ProtectionStatus {
  /**
   * Keys that have numbers of their own, which count nothing here: requests of `createFetch`, say, whose key is the
   * origin. Absent if there are none.
   */
  readonly keys?: readonly string[];
  /** The budget: tokens left, tokens when full, and how many retries it granted and rejected. */
  readonly budget?: {
    readonly tokens: number;
    readonly capacity: number;
    readonly granted: number;
    readonly rejected: number;
  };
  /**
   * The breaker: state, time until asking makes sense, failures and calls of the window, openings in a row, rejections.
   * Failures and calls are no whole numbers, because older ones count less.
   */
  readonly breaker?: {
    readonly state: 'closed' | 'open' | 'half-open';
    readonly retryAfterMs: number;
    readonly failures: number;
    readonly calls: number;
    readonly opens: number;
    readonly rejected: number;
  };
  /** The cooldown: what is left of it, how many attempts it holds now, and how many it rejected. */
  readonly cooldown?: { readonly remainingMs: number; readonly held: number; readonly rejected: number };
  /**
   * The limiter: how many attempts run and wait, the time until the next one may start (0: now, if a place is free),
   * and how many were rejected.
   */
  readonly limiter?: {
    readonly running: number;
    readonly queued: number;
    readonly nextMs: number;
    readonly rejected: number;
  };
  /**
   * The hedge: when hedges start, how many were started, how many ended their operation with success, and how many were
   * rejected. `delayMs` is `undefined` while too few attempts have been seen.
   */
  readonly hedge?: {
    readonly delayMs: number | undefined;
    readonly hedges: number;
    readonly won: number;
    readonly rejected: number;
  };
}

/** State that operations share, and those of its keys. Made by {@link protect}. */
export interface Protection {
  /**
   * Returns the protection of a key, such as a host or a tenant: the same parts, with a state of its own. At most 1,000
   * keys are kept; beyond that, the state is forgotten that was used least recently among those like new, or else
   * among those whose circuit is not open, but none in whose limiter an attempt runs or waits, or that was
   * drained. A key is kept when an operation uses it. Budgets and limits of many keys do not bound their sum.
   *
   * @throws {TypeError} if this protection has a key already
   */
  for(key: string): Protection;
  /** Returns the keys that have a state now. */
  keys(): string[];
  /**
   * Returns the numbers of this state alone, frozen. Changes nothing. Operations with a key have states of their own,
   * such as all requests of `createFetch`, whose key is the origin: see {@link Protection.keys}.
   *
   * @example `api.keys().map((key) => [key, api.for(key).status().breaker?.state])`
   */
  status(): ProtectionStatus;
  /**
   * Opens the circuit by hand, for `ms` milliseconds or until {@link Protection.close}. On an open circuit, it sets the
   * time only.
   *
   * @throws {TypeError | RangeError} without a breaker, or if `ms` is not positive
   */
  open(ms?: number): void;
  /**
   * Closes the circuit by hand, and forgets what was counted and how often it has opened.
   *
   * @throws {TypeError} without a breaker
   */
  close(): void;
  /**
   * Rejects, from now on, every attempt that waits for its turn in the limiter, and every one that comes: for a service
   * that shuts down. What runs goes on, without retries; an operation that waits before a retry ends when that wait
   * does. Without a key, it does so for all keys as well.
   *
   * @throws {TypeError} without a limiter
   */
  drain(): void;
}

/**
 * Puts parts together, each kind at most once. They act in one order, whatever that of the arguments: an open circuit
 * rejects, a cooldown holds, a limiter has attempts wait for their turns, a half-open circuit admits; after a failure,
 * the budget comes last. `retrySync` takes no hedge.
 *
 * Set the result as the option `protection`. One protection belongs to one layer: give it to the inner or to the outer
 * of two nested operations.
 *
 * @throws {TypeError | RangeError} listing every mistake
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { breaker, budget, cooldown, protect } from 'rejitter/protection';
 * const api = protect(budget(), breaker(), cooldown(), { onEvent: (event) => console.log(event.type) });
 * const policy = new RetryPolicy({ maxAttempts: 4, protection: api });
 * const user = await policy.run(() => callApi(), { key: 'tenant 7' });
 * console.log(api.for('tenant 7').status());
 * ```
 */
export function protect(...parts: [...Part[], ProtectOptions] | Part[]): Protection;

/**
 * Rejection of an operation whose first attempt was rejected, or one after a result that is an answer: then its report
 * has the attempts and results. An outer operation neither retries it nor asks about it. It comes at once: a loop that
 * goes on after it should wait `retryAfterMs` first, which is `Infinity` for a circuit that was opened by hand, and for
 * a limiter that was drained.
 *
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * import { RejectedError, breaker, protect } from 'rejitter/protection';
 * const api = protect(breaker());
 * api.open(30_000);
 * const reason = await retry(() => callApi(), { protection: api }).catch((error) => error);
 * if (reason instanceof RejectedError) console.log(reason.by, reason.retryAfterMs);
 * ```
 */
export class RejectedError extends Error {
  /** The error is thrown by the package. Its parameters are those of its fields. */
  constructor(by: 'breaker' | 'cooldown' | 'limiter', retryAfterMs: number, cause?: unknown, key?: string);
  /** Identifies the error where `instanceof` does not work, such as across realms. */
  readonly name: 'RejectedError';
  /** The part that rejected. */
  readonly by: 'breaker' | 'cooldown' | 'limiter';
  /** Key of the state, such as the origin in `fetch`. Absent without a key. */
  readonly key?: string;
  /** Time after which asking again makes sense, in ms. */
  readonly retryAfterMs: number;
  /** The failure that opened the circuit, set the cooldown or had the limiter pause, if it was an error. */
  readonly cause: unknown;
}

/**
 * Reason with which an attempt's signal is aborted when the other attempt of its round has ended the operation.
 *
 * @example
 * ```js
 * import { RetryPolicy } from 'rejitter';
 * import { SupersededError, hedge, protect } from 'rejitter/protection';
 * const policy = new RetryPolicy({ protection: protect(hedge({ delayMs: 100 })) });
 * await policy.run(async ({ signal }) => {
 *   signal.addEventListener('abort', () => console.log(signal.reason instanceof SupersededError));
 *   return fetch('https://example.com', { signal });
 * });
 * ```
 */
export class SupersededError extends Error {
  /** Identifies the error where `instanceof` does not work, such as across realms. */
  readonly name: 'SupersededError';
}
