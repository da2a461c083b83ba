/** One outage: clients that lose their server at the same moment, and what becomes of them. */
import type { simulateOutage } from 'rejitter/lab';
import type { Herd } from '../state/state';
import type { Strategy } from '../state/strategy';

/** The clients and their server. */
export type Outage = Pick<Herd, 'clients' | 'downMs' | 'capacityPerS' | 'rejectionCost'>;

export interface OutageInput {
  readonly strategy: Strategy;
  readonly herd: Outage;
  readonly seed: number;
}

/** Without the settings of other pages, so that their change is no new order. */
export function outageInput({ strategy, herd, seed }: { strategy: Strategy; herd: Herd; seed: number }): OutageInput {
  const { clients, downMs, capacityPerS, rejectionCost } = herd;
  return { strategy, herd: { clients, downMs, capacityPerS, rejectionCost }, seed };
}

/** All clients make their first call in this time: a connection that broke for all of them. */
const FIRST_CALLS_MS = 100;
/** From a call's arrival to the client's knowing the answer. */
export const LATENCY_MS = 10;
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
export function boundOf({ clients, downMs, capacityPerS }: Omit<Outage, 'rejectionCost'>): number {
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
