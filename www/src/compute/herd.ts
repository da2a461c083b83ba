/**
 * The herd: clients that all meet the same outage, and retry until they are served. Neither the
 * attempt limit nor the deadline of the strategy acts here: the question is when everybody is served,
 * and what the server has to go through until then.
 */
import { simulateOutage, timeToServeMs, type OutageResult } from 'rejitter/lab';
import type { Herd } from '../state/state';
import { CHOICES, policyOf as policyOfStrategy, sameChoice, withChoice, type Choice, type Strategy } from '../state/strategy';
import { grouped, highest, roundUp, sized, sum } from './bins';
import { createPace, type Pace } from './pace';

/** The clients and their server. */
export type Outage = Pick<Herd, 'clients' | 'downMs' | 'capacityPerS'>;

export interface HerdInput {
  /** The chosen one; the others have its numbers. */
  readonly strategy: Strategy;
  readonly herd: Outage;
  readonly seed: number;
  /** What to run, the most urgent first; the first two are reported as soon as they are there. */
  readonly choices: readonly Choice[];
}

/** One strategy. */
export interface HerdRun {
  readonly choice: Choice;
  /** Calls that reached the server, and those of them that it served, per time bin. */
  readonly arrivals: Uint32Array;
  readonly accepted: Uint32Array;
  /** The most calls in one `WINDOW_MS` after the outage, as a rate; undefined if it was not computed so far. */
  readonly peakPerS: number | undefined;
  /** When 99 % of all clients had been served; undefined if they never were. */
  readonly timeTo99Ms: number | undefined;
  /** When the last client was served; undefined if not all were. */
  readonly allServedMs: number | undefined;
  readonly calls: number;
  readonly served: number;
  readonly rejectedShare: number;
  /** Calls per client, served or not: what the server must answer. */
  readonly meanAttempts: number;
  /** How far this was computed: the horizon, or less where there are too many calls. */
  readonly untilMs: number;
}

/** Every call of the first clients, in the order of time. */
export interface Traces {
  readonly clients: Uint32Array;
  readonly timesMs: Float64Array;
  /** 0: rejected, 1: served. */
  readonly outcomes: Uint32Array;
}

export interface HerdResult {
  readonly input: HerdInput;
  readonly horizonMs: number;
  readonly binMs: number;
  /** No strategy can have served all clients before this: outage + clients / capacity. */
  readonly boundMs: number;
  /** In the order of `CHOICES`, those that are computed. */
  readonly runs: readonly HerdRun[];
  /** Of the chosen strategy, if it is computed. */
  readonly traces: Traces | undefined;
}

/** All clients make their first call in this time: a connection that broke for all of them. */
export const FIRST_CALLS_MS = 100;
/** From a call's arrival to the client's knowing the answer. */
export const LATENCY_MS = 10;
/** Over how long a peak is counted, and how much unused capacity the server can save up. */
export const WINDOW_MS = 100;
/** No limit of the strategy ends a client's operation. */
export const UNTIL_SERVED = { maxAttempts: Infinity, totalTimeoutMs: Infinity } as const;
/** The clients whose calls are kept. */
export const TRACED = 24;

const BINS = 400;
const LEAST_HORIZON_MS = 4000;
/** Of one strategy: clients that wait a few ms each make more calls than anybody wants to wait for. */
const MOST_CALLS = 10_000_000;

export async function herd(input: HerdInput, report: (partial: HerdResult) => void, signal: AbortSignal): Promise<HerdResult> {
  const pace = createPace(signal);
  const { horizonMs, binMs } = span(input.herd);
  const boundMs = boundOf(input.herd);
  const runs: HerdRun[] = [];
  let traces: Traces | undefined;
  const result = (): HerdResult => ({ input, horizonMs, binMs, boundMs, runs: inOrder(runs), traces });

  // Decorrelated jitter replaces the curve: four choices, one policy.
  const known = new Map<string, OutageResult>();
  for (const choice of input.choices) {
    const options = policyOf(input.strategy, choice);
    const key = JSON.stringify(options);
    const outage = known.get(key) ?? (await simulated(options, input, pace));
    known.set(key, outage);
    runs.push(summarised(choice, outage, input.herd));
    if (sameChoice(choice, input.strategy)) traces = outage.traces;
    const isTime = await pace();
    if ((runs.length === 2 || (runs.length > 2 && isTime)) && runs.length < input.choices.length) report(result());
  }
  return result();
}

/** How a choice retries in the herd: with the numbers of the strategy, until it is served. */
export function policyOf(strategy: Strategy, choice: Choice): ReturnType<typeof policyOfStrategy> {
  return policyOfStrategy({ ...withChoice(strategy, choice), ...UNTIL_SERVED });
}

/** The server and its clients, as the simulation takes them. */
export function outageOptions({ clients, downMs, capacityPerS }: Outage) {
  return {
    clients,
    spreadMs: FIRST_CALLS_MS,
    downMs,
    capacityPerS,
    burst: Math.max(1, (capacityPerS * WINDOW_MS) / 1000),
    latencyMs: LATENCY_MS,
  };
}

/** How long to look, a round time of at least twice what the best strategy needs; and at which bins. */
export function span({ clients, downMs, capacityPerS }: Outage): { horizonMs: number; binMs: number } {
  const leastMs = Math.max(LEAST_HORIZON_MS, 2 * boundOf({ clients, downMs, capacityPerS }));
  const unitMs = leastMs > 100_000 ? 60_000 : 1000;
  const horizonMs = unitMs * roundUp(leastMs / unitMs, [1, 2, 3, 4, 6, 8]);
  return { horizonMs, binMs: roundUp((0.8 * horizonMs) / BINS, [1, 2, 5]) };
}

function boundOf({ clients, downMs, capacityPerS }: Outage): number {
  return downMs + (1000 * clients) / capacityPerS;
}

function inOrder(runs: readonly HerdRun[]): HerdRun[] {
  const place = ({ choice }: HerdRun): number => CHOICES.findIndex((other) => sameChoice(choice, other));
  return [...runs].sort((a, b) => place(a) - place(b));
}

/** Runs one simulation to its end, or to the limit. */
async function simulated(options: ReturnType<typeof policyOf>, { herd, seed }: HerdInput, pace: Pace): Promise<OutageResult> {
  const { horizonMs, binMs } = span(herd);
  const simulation = simulateOutage(options, {
    ...outageOptions(herd),
    horizonMs,
    binMs: Math.min(binMs, WINDOW_MS),
    traced: TRACED,
    seed,
  });
  try {
    let { done, events } = { done: false, events: 0 };
    while (!done && events < MOST_CALLS) {
      ({ done, events } = simulation.step(50_000));
      await pace();
    }
    return simulation.result();
  } finally {
    simulation.free();
  }
}

function summarised(choice: Choice, outage: OutageResult, herd: Outage): HerdRun {
  const { horizonMs, binMs } = span(herd);
  const calls = sum(outage.arrivals);
  const served = outage.servedMs.length;
  const windows = grouped(outage.arrivals, WINDOW_MS / outage.binMs);
  const after = windows.subarray(Math.ceil(herd.downMs / WINDOW_MS));
  const untilMs = calls < MOST_CALLS ? horizonMs : outage.arrivals.length * outage.binMs;
  return {
    choice,
    arrivals: sized(grouped(outage.arrivals, binMs / outage.binMs), horizonMs / binMs),
    accepted: sized(grouped(outage.accepted, binMs / outage.binMs), horizonMs / binMs),
    peakPerS: untilMs < herd.downMs + WINDOW_MS ? undefined : highest(after) * (1000 / WINDOW_MS),
    timeTo99Ms: timeToServeMs(outage, 0.99),
    allServedMs: timeToServeMs(outage, 1),
    calls,
    served,
    rejectedShare: calls === 0 ? 0 : 1 - served / calls,
    meanAttempts: outage.meanAttempts,
    untilMs,
  };
}
