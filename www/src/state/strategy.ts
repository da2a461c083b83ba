/** The chosen strategy: what the controls set, and what everything else on the page reads. */
import { RetryPolicy, type Backoff as AnyBackoff, type Jitter as AnyJitter, type RetryOptions } from 'rejitter';

/** The kinds that this page draws. */
export type Backoff = Extract<AnyBackoff, 'fixed' | 'linear' | 'exponential' | 'truncated'>;
export type Jitter = Extract<AnyJitter, 'none' | 'full' | 'equal' | 'decorrelated'>;

export const BACKOFFS: readonly Backoff[] = ['fixed', 'linear', 'exponential', 'truncated'];
export const JITTERS: readonly Jitter[] = ['none', 'full', 'equal', 'decorrelated'];

/** A cell of the grid. */
export interface Choice {
  readonly backoff: Backoff;
  readonly jitter: Jitter;
}

export const CHOICES: readonly Choice[] = BACKOFFS.flatMap((backoff) => JITTERS.map((jitter) => ({ backoff, jitter })));

export interface Strategy extends Choice {
  readonly baseMs: number;
  readonly capMs: number;
  readonly factor: number;
  readonly truncateAt: number;
  readonly maxAttempts: number;
  /** The deadline; Infinity for none. */
  readonly totalTimeoutMs: number;
}

/** Full jitter with the attempts that an outage of two seconds takes. Truncation is set where five waits show it. */
export const INITIAL: Strategy = {
  backoff: 'exponential',
  jitter: 'full',
  baseMs: 100,
  capMs: 10_000,
  factor: 2,
  truncateAt: 4,
  maxAttempts: 10,
  totalTimeoutMs: Infinity,
};

/** The same numbers with another curve or jitter. */
export function withChoice(strategy: Strategy, { backoff, jitter }: Choice): Strategy {
  return { ...strategy, backoff, jitter };
}

export function sameChoice(a: Choice, b: Choice): boolean {
  return a.backoff === b.backoff && a.jitter === b.jitter;
}

/** Whether the package takes these numbers, in every cell of the grid. */
export function isAccepted(strategy: Strategy): boolean {
  try {
    for (const choice of CHOICES) new RetryPolicy(policyOptions(withChoice(strategy, choice)));
    return true;
  } catch {
    return false;
  }
}

/**
 * Decorrelated jitter replaces the curve: each wait is drawn from the one before it, so the
 * backoff, its factor and its truncation do not act.
 */
export function curveActs(strategy: Choice): boolean {
  return strategy.jitter !== 'decorrelated';
}

/** The options that act in this strategy, as `RetryPolicy` takes them. */
export function policyOptions(strategy: Strategy): RetryOptions {
  const { backoff, jitter, baseMs, capMs, factor, truncateAt, maxAttempts, totalTimeoutMs } = strategy;
  const range = { baseMs, capMs };
  const limits = totalTimeoutMs === Infinity ? { maxAttempts } : { maxAttempts, totalTimeoutMs };
  if (jitter === 'decorrelated') return { jitter, ...range, ...limits };
  switch (backoff) {
    case 'exponential':
      return { backoff, jitter, ...range, factor, ...limits };
    case 'truncated':
      return { backoff, jitter, ...range, truncateAt, ...limits };
    case 'linear':
      return { backoff, jitter, ...range, ...limits };
    case 'fixed':
      return { backoff, jitter, ...range, ...limits };
  }
}

export type FamilyName =
  | 'retry'
  | 'retryWithFullJitter'
  | 'retryWithEqualJitter'
  | 'retryWithDecorrelatedJitter'
  | 'retryWithExponentialBackoff'
  | 'retryWithLinearBackoff'
  | 'retryWithFixedDelay'
  | 'retryWithTruncatedBackoff';

/** The functions whose name says both backoff and jitter. */
const NAMED: readonly (readonly [FamilyName, Backoff, Jitter])[] = [
  ['retryWithFullJitter', 'exponential', 'full'],
  ['retryWithEqualJitter', 'exponential', 'equal'],
  ['retryWithExponentialBackoff', 'exponential', 'none'],
  ['retryWithLinearBackoff', 'linear', 'none'],
  ['retryWithFixedDelay', 'fixed', 'none'],
  ['retryWithTruncatedBackoff', 'truncated', 'full'],
];

/**
 * The call that a program would write for this strategy: the function that is named for it, or
 * `retry` with backoff and jitter as options. The live section makes this very call, and the code
 * section prints it.
 */
export function usage(strategy: Strategy): { name: FamilyName; options: RetryOptions } {
  const { backoff, jitter, ...options } = policyOptions(strategy);
  if (jitter === 'decorrelated') return { name: 'retryWithDecorrelatedJitter', options };
  const named = NAMED.find(([, b, j]) => b === strategy.backoff && j === strategy.jitter);
  if (named) return { name: named[0], options };
  return { name: 'retry', options: { backoff: strategy.backoff, jitter: strategy.jitter, ...options } };
}

/** The curve's value at wait k, with what stands in the exponent; the cap bounds it. */
const CURVES: Record<Backoff, { readonly base: string; readonly exponent?: string }> = {
  fixed: { base: 'base' },
  linear: { base: 'base·k' },
  exponential: { base: 'base·factor', exponent: 'k−1' },
  truncated: { base: 'base·2', exponent: 'min(k,N)−1' },
};

export function curveFormula(backoff: Backoff): { readonly base: string; readonly exponent?: string } {
  return CURVES[backoff];
}

/** How the wait is drawn below the ceiling c; r is uniform on [0, 1). */
const DRAWS: Record<Jitter, string> = {
  none: 'c',
  full: 'r·c',
  equal: 'c/2 + r·c/2',
  decorrelated: 'base + r·(3·prev − base)',
};

export function jitterFormula(jitter: Jitter): string {
  return DRAWS[jitter];
}

export function title(strategy: Choice): string {
  const { backoff, jitter } = strategy;
  if (!curveActs(strategy)) return 'Decorrelated jitter';
  return `${capitalised(backoff)} · ${jitter === 'none' ? 'no jitter' : `${jitter} jitter`}`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
