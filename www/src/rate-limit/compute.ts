/** A server that answers 429: what workers do to it that ignore the hint, follow their own, or share it. */
import { simulateRateLimit, type RateLimitOptions } from 'rejitter/lab';
import { policyOf, type Strategy } from '../state/strategy';
import { createPace, resultOf } from '../compute/pace';

export interface RateLimitInput {
  readonly strategy: Strategy;
  readonly seed: number;
}

export type Hints = 'ignored' | 'followed' | 'shared';

export interface RateLimitRun {
  readonly hints: Hints;
  readonly rejected: number;
  /** Jobs that failed. */
  readonly failed: number;
  /** When the last job ended. */
  readonly endMs: number;
}

export interface RateLimitResult {
  readonly input: RateLimitInput;
  readonly runs: readonly RateLimitRun[];
}

export const JOBS_COUNT = 1000;
export const WORKERS = 50;
export const LIMIT = 100;
export const WINDOW_MS = 10_000;
/** With few attempts, one that learns nothing costs a job. */
export const ATTEMPTS = 2;
const MOST_MS = 600_000;

const KINDS: readonly (readonly [Hints, RateLimitOptions])[] = [
  ['ignored', { hints: 'ignored' }],
  ['followed', {}],
  ['shared', { protection: { cooldown: {} } }],
];

export async function rateLimit(
  input: RateLimitInput,
  _report: (partial: RateLimitResult) => void,
  signal: AbortSignal,
): Promise<RateLimitResult> {
  const pace = createPace(signal);
  const runs: RateLimitRun[] = [];
  for (const [hints, options] of KINDS) {
    const simulation = simulateRateLimit(
      policyOf({ ...input.strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity }),
      {
        jobs: JOBS_COUNT,
        workers: WORKERS,
        limit: LIMIT,
        windowMs: WINDOW_MS,
        horizonMs: MOST_MS,
        ...options,
        seed: input.seed,
      },
    );
    const { totals } = await resultOf(simulation, pace);
    const { rejected, done, endMs } = totals;
    runs.push({ hints, rejected, failed: JOBS_COUNT - done, endMs });
  }
  return { input, runs };
}
