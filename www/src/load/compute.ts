/**
 * Protection: new requests keep coming, whatever became of the old ones. The server works them off in
 * order and does not know who has stopped waiting. So retries add load just when there is too much of it,
 * and waiting longer does not take it away.
 */
import { simulateLoad, type LoadOptions } from 'rejitter-lab';
import { rangeOf, seedOf } from '../compute/outage';
import { resultOf, type Pace } from '../compute/pace';
import { partsIn, type State } from '../state/state';
import { policyOf, type Strategy } from '../state/strategy';

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

export type Band = ReturnType<typeof bandOf>;

export interface LoadResult extends Scale {
  readonly input: LoadInput;
  /** The runs that are computed so far, in the order of `SHARED`. */
  readonly runs: readonly LoadRun[];
  readonly run: LoadRun;
  readonly band: Band | undefined;
}

export const DOWN_FROM_MS = 10_000;
/** How long a client waits for an answer. */
export const TIMEOUT_MS = 1000;
/** The default budget of the package. */
const CAPACITY = 50;
/** A server that is well for this long has recovered. */
export const CALM_MS = 30_000;
export const SEEDS = 30;

const BINS = 300;
/** A server that would get more calls than this is simulated smaller: demand against capacity counts. */
const MOST_CALLS = 4_000_000;
/** With fewer calls a second, the breaker's window and the budget hold too few of them to do what they do. */
const LEAST_PER_S = 50;
/** Such a server may get more calls: in a short run, it would not recover although it does. */
const MOST_CALLS_OF_LEAST = 40_000_000;
/** The run is at least as long as this many outages. */
const LEAST_OUTAGES = 2.5;
/** The seeds of the band end with this number of calls. */
const MOST_CALLS_OF_BAND = 6_000_000;

/** The shown run first, then the others, then the band. */
export async function load(input: LoadInput, pace: Pace, report: (partial: LoadResult) => void): Promise<LoadResult> {
  const scale = scaleOf(input.strategy, input.herd);
  const run = await simulated(input.shared, input, input.seed, scale, pace);
  const runs = [run];
  const result = (band?: Band): LoadResult => ({
    input,
    ...scale,
    runs: runs.toSorted((a, b) => SHARED.indexOf(a.shared) - SHARED.indexOf(b.shared)),
    run,
    band,
  });
  report(result());
  for (const shared of SHARED) {
    if (shared !== input.shared) runs.push(await simulated(shared, input, input.seed, scale, pace));
  }
  report(result());
  const others = [run];
  const calls = run.arrivals.reduce((a, b) => a + b, 0);
  for (let k = 1; k < SEEDS && (others.length + 1) * calls < MOST_CALLS_OF_BAND; k++)
    others.push(await simulated(input.shared, input, seedOf(input.seed, k), scale, pace));
  return result(bandOf(others));
}

/** The shown run with many seeds. */
function bandOf(runs: readonly LoadRun[]) {
  return {
    /** The attempts that reach the server, per time bin: the band is the middle 90%. */
    arrivals: Array.from({ length: BINS }, (_, bin) => rangeOf(runs.map(({ arrivals }) => arrivals[bin] ?? 0))),
    failed: rangeOf(runs.map(({ failed }) => failed)),
    recovered: runs.filter(({ recoveredAfterMs }) => recoveredAfterMs !== undefined).length,
    seeds: runs.length,
  };
}

interface Scale {
  readonly horizonMs: number;
  readonly binMs: number;
  /** Requests that the server answers per second. */
  readonly capacityPerS: number;
}

/** A server that is too large for the whole run is simulated smaller, and if that is too small, for a shorter time. */
function scaleOf({ maxAttempts }: Strategy, { downMs, capacityPerS, demand }: LoadInput['herd']): Scale {
  const most = (horizonMs: number, calls: number): number => {
    // An attempt that fails takes at least its time limit, and half of the run is left for the average request.
    const callsPerRequest = Math.min(maxAttempts, horizonMs / TIMEOUT_MS / 2);
    return (1000 * calls) / (callsPerRequest * demand * horizonMs);
  };
  const leastPerS = Math.min(capacityPerS, LEAST_PER_S);
  let outages = 40;
  while (most(horizonOf(downMs, outages), MOST_CALLS_OF_LEAST) < leastPerS && outages > LEAST_OUTAGES) outages /= 2;
  const horizonMs = horizonOf(downMs, outages);
  return {
    horizonMs,
    binMs: horizonMs / BINS,
    capacityPerS: Math.min(capacityPerS, Math.max(leastPerS, most(horizonMs, MOST_CALLS))),
  };
}

/** Forty outages are twice as long as a server at 95% demand needs to work off what the outage left. */
function horizonOf(downMs: number, outages: number): number {
  const minutes = Math.max(1, (DOWN_FROM_MS + outages * downMs) / 60_000);
  const power = 10 ** Math.floor(Math.log10(minutes));
  return 60_000 * power * ([1, 2, 3, 4, 5, 6, 8].find((one) => one * power >= minutes) ?? 10);
}

async function simulated(
  shared: Shared,
  { strategy, herd: { downMs, capacityPerS: chosenPerS, demand, failing } }: LoadInput,
  seed: number | string,
  { horizonMs, binMs, capacityPerS }: Scale,
  pace: Pace,
) {
  const simulation = simulateLoad(policyOf(shared === 'single' ? { ...strategy, maxAttempts: 1 } : strategy), {
    arrivals: { type: 'regular', perS: demand * capacityPerS },
    capacityPerS,
    timeoutMs: TIMEOUT_MS,
    downFromMs: DOWN_FROM_MS,
    downMs,
    failureShare: failing,
    horizonMs,
    binMs,
    protection: protectionOf(shared, capacityPerS / chosenPerS),
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
    /** Attempts that were answered in time without a failure, when they were, and those that the breaker rejected. */
    answers: successes.subarray(0, BINS),
    rejected: rejectedByBreaker.subarray(0, BINS),
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

/** A server that is simulated smaller has a smaller budget. */
function protectionOf(shared: Shared, scale: number): LoadOptions['protection'] {
  return {
    ...((shared === 'budget' || shared === 'both') && { budget: { capacity: Math.max(1, scale * CAPACITY) } }),
    ...((shared === 'breaker' || shared === 'both') && { breaker: {} }),
  };
}
