/** The worst moment after the outage, for herds of many sizes: the herd's own job for each of them. */
import { herd, WINDOW_MS, type Outage } from './herd';
import { JITTERS, type Jitter, type Strategy } from '../state/strategy';

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
  readonly peakPerS: number;
}

export interface PeaksResult {
  readonly input: PeaksInput;
  readonly windowMs: number;
  readonly peaks: readonly Peak[];
}

export const CLIENTS: readonly number[] = [50, 100, 200, 500, 1000, 2000, 5000];

export async function peaks(input: PeaksInput, report: (partial: PeaksResult) => void, signal: AbortSignal): Promise<PeaksResult> {
  const { strategy, seed } = input;
  const choices = JITTERS.map((jitter) => ({ backoff: strategy.backoff, jitter }));
  const found: Peak[] = [];
  const result = (): PeaksResult => ({ input, windowMs: WINDOW_MS, peaks: [...found] });
  for (const clients of input.clients) {
    const { runs } = await herd({ strategy, herd: { ...input.herd, clients }, seed, choices }, () => {}, signal);
    // Without a peak where it takes too many calls to get to the recovery, or where nobody calls after it.
    for (const { choice, peakPerS } of runs) if (peakPerS) found.push({ clients, jitter: choice.jitter, peakPerS });
    if (clients !== input.clients.at(-1)) report(result());
  }
  return result();
}
