/**
 * Protection: new requests keep coming, whatever became of the old ones. The server works them off in
 * order and does not know who has stopped waiting. So retries add load just when there is too much of it,
 * and waiting longer does not take it away.
 */
import { simulateLoad } from 'rejitter-lab';
import { resultOf, type Pace } from '../compute/pace';
import { partsIn, type State } from '../state/state';
import { policyOf } from '../state/strategy';

export type LoadInput = ReturnType<typeof loadInput>;

/** Parts of the package that all clients share; `single` makes one attempt only, without any. */
export const SHARED = ['none', 'single', 'budget', 'breaker', 'both'] as const;
export type Shared = (typeof SHARED)[number];

/** `shared`: the run that is shown over time. */
export function loadInput({ strategy, downMs, capacityPerS, demand, failing, retries, protection, seed }: State) {
  const [budget, breaker] = (['budget', 'breaker'] as const).map((part) => partsIn(protection).includes(part));
  const shared: Shared = budget && breaker ? 'both' : budget ? 'budget' : breaker ? 'breaker' : 'none';
  const herd = { downMs, capacityPerS, demand, failing };
  return { strategy, herd, seed, shared: retries === 'off' ? ('single' as const) : shared };
}

export type LoadRun = Awaited<ReturnType<typeof simulated>>;

export interface LoadResult {
  readonly input: LoadInput;
  readonly horizonMs: number;
  readonly binMs: number;
  /** The runs that are computed so far, in the order of `SHARED`. */
  readonly runs: readonly LoadRun[];
  readonly run: LoadRun;
}

export const DOWN_FROM_MS = 10_000;
/** How long a client waits for an answer. */
export const TIMEOUT_MS = 1000;
/** A server that is well for this long has recovered. */
export const CALM_MS = 30_000;

const BINS = 300;

/** The shown run first, then the others. */
export async function load(input: LoadInput, pace: Pace, report: (partial: LoadResult) => void): Promise<LoadResult> {
  const horizonMs = horizonOf(input.herd);
  const run = await simulated(input, horizonMs, pace);
  const runs = [run];
  const result = (): LoadResult => ({
    input,
    horizonMs,
    binMs: horizonMs / BINS,
    runs: runs.toSorted((a, b) => SHARED.indexOf(a.shared) - SHARED.indexOf(b.shared)),
    run,
  });
  report(result());
  for (const shared of SHARED) {
    if (shared !== input.shared) runs.push(await simulated({ ...input, shared }, horizonMs, pace));
  }
  return result();
}

/** Two minutes; of an outage that is long, four times as long. */
function horizonOf({ downMs }: LoadInput['herd']): number {
  return 60_000 * Math.max(2, Math.ceil((DOWN_FROM_MS + 4 * downMs) / 60_000));
}

async function simulated({ shared, strategy, herd, seed }: LoadInput, horizonMs: number, pace: Pace) {
  const { downMs, capacityPerS, demand, failing } = herd;
  const binMs = horizonMs / BINS;
  const simulation = simulateLoad(policyOf(shared === 'single' ? { ...strategy, maxAttempts: 1 } : strategy), {
    arrivals: { type: 'regular', perS: demand * capacityPerS },
    capacityPerS,
    timeoutMs: TIMEOUT_MS,
    downFromMs: DOWN_FROM_MS,
    downMs,
    failureShare: failing,
    horizonMs,
    binMs,
    protection: {
      ...((shared === 'budget' || shared === 'both') && { budget: {} }),
      ...((shared === 'breaker' || shared === 'both') && { breaker: {} }),
    },
    seed,
  });
  const result = await resultOf(simulation, pace);
  const { requests, retries, successes, timeouts, rejectedByBreaker, phases, totals } = result;
  const arrivals = requests.map((n, i) => n + (retries[i] ?? 0)).subarray(0, BINS);
  const isBad = (_: number, bin: number): boolean => (timeouts[bin] ?? 0) + (rejectedByBreaker[bin] ?? 0) > 0;
  const lastBad = Array.from(arrivals, isBad).lastIndexOf(true);
  const calmMs = 1000 * Math.ceil(((lastBad + 1) * binMs) / 1000);
  return {
    shared,
    /** Requests and their retries that reached the server, per time bin. */
    arrivals,
    /** Attempts that were answered in time without a failure, when they were. */
    answers: successes.subarray(0, BINS),
    requests: totals.requests,
    /** Requests without such an answer, at the end. */
    failed: totals.requests - totals.successes,
    /** Attempts that reached the server, per request. */
    amplification: arrivals.reduce((a, b) => a + b, 0) / Math.max(1, totals.requests),
    /**
     * From the outage's end to the end of the last second with an attempt that was rejected or not answered in time;
     * undefined if that second is not followed by `CALM_MS` without one.
     */
    recoveredAfterMs: horizonMs - calmMs >= CALM_MS ? Math.max(0, calmMs - DOWN_FROM_MS - downMs) : undefined,
    /** When the breaker changed, and what it became: 0 closed, 1 open, 2 half-open. */
    phases: { timesMs: phases.timesMs, phases: phases.phases },
  };
}
