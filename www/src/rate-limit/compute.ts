/** A server that answers 429: what workers do to it that ignore the hint, follow their own, or share it. */
import { simulateRateLimit, type RateLimitOptions } from 'rejitter-lab';
import { createPace, resultOf } from '../compute/pace';
import { policyOf, type Strategy } from '../state/strategy';

export interface RateLimitInput {
  readonly strategy: Strategy;
  readonly seed: number;
}

export interface RateLimitResult {
  readonly input: RateLimitInput;
  readonly runs: readonly {
    readonly hints: 'ignored' | 'followed' | 'shared';
    readonly rejected: number;
    /** Jobs that failed. */
    readonly failed: number;
    /** When the last job ended. */
    readonly endMs: number;
  }[];
}

export const JOBS_COUNT = 1000;
export const WORKERS = 50;
export const LIMIT = 100;
export const WINDOW_MS = 10_000;
/** With few attempts, one that learns nothing costs a job. */
export const ATTEMPTS = 2;
const MOST_MS = 600_000;

const SERVER = { jobs: JOBS_COUNT, workers: WORKERS, limit: LIMIT, windowMs: WINDOW_MS, horizonMs: MOST_MS };
const KINDS: readonly (readonly [RateLimitResult['runs'][number]['hints'], RateLimitOptions])[] = [
  ['ignored', { hints: 'ignored' }],
  ['followed', {}],
  ['shared', { protection: { cooldown: {} } }],
];

export async function rateLimit(
  input: RateLimitInput,
  _report: (partial: RateLimitResult) => void,
  signal: AbortSignal,
): Promise<RateLimitResult> {
  const { strategy, seed } = input;
  const pace = createPace(signal);
  const policy = policyOf({ ...strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity });
  const runs: RateLimitResult['runs'][number][] = [];
  for (const [hints, options] of KINDS) {
    const { totals } = await resultOf(simulateRateLimit(policy, { ...SERVER, ...options, seed }), pace);
    runs.push({ hints, rejected: totals.rejected, failed: JOBS_COUNT - totals.done, endMs: totals.endMs });
  }
  return { input, runs };
}
