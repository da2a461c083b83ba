/**
 * The simulations of `rejitter-lab`: what retries do to a server. Everything happens in virtual time, by
 * the same code that makes the retries. The same seed gives the same numbers, bit for bit, in every host
 * and in native Rust.
 *
 * A simulation uses a policy's waits and `maxAttempts`. It uses `totalTimeoutMs` and `attemptTimeoutMs` only where
 * an option says so, and no hooks or predicates.
 */

/// <reference lib="esnext.disposable" />

import type { Subject } from './index.js';
import type { BreakerOptions, BudgetOptions } from 'rejitter/protection';

/** How far a {@link Simulation} is. */
export interface SimulationProgress {
  /** The events handled since the start. */
  readonly events: number;
  /** The share of the work that is done, between 0 and 1: of the clients, runs, requests or the simulated time. */
  readonly share: number;
  /** Whether nothing is left to do. */
  readonly done: boolean;
}

/** Options of {@link Simulation.run}. */
export interface RunOptions {
  /** Ends the run between two slices; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called after each slice. What it throws ends the run, which rejects with it. */
  onProgress?: ((progress: SimulationProgress) => void) | undefined;
  /**
   * The events between two turns of the event loop: a positive integer or Infinity.
   *
   * @default 262_144, which take some 20 ms
   */
  sliceEvents?: number | undefined;
}

/**
 * A running simulation. Advance it in slices of any size: the results do not depend on them.
 *
 * @example
 * ```js
 * import { simulateOutage } from 'rejitter-lab';
 * const simulation = simulateOutage({ maxAttempts: Infinity }, { clients: 10_000, seed: 1 });
 * const stop = new AbortController(); // stop.abort() ends it
 * const result = await simulation.run({ signal: stop.signal, onProgress: ({ share }) => console.log(share) });
 * console.log(result.meanAttempts);
 * simulation.free();
 * ```
 */
export interface Simulation<Result> {
  /**
   * Handles at most this many events, synchronously: a non-negative integer (0 only reports progress) or
   * Infinity.
   *
   * @default Infinity
   * @throws {TypeError | RangeError} if the argument is invalid
   * @throws {Error} after `free()`
   */
  step(maxEvents?: number): SimulationProgress;
  /**
   * Returns the results so far, also before the end. Plain objects with fresh typed arrays, which may be
   * kept and transferred.
   *
   * @throws {Error} after `free()`
   */
  result(): Result;
  /**
   * Runs to the end in slices; between two of them the event loop turns, so that a page stays responsive and
   * a worker receives its messages. Rejects with `signal.reason`, at once if it is aborted already. The work
   * done so far is kept, and another run continues from there.
   *
   * @throws {TypeError | RangeError} (a rejection) if an option is invalid
   * @throws {Error} (a rejection) while another run is in progress, and after `free()`
   */
  run(options?: RunOptions): Promise<Result>;
  /**
   * Releases the memory; afterwards everything else throws. Without this call, the garbage collector
   * releases it at some time.
   */
  free(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

/** Where the randomness of a simulation comes from. */
export interface Seeded {
  /**
   * An integer between 0 and 2^53 − 1, a bigint below 2^64, or a string.
   *
   * @default the policy's own seed; without one, fresh at each call
   */
  seed?: number | bigint | string | undefined;
}

/** Options of {@link simulateOutage}; times in ms, from the start of the outage. */
export interface OutageOptions extends Seeded {
  [OutageOptions: string]: unknown;
  /** Each client's time for its operation. Positive. @default the policy's `totalTimeoutMs`, Infinity without */
  deadlineMs?: number | undefined;
}

/** Result of {@link simulateOutage}. Bin b is the time from b·binMs (included) to the next bin's start. */
export interface OutageResult {
  /** The width of a bin, as set. */
  binMs: number;
  /** The requests in each bin, up to the last bin with any. */
  arrivals: Uint32Array;
  /** The requests of each bin that the server accepted. */
  accepted: Uint32Array;
  /** The requests of each bin that the server rejected. */
  rejected: Uint32Array;
  /** The attempts of each client. */
  attempts: Uint32Array;
  /** Time from each client's start to its success, in ms; NaN if it was not served. */
  latenciesMs: Float64Array;
  /** When clients were served, in ms, ascending: one value for each that was. */
  servedMs: Float64Array;
  /** The clients that gave up. */
  giveUps: number;
  /** Mean latency of the served clients; NaN if none was served. */
  meanLatencyMs: number;
  /** The mean of the attempts of all clients. */
  meanAttempts: number;
  /** The attempts of the first clients in the order of time, at most 10^6: columns of equal length. */
  traces: {
    /** Index of the client that made the attempt, starting at 0. */
    clients: Uint32Array;
    /** When it arrived. */
    timesMs: Float64Array;
    /** 0: rejected, 1: accepted, 2: rejected, and the client gave up. */
    outcomes: Uint32Array;
  };
}

/**
 * A thundering herd: clients retry, each on its own, against a server that is down, and then has limited capacity.
 * While it is down it rejects everything; afterwards it accepts what its capacity allows.
 *
 * @throws {TypeError | RangeError} if an option or the policy is invalid
 * @example
 * ```js
 * import { peakOf, simulateOutage, timeToServeMs } from 'rejitter-lab';
 * const simulation = simulateOutage({ maxAttempts: Infinity }, { capacityPerS: 100, seed: 1 });
 * simulation.step();
 * const result = simulation.result();
 * console.log(timeToServeMs(result, 0.99), peakOf(result, 30_000));
 * simulation.free();
 * ```
 */
export function simulateOutage(policy: Subject, options?: OutageOptions): Simulation<OutageResult>;

/**
 * Returns the time by which this share (between 0 and 1) of *all* clients had been served, in ms from the start of
 * the outage; undefined if it never was. A pure function of the result, also of one that a worker sent.
 *
 * @throws {TypeError | RangeError} if an argument is invalid
 */
export function timeToServeMs(result: OutageResult, share: number): number | undefined;

/**
 * Returns the first of the busiest bins that start at `fromMs` (non-negative; defaults to 0) or later;
 * undefined if there is no such bin.
 *
 * This is the busiest bin of *one* run, which on average holds more than the bin with the highest
 * *expected* number does: of 1000 clients with the default policy, up to 2.0% are expected in a bin of
 * 100 ms after an outage of 30 s. For that, take the means of many seeds, bin by bin.
 *
 * @throws {TypeError | RangeError} if an argument is invalid
 */
export function peakOf(result: OutageResult, fromMs?: number): { startMs: number; arrivals: number } | undefined;

/** A line of the figure, as it was drawn: without a limit of attempts. */
export interface FigureStrategy {
  /**
   * 'none' tries again at once; 'exponential' is without jitter; 'equal' and 'full' are exponential with that
   * jitter. The first ceiling of these three is 2·`baseMs`: the figure's clients count the attempt before
   * they compute the backoff.
   */
  figure: 'none' | 'exponential' | 'equal' | 'full' | 'decorrelated';
  /** Between 0 and 2^53 − 1. @default 5 */
  baseMs?: number | undefined;
  /** At least `baseMs`. @default 2000 */
  capMs?: number | undefined;
}

/** Options of {@link simulateContention}; times in ms. */
export interface ContentionOptions extends Seeded {
  [ContentionOptions: string]: unknown;
}

/** The mean of a sample, and how certain it is. */
export interface Statistics {
  /** NaN if the sample is empty. */
  mean: number;
  /** The sample's standard deviation; 0 for a single value. */
  sd: number;
  /** Half the width of the 95% confidence interval of the mean: 1.96·sd/√n. */
  ci95: number;
}

/** Result of {@link simulateContention}: one value per finished run, and summaries of them. */
export interface ContentionResult {
  /** The writes that reached the server. */
  calls: Uint32Array;
  /** When the last successful write's answer arrived; 0 if none did. */
  timesMs: Float64Array;
  /** The clients that gave up. */
  giveUps: Uint32Array;
  callsSummary: Statistics;
  timeMsSummary: Statistics;
}

/**
 * N clients compete for one row: the model of "Exponential Backoff And Jitter" (AWS Architecture Blog,
 * 2015), whose figure is drawn with a {@link FigureStrategy} instead of a policy.
 *
 * All start at once. One try is four messages: read, its answer with the row's version, write, its answer;
 * each takes |Normal(mean, sd)| ms, and the server takes no time. A write whose version still matches
 * succeeds; any other client waits and reads again. Without backoff and with `hopSdMs` 0 that makes
 * exactly N(N + 1)/2 calls.
 *
 * @throws {TypeError | RangeError} if an option or the policy is invalid
 * @example
 * ```js
 * import { simulateContention } from 'rejitter-lab';
 * const simulation = simulateContention({ figure: 'full' }, { clients: 10, seed: 1 });
 * const { callsSummary } = await simulation.run();
 * console.log(`${callsSummary.mean} ± ${callsSummary.ci95} calls`); // some 39
 * simulation.free();
 * ```
 */
export function simulateContention(
  policy: Subject | FigureStrategy,
  options?: ContentionOptions,
): Simulation<ContentionResult>;

/**
 * Where requests come from. Open: `perS` new ones per second whatever became of the others, evenly spaced
 * ('regular') or at random ('poisson'); above 0, at most 10^7 up to the horizon. Closed: each of `clients`
 * (an integer between 1 and 10^6) starts its next request after the end of its last and a pause with the
 * mean `thinkMs` (between 0 and 10^9), so that a slow server gets fewer requests.
 */
export type Arrivals =
  | { type: 'regular' | 'poisson'; perS: number }
  | { type: 'closed'; clients: number; thinkMs: number };

/**
 * The options of `budget()` of `rejitter/protection`, with two sources of tokens that it does not have, because they
 * keep an overload alive.
 */
export interface SimulatedBudget extends BudgetOptions {
  /** Tokens for each first attempt, as in Finagle and linkerd. Between 0 and 1000. @default 0 */
  perRequest?: number | undefined;
  /** Tokens that come back each second, as in tower. Between 0 and 10^9. @default 0 */
  perSecond?: number | undefined;
}

/**
 * The rule of gRPC (proposal A6): a failed attempt takes a token, a success adds `tokenRatio` (above 0, at most 1000),
 * and there are retries while more than half of `maxTokens` (between 1 and 1000) are left.
 */
export interface GrpcThrottling {
  maxTokens: number;
  tokenRatio: number;
}

/** The options of `breaker()` of `rejitter/protection`. */
export interface SimulatedBreaker extends BreakerOptions {
  /** Fixes the draw that varies the length of every opening, between 0 and 1. @default drawn from the seed */
  draw?: number | undefined;
}

/** Parts that the clients of a process share. A policy's own `protection` is not simulated. */
export interface SimulatedProtection {
  /** How many retries there may be. @default no limit */
  budget?: SimulatedBudget | GrpcThrottling | undefined;
  /** When there are no attempts at all. @default never */
  breaker?: SimulatedBreaker | undefined;
}

/** Options of {@link simulateLoad}; times in ms. */
export interface LoadOptions extends Seeded {
  /** @default { type: 'regular', perS: 280 } */
  arrivals?: Arrivals | undefined;
  [LoadOptions: string]: unknown;
  /**
   * Time that a client waits for an attempt. Positive and more than a 10^15th of `horizonMs`, at most 10^9.
   *
   * @default the policy's `attemptTimeoutMs`, 1000 without
   */
  timeoutMs?: number | undefined;
  /** Parts that bound the attempts. @default none */
  protection?: SimulatedProtection | undefined;
}

/** Result of {@link simulateLoad}: columns by time bin, and whether it recovered. */
export interface LoadResult {
  /** The width of a bin, as given. */
  binMs: number;
  /** First attempts that arrived at the server. */
  requests: Uint32Array;
  /** Retries that arrived at the server. */
  retries: Uint32Array;
  /** Attempts that were answered in time without a failure, counted in the bin of the answer. */
  successes: Uint32Array;
  /** Attempts whose time limit passed, counted in the bin in which it did. */
  timeouts: Uint32Array;
  /** Attempts that were answered in time with a failure, counted in the bin of the answer. */
  failures: Uint32Array;
  /** Attempts that a breaker rejected: first ones, and retries before or after their wait. */
  rejectedByBreaker: Uint32Array;
  /** Retries that a budget rejected. */
  rejectedByBudget: Uint32Array;
  /** How long the last attempt of the bin has to wait for its answer (its client may not); NaN if none arrived. */
  responseMs: Float64Array;
  /**
   * How long after the outage's end the last attempt ran into its time limit; undefined before the end of
   * the simulation, if attempts still did in the last tenth of it (no recovery is in sight), and if the
   * outage outlasts it.
   */
  recoveredAfterMs: number | undefined;
  /** How long after the outage's end a breaker rejected the last attempt; 0 if none did, undefined as above. */
  admittedAfterMs: number | undefined;
  /** Sums since the start. */
  totals: {
    /** Requests that were started. */
    requests: number;
    /** Retries that were granted. Some of them still wait, or a breaker rejected them after their wait. */
    retries: number;
    successes: number;
    /** Requests that ended without an answer. */
    giveUps: number;
    rejectedByBreaker: number;
    rejectedByBudget: number;
    /** How often a breaker opened. */
    openings: number;
  };
  /** The changes of breakers in the order of time, at most 10^6: columns of equal length. */
  phases: {
    timesMs: Float64Array;
    /** Index of the process, starting at 0. */
    processes: Uint32Array;
    /** The phase that follows. 0: closed, as at the start; 1: open; 2: half-open. */
    phases: Uint32Array;
  };
}

/**
 * Load over time: does it ever recover from an outage? One server processes requests in order; during
 * the outage it stands still and they queue. A client that reaches its time limit abandons the attempt
 * and retries; the server does not know, and does that work for nothing. That is how an overload feeds
 * itself ("Metastable Failures in Distributed Systems", Bronson and others, HotOS 2021).
 *
 * @throws {TypeError | RangeError} if an option or the policy is invalid
 * @example
 * ```js
 * import { simulateLoad } from 'rejitter-lab';
 * const simulation = simulateLoad({ maxAttempts: 2 }, { protection: { budget: { capacity: 10 } } });
 * const { recoveredAfterMs } = await simulation.run();
 * console.log(recoveredAfterMs); // some 126_500; without a budget it is undefined: the server never recovers
 * simulation.free();
 * ```
 */
export function simulateLoad(policy: Subject, options?: LoadOptions): Simulation<LoadResult>;

/** Options of {@link simulateRateLimit}; times in ms. */
export interface RateLimitOptions extends Seeded {
  [RateLimitOptions: string]: unknown;
  /**
   * Whether a worker, the cooldown and the limiter follow the time that the server asks for. `'ignored'`: only the
   * policy's own waits count.
   *
   * @default 'followed'
   */
  hints?: 'ignored' | 'followed' | undefined;
  /**
   * The protection that the workers of a process share, with the options of `rejitter/protection`. With a cooldown, one
   * worker's hint holds all of them. With a limiter, attempts queue for its rate, in the order of their jobs; beside
   * it, the cooldown only rejects those that would wait too long.
   *
   * @default nothing
   */
  protection?:
    | {
        cooldown?: { maxHoldMs?: number | undefined; probe?: boolean | undefined } | undefined;
        limiter?:
          | {
              [RateLimiter: string]: unknown;
            }
          | undefined;
      }
    | undefined;
}

/** Result of {@link simulateRateLimit}. */
export interface RateLimitResult {
  /** The width of a bin, as given. */
  binMs: number;
  /** The requests in each bin, up to the last bin with any. */
  arrivals: Uint32Array;
  /** Those of them that the server accepted. */
  accepted: Uint32Array;
  /** Those that it answered with 429 and a `Retry-After`. */
  rejected: Uint32Array;
  /** Sums since the start. */
  totals: {
    /** Requests that reached the server. */
    requests: number;
    /** Those of them that it rejected. */
    rejected: number;
    /** Jobs that succeeded. */
    done: number;
    /** Jobs that failed because their attempts were used up, or the server asked for too long a wait. */
    failed: number;
    /** Jobs that failed because the cooldown would have held them too long. */
    rejectedByCooldown: number;
    /** When the last job so far ended, in ms. */
    endMs: number;
  };
}

/**
 * Workers and a server that accepts a number of requests per window, and answers the others with 429 and the time
 * that the window still lasts, in whole seconds. With a shared cooldown, one such answer is enough for all.
 *
 * @throws {TypeError | RangeError} if an option or the policy is invalid
 * @example
 * ```js
 * import { simulateRateLimit } from 'rejitter-lab';
 * const simulation = simulateRateLimit({}, { protection: { cooldown: {} }, seed: 1 });
 * const { totals } = await simulation.run();
 * console.log(totals.failed, totals.rejected); // no job fails; without the cooldown some 25 of 1,000 do
 * simulation.free();
 * ```
 */
export function simulateRateLimit(policy: Subject, options?: RateLimitOptions): Simulation<RateLimitResult>;

/** Options of {@link simulateHedging}. */
export interface HedgingOptions extends Seeded {
  [HedgingOptions: string]: unknown;
  /** How long a server works on an attempt, in ms: an exponentially distributed time, but for a share of slow ones. */
  service?:
    | {
        [ServiceTimes: string]: unknown;
      }
    | undefined;
  /** The options of `hedge()` of `rejitter/protection`. @default no hedges */
  hedge?:
    | {
        /** @default learned: see quantile */
        delayMs?: number | undefined;
        /** @default 0.95 */
        quantile?: number | undefined;
        [HedgeRule: string]: unknown;
      }
    | undefined;
  /**
   * Servers for which attempts wait. Each works on one attempt after the other, also on those that a hedge has
   * overtaken. Requests arrive at random.
   *
   * @default no attempt waits for another; each request starts when the one before has ended
   */
  load?:
    | {
        [ServerLoad: string]: unknown;
      }
    | undefined;
}

/** Result of {@link simulateHedging}. */
export interface HedgingResult {
  /** Times in ms, ascending, 16 an octave from 2^-10 to 2^30: the grid of the survival curves. */
  timesMs: Float64Array;
  /**
   * Share of the requests so far that took longer than `timesMs[i]`; NaN before the first has ended. A request that
   * took longer than all of them counts as the last.
   */
  survival: Float64Array;
  /** Time that half of the requests so far exceed, in ms, to within 0.4%; NaN before the first has ended. */
  p50Ms: number;
  /** Time that one request in 100 exceeds, to the same accuracy. */
  p99Ms: number;
  /** Time that one request in 1,000 exceeds, to the same accuracy. */
  p999Ms: number;
  /** Mean of the requests so far, in ms; NaN before the first has ended. */
  meanMs: number;
  /** Sums since the start. */
  totals: {
    /** Requests that have ended. */
    requests: number;
    /** Hedges that have started. */
    hedges: number;
    /** Hedges that answered their requests. */
    won: number;
    /** Hedges that did not start because there was no token for them. */
    rejected: number;
  };
  /**
   * The distribution in closed form, the same before and after all steps: if S(t) is the share of attempts that take
   * longer than t, a share of S(t)·S(t − delayMs) of the requests takes longer than t. It ignores `maxRatio`, which
   * rejects some hedges even if it is a little above `extra`. Undefined with `load`, and if the delay is learned.
   */
  exact:
    | {
        /** Share of requests that take longer than `timesMs[i]`. */
        survival: Float64Array;
        /** Time that half of the requests exceed, in ms. */
        p50Ms: number;
        /** Time that one request in 100 exceeds, in ms. */
        p99Ms: number;
        /** Time that one request in 1,000 exceeds, in ms. */
        p999Ms: number;
        /** Hedges per request: S(delayMs). */
        extra: number;
      }
    | undefined;
}

/**
 * Hedges: how much of the tail they cut, for how much more load, and when that load makes everything slow. A request is
 * one attempt, and a hedge if the attempt has not answered after the delay; the faster answer counts. All attempts
 * succeed. Servers know nothing of hedges: they do the work of the slower one all the same.
 *
 * @throws {TypeError | RangeError} if an option is invalid
 * @example
 * ```js
 * import { simulateHedging } from 'rejitter-lab';
 * const simulation = simulateHedging({ hedge: { delayMs: 100 }, seed: 1 });
 * const { exact } = simulation.result(); // before any step
 * console.log(exact?.p99Ms, exact?.extra); // 137 ms instead of 1305, for 5.6% more requests
 * const { p99Ms, totals } = await simulation.run();
 * console.log(p99Ms, totals.hedges / totals.requests); // the same, sampled
 * simulation.free();
 * ```
 */
export function simulateHedging(options?: HedgingOptions): Simulation<HedgingResult>;
