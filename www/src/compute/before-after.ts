/** The waits of another library and of its translation: exact where the lab knows the formula, else sampled. */
import type { RetryPolicy } from 'rejitter';
import { fromData } from 'rejitter/data';
import { cdf, plan } from 'rejitter/lab';
import type { Spread } from '../charts/density';
import { policyOf, type Strategy } from '../state/strategy';
import { shapeOf } from './waits';

/** How another library draws its waits. */
export type Before =
  | { readonly kind: 'policy'; readonly data: Readonly<Record<string, unknown>> }
  /** The default generator of cockatiel, which cuts longer draws to `capMs`. */
  | {
      readonly kind: 'cockatiel';
      readonly baseMs: number;
      readonly exponent: number;
      readonly capMs: number;
      readonly waits: number;
    }
  /** The random waits of `retry`, which draws them together and sorts them. */
  | {
      readonly kind: 'sorted';
      readonly baseMs: number;
      readonly factor: number;
      readonly capMs: number;
      readonly waits: number;
    };

export interface BeforeAfterInput {
  readonly before: Before;
  readonly after: Strategy;
  readonly seed: number;
}

export interface Side extends Spread {
  readonly meanMs: number;
  readonly p05Ms: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly hiMs: number;
}

export interface Compared {
  readonly k: number;
  readonly before: Side;
  readonly after: Side;
  /** The share of clients that wait differently: the largest distance between the two distribution functions. */
  readonly distance: number;
}

export interface BeforeAfter {
  readonly waits: readonly Compared[];
  /** Whether the waits before were sampled. */
  readonly sampled: boolean;
}

/** More rows say nothing new. */
const MOST_WAITS = 10;
/** Bins of a histogram. */
const RESOLUTION = 48;
const SAMPLES = 40_000;
/** Points at which the distributions are compared. */
const POINTS = 400;

interface Known {
  readonly sides: readonly Side[];
  /** The probability that wait k is at most each of these. */
  readonly shares: (k: number, ms: Float64Array) => Float64Array;
}

export function beforeAfter({ before, after, seed }: BeforeAfterInput): BeforeAfter {
  const policy = policyOf({ ...after, totalTimeoutMs: Infinity });
  const count = Math.min(MOST_WAITS, after.maxAttempts - 1);
  const translated = exact(policy, count);
  const original =
    before.kind === 'policy' ? exact(fromData(withoutDeadline(before.data)), count) : sampled(before, count, seed);
  const waits = original.sides.map((side, i): Compared => {
    const [k, other] = [i + 1, translated.sides[i] ?? side];
    const most = Math.max(side.hiMs, other.hiMs);
    const points = Float64Array.from({ length: POINTS }, (_, j) => (most * (j + 1)) / POINTS);
    const [a, b] = [original.shares(k, points), translated.shares(k, points)];
    return {
      k,
      before: side,
      after: other,
      distance: a.reduce((largest, share, j) => Math.max(largest, Math.abs(share - (b[j] ?? 0))), 0),
    };
  });
  return { waits, sampled: before.kind !== 'policy' };
}

/** Whether a wait is made is another question than how long it is. */
function withoutDeadline({
  totalTimeoutMs: _,
  ...data
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return data;
}

function exact(policy: RetryPolicy, count: number): Known {
  const sides = plan(policy, count).map((wait): Side => {
    const { meanMs, hiMs, quantiles } = wait;
    return { meanMs, hiMs, p05Ms: quantiles.p05, p50Ms: quantiles.p50, p95Ms: quantiles.p95, ...shapeOf(policy, wait) };
  });
  return { sides, shares: (k, ms) => cdf(policy, k, ms) };
}

function sampled(before: Exclude<Before, { kind: 'policy' }>, most: number, seed: number): Known {
  const count = Math.min(most, before.waits);
  // One column per wait.
  const columns = Array.from({ length: count }, () => new Float64Array(SAMPLES));
  const random = generator(seed);
  for (let i = 0; i < SAMPLES; i++) {
    const drawn = before.kind === 'cockatiel' ? cockatiel(before, random) : sorted(before, random);
    for (const [k, column] of columns.entries()) column[i] = drawn[k] ?? 0;
  }
  for (const column of columns) column.sort();
  return {
    sides: columns.map((column) => sideOf(column, before.capMs)),
    shares: (k, ms) => ms.map((at) => shareUpTo(columns[k - 1] ?? new Float64Array(), at)),
  };
}

/** decorrelatedJitterGenerator of cockatiel 4.0.0. */
function cockatiel(
  { baseMs, exponent, capMs, waits }: Extract<Before, { kind: 'cockatiel' }>,
  random: () => number,
): number[] {
  let previous = 0;
  return Array.from({ length: waits }, (_, attempt) => {
    const t = attempt + random();
    const next = exponent ** t * Math.tanh(Math.sqrt(4 * t));
    const ms = Math.min((Math.max(0, next - previous) / 1.4) * baseMs, capMs);
    previous = next;
    return ms;
  });
}

/** `timeouts` of retry 0.13.1. */
function sorted({ baseMs, factor, capMs, waits }: Extract<Before, { kind: 'sorted' }>, random: () => number): number[] {
  return Array.from({ length: waits }, (_, i) =>
    Math.min(Math.round((1 + random()) * baseMs * factor ** i), capMs),
  ).sort((a, b) => a - b);
}

/** A histogram of sorted draws; those at the cap are one point. */
function sideOf(draws: Float64Array, capMs: number): Side {
  const below = draws.findIndex((ms) => ms >= capMs);
  const spread = below === -1 ? draws : draws.subarray(0, below);
  const atCap = (draws.length - spread.length) / draws.length;
  const [lo, hi] = [spread[0] ?? capMs, spread.at(-1) ?? capMs];
  const width = (hi - lo) / RESOLUTION;
  const cells = new Float64Array(width > 0 ? 3 * RESOLUTION : 0);
  for (let i = 0; i < cells.length; i += 3) {
    cells[i] = lo + (i / 3) * width;
    cells[i + 1] = lo + (i / 3 + 1) * width;
  }
  for (const ms of cells.length > 0 ? spread : []) {
    const cell = 3 * Math.min(RESOLUTION - 1, Math.floor((ms - lo) / width)) + 2;
    cells[cell] = (cells[cell] ?? 0) + 1 / draws.length;
  }
  const quantile = (share: number): number => draws[Math.floor(share * draws.length)] ?? 0;
  return {
    cells,
    slots: [],
    atoms: atCap > 0 ? [{ ms: capMs, probability: atCap }] : width > 0 ? [] : [{ ms: lo, probability: 1 }],
    meanMs: draws.reduce((sum, ms) => sum + ms, 0) / draws.length,
    p05Ms: quantile(0.05),
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    hiMs: draws.at(-1) ?? 0,
  };
}

/** Searches by halving, because the draws are sorted. */
function shareUpTo(draws: Float64Array, ms: number): number {
  let [from, to] = [0, draws.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((draws[middle] ?? 0) <= ms) from = middle + 1;
    else to = middle;
  }
  return draws.length === 0 ? 0 : from / draws.length;
}

/** The numbers that `Math.random` would give the other library: mulberry32, so that a link shows the same picture. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
