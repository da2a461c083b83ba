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
  /** Requests per time bin, and those of them that were accepted. */
  readonly arrivals: Uint32Array;
  readonly accepted: Uint32Array;
  readonly requests: number;
  readonly rejected: number;
  /** Jobs that failed. */
  readonly failed: number;
  /** When the last job ended. */
  readonly endMs: number;
}

export interface RateLimitResult {
  readonly input: RateLimitInput;
  readonly binMs: number;
  readonly horizonMs: number;
  readonly runs: readonly RateLimitRun[];
}

export const JOBS_COUNT = 1000;
export const WORKERS = 50;
export const LIMIT = 100;
export const WINDOW_MS = 10_000;
/** With few attempts, one that learns nothing costs a job. */
export const ATTEMPTS = 2;
const BIN_MS = 500;
const MOST_MS = 600_000;

const KINDS: readonly (readonly [Hints, RateLimitOptions])[] = [
  ['ignored', { hints: 'ignored' }],
  ['followed', {}],
  ['shared', { protection: { cooldown: {} } }],
];

export async function rateLimit(
  input: RateLimitInput,
  report: (partial: RateLimitResult) => void,
  signal: AbortSignal,
): Promise<RateLimitResult> {
  const pace = createPace(signal);
  const runs: RateLimitRun[] = [];
  const result = (): RateLimitResult => {
    const end = Math.max(...runs.map(({ endMs }) => endMs));
    return {
      input,
      binMs: BIN_MS,
      horizonMs: Math.min(MOST_MS, WINDOW_MS * Math.ceil((end + 1) / WINDOW_MS)),
      runs: [...runs],
    };
  };
  for (const [hints, options] of KINDS) {
    if (runs.length > 0) report(result());
    const simulation = simulateRateLimit(
      policyOf({ ...input.strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity }),
      {
        jobs: JOBS_COUNT,
        workers: WORKERS,
        limit: LIMIT,
        windowMs: WINDOW_MS,
        horizonMs: MOST_MS,
        binMs: BIN_MS,
        ...options,
        seed: input.seed,
      },
    );
    const { arrivals, accepted, totals } = await resultOf(simulation, pace);
    const { requests, rejected, done, endMs } = totals;
    runs.push({ hints, arrivals, accepted, requests, rejected, failed: JOBS_COUNT - done, endMs });
  }
  return result();
}
