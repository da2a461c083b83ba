/**
 * When retries land and when calls succeed, measured on sampled operations: sums of waits have no
 * closed form. The deadline acts as in the package: a wait that would end at or after it is not made.
 */
import { sample } from 'rejitter/lab';
import { policyOf, type Strategy } from '../state/strategy';

/** Enough that a percentile is within one percent, in some milliseconds. */
const OPERATIONS = 20_000;

/** Of a strategy without a limit of attempts, so many retries are followed. */
const MOST_RETRIES = 40;

const BINS = 240;

/** Points that a curve is drawn with; it has as many steps as samples. */
const POINTS = 400;

export interface TotalsInput {
  readonly strategies: readonly Strategy[];
  /** The chance that an attempt fails. */
  readonly failureRate: number;
  readonly seed: number;
}

export interface Totals {
  readonly strategy: Strategy;
  /** Retries of one operation whose attempts all fail, per time bin. */
  readonly landings: Float64Array;
  /** The share of the calls that has succeeded up to each time, both ascending. */
  readonly success: { readonly timesMs: Float64Array; readonly shares: Float64Array };
  /** The share that succeeds at all. */
  readonly plateau: number;
  /** When half of all calls have succeeded; undefined if they never have. */
  readonly p50Ms: number | undefined;
  /** When 95 % of all successes have happened. */
  readonly p95Ms: number;
  /** The latest retry. */
  readonly lastMs: number;
  /** The mean of all waits together, of an operation whose attempts all fail. */
  readonly meanMs: number;
}

export interface TotalsResult {
  readonly binMs: number;
  readonly totals: readonly Totals[];
}

export function totals({ strategies, failureRate, seed }: TotalsInput): TotalsResult {
  const all = strategies.map((strategy) => ({ strategy, sums: retryTimes(strategy, seed) }));
  const lastMs = Math.max(1, ...all.map(({ sums }) => latest(sums)));
  const binMs = roundUp(lastMs / BINS);
  return { binMs, totals: all.map(({ strategy, sums }) => summarised(strategy, sums, failureRate, binMs)) };
}

/** For each retry, when it is made in each operation; NaN where the deadline does not let it. */
function retryTimes(strategy: Strategy, seed: number): readonly Float64Array[] {
  const { totalTimeoutMs } = strategy;
  const perOperation = Math.min(strategy.maxAttempts - 1, MOST_RETRIES);
  const waits = sample(policyOf(strategy), { operations: OPERATIONS, waits: perOperation, seed });
  const sums = Array.from({ length: perOperation }, () => new Float64Array(OPERATIONS).fill(NaN));
  for (let i = 0; i < OPERATIONS; i++) {
    let at = 0;
    for (const [k, column] of sums.entries()) {
      at += waits[i * perOperation + k] ?? NaN;
      if (!(at < totalTimeoutMs)) break;
      column[i] = at;
    }
  }
  return sums;
}

function latest(sums: readonly Float64Array[]): number {
  let last = 0;
  for (const column of sums) for (const at of column) if (at > last) last = at;
  return last;
}

function summarised(strategy: Strategy, sums: readonly Float64Array[], failureRate: number, binMs: number): Totals {
  const landings = new Float64Array(BINS + 1);
  // A retry is needed if all attempts before it failed; it then succeeds with the chance of any attempt.
  const first = 1 - failureRate;
  const steps: { at: number; weight: number }[] = [];
  for (const [j, column] of sums.entries()) {
    const weight = (failureRate ** (j + 1) * first) / OPERATIONS;
    for (const at of column) {
      if (Number.isNaN(at)) continue;
      const bin = Math.min(BINS, Math.floor(at / binMs));
      landings[bin] = (landings[bin] ?? 0) + 1 / OPERATIONS;
      steps.push({ at, weight });
    }
  }
  steps.sort((a, b) => a.at - b.at);
  const plateau = steps.reduce((sum, { weight }) => sum + weight, first);
  const reached = (share: number): number | undefined => {
    let sum = first;
    if (sum >= share) return 0;
    for (const { at, weight } of steps) if ((sum += weight) >= share) return at;
    return undefined;
  };
  return {
    strategy,
    landings,
    success: curve(steps, first),
    plateau,
    p50Ms: reached(0.5),
    // One part in 10^12 for the sum's rounding.
    p95Ms: reached(0.95 * plateau * (1 - 1e-12)) ?? 0,
    lastMs: steps.at(-1)?.at ?? 0,
    meanMs: meanOf(sums),
  };
}

/** Of the last retry that each operation makes; 0 for one that makes none. */
function meanOf(sums: readonly Float64Array[]): number {
  let total = 0;
  for (let i = 0; i < OPERATIONS; i++) total += sums.findLast((column) => !Number.isNaN(column[i]))?.[i] ?? 0;
  return total / OPERATIONS;
}

/** The curve at so many steps, evenly far up; where many retries land at once, all of the jump. */
function curve(steps: readonly { at: number; weight: number }[], first: number): Totals['success'] {
  const times = [0];
  const shares = [first];
  const plateau = steps.reduce((sum, { weight }) => sum + weight, first);
  const rise = (plateau - first) / POINTS;
  let sum = first;
  for (const [i, { at, weight }] of steps.entries()) {
    sum += weight;
    const next = steps[i + 1];
    if (next?.at === at) continue;
    if (next === undefined || sum - (shares.at(-1) ?? 0) >= rise) {
      times.push(at);
      shares.push(sum);
    }
  }
  return { timesMs: Float64Array.from(times), shares: Float64Array.from(shares) };
}

/** The next 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((m) => m * power >= value) ?? 10) * power;
}
