/** The numbers in the sentences of the story, each measured on the run that the picture shows. */
import { WINDOW_MS } from '../compute/herd';
import { BIN_MS, HORIZON_MS, OUTAGE, type SceneRun } from './runs';

/** Calls that reach the server without a pause between them. */
export interface Wave {
  readonly fromMs: number;
  readonly toMs: number;
  readonly calls: number;
  readonly accepted: number;
}

export interface Facts {
  readonly served: number;
  /** When the last client was served; undefined if not all were. */
  readonly allServedMs: number | undefined;
  /** When nine in ten clients had been served; undefined if they never were. */
  readonly mostServedMs: number | undefined;
  readonly calls: number;
  /** After the outage. */
  readonly callsPerS: number;
  readonly waves: readonly Wave[];
  /** The most calls in any `WINDOW_MS` after the outage. */
  readonly busiest: number;
}

export function factsOf({ arrivals, accepted, servedMs }: SceneRun): Facts {
  const recovery = Math.ceil(OUTAGE.downMs / BIN_MS);
  const waves: Wave[] = [];
  let wave: { from: number; calls: number; accepted: number } | undefined;
  let calls = 0;
  let after = 0;
  let inWindow = 0;
  let busiest = 0;
  // One bin more than there is, so that the last wave ends.
  for (let bin = 0; bin <= arrivals.length; bin++) {
    const n = arrivals[bin] ?? 0;
    calls += n;
    if (bin < recovery) continue;
    after += n;
    inWindow += n - (bin - recovery >= WINDOW_MS / BIN_MS ? (arrivals[bin - WINDOW_MS / BIN_MS] ?? 0) : 0);
    busiest = Math.max(busiest, inWindow);
    if (n > 0) {
      wave ??= { from: bin, calls: 0, accepted: 0 };
      wave.calls += n;
      wave.accepted += accepted[bin] ?? 0;
    } else if (wave) {
      waves.push({ fromMs: wave.from * BIN_MS, toMs: bin * BIN_MS, calls: wave.calls, accepted: wave.accepted });
      wave = undefined;
    }
  }
  return {
    served: servedMs.length,
    allServedMs: servedMs.length === OUTAGE.clients ? servedMs.at(-1) : undefined,
    mostServedMs: servedMs[Math.ceil(0.9 * OUTAGE.clients) - 1],
    calls,
    callsPerS: (1000 * after) / (HORIZON_MS - OUTAGE.downMs),
    waves,
    busiest,
  };
}
