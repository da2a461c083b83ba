/** A server that answers 429: what workers do to it that ignore its hints, follow or share them, or keep its quota. */
import { simulateRateLimit, type RateLimitOptions } from 'rejitter-lab';
import { resultOf, type Pace } from '../compute/pace';
import type { State } from '../state/state';
import { policyOf } from '../state/strategy';
import { LIMIT, WINDOW_MS, shareOf } from './quota';

/** Each of the processes has a cooldown and a limiter of its own. */
export type RateLimitInput = Pick<State, 'strategy' | 'processes' | 'seed'>;
export type RateLimitResult = Awaited<ReturnType<typeof rateLimit>>;
/** What the workers do; `whole` is a limiter of the whole quota in each process. */
export type Kind = 'ignored' | 'followed' | 'shared' | 'whole' | 'limited';

export function rateLimitInput({ strategy, processes, seed }: RateLimitInput): RateLimitInput {
  return { strategy, processes, seed };
}

export const JOBS_COUNT = 1000;
export const WORKERS = 50;
/** With few attempts, one that learns nothing costs a job. */
export const ATTEMPTS = 2;
const MOST_MS = 600_000;

const SERVER = { jobs: JOBS_COUNT, workers: WORKERS, limit: LIMIT, windowMs: WINDOW_MS, horizonMs: MOST_MS };
const limited = (limit: number): RateLimitOptions => ({ protection: { limiter: { limit, perMs: WINDOW_MS } } });
const kindsFor = (processes: number): readonly (readonly [Kind, RateLimitOptions])[] => [
  ['ignored', { hints: 'ignored' }],
  ['followed', {}],
  ['shared', { protection: { cooldown: {} } }],
  ...(processes > 1 ? [['whole', limited(LIMIT)] as const] : []),
  ['limited', limited(shareOf(processes))],
];

export async function rateLimit(input: RateLimitInput, pace: Pace) {
  const { strategy, processes, seed } = input;
  const policy = policyOf({ ...strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity });
  const runs: { kind: Kind; rejected: number; failed: number; endMs: number }[] = [];
  for (const [kind, options] of kindsFor(processes)) {
    const { totals } = await resultOf(simulateRateLimit(policy, { ...SERVER, ...options, processes, seed }), pace);
    // Jobs that failed, and when the last one ended.
    runs.push({ kind, rejected: totals.rejected, failed: JOBS_COUNT - totals.done, endMs: totals.endMs });
  }
  return { input, runs };
}
