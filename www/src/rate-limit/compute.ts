/** A server that answers 429: what workers do to it that ignore its hints, follow or share them, or keep its quota. */
import { simulateRateLimit, type RateLimitOptions } from 'rejitter-lab';
import { createPace, resultOf } from '../compute/pace';
import type { State } from '../state/state';
import { policyOf, type Strategy } from '../state/strategy';
import { LIMIT, WINDOW_MS, shareOf } from './quota';

export interface RateLimitInput {
  readonly strategy: Strategy;
  /** Each has a cooldown and a limiter of its own. */
  readonly processes: number;
  readonly seed: number;
}

export function rateLimitInput({ strategy, processes, seed }: Pick<State, keyof RateLimitInput>): RateLimitInput {
  return { strategy, processes, seed };
}

export interface RateLimitResult {
  readonly input: RateLimitInput;
  readonly runs: readonly {
    /** `whole` is a limiter of the whole quota in each process. */
    readonly kind: 'ignored' | 'followed' | 'shared' | 'whole' | 'limited';
    readonly rejected: number;
    /** Jobs that failed. */
    readonly failed: number;
    /** When the last job ended. */
    readonly endMs: number;
  }[];
}

export const JOBS_COUNT = 1000;
export const WORKERS = 50;
/** With few attempts, one that learns nothing costs a job. */
export const ATTEMPTS = 2;
const MOST_MS = 600_000;

const SERVER = { jobs: JOBS_COUNT, workers: WORKERS, limit: LIMIT, windowMs: WINDOW_MS, horizonMs: MOST_MS };
type Kind = RateLimitResult['runs'][number]['kind'];
const limited = (limit: number): RateLimitOptions => ({ protection: { limiter: { limit, perMs: WINDOW_MS } } });
const kindsFor = (processes: number): readonly (readonly [Kind, RateLimitOptions])[] => [
  ['ignored', { hints: 'ignored' }],
  ['followed', {}],
  ['shared', { protection: { cooldown: {} } }],
  ...(processes > 1 ? [['whole', limited(LIMIT)] as const] : []),
  ['limited', limited(shareOf(processes))],
];

export async function rateLimit(
  input: RateLimitInput,
  _report: (partial: RateLimitResult) => void,
  signal: AbortSignal,
): Promise<RateLimitResult> {
  const { strategy, processes, seed } = input;
  const pace = createPace(signal);
  const policy = policyOf({ ...strategy, maxAttempts: ATTEMPTS, totalTimeoutMs: Infinity });
  const runs: RateLimitResult['runs'][number][] = [];
  for (const [kind, options] of kindsFor(processes)) {
    const { totals } = await resultOf(simulateRateLimit(policy, { ...SERVER, ...options, processes, seed }), pace);
    runs.push({ kind, rejected: totals.rejected, failed: JOBS_COUNT - totals.done, endMs: totals.endMs });
  }
  return { input, runs };
}
