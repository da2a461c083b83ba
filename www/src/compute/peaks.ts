/** The worst moment after the outage, for herds of many sizes and over some seeds. */
import { peakOf } from 'rejitter/lab';
import { JITTERS, type Jitter, type Strategy } from '../state/strategy';
import { WINDOW_MS, type Outage } from './herd';
import { outageOf, rangeOf, seedOf, type Range } from './outage';
import { createPace } from './pace';

export interface PeaksInput {
  /** The chosen one; its backoff with every jitter. */
  readonly strategy: Strategy;
  readonly herd: Omit<Outage, 'clients'>;
  /** The sizes, in the order in which they are computed. */
  readonly clients: readonly number[];
  readonly seed: number;
}

export interface Peak {
  readonly clients: number;
  readonly jitter: Jitter;
  /** The most calls in one window after the outage, as a rate. */
  readonly peakPerS: Range;
  readonly seeds: number;
}

export interface PeaksResult {
  readonly input: PeaksInput;
  readonly windowMs: number;
  readonly peaks: readonly Peak[];
}

export const CLIENTS: readonly number[] = [50, 100, 200, 500, 1000, 2000, 5000];

export const SEEDS = 10;
/** Herds that make many calls are simulated with fewer seeds. */
const LEAST_SEEDS = 3;
/** The calls of one size and jitter over all seeds. */
const MOST_CALLS = 1_000_000;

export async function peaks(
  input: PeaksInput,
  report: (partial: PeaksResult) => void,
  signal: AbortSignal,
): Promise<PeaksResult> {
  const { strategy, seed } = input;
  const pace = createPace(signal);
  const found: Peak[] = [];
  const result = (): PeaksResult => ({ input, windowMs: WINDOW_MS, peaks: [...found] });
  for (const clients of input.clients) {
    const herd = { ...input.herd, clients };
    for (const jitter of JITTERS) {
      const rates: number[] = [];
      let calls = 0;
      for (let k = 0; k < SEEDS && (k < LEAST_SEEDS || (calls * (k + 1)) / k <= MOST_CALLS); k++) {
        const outage = await outageOf({ strategy, herd }, { backoff: strategy.backoff, jitter }, seedOf(seed, k), pace);
        calls += outage.meanAttempts * clients;
        // No peak if the run was stopped before the recovery, or if no client calls after it.
        const peak =
          outage.isCut && outage.arrivals.length * WINDOW_MS < herd.downMs + WINDOW_MS
            ? undefined
            : peakOf(outage, herd.downMs);
        if (peak && peak.arrivals > 0) rates.push((1000 * peak.arrivals) / WINDOW_MS);
      }
      if (rates.length > 0) found.push({ clients, jitter, peakPerS: rangeOf(rates), seeds: rates.length });
    }
    if (clients !== input.clients.at(-1)) report(result());
  }
  return result();
}
