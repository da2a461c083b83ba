/**
 * When retries land and when calls succeed, measured on sampled operations: sums of waits have no
 * closed form. The deadline acts as in the package: a wait that would end at or after it is not made.
 */
import { sample } from 'rejitter/lab';
import { policyOf, type Strategy } from '../state/strategy';
import { MOST_DRAWN } from './waits';

/** Enough that a percentile is within one percent, in some milliseconds. Operations with many retries are fewer. */
const OPERATIONS = 20_000;
const MOST_SAMPLES = 800_000;

/** Without a limit of attempts, retries are followed until so few calls are left, or until the deadline. */
const LEAST_LEFT = 1e-4;
const MOST_RETRIES = 200;

/** So narrow that the waits of one client rarely share a bin: what is high is many clients at once. */
const BINS = 2000;

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
  /** When 95% of all calls have succeeded; undefined if they never have. */
  readonly p95Ms: number | undefined;
  /** The latest retry. */
  readonly lastMs: number;
  /** The mean of all waits together, of an operation whose attempts all fail; Infinity if it never ends. */
  readonly meanMs: number;
}

export interface TotalsResult {
  readonly binMs: number;
  readonly totals: readonly Totals[];
}

export function totals({ strategies, failureRate, seed }: TotalsInput): TotalsResult {
  const all = strategies.map((strategy) => ({ strategy, ...retriesOf(strategy, failureRate, seed) }));
  const lastMs = Math.max(1, ...all.map(({ merged }) => merged.timesMs.at(-1) ?? 0));
  const binMs = roundUp(lastMs / BINS);
  return { binMs, totals: all.map((one) => summarised(one, failureRate, binMs)) };
}

/** The retries of all operations in the order of time. */
interface Merged {
  readonly timesMs: Float64Array;
  /** 0 for the first retry of an operation. */
  readonly retries: Uint16Array;
}

interface Retries {
  readonly strategy: Strategy;
  readonly operations: number;
  readonly merged: Merged;
  readonly meanMs: number;
}

function retriesOf(strategy: Strategy, failureRate: number, seed: number): Omit<Retries, 'strategy'> {
  const { totalTimeoutMs, maxAttempts } = strategy;
  const perOperation = Math.min(maxAttempts - 1, maxAttempts === Infinity ? followed(strategy, failureRate) : Infinity);
  if (perOperation === 0)
    return { operations: 1, merged: { timesMs: new Float64Array(), retries: new Uint16Array() }, meanMs: 0 };
  const operations = Math.min(OPERATIONS, Math.floor(MOST_SAMPLES / perOperation));
  const waits = sample(policyOf(strategy), { operations, waits: perOperation, seed });
  // A column for each retry; NaN where the deadline does not let it.
  const columns = Array.from({ length: perOperation }, () => new Float64Array(operations).fill(NaN));
  let total = 0;
  for (let i = 0; i < operations; i++) {
    let [at, last, k] = [0, 0, 0];
    for (; k < perOperation; k++) {
      at += waits[i * perOperation + k] ?? NaN;
      if (!(at < totalTimeoutMs)) break;
      (columns[k] as Float64Array)[i] = last = at;
    }
    // Retries that are not followed go on until just before the deadline.
    total += k === perOperation && maxAttempts === Infinity && totalTimeoutMs !== Infinity ? totalTimeoutMs : last;
  }
  return {
    operations,
    merged: merge(columns),
    meanMs: maxAttempts === Infinity && totalTimeoutMs === Infinity ? Infinity : total / operations,
  };
}

/** The most that an operation makes here. */
function mostRetries({ maxAttempts }: Strategy): number {
  return maxAttempts === Infinity ? MOST_RETRIES : maxAttempts - 1;
}

/** How many retries count where nothing limits the attempts. */
function followed({ totalTimeoutMs }: Strategy, failureRate: number): number {
  if (totalTimeoutMs !== Infinity) return MOST_RETRIES;
  return failureRate === 0
    ? 1
    : Math.min(MOST_RETRIES, Math.max(MOST_DRAWN, Math.ceil(Math.log(LEAST_LEFT) / Math.log(failureRate))));
}

function merge(columns: readonly Float64Array[]): Merged {
  // NaN is sorted to the end.
  const sorted = columns.map((column) => {
    const times = column.toSorted();
    const end = times.findLastIndex((at) => !Number.isNaN(at)) + 1;
    return times.subarray(0, end);
  });
  const length = sorted.reduce((sum, times) => sum + times.length, 0);
  const merged = { timesMs: new Float64Array(length), retries: new Uint16Array(length) };
  const next = new Uint32Array(sorted.length);
  // Retry j is never before retry j − 1, so only few columns are open at a time.
  let [from, to] = [0, 1];
  for (let i = 0; i < length; i++) {
    let [earliest, column] = [Infinity, -1];
    for (let j = from; j < Math.min(to, sorted.length); j++) {
      const at = sorted[j]?.[next[j] ?? 0] ?? Infinity;
      if (at < earliest || column < 0) [earliest, column] = [at, j];
    }
    merged.timesMs[i] = earliest;
    merged.retries[i] = column;
    next[column] = (next[column] ?? 0) + 1;
    if (column === to - 1) to++;
    while (from < to - 1 && next[from] === sorted[from]?.length) from++;
  }
  return merged;
}

function summarised({ strategy, operations, merged, meanMs }: Retries, failureRate: number, binMs: number): Totals {
  const { timesMs, retries } = merged;
  // A retry is needed if all attempts before it failed; it then succeeds with the chance of any attempt.
  const first = 1 - failureRate;
  const weights = Float64Array.from(
    { length: mostRetries(strategy) },
    (_, j) => (failureRate ** (j + 1) * first) / operations,
  );
  const weight = (i: number): number => weights[retries[i] ?? 0] ?? 0;
  const landings = new Float64Array(BINS + 1);
  let plateau = first;
  for (const [i, at] of timesMs.entries()) {
    const bin = Math.min(BINS, Math.floor(at / binMs));
    landings[bin] = (landings[bin] ?? 0) + 1 / operations;
    plateau += weight(i);
  }
  const reached = (share: number): number | undefined => {
    // One part in 10^12 for the sum's rounding.
    const least = share * (1 - 1e-12);
    let sum = first;
    if (sum >= least) return 0;
    for (const [i, at] of timesMs.entries()) if ((sum += weight(i)) >= least) return at;
    return undefined;
  };
  return {
    strategy,
    landings,
    success: curve(timesMs, weight, first, plateau),
    plateau,
    p50Ms: reached(0.5),
    p95Ms: reached(0.95),
    lastMs: timesMs.at(-1) ?? 0,
    meanMs,
  };
}

/** The curve at this many steps, evenly far up; where many retries land at once, all of the jump. */
function curve(
  timesMs: Float64Array,
  weight: (i: number) => number,
  first: number,
  plateau: number,
): Totals['success'] {
  const times = [0];
  const shares = [first];
  const rise = (plateau - first) / POINTS;
  let sum = first;
  for (const [i, at] of timesMs.entries()) {
    sum += weight(i);
    const next = timesMs[i + 1];
    if (next === at) continue;
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
