/** Everything that the page is about: what the controls set, the link holds and the figures follow. */
import { INITIAL, isAccepted, type Choice, type Strategy } from './strategy';

/** The herd: clients that all meet the same outage, and the server that comes back. */
export interface Herd {
  readonly clients: number;
  /** How long the server is down, from the first call on. */
  readonly downMs: number;
  /** What it then serves per second. */
  readonly capacityPerS: number;
  /** `bounded`: these clients and no more; `independent`: new requests keep coming, whatever became of the old. */
  readonly arrivals: Arrivals;
}
export type Arrivals = 'bounded' | 'independent';
export const ARRIVALS: readonly Arrivals[] = ['bounded', 'independent'];

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
  /** Options that the reader pasted, and the library chosen for them; no text means the first example. */
  readonly pasted: { readonly text: string; readonly from: string };
  /** Where all the randomness of the page comes from: a whole number from 0 to 2^32 − 1. */
  readonly seed: number;
}

/** A link holds pasted text of at most so many characters. */
export const MOST_PASTED = 2000;

export const INITIAL_STATE: State = {
  strategy: INITIAL,
  compared: { backoff: 'exponential', jitter: 'none' },
  failureRate: 0.6,
  herd: { clients: 1000, downMs: 8000, capacityPerS: 120, arrivals: 'bounded' },
  live: { failure: 'mixed', rate: 0.6, calls: 8 },
  pasted: { text: '', from: 'detect' },
  seed: 42,
};

const within = (value: number, least: number, most: number): boolean => value >= least && value <= most;

/** Whether the page can show this: what a link says is not trusted. */
export function isValid({ strategy, failureRate, herd, live, pasted, seed }: State): boolean {
  return (
    isAccepted(strategy) &&
    strategy.maxAttempts >= 2 &&
    within(failureRate, 0, 0.95) &&
    Number.isInteger(herd.clients) &&
    within(herd.clients, 10, 10_000) &&
    within(herd.downMs, 0, 600_000) &&
    within(herd.capacityPerS, 1, 100_000) &&
    within(live.rate, 0, 1) &&
    [1, 8, 50].includes(live.calls) &&
    pasted.text.length <= MOST_PASTED &&
    pasted.from.length <= 40 &&
    Number.isInteger(seed) &&
    within(seed, 0, 2 ** 32 - 1)
  );
}
