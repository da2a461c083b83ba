/** One outage: clients that lose their server at the same moment, and what becomes of them. */
import { simulateOutage, timeToServeMs } from 'rejitter-lab';
import type { State } from '../state/state';
import { policyOf, type Strategy } from '../state/strategy';
import { resultOf, type Pace } from './pace';

/** The clients and their server. */
export type Outage = Pick<State, 'clients' | 'downMs' | 'capacityPerS' | 'rejectionCost'>;

export type OutageInput = ReturnType<typeof outageInput>;

/** Without the settings of other figures, so that their change is no new order. */
export function outageInput({ strategy, clients, downMs, capacityPerS, rejectionCost, seed }: State) {
  return { strategy, herd: { clients, downMs, capacityPerS, rejectionCost }, seed };
}

/** All clients make their first call in this time: a connection that broke for all of them. */
const FIRST_CALLS_MS = 100;
/** From a call's arrival to the client's knowing the answer. */
const LATENCY_MS = 10;
/** How long a window is for which the server can save up unused capacity. */
const WINDOW_MS = 100;
/** Clients that never give up are watched for at least this long. */
export const SPAN_MS = 40_000;
/** Bins that a simulation counts at most. */
export const MOST_BINS = 1_000_000;

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
  } satisfies Parameters<typeof simulateOutage>[1];
}

/** No strategy can have served all clients before this: outage + clients / capacity. */
export function boundOf({ clients, downMs, capacityPerS }: Outage): number {
  return downMs + (1000 * clients) / capacityPerS;
}

/** How long clients without a limit are watched: twice as long as the server needs. */
export function endlessMs(herd: Outage): number {
  return Math.max(SPAN_MS, 2 * boundOf(herd));
}

/** Whether every client stops some time. */
export function stops({ maxAttempts, totalTimeoutMs }: Strategy): boolean {
  return maxAttempts !== Infinity || totalTimeoutMs !== Infinity;
}

/** The page's own seed, then others that depend on it. */
export function seedOf(seed: number, k: number): number | string {
  return k === 0 ? seed : `${seed}/${k}`;
}

export type Range = ReturnType<typeof rangeOf>;

/** Percentiles by nearest rank: each is the value of a run. */
export function rangeOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? NaN;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
}

/** The fate of the clients with one strategy. */
export type Fate = Awaited<ReturnType<typeof fateOf>>;

export const MOST_ATTEMPTS = 30;
/** The share of the clients that must be served. */
export const ENOUGH = 0.99;
/** A run that makes more calls, per client and in all, is stopped: it is no remedy. */
const [MOST_CALLS_PER_CLIENT, MOST_CALLS] = [150, 1_000_000];
/** Long enough for every policy that stops. */
const HORIZON_MS = 10_000_000;

export async function fateOf(
  { herd, seed }: { readonly herd: Outage; readonly seed: number | string },
  strategy: Strategy,
  pace: Pace,
  most = Math.min(MOST_CALLS_PER_CLIENT * herd.clients, MOST_CALLS),
) {
  const horizonMs = stops(strategy) ? HORIZON_MS : endlessMs(herd);
  const simulation = simulateOutage(policyOf(strategy), { ...outageOptions(herd), horizonMs, traced: 0, seed });
  const result = await resultOf(simulation, pace, most);
  const { servedMs, meanAttempts, isCut } = result;
  return {
    strategy,
    served: servedMs.length,
    callsPerClient: meanAttempts,
    /** When 99% of the clients had been served. */
    enoughMs: timeToServeMs(result, ENOUGH) ?? Infinity,
    /** Whether the run was stopped because of its number of calls: then there are more. */
    isCut,
  };
}

export function isEnough({ herd }: Pick<OutageInput, 'herd'>, { served }: Pick<Fate, 'served'>): boolean {
  return served >= ENOUGH * herd.clients;
}

/**
 * The least number of attempts with which nearly all are served; `deadline` if it is the deadline that ends them too
 * early; `more` if the most attempts that are tried do not help.
 */
export type Needs = number | 'deadline' | 'more';

export async function attemptsNeeded(input: OutageInput, pace: Pace): Promise<Needs> {
  const { strategy } = input;
  const helps = async (part: Partial<Strategy>): Promise<boolean> =>
    isEnough(input, await fateOf(input, { ...strategy, ...part }, pace));
  for (let maxAttempts = strategy.maxAttempts + 1; maxAttempts <= MOST_ATTEMPTS; maxAttempts++) {
    if (await helps({ maxAttempts })) return maxAttempts;
  }
  if (strategy.totalTimeoutMs === Infinity) return 'more';
  const maxAttempts = Math.max(strategy.maxAttempts, MOST_ATTEMPTS);
  return (await helps({ maxAttempts, totalTimeoutMs: Infinity })) ? 'deadline' : 'more';
}

/** The longest that all waits together can take: no wait starts that would end at or after the deadline. */
export function longestMs(
  waits: readonly { readonly loMs: number; readonly hiMs: number }[],
  totalTimeoutMs: number,
): number {
  let [least, most, longest] = [0, 0, 0];
  for (const { loMs, hiMs } of waits) {
    least += loMs;
    most += hiMs;
    if (least >= totalTimeoutMs) break;
    longest = Math.min(most, totalTimeoutMs);
  }
  return longest;
}
