/** One outage for one strategy and one seed. */
import type { RetryPolicy } from 'rejitter';
import { simulateOutage, type OutageResult } from 'rejitter/lab';
import type { Herd, Limits } from '../state/state';
import { policyOf as policyOfStrategy, withChoice, type Choice, type Strategy } from '../state/strategy';
import { roundUp } from './bins';
import { resultOf, type Pace } from './pace';

/** The clients and their server. */
export type Outage = Pick<Herd, 'clients' | 'downMs' | 'capacityPerS' | 'rejectionCost' | 'limits'>;

export interface OutageInput {
  /** The chosen strategy; the one that is simulated has its numbers. */
  readonly strategy: Strategy;
  readonly herd: Outage;
}

/** All clients make their first call in this time: a connection that broke for all of them. */
export const FIRST_CALLS_MS = 100;
/** From a call's arrival to the client's knowing the answer. */
export const LATENCY_MS = 10;
/** How long a window is for which the server can save up unused capacity. */
export const WINDOW_MS = 100;
/** No limit of the strategy ends a client's operation. */
export const UNTIL_SERVED = { maxAttempts: Infinity, totalTimeoutMs: Infinity } as const;

const BINS = 400;
const LEAST_HORIZON_MS = 4000;
/** Retries that take much longer than the server needs are left out of the picture, but not of its numbers. */
const MOST_BOUNDS = 8;
/** Bins that the simulation counts at most. */
const MOST_BINS = 1_000_000;

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

/**
 * How long a time the figures show, and in which bins: a round time of at least twice what the best strategy needs,
 * and up to the last attempt of the chosen backoff without jitter. It is the same for all strategies and both
 * `limits`, so that they can be compared.
 */
export function span({ strategy, herd }: OutageInput): { horizonMs: number; binMs: number } {
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

/** No strategy can have served all clients before this: outage + clients / capacity. */
export function boundOf({
  clients,
  downMs,
  capacityPerS,
}: Pick<Outage, 'clients' | 'downMs' | 'capacityPerS'>): number {
  return downMs + (1000 * clients) / capacityPerS;
}

/** If all clients stop some time, the simulation goes on until they have: nothing is left open at the horizon. */
function simulatedSpan(input: OutageInput, limits: Limits): { horizonMs: number; binMs: number } {
  const { horizonMs, binMs: widerMs } = span(input);
  const binMs = Math.min(widerMs, WINDOW_MS);
  const { maxAttempts, totalTimeoutMs } = input.strategy;
  const stops = limits === 'set' && (maxAttempts !== Infinity || totalTimeoutMs !== Infinity);
  return { horizonMs: stops ? MOST_BINS * binMs : horizonMs, binMs };
}

/** A run that makes more calls than this, per client and in all, is stopped. */
const MOST_CALLS_PER_CLIENT = 150;
const MOST_CALLS = 1_000_000;

/** `isCut` if the run was stopped because of its number of calls. */
export function outageOf(
  { strategy, herd }: OutageInput,
  choice: Choice,
  seed: number | string,
  pace: Pace,
): Promise<OutageResult & { isCut: boolean }> {
  const simulation = simulateOutage(policyOf(strategy, choice, herd.limits), {
    ...outageOptions(herd),
    ...simulatedSpan({ strategy, herd }, herd.limits),
    traced: 0,
    seed,
  });
  return resultOf(simulation, pace, Math.min(MOST_CALLS_PER_CLIENT * herd.clients, MOST_CALLS));
}

/** The page's own seed, then others that depend on it. */
export function seedOf(seed: number, k: number): number | string {
  return k === 0 ? seed : `${seed}/${k}`;
}

export interface Range {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

/** Percentiles by nearest rank: each is the value of a run. */
export function rangeOf(values: readonly number[]): Range {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? NaN;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
}
