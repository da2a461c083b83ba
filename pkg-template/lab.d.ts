/**
 * Policies under the magnifying glass: what they will do, before they do it, alone and in crowds.
 *
 * Everything is computed by the code that retries, in a second WebAssembly file that only this entry
 * carries; it is compiled at the first call. Everywhere a {@link RetryPolicy} or options are taken: options
 * are made into a policy, so that they are checked and refused as there. A `backoff` that is a function
 * cannot be looked into and is refused (`TypeError`); a list can. An injected `random` is taken to be
 * uniform. All times are milliseconds.
 *
 * @module rejitter/lab
 */

import type { PolicyOptions, RetryPolicy } from './index.js';

export * from './simulations.js';

/** What the lab looks at. */
export type Subject = RetryPolicy | PolicyOptions;

/** A point of positive probability. */
export interface Atom {
  /** The wait, in ms. */
  readonly ms: number;
  /** How probable exactly this wait is: above 0, at most 1. */
  readonly probability: number;
}

/** One wait of a {@link plan}; times in ms. */
export interface PlannedWait {
  /** The number of the wait, from 1: it follows failed attempt `k`. */
  readonly k: number;
  /** The backoff curve's value, at most the cap; for a jitter with a curve of its own the same as `hiMs`. */
  readonly ceilingMs: number;
  /** The shortest possible wait. */
  readonly loMs: number;
  /** The longest possible wait, or the bound that waits come arbitrarily near to. */
  readonly hiMs: number;
  readonly meanMs: number;
  /** The standard deviation. */
  readonly sdMs: number;
  /** The smallest waits that are not exceeded with a probability of 1 %, 5 %, … 99 %. */
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
   * The waits of positive probability, in ascending order: where clients meet. Of a lattice
   * ({@link latticeMs}) only its ends, where the floor and the cap gather what lies beyond them.
   */
  readonly atoms: readonly Atom[];
  /** With jitter 'slotted': all waits are multiples of this, equally probable, but for the atoms. */
  readonly latticeMs?: number;
  /** The mean of the sum of the waits so far. */
  readonly totalMeanMs: number;
  /**
   * The longest that the waits so far can take together. With jitter 'pollyV2' an upper bound as soon as
   * the cap or a floor cuts the curve.
   */
  readonly totalWorstMs: number;
}

/**
 * What each wait will be, in numbers: exact where a closed form exists; 'decorrelated',
 * 'decorrelatedBounded' and 'pollyV2' are numeric, with errors below 1e-6.
 *
 * @param k how many waits: a whole number from 1 to 1000, also more than the policy has attempts for.
 *   Default: `maxAttempts − 1`, at most 1000; 20 without a limit of attempts
 * @throws {TypeError | RangeError} when `k` or the policy is none
 * @example
 * ```js
 * import { plan } from 'rejitter/lab';
 * const [first] = plan({ baseMs: 200, maxAttempts: 4 });
 * console.log(first.meanMs, first.quantiles.p99); // 100 198
 * ```
 */
export function plan(policy: Subject, k?: number): PlannedWait[];

/** What a {@link Note} is about. */
export type NoteCode =
  /** There is one attempt only, or the deadline passes before any first wait can end. */
  | 'retries-never-happen'
  /** The deadline may pass before the first wait ends. */
  | 'deadline-before-first-wait'
  /** All waits are 0. */
  | 'no-wait'
  /** Jitter 'none'. */
  | 'no-jitter'
  /** `minMs` is at or above the first ceilings: waits that are always the floor. */
  | 'floor-removes-jitter'
  /** `minMs` leaves less than a fifth of the cap to draw from. */
  | 'min-near-cap'
  /** A share of the clients waits exactly the cap. */
  | 'atom-at-cap'
  /** The waits alone may take longer than `totalTimeoutMs`. */
  | 'worst-case-exceeds-deadline'
  /** `attemptTimeoutMs` is not below `totalTimeoutMs`. */
  | 'attempt-timeout-exceeds-deadline'
  /** Neither `maxAttempts` nor `totalTimeoutMs` ends what keeps failing. */
  | 'unlimited-attempts-without-deadline'
  /** Neither `attemptTimeoutMs` nor `totalTimeoutMs` ends an attempt that hangs. */
  | 'no-time-limit'
  /** How long all waits take at most, and on the average. */
  | 'worst-case'
  /** The attempts run out, or the curve stops, before the cap. */
  | 'cap-never-reached'
  /** `capMs` is Infinity. */
  | 'no-cap'
  /** A first wait may be nearly nothing. */
  | 'immediate-retry-possible';

/** One noteworthy thing about a policy. */
export interface Note {
  /** What it is, for programs; stable. */
  readonly code: NoteCode;
  /** `warning`: probably not what was meant; `info`: good to know. */
  readonly severity: 'info' | 'warning';
  /** What it is, for people; the wording may change. */
  readonly text: string;
}

/**
 * What is noteworthy about a policy, in sentences: warnings first.
 *
 * @throws {TypeError | RangeError} when the policy is none
 * @example
 * ```js
 * import { explain } from 'rejitter/lab';
 * for (const { severity, text } of explain({ jitter: 'none', totalTimeoutMs: 1000 })) console.log(severity, text);
 * ```
 */
export function explain(policy: Subject): Note[];

/** Options of {@link sample}. */
export interface SampleOptions {
  /**
   * How many waits of each operation: a whole number from 1 to 1000, also more than the policy has
   * attempts for.
   *
   * @default maxAttempts − 1, at most 1000; 20 without a limit of attempts
   */
  waits?: number | undefined;
  /**
   * How many operations: a whole number from 1; `waits · operations` at most 2^28.
   *
   * @default 1
   */
  operations?: number | undefined;
  /**
   * Where the draws start, as in `policy.delays({ seed })`.
   *
   * @default the policy's own seed; without one, fresh at each call
   */
  seed?: number | bigint | string | undefined;
}

/**
 * The waits of many operations in which every attempt fails, in ms, operation by operation: wait k of
 * operation i is at `i·waits + k − 1`. The same numbers, bit for bit, as from `policy.delays({ seed })`
 * with a `reset()` after each operation; for large numbers much faster.
 *
 * @throws {TypeError | RangeError} when an option or the policy is none
 * @example
 * ```js
 * import { sample } from 'rejitter/lab';
 * const waits = sample({ maxAttempts: 4 }, { operations: 1000, seed: 1 });
 * console.log(waits.length); // 3000
 * ```
 */
export function sample(policy: Subject, options?: SampleOptions): Float64Array;

/**
 * The density of wait `k` (a whole number from 1 to 1000), as a flat list of three numbers per cell: where
 * it begins and ends in ms, and the exact probability of a wait in it. Where the density is constant, a
 * cell is as long as that; where it is curved, each smooth piece is divided into `resolution` cells (a
 * whole number from 1 to 1000). Atoms and lattices are not in it: see {@link PlannedWait}.
 *
 * @throws {TypeError | RangeError} when an argument or the policy is none
 */
export function density(policy: Subject, k: number, resolution?: number): Float64Array;

/**
 * The probability of a wait `k` (a whole number from 1 to 1000) up to each of `ms`.
 *
 * @throws {TypeError | RangeError} when an argument or the policy is none
 */
export function cdf(policy: Subject, k: number, ms: ArrayLike<number>): Float64Array;

/**
 * The smallest waits `k` (a whole number from 1 to 1000), in ms, that are not exceeded with each of
 * `probabilities`, numbers from 0 to 1.
 *
 * @throws {TypeError | RangeError} when an argument or the policy is none
 */
export function quantiles(policy: Subject, k: number, probabilities: ArrayLike<number>): Float64Array;
