/**
 * Independent arrivals: new requests keep coming, whatever became of the old ones. The server works
 * them off in their order and does not know who has stopped waiting; so retries add load just when
 * there is too much of it, and waiting longer does not take it away.
 */
import { simulateLoad } from 'rejitter/lab';
import type { Herd } from '../state/state';
import { JITTERS, policyOf, withChoice, type Jitter, type Strategy } from '../state/strategy';
import { roundUp } from './bins';
import { createPace, type Pace } from './pace';

export interface LoadInput {
  readonly strategy: Strategy;
  readonly herd: Pick<Herd, 'downMs' | 'capacityPerS'>;
  readonly seed: number;
}

/** Where the permission to retry comes from. */
export type Budget = 'unlimited' | 'request' | 'success';

export interface LoadRun {
  readonly jitter: Jitter;
  readonly budget: Budget;
  /** Requests and their retries that reached the server, per time bin. */
  readonly arrivals: Uint32Array;
  /** Attempts that got no answer in time, when their time was over. */
  readonly timeouts: Uint32Array;
  /** From the outage's end to the last attempt that got no answer in time; undefined if they go on. */
  readonly recoveredAfterMs: number | undefined;
  /** What arrives in the last tenth of the time, in terms of what the server can take. */
  readonly lastLoad: number;
}

export interface LoadResult {
  readonly input: LoadInput;
  readonly horizonMs: number;
  readonly binMs: number;
  /** New requests, and what the server works off. */
  readonly perS: number;
  readonly capacityPerS: number;
  readonly runs: readonly LoadRun[];
}

/** New requests in terms of the capacity: 280/s on a server of 300/s. */
export const DEMAND = 280 / 300;
export const DOWN_FROM_MS = 10_000;
/** How long a client waits for an answer. */
export const TIMEOUT_MS = 1000;
/** Of the requests, or of the successes; so many retries can be saved up. */
export const BUDGET_RATIO = 0.1;
export const BUDGET_BUCKET = 10;

const BINS = 300;
/** What counts is demand against capacity: a larger server is simulated at this many requests. */
const MOST_REQUESTS = 200_000;

export async function load(input: LoadInput, report: (partial: LoadResult) => void, signal: AbortSignal): Promise<LoadResult> {
  const pace = createPace(signal);
  const { strategy, herd } = input;
  const horizonMs = horizonOf(herd.downMs);
  const binMs = horizonMs / BINS;
  const capacityPerS = Math.min(herd.capacityPerS, (1000 * MOST_REQUESTS) / (DEMAND * horizonMs));
  const result = (): LoadResult => ({ input, horizonMs, binMs, perS: DEMAND * capacityPerS, capacityPerS, runs: [...runs] });
  const kinds: readonly (readonly [Jitter, Budget])[] = [
    ...JITTERS.map((jitter) => [jitter, 'unlimited'] as const),
    [strategy.jitter, 'request'],
    [strategy.jitter, 'success'],
  ];
  const runs: LoadRun[] = [];
  for (const [jitter, budget] of kinds) {
    if (runs.length > 0) report(result());
    runs.push(await simulated(jitter, budget, { ...input, herd: { ...herd, capacityPerS } }, pace));
  }
  return result();
}

/** Long enough for what the outage left to be worked off with the capacity that demand leaves, twice. */
function horizonOf(downMs: number): number {
  const leastMs = DOWN_FROM_MS + (2 * downMs) / (1 - DEMAND);
  return 60_000 * roundUp(Math.max(1, leastMs / 60_000), [1, 2, 3, 4, 5, 6, 8]);
}

async function simulated(jitter: Jitter, budget: Budget, { strategy, herd, seed }: LoadInput, pace: Pace): Promise<LoadRun> {
  const horizonMs = horizonOf(herd.downMs);
  const binMs = horizonMs / BINS;
  const simulation = simulateLoad(policyOf(withChoice(strategy, { ...strategy, jitter })), {
    arrivals: { type: 'regular', perS: DEMAND * herd.capacityPerS },
    capacityPerS: herd.capacityPerS,
    timeoutMs: TIMEOUT_MS,
    downFromMs: DOWN_FROM_MS,
    downMs: herd.downMs,
    horizonMs,
    binMs,
    budget: budget === 'unlimited' ? budget : { per: budget, ratio: BUDGET_RATIO, bucket: BUDGET_BUCKET },
    seed,
  });
  try {
    while (!simulation.step(50_000).done) await pace();
    const { requests, retries, timeouts, recoveredAfterMs } = simulation.result();
    const arrivals = requests.map((n, i) => n + (retries[i] ?? 0)).subarray(0, BINS);
    const last = arrivals.subarray(0.9 * BINS);
    return {
      jitter,
      budget,
      arrivals,
      timeouts: timeouts.subarray(0, BINS),
      recoveredAfterMs,
      lastLoad: last.reduce((a, b) => a + b, 0) / ((last.length * binMs * herd.capacityPerS) / 1000),
    };
  } finally {
    simulation.free();
  }
}
