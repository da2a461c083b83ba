/**
 * Protection: new requests keep coming, whatever became of the old ones. The server works them off in
 * order and does not know who has stopped waiting. So retries add load just when there is too much of it,
 * and waiting longer does not take it away.
 */
import { simulateLoad, type LoadOptions } from 'rejitter/lab';
import type { Herd } from '../state/state';
import { JITTERS, policyOf, withChoice, type Jitter, type Strategy } from '../state/strategy';
import { roundUp } from './bins';
import { createPace, type Pace } from './pace';

export interface LoadInput {
  readonly strategy: Strategy;
  readonly herd: Pick<Herd, 'downMs' | 'capacityPerS' | 'demand'>;
  /** Tokens that the budget gets by time, which the package's has not. */
  readonly floorPerS: number;
  readonly seed: number;
}

/** Parts of the package that all clients share. */
export type Shared = 'none' | 'budget' | 'breaker' | 'both';
export const SHARED: readonly Shared[] = ['none', 'budget', 'breaker', 'both'];

export interface LoadRun {
  readonly jitter: Jitter;
  readonly shared: Shared;
  /** Requests and their retries that reached the server, per time bin. */
  readonly arrivals: Uint32Array;
  /** Attempts that were answered in time, when they were. */
  readonly answers: Uint32Array;
  /** Attempts that got no response in time, at the end of their time. */
  readonly timeouts: Uint32Array;
  /** Attempts that the breaker rejected. */
  readonly rejected: Uint32Array;
  readonly retries: number;
  /** From the outage's end to the last attempt that got no answer in time; undefined if they go on. */
  readonly recoveredAfterMs: number | undefined;
  /** From the outage's end to the last attempt that the breaker rejected; undefined if it goes on. */
  readonly admittedAfterMs: number | undefined;
  /** When the breaker changed, and what it became: 0 closed, 1 open, 2 half-open. */
  readonly phases: { readonly timesMs: Float64Array; readonly phases: Uint32Array };
  /** Arrivals in the last tenth of the time, as a share of the capacity. */
  readonly lastLoad: number;
}

export interface LoadResult {
  readonly input: LoadInput;
  readonly horizonMs: number;
  readonly binMs: number;
  /** New requests, and what the server works off. */
  readonly perS: number;
  readonly capacityPerS: number;
  /** Without protection by jitter, then the chosen strategy with each protection. */
  readonly runs: readonly LoadRun[];
  /** The chosen strategy without protection, and with each, as far as they are computed. */
  readonly chosen: Partial<Readonly<Record<Shared, LoadRun>>>;
}

export const DOWN_FROM_MS = 10_000;
/** How long a client waits for an answer. */
export const TIMEOUT_MS = 1000;
/** The default budget of the package. */
export const CAPACITY = 50;
export const PER_SUCCESS = 0.1;

const BINS = 300;
/** Only demand against capacity counts: a server that would get more calls than this is simulated smaller. */
const MOST_CALLS = 2_000_000;
/** For each point of the sweep, of which there are many. */
const MOST_CALLS_SWEPT = 500_000;

/** The demands of the sweep, as parts of the capacity; the slider has the same stops. */
export const DEMANDS: readonly number[] = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 1, 1.05, 1.1];

export async function load(
  input: LoadInput,
  report: (partial: LoadResult) => void,
  signal: AbortSignal,
): Promise<LoadResult> {
  const pace = createPace(signal);
  const { strategy, herd } = input;
  const { horizonMs, binMs, capacityPerS } = scaleOf(strategy, herd, MOST_CALLS);
  const runs: LoadRun[] = [];
  const chosen: Partial<Record<Shared, LoadRun>> = {};
  const result = (): LoadResult => ({
    input,
    horizonMs,
    binMs,
    perS: herd.demand * capacityPerS,
    capacityPerS,
    runs: [...runs],
    chosen: { ...chosen },
  });
  const run = (own: Strategy, shared: Shared): Promise<LoadRun> =>
    simulated(own, shared, { ...input, herd: { ...herd, capacityPerS } }, capacityPerS / herd.capacityPerS, pace);
  for (const jitter of JITTERS) {
    const made = await run(withChoice(strategy, { ...strategy, jitter }), 'none');
    runs.push(made);
    if (jitter === strategy.jitter) chosen.none = made;
    report(result());
  }
  chosen.none ??= await run(strategy, 'none');
  for (const shared of SHARED.slice(1)) {
    report(result());
    const made = await run(strategy, shared);
    runs.push(made);
    chosen[shared] = made;
  }
  return result();
}

export interface SweepInput {
  readonly strategy: Strategy;
  readonly herd: Pick<Herd, 'downMs' | 'capacityPerS'>;
  readonly floorPerS: number;
  readonly seed: number;
}

export type SweepPoint = Pick<LoadRun, 'shared' | 'recoveredAfterMs' | 'lastLoad'> & { readonly demand: number };

export interface SweepResult {
  readonly input: SweepInput;
  readonly horizonMs: number;
  /** Ascending by demand. */
  readonly points: readonly SweepPoint[];
}

/** The chosen strategy at every demand, with each protection. */
export async function sweep(
  input: SweepInput,
  report: (partial: SweepResult) => void,
  signal: AbortSignal,
): Promise<SweepResult> {
  const pace = createPace(signal);
  const { strategy, herd } = input;
  const points: SweepPoint[] = [];
  const result = (): SweepResult => ({ input, horizonMs: horizonOf(herd.downMs), points: [...points] });
  for (const demand of DEMANDS) {
    const { capacityPerS } = scaleOf(strategy, { ...herd, demand }, MOST_CALLS_SWEPT);
    for (const shared of SHARED) {
      const { recoveredAfterMs, lastLoad } = await simulated(
        strategy,
        shared,
        { ...input, herd: { ...herd, demand, capacityPerS } },
        capacityPerS / herd.capacityPerS,
        pace,
      );
      // With more requests than the server can do, a breaker brings calms, which do not last.
      points.push({ demand, shared, recoveredAfterMs: demand > 1 ? undefined : recoveredAfterMs, lastLoad });
    }
    if (demand !== DEMANDS.at(-1)) report(result());
  }
  return result();
}

function scaleOf({ maxAttempts }: Strategy, { downMs, capacityPerS, demand }: LoadInput['herd'], mostCalls: number) {
  const horizonMs = horizonOf(downMs);
  // An attempt that fails takes at least its time limit.
  const callsPerRequest = Math.min(maxAttempts, horizonMs / TIMEOUT_MS);
  const most = (1000 * mostCalls) / (callsPerRequest * demand * horizonMs);
  return { horizonMs, binMs: horizonMs / BINS, capacityPerS: Math.min(capacityPerS, most) };
}

/** Twice as long as a server at 95% demand needs to work off what the outage left. */
function horizonOf(downMs: number): number {
  const leastMs = DOWN_FROM_MS + 40 * downMs;
  return 60_000 * roundUp(Math.max(1, leastMs / 60_000), [1, 2, 3, 4, 5, 6, 8]);
}

async function simulated(
  strategy: Strategy,
  shared: Shared,
  { herd: { downMs, capacityPerS, demand }, floorPerS, seed }: LoadInput,
  scale: number,
  pace: Pace,
): Promise<LoadRun> {
  const horizonMs = horizonOf(downMs);
  const binMs = horizonMs / BINS;
  const simulation = simulateLoad(policyOf(strategy), {
    arrivals: { type: 'regular', perS: demand * capacityPerS },
    capacityPerS,
    timeoutMs: TIMEOUT_MS,
    downFromMs: DOWN_FROM_MS,
    downMs,
    horizonMs,
    binMs,
    protection: protectionOf(shared, floorPerS, scale),
    seed,
  });
  try {
    while (!simulation.step(50_000).done) await pace();
    const result = simulation.result();
    const { requests, retries, successes, timeouts, rejectedByBreaker, phases, totals } = result;
    const arrivals = requests.map((n, i) => n + (retries[i] ?? 0)).subarray(0, BINS);
    const last = arrivals.subarray(0.9 * BINS);
    return {
      jitter: strategy.jitter,
      shared,
      arrivals,
      answers: successes.subarray(0, BINS),
      timeouts: timeouts.subarray(0, BINS),
      rejected: rejectedByBreaker.subarray(0, BINS),
      retries: totals.retries,
      recoveredAfterMs: result.recoveredAfterMs,
      admittedAfterMs: result.admittedAfterMs,
      phases: { timesMs: phases.timesMs, phases: phases.phases },
      lastLoad: last.reduce((a, b) => a + b, 0) / ((last.length * binMs * capacityPerS) / 1000),
    };
  } finally {
    simulation.free();
  }
}

/** A server that is simulated smaller has a smaller budget. */
function protectionOf(shared: Shared, floorPerS: number, scale: number): LoadOptions['protection'] {
  const budget = { capacity: Math.max(1, scale * CAPACITY), perSecond: scale * floorPerS };
  return {
    ...(shared !== 'none' && shared !== 'breaker' && { budget }),
    ...(shared !== 'none' && shared !== 'budget' && { breaker: {} }),
  };
}
