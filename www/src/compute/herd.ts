/**
 * The herd: clients that all meet the same outage, and retry. By default the policy acts as it is set, so
 * that clients give up; `limits: 'served'` lifts its attempt limit and its deadline.
 */
import type { RetryPolicy } from 'rejitter';
import { simulateOutage, timeToServeMs, type OutageResult } from 'rejitter/lab';
import type { Herd, Limits } from '../state/state';
import {
  CHOICES,
  policyOf as policyOfStrategy,
  sameChoice,
  withChoice,
  type Choice,
  type Strategy,
} from '../state/strategy';
import { grouped, highest, roundUp, sized, sum } from './bins';
import { createPace, type Pace } from './pace';

/** The clients and their server. */
export type Outage = Pick<Herd, 'clients' | 'downMs' | 'capacityPerS' | 'rejectionCost' | 'limits'>;

export interface HerdInput {
  /** The chosen one; the others have its numbers. */
  readonly strategy: Strategy;
  readonly herd: Outage;
  readonly seed: number;
  /** Strategies to run, the most urgent first; the first two are reported as soon as they are there. */
  readonly choices: readonly Choice[];
  /** Whether to run the chosen strategy with the other `limits` as well. */
  readonly withOther?: boolean;
}

/** The result of one strategy. */
export interface HerdRun {
  readonly choice: Choice;
  readonly limits: Limits;
  /** Calls that reached the server, and those of them that it served, per time bin up to the horizon. */
  readonly arrivals: Uint32Array;
  readonly accepted: Uint32Array;
  /** The most calls in one `WINDOW_MS` after the outage, as a rate; undefined if it was not computed so far. */
  readonly peakPerS: number | undefined;
  /** When 99% of all clients had been served; undefined if they never were. */
  readonly timeTo99Ms: number | undefined;
  /** When the last client was served; undefined if not all were. */
  readonly allServedMs: number | undefined;
  readonly calls: number;
  readonly served: number;
  readonly gaveUp: number;
  /** When the last of the served clients was served; undefined if none was. */
  readonly lastServedMs: number | undefined;
  /** When the last client that gave up made its last call; undefined if none did, or if it was not recorded. */
  readonly lastAttemptMs: number | undefined;
  readonly rejectedShare: number;
  /** Calls per client, served or not: what the server must answer. */
  readonly meanAttempts: number;
  /** The first time after the outage that all remaining clients call at once; undefined if they do not. */
  readonly wave: Wave | undefined;
  /** The time up to which this was computed: past the horizon if clients retry for longer, less if `isCut`. */
  readonly untilMs: number;
  /** Whether there were too many calls to compute all of it: then nothing is known of what follows `untilMs`. */
  readonly isCut: boolean;
}

export interface Wave {
  readonly calls: number;
  readonly accepted: number;
}

/** Every call of the first clients, in the order of time. */
export interface Traces {
  readonly clients: Uint32Array;
  readonly timesMs: Float64Array;
  /** 0: rejected, 1: served, 2: rejected, and the client gave up. */
  readonly outcomes: Uint32Array;
}

export interface HerdResult {
  readonly input: HerdInput;
  readonly horizonMs: number;
  readonly binMs: number;
  /** No strategy can have served all clients before this: outage + clients / capacity. */
  readonly boundMs: number;
  /** In the order of `CHOICES`, those that are computed; any other choice comes first. */
  readonly runs: readonly HerdRun[];
  /** The chosen strategy with the other `limits`, if it was wanted and is computed. */
  readonly other: HerdRun | undefined;
  /** The calls of the chosen strategy, if it is computed. */
  readonly traces: Traces | undefined;
}

/** All clients make their first call in this time: a connection that broke for all of them. */
export const FIRST_CALLS_MS = 100;
/** From a call's arrival to the client's knowing the answer. */
export const LATENCY_MS = 10;
/** How long a window for a peak is, and for how long the server can save up unused capacity. */
export const WINDOW_MS = 100;
/** No limit of the strategy ends a client's operation. */
export const UNTIL_SERVED = { maxAttempts: Infinity, totalTimeoutMs: Infinity } as const;
/** The clients whose calls are kept. */
export const TRACED = 24;

const BINS = 400;
const LEAST_HORIZON_MS = 4000;
/** Retries that take much longer than the server needs are left out of the picture, but not of its numbers. */
const MOST_BOUNDS = 8;
/** The most calls of one strategy: clients that wait a few ms each make more than anybody wants to wait for. */
export const MOST_CALLS = 10_000_000;
/** Bins that the simulation counts at most. */
const MOST_BINS = 1_000_000;

export async function herd(
  input: HerdInput,
  report: (partial: HerdResult) => void,
  signal: AbortSignal,
): Promise<HerdResult> {
  const pace = createPace(signal);
  const { horizonMs, binMs } = span(input);
  const boundMs = boundOf(input.herd);
  const { limits } = input.herd;
  const runs: HerdRun[] = [];
  let other: HerdRun | undefined;
  let traces: Traces | undefined;
  const result = (): HerdResult => ({ input, horizonMs, binMs, boundMs, runs: inOrder(runs), other, traces });

  // Decorrelated jitter replaces the curve: four choices, one policy.
  const known = new Map<string, OutageResult>();
  for (const choice of input.choices) {
    const key = JSON.stringify(policyOf(input.strategy, choice, limits));
    const outage = known.get(key) ?? (await simulated(input, choice, limits, pace));
    known.set(key, outage);
    const run = summarised(choice, limits, outage, input);
    runs.push(run);
    if (sameChoice(choice, input.strategy)) {
      traces = firstClients(outage.traces);
      // If no client gives up, the limits make no difference.
      if (input.withOther && limits === 'set' && run.served === input.herd.clients)
        other = { ...run, limits: 'served' };
    }
    const isTime = await pace();
    if ((runs.length === 2 || (runs.length > 2 && isTime)) && runs.length < input.choices.length) report(result());
    if (runs.length === 2 && input.withOther && !other) {
      const opposite = limits === 'set' ? 'served' : 'set';
      other = summarised(input.strategy, opposite, await simulated(input, input.strategy, opposite, pace), input);
      if (runs.length < input.choices.length) report(result());
    }
  }
  return result();
}

/** How a choice retries in the herd: with the numbers of the strategy. */
export function policyOf(strategy: Strategy, choice: Choice, limits: Limits): RetryPolicy {
  return policyOfStrategy({ ...withChoice(strategy, choice), ...(limits === 'served' ? UNTIL_SERVED : {}) });
}

/** The server and its clients, as the simulation takes them. */
export function outageOptions({ clients, downMs, capacityPerS, rejectionCost }: Outage) {
  return {
    clients,
    spreadMs: FIRST_CALLS_MS,
    downMs,
    capacityPerS,
    burst: Math.max(1, (capacityPerS * WINDOW_MS) / 1000),
    rejectionCost,
    latencyMs: LATENCY_MS,
  };
}

type Spanned = Pick<HerdInput, 'strategy' | 'herd'>;

/**
 * How long a time the figures show, and in which bins: a round time of at least twice what the best strategy needs,
 * and up to the last attempt of the chosen backoff without jitter. It is the same for all strategies and both
 * `limits`, so that they can be compared.
 */
export function span({ strategy, herd }: Spanned): { horizonMs: number; binMs: number } {
  const boundMs = boundOf(herd);
  const lastMs = Math.min(FIRST_CALLS_MS + lastAttemptMs(strategy), MOST_BOUNDS * boundMs);
  const leastMs = Math.max(LEAST_HORIZON_MS, 2 * boundMs, 1.02 * lastMs);
  const unitMs = leastMs > 100_000 ? 60_000 : 1000;
  const horizonMs = unitMs * roundUp(leastMs / unitMs, [1, 2, 3, 4, 6, 8]);
  return { horizonMs, binMs: roundUp((0.8 * horizonMs) / BINS, [1, 2, 5]) };
}

/** How long after its first attempt a client without jitter makes its last one; 0 if there is no last one. */
function lastAttemptMs(strategy: Strategy): number {
  const { maxAttempts, totalTimeoutMs } = strategy;
  if (maxAttempts === Infinity) return totalTimeoutMs === Infinity ? 0 : totalTimeoutMs;
  const policy = policyOf(strategy, { ...strategy, jitter: 'none' }, 'set');
  let lastMs = 0;
  for (const delayMs of policy.delays()) {
    if (lastMs + LATENCY_MS + delayMs >= totalTimeoutMs) break;
    lastMs += LATENCY_MS + delayMs;
  }
  return lastMs;
}

export function boundOf({
  clients,
  downMs,
  capacityPerS,
}: Pick<Outage, 'clients' | 'downMs' | 'capacityPerS'>): number {
  return downMs + (1000 * clients) / capacityPerS;
}

function inOrder(runs: readonly HerdRun[]): HerdRun[] {
  const place = ({ choice }: HerdRun): number => CHOICES.findIndex((other) => sameChoice(choice, other));
  return [...runs].sort((a, b) => place(a) - place(b));
}

/** Runs one simulation to its end, or to the limit. */
async function simulated(input: HerdInput, choice: Choice, limits: Limits, pace: Pace): Promise<OutageResult> {
  const { strategy, herd, seed } = input;
  const simulation = simulateOutage(policyOf(strategy, choice, limits), {
    ...outageOptions(herd),
    ...simulatedSpan(input, limits),
    // Clients that give up are found in the traces.
    traced: limits === 'set' ? herd.clients : TRACED,
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

/** If all clients stop some time, the simulation goes on until they have: nothing is left open at the horizon. */
export function simulatedSpan(input: Spanned, limits: Limits): { horizonMs: number; binMs: number } {
  const { horizonMs, binMs: widerMs } = span(input);
  const binMs = Math.min(widerMs, WINDOW_MS);
  const { maxAttempts, totalTimeoutMs } = input.strategy;
  const stops = limits === 'set' && (maxAttempts !== Infinity || totalTimeoutMs !== Infinity);
  return { horizonMs: stops ? MOST_BINS * binMs : horizonMs, binMs };
}

function summarised(choice: Choice, limits: Limits, outage: OutageResult, input: HerdInput): HerdRun {
  const { herd } = input;
  const { horizonMs, binMs } = span(input);
  const calls = sum(outage.arrivals);
  const served = outage.servedMs.length;
  const windows = grouped(outage.arrivals, WINDOW_MS / outage.binMs);
  const after = windows.subarray(Math.ceil(herd.downMs / WINDOW_MS));
  const isCut = calls >= MOST_CALLS;
  const lastCallMs = outage.arrivals.length * outage.binMs;
  const untilMs = isCut ? lastCallMs : Math.max(horizonMs, lastCallMs);
  return {
    choice: { backoff: choice.backoff, jitter: choice.jitter },
    limits,
    arrivals: sized(grouped(outage.arrivals, binMs / outage.binMs), horizonMs / binMs),
    accepted: sized(grouped(outage.accepted, binMs / outage.binMs), horizonMs / binMs),
    peakPerS: untilMs < herd.downMs + WINDOW_MS ? undefined : highest(after) * (1000 / WINDOW_MS),
    timeTo99Ms: timeToServeMs(outage, 0.99),
    allServedMs: timeToServeMs(outage, 1),
    calls,
    served,
    gaveUp: outage.giveUps,
    lastServedMs: outage.servedMs.at(-1),
    lastAttemptMs: lastOf(outage),
    rejectedShare: calls === 0 ? 0 : 1 - served / calls,
    meanAttempts: outage.meanAttempts,
    wave: choice.jitter === 'none' ? waveOf(outage, herd.downMs) : undefined,
    untilMs,
    isCut,
  };
}

/** When the last client that gave up called for the last time. */
function lastOf({ giveUps, traces: { outcomes, timesMs } }: OutageResult): number | undefined {
  let found = 0;
  let last: number | undefined;
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome !== GAVE_UP) continue;
    found += 1;
    last = timesMs[i];
  }
  return found === giveUps ? last : undefined;
}

const GAVE_UP = 2;

/**
 * The calls between two pauses, if they last no longer than the first calls did: then all clients made them together.
 */
function waveOf({ arrivals, accepted, binMs }: OutageResult, downMs: number): Wave | undefined {
  const quiet = arrivals.indexOf(0, Math.ceil(downMs / binMs));
  const from = quiet < 0 ? -1 : arrivals.findIndex((calls, bin) => bin > quiet && calls > 0);
  if (from < 0) return undefined;
  const pause = arrivals.indexOf(0, from);
  const to = pause < 0 ? arrivals.length : pause;
  if ((to - from - 1) * binMs > FIRST_CALLS_MS) return undefined;
  return { calls: sum(arrivals.subarray(from, to)), accepted: sum(accepted.subarray(from, to)) };
}

function firstClients({ clients, timesMs, outcomes }: Traces): Traces {
  const isFirst = (_: number, i: number): boolean => (clients[i] ?? TRACED) < TRACED;
  return { clients: clients.filter(isFirst), timesMs: timesMs.filter(isFirst), outcomes: outcomes.filter(isFirst) };
}
