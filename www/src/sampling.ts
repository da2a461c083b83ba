/**
 * The distribution of each wait of a policy, measured on the package itself: many operations'
 * waits are drawn from `policy.delays()` and summed up. No formula is repeated here. The ends of
 * each range are the policy's own waits for the smallest and the largest draw.
 */
import { RetryPolicy, type RetryOptions } from 'rejitter';

/** A value that is drawn with positive probability, as the cap is by decorrelated jitter. */
export interface Atom {
  readonly atMs: number;
  readonly share: number;
}

export interface WaitSample {
  /** 1 for the wait after the first attempt. */
  readonly k: number;
  readonly lowestMs: number;
  readonly highestMs: number;
  readonly meanMs: number;
  readonly p5Ms: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly atoms: readonly Atom[];
  /** How many draws, atoms left out, fell into each of equally wide bins of the range. */
  readonly bins: readonly number[];
}

export interface PolicySample {
  readonly operations: number;
  readonly waits: readonly WaitSample[];
  /** All waits of one operation together, if every attempt fails. */
  readonly total: { readonly meanMs: number; readonly p95Ms: number; readonly highestMs: number };
}

/** The largest draw: the greatest double below 1. */
const LARGEST = 1 - 2 ** -53;

const BINS_IN_WIDEST = 160;

/** Two equal draws of 53 bits are no coincidence in a sample; this many are surely an atom. */
const ATOM_MIN_COUNT = 5;

export function samplePolicy(options: RetryOptions, seed: number, operations: number): PolicySample {
  const lowest = [...new RetryPolicy({ ...options, random: () => 0 }).delays()];
  const highest = [...new RetryPolicy({ ...options, random: () => LARGEST }).delays()];
  const draws = highest.map(() => new Float64Array(operations));
  const totals = new Float64Array(operations);

  const delays = new RetryPolicy(options).delays({ seed });
  for (let i = 0; i < operations; i++) {
    let total = 0;
    let k = 0;
    for (const wait of delays) {
      const column = draws[k++];
      if (column) column[i] = wait;
      total += wait;
    }
    totals[i] = total;
    delays.reset();
  }

  const widest = Math.max(...highest);
  const waits = draws.map((column, i) => {
    const range = [lowest[i] ?? 0, highest[i] ?? 0] as const;
    return summarise(column.sort(), i + 1, range, widest);
  });
  totals.sort();
  return {
    operations,
    waits,
    total: { meanMs: mean(totals), p95Ms: quantile(totals, 0.95), highestMs: highest.reduce((a, b) => a + b, 0) },
  };
}

function summarise(
  sorted: Float64Array,
  k: number,
  [lowestMs, highestMs]: readonly [number, number],
  widest: number,
): WaitSample {
  const width = highestMs - lowestMs;
  const bins = new Array<number>(binCount(sorted, width, widest)).fill(0);
  const atoms: Atom[] = [];
  for (let start = 0; start < sorted.length; ) {
    const value = sorted[start] ?? 0;
    let end = start + 1;
    while (end < sorted.length && sorted[end] === value) end++;
    if (end - start >= ATOM_MIN_COUNT) atoms.push({ atMs: value, share: (end - start) / sorted.length });
    else {
      const bin = Math.min(bins.length - 1, Math.floor(((value - lowestMs) / width) * bins.length));
      bins[bin] = (bins[bin] ?? 0) + end - start;
    }
    start = end;
  }
  return {
    k,
    lowestMs,
    highestMs,
    meanMs: mean(sorted),
    p5Ms: quantile(sorted, 0.05),
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    atoms,
    bins,
  };
}

/**
 * As many bins as the sample supports (the rule of Freedman and Diaconis), and no more than a
 * plot as wide as the widest range can show.
 */
function binCount(sorted: Float64Array, width: number, widest: number): number {
  const middle = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  // The rule's spread is the middle half of the sample. A long tail stretches it; then the dense
  // lower end, scaled to the same share, is the better measure.
  const lower = (quantile(sorted, 0.2) - quantile(sorted, 0.05)) / 0.3;
  const spread = Math.min(middle, lower);
  const supported = (width * Math.cbrt(sorted.length)) / (2 * spread);
  const visible = (BINS_IN_WIDEST * width) / widest;
  return Math.max(1, Math.round(Math.min(supported, visible)) || 1);
}

/** The smallest value that at least the share p of the sample does not exceed. */
function quantile(sorted: Float64Array, p: number): number {
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? 0;
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
