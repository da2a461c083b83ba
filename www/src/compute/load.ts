/**
 * Retry budgets: new requests keep coming, whatever became of the old ones. The server works them off in
 * order and does not know who has stopped waiting. So retries add load just when there is too much of it,
 * and waiting longer does not take it away.
 */
import { simulateLoad } from 'rejitter/lab';
import type { Herd } from '../state/state';
import { JITTERS, policyOf, withChoice, type Jitter, type Strategy } from '../state/strategy';
import { roundUp } from './bins';
import { createPace, type Pace } from './pace';

export interface LoadInput {
  readonly strategy: Strategy;
  readonly herd: Pick<Herd, 'downMs' | 'capacityPerS' | 'demand'>;
  readonly seed: number;
}

/** Where the permission to retry comes from. */
export type Budget = 'unlimited' | 'request' | 'success';

export interface LoadRun {
  readonly jitter: Jitter;
  readonly budget: Budget;
  /** Requests and their retries that reached the server, per time bin. */
  readonly arrivals: Uint32Array;
  /** Attempts that got no response in time, at the end of their time. */
  readonly timeouts: Uint32Array;
  /** From the outage's end to the last attempt that got no answer in time; undefined if they go on. */
  readonly recoveredAfterMs: number | undefined;
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
  readonly runs: readonly LoadRun[];
}

export const DOWN_FROM_MS = 10_000;
/** How long a client waits for an answer. */
export const TIMEOUT_MS = 1000;
/** Retries per request or per success; at most `BUDGET_BUCKET` are saved up. */
export const BUDGET_RATIO = 0.1;
export const BUDGET_BUCKET = 10;

const BINS = 300;
/** Only demand against capacity counts: a server that would get more calls than this is simulated smaller. */
const MOST_CALLS = 2_000_000;
/** For each point of the sweep, of which there are many. */
const MOST_CALLS_SWEPT = 500_000;

/** The demands of the sweep, as parts of the capacity; the slider has the same stops. */
export const DEMANDS: readonly number[] = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 1, 1.05, 1.1];
export const BUDGETS: readonly Budget[] = ['unlimited', 'request', 'success'];

export async function load(
  input: LoadInput,
  report: (partial: LoadResult) => void,
  signal: AbortSignal,
): Promise<LoadResult> {
  const pace = createPace(signal);
  const { strategy, herd } = input;
  const { horizonMs, binMs, capacityPerS } = scaleOf(strategy, herd, MOST_CALLS);
  const result = (): LoadResult => ({
    input,
    horizonMs,
    binMs,
    perS: herd.demand * capacityPerS,
    capacityPerS,
    runs: [...runs],
  });
  const kinds: readonly (readonly [Strategy, Budget])[] = [
    ...JITTERS.map((jitter) => [withChoice(strategy, { ...strategy, jitter }), 'unlimited'] as const),
    [strategy, 'request'],
    [strategy, 'success'],
  ];
  const runs: LoadRun[] = [];
  for (const [own, budget] of kinds) {
    if (runs.length > 0) report(result());
    runs.push(await simulated(own, budget, { ...herd, capacityPerS }, input.seed, pace));
  }
  return result();
}

export interface SweepInput {
  readonly strategy: Strategy;
  readonly herd: Pick<Herd, 'downMs' | 'capacityPerS'>;
  readonly seed: number;
}

export type SweepPoint = Pick<LoadRun, 'budget' | 'recoveredAfterMs' | 'lastLoad'> & { readonly demand: number };

export interface SweepResult {
  readonly input: SweepInput;
  readonly horizonMs: number;
  /** Ascending by demand. */
  readonly points: readonly SweepPoint[];
}

/** The chosen strategy at every demand, with each budget. */
export async function sweep(
  input: SweepInput,
  report: (partial: SweepResult) => void,
  signal: AbortSignal,
): Promise<SweepResult> {
  const pace = createPace(signal);
  const { strategy, herd, seed } = input;
  const points: SweepPoint[] = [];
  const result = (): SweepResult => ({ input, horizonMs: horizonOf(herd.downMs), points: [...points] });
  for (const demand of DEMANDS) {
    const { capacityPerS } = scaleOf(strategy, { ...herd, demand }, MOST_CALLS_SWEPT);
    for (const budget of BUDGETS) {
      const { recoveredAfterMs, lastLoad } = await simulated(
        strategy,
        budget,
        { ...herd, demand, capacityPerS },
        seed,
        pace,
      );
      points.push({ demand, budget, recoveredAfterMs, lastLoad });
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
  budget: Budget,
  { downMs, capacityPerS, demand }: LoadInput['herd'],
  seed: number,
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
    budget: budget === 'unlimited' ? budget : { per: budget, ratio: BUDGET_RATIO, bucket: BUDGET_BUCKET },
    seed,
  });
  try {
    while (!simulation.step(50_000).done) await pace();
    const { requests, retries, timeouts, recoveredAfterMs } = simulation.result();
    const arrivals = requests.map((n, i) => n + (retries[i] ?? 0)).subarray(0, BINS);
    const last = arrivals.subarray(0.9 * BINS);
    return {
      jitter: strategy.jitter,
      budget,
      arrivals,
      timeouts: timeouts.subarray(0, BINS),
      recoveredAfterMs,
      lastLoad: last.reduce((a, b) => a + b, 0) / ((last.length * binMs * capacityPerS) / 1000),
    };
  } finally {
    simulation.free();
  }
}
