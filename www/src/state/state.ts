/** Everything that the page is about: what the controls set, the link holds and the figures follow. */
import { INITIAL, isAccepted, type Choice, type Strategy } from './strategy';

/** The herd: clients that all meet the same outage, and the server that comes back. */
export interface Herd {
  readonly clients: number;
  /** How long the server is down, from the first call on. */
  readonly downMs: number;
  /** What it then serves per second. */
  readonly capacityPerS: number;
  /** `set`: the policy's attempt limit and deadline act; `served`: every client retries until it is served. */
  readonly limits: Limits;
  /** What a rejected call uses of a served one's capacity: 0 to 1. */
  readonly rejectionCost: number;
  /** New requests where they keep coming, as a part of the capacity. */
  readonly demand: number;
}
export type Limits = 'set' | 'served';
export const LIMITS: readonly Limits[] = ['set', 'served'];

/** What the flaky server of the live calls does when it fails. */
export type LiveFailure = 'mixed' | '503' | '429' | 'network' | 'slow' | 'offline';
export const LIVE_FAILURES: readonly LiveFailure[] = ['mixed', '503', '429', 'network', 'slow', 'offline'];

export interface State {
  readonly strategy: Strategy;
  /** Drawn beside the chosen strategy, with the same numbers. */
  readonly compared: Choice;
  /** The chance that an attempt fails, where the page reckons with one: 0 to 0.95. */
  readonly failureRate: number;
  readonly herd: Herd;
  readonly live: { readonly failure: LiveFailure; readonly rate: number; readonly calls: number };
  /** Where all the randomness of the page comes from: a whole number from 0 to 2^32 − 1. */
  readonly seed: number;
}

export const INITIAL_STATE: State = {
  strategy: INITIAL,
  compared: { backoff: 'exponential', jitter: 'none' },
  failureRate: 0.6,
  herd: { clients: 1000, downMs: 2000, capacityPerS: 120, limits: 'set', rejectionCost: 0.05, demand: 0.93 },
  live: { failure: 'mixed', rate: 0.6, calls: 8 },
  seed: 42,
};

const within = (value: number, least: number, most: number): boolean => value >= least && value <= most;

/** Whether the page can show this: what a link says is not trusted. */
export function isValid({ strategy, failureRate, herd, live, seed }: State): boolean {
  return (
    isAccepted(strategy) &&
    strategy.maxAttempts >= 2 &&
    within(failureRate, 0, 0.95) &&
    Number.isInteger(herd.clients) &&
    within(herd.clients, 10, 10_000) &&
    within(herd.downMs, 0, 600_000) &&
    within(herd.capacityPerS, 1, 100_000) &&
    within(herd.rejectionCost, 0, 1) &&
    within(herd.demand, 0.5, 1.1) &&
    within(live.rate, 0, 1) &&
    [1, 8, 50].includes(live.calls) &&
    Number.isInteger(seed) &&
    within(seed, 0, 2 ** 32 - 1)
  );
}
