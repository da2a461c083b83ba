/**
 * Studies retry policies before they run: exact distributions of their waits, notes in sentences, samples, and
 * simulations of many clients.
 *
 * The same code that makes the retries computes everything, in a second WebAssembly file that only this entry
 * point has and that is compiled at the first call. Each function takes a {@link RetryPolicy}, or options, which
 * it validates as `new RetryPolicy` does. A `backoff` that is a function cannot be studied (`TypeError`); a list
 * can. The lab assumes that an injected `random` is uniform. All times are milliseconds.
 *
 * An unexpected fault in the WebAssembly file ends one call with the engine's error. The next call starts
 * in a new instance; simulations made before the fault throw.
 *
 * @module rejitter-lab
 */

import type { PolicyOptions, RetryPolicy } from 'rejitter';

export * from './simulations.js';

/** A policy to study, or its options. */
export type Subject = RetryPolicy | PolicyOptions;

/** A point of positive probability. */
export interface Atom {
  /** The wait, in ms. */
  readonly ms: number;
  /** Probability of exactly this wait: above 0 and at most 1. */
  readonly probability: number;
}

/** One wait of a {@link plan}; times in ms. */
export interface PlannedWait {
  /** Number of the wait: wait 1 follows the first failed attempt. */
  readonly k: number;
  /** The backoff curve's value, at most the cap; equal to `hiMs` if the jitter replaces the curve. */
  readonly ceilingMs: number;
  /** Shortest possible wait. */
  readonly loMs: number;
  /** Longest possible wait, or its supremum. */
  readonly hiMs: number;
  readonly meanMs: number;
  /** Standard deviation. */
  readonly sdMs: number;
  /** Smallest waits that are not exceeded with a probability of 1%, 5%, … 99%. */
  readonly quantiles: {
    readonly p01: number;
    readonly p05: number;
    readonly p10: number;
    readonly p50: number;
    readonly p90: number;
    readonly p95: number;
    readonly p99: number;
  };
  /**
   * Waits of positive probability, in ascending order: many clients retry together there. A lattice
   * ({@link latticeMs}) lists only its ends, where the minimum and the cap collect all values beyond them.
   */
  readonly atoms: readonly Atom[];
  /** Step of the possible waits with jitter 'slotted': all are equally probable multiples of it, except the atoms. */
  readonly latticeMs?: number;
  /** Mean of the sum of the waits so far. */
  readonly totalMeanMs: number;
  /**
   * Longest possible sum of the waits so far. With jitter 'pollyV2' it is an upper bound once the cap or a minimum
   * cuts the curve.
   */
  readonly totalWorstMs: number;
}

/**
 * Computes the distribution of each wait: exact where a closed form exists. 'decorrelated',
 * 'decorrelatedBounded' and 'pollyV2' are numeric, with errors below 1e-6. (If the cap of a decorrelated jitter is
 * more than 1e24 times its base, waits after the first several hundred count as the last computed one.) Server hints
 * are not part of it: a hint can only lengthen a wait.
 *
 * @param k number of waits: an integer between 1 and 1000, which may exceed the policy's attempts. Defaults to
 *   `maxAttempts − 1`, at most 1000; to 20 without a limit of attempts
 * @throws {TypeError | RangeError} if `k` or the policy is invalid
 * @example
 * ```js
 * import { plan } from 'rejitter-lab';
 * const [first] = plan({ baseMs: 200, maxAttempts: 4 });
 * console.log(first.meanMs, first.quantiles.p99); // 100 198
 * ```
 */
export function plan(policy: Subject, k?: number): PlannedWait[];

/** Identifies the subject of a {@link Note}. */
export type NoteCode =
  /** There is only one attempt, or the deadline passes before any first wait can end. */
  | 'retries-never-happen'
  /** The deadline may pass before the first wait ends. */
  | 'deadline-before-first-wait'
  /** All waits are 0. */
  | 'no-wait'
  /** Jitter 'none'. */
  | 'no-jitter'
  /** `minMs` is at or above the first ceilings, so these waits are always exactly `minMs`. */
  | 'floor-removes-jitter'
  /** `minMs` leaves less than a fifth of the cap to draw from. */
  | 'min-near-cap'
  /** A growing backoff cannot grow, because `baseMs` is at the cap already. */
  | 'does-not-grow'
  /** A share of the clients waits exactly the cap. */
  | 'atom-at-cap'
  /** The waits alone may take longer than `totalTimeoutMs`. */
  | 'worst-case-exceeds-deadline'
  /** `attemptTimeoutMs` is not shorter than `totalTimeoutMs`. */
  | 'attempt-timeout-exceeds-deadline'
  /** Neither `maxAttempts` nor `totalTimeoutMs` ends an operation that keeps failing. */
  | 'unlimited-attempts-without-deadline'
  /** `idleTimeoutMs` without `totalTimeoutMs`: attempts that call `progress()` may follow each other without end. */
  | 'progress-without-deadline'
  /**
   * Three or more attempts, and no `budget()` in the policy's `protection`. Data have no protection: a
   * policy from `toJSON()` has no budget either.
   */
  | 'no-budget'
  /**
   * `retryOnResult` and a `protection` with a budget or breaker, but no `isFailure`: results that are retried count as
   * answers, unless their HTTP status says otherwise.
   */
  | 'results-without-verdict'
  /** `concurrency` of `limiter()` without `totalTimeoutMs`: a nested call may wait for itself. */
  | 'concurrency-without-deadline'
  /** The waits of one operation are shorter than the time that `limiter()` takes for a start. */
  | 'retries-exceed-limit'
  /** Fewer attempts start before `totalTimeoutMs` than the queue of `limiter()` takes. */
  | 'queue-exceeds-deadline'
  /** Neither `attemptTimeoutMs`, `idleTimeoutMs` nor `totalTimeoutMs` ends a hung attempt. */
  | 'no-time-limit'
  /** The longest possible and the mean sum of all waits. */
  | 'worst-case'
  /** The attempts run out, or the curve ends, before the cap. */
  | 'cap-never-reached'
  /** `capMs` is Infinity. */
  | 'no-cap'
  /** A first wait may be almost 0. */
  | 'immediate-retry-possible';

/** A note about a policy. */
export interface Note {
  /** Identifies the note for programs; stable. */
  readonly code: NoteCode;
  /** `warning`: probably unintended; `info`: good to know. */
  readonly severity: 'info' | 'warning';
  /** The sentence for people; the wording may change. */
  readonly text: string;
}

/**
 * Explains a policy in sentences: warnings first.
 *
 * @throws {TypeError | RangeError} if the policy is invalid
 * @example
 * ```js
 * import { explain } from 'rejitter-lab';
 * for (const { severity, text } of explain({ jitter: 'none', totalTimeoutMs: 1000 })) console.log(severity, text);
 * ```
 */
export function explain(policy: Subject): Note[];

/** Options of {@link sample}. */
export interface SampleOptions {
  /**
   * Number of waits of each operation: an integer between 1 and 1000, which may exceed the policy's attempts.
   *
   * @default maxAttempts − 1, at most 1000; 20 without a limit of attempts
   */
  waits?: number | undefined;
  /**
   * Number of operations: a positive integer. `waits · operations` is at most 2^24; draw more in parts, with
   * {@link firstOperation} and a seed.
   *
   * @default 1
   */
  operations?: number | undefined;
  /**
   * Number of operations to skip: an integer between 0 and 2^53 − 1. Samples with the same seed that follow each
   * other are parts of one large sample.
   *
   * @default 0
   */
  firstOperation?: number | undefined;
  /**
   * Seed of the draws, as in `policy.delays({ seed })`.
   *
   * @default the policy's own seed; if it has none, fresh randomness for each call
   */
  seed?: number | bigint | string | undefined;
}

/**
 * Draws the waits of many operations in which every attempt fails, in ms, operation by operation: wait k of
 * operation i is at `i·waits + k − 1`. The numbers equal, bit for bit, those of `policy.delays({ seed })` with a
 * `reset()` after each operation; large samples are much faster.
 *
 * @throws {TypeError | RangeError} if an option or the policy is invalid
 * @example
 * ```js
 * import { sample } from 'rejitter-lab';
 * const waits = sample({ maxAttempts: 4 }, { operations: 1000, seed: 1 });
 * console.log(waits.length); // 3000
 * ```
 */
export function sample(policy: Subject, options?: SampleOptions): Float64Array;

/**
 * Computes the density of wait `k` (an integer between 1 and 1000) as a flat list of three numbers per cell: its
 * start and end in ms, and the exact probability of a wait in it. A stretch of constant density is one cell; each
 * curved piece is divided into `resolution` cells (an integer between 1 and 1000, by default 32). Atoms and
 * lattices are not part of it: see {@link PlannedWait}.
 *
 * @throws {TypeError | RangeError} if an argument or the policy is invalid
 */
export function density(policy: Subject, k: number, resolution?: number): Float64Array;

/**
 * Computes the probability that wait `k` (an integer between 1 and 1000) is at most each of `ms`, a list of at
 * most 2^20 numbers.
 *
 * @throws {TypeError | RangeError} if an argument or the policy is invalid
 */
export function cdf(policy: Subject, k: number, ms: ArrayLike<number>): Float64Array;

/**
 * Computes the smallest waits `k` (an integer between 1 and 1000), in ms, that are not exceeded with each of
 * `probabilities`, a list of at most 2^20 numbers between 0 and 1.
 *
 * @throws {TypeError | RangeError} if an argument or the policy is invalid
 */
export function quantiles(policy: Subject, k: number, probabilities: ArrayLike<number>): Float64Array;
