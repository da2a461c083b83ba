/**
 * The figure of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015): N clients compete for
 * one row, and each of them retries until its write has succeeded.
 */
import { simulateContention, type Statistics } from 'rejitter-lab';
import { createPace } from '../compute/pace';

/** The lines of the figure; `none` tries again at once. */
export const LINES = ['none', 'exponential', 'equal', 'full', 'decorrelated'] as const;
export type Line = (typeof LINES)[number];

/** The published values. */
export const BASE_MS = 5;
export const CAP_MS = 2000;
export const CLIENTS: readonly number[] = Array.from({ length: 19 }, (_, i) => 10 * (i + 1));

export interface ContentionInput {
  /** In the order in which they are computed. */
  readonly clients: readonly number[];
  readonly runs: number;
  readonly seed: number;
}

/** One point of both halves of the figure: the mean over all runs. */
export interface ContentionPoint {
  readonly line: Line;
  readonly clients: number;
  readonly runs: number;
  /** Writes that reached the server. */
  readonly calls: Statistics;
  /** Time until the last client knew that its write succeeded. */
  readonly timeMs: Statistics;
}

interface ContentionResult {
  readonly input: ContentionInput;
  readonly points: readonly ContentionPoint[];
  /** Messages and waits that were simulated, and the part of the work that is done. */
  readonly events: number;
  readonly share: number;
}

export async function contention(
  input: ContentionInput,
  report: (partial: ContentionResult) => void,
  signal: AbortSignal,
): Promise<ContentionResult> {
  const { clients, runs, seed } = input;
  // Calls grow with the square of the clients where no client waits, and otherwise a little faster than with the
  // clients.
  const work = (n: number): number => n ** 1.5;
  const allWork = LINES.length * clients.reduce((sum, n) => sum + work(n), 0);
  const points: ContentionPoint[] = [];
  const pace = createPace(signal);
  let [events, doneWork] = [0, 0];
  for (const n of clients) {
    for (const line of LINES) {
      const simulation = simulateContention(
        { figure: line, baseMs: BASE_MS, capMs: CAP_MS },
        { clients: n, runs, seed: `${seed}/${line}/${n}` },
      );
      try {
        let own = 0;
        const onProgress = (progress: { readonly events: number; readonly share: number }): void => {
          own = progress.events;
          const share = (doneWork + work(n) * progress.share) / allWork;
          report({ input, points: [...points], events: events + own, share });
        };
        const { callsSummary, timeMsSummary } = await simulation.run({ signal, onProgress });
        points.push({ line, clients: n, runs, calls: callsSummary, timeMs: timeMsSummary });
        events += own;
        doneWork += work(n);
        await pace();
      } finally {
        simulation.free();
      }
    }
  }
  return { input, points, events, share: 1 };
}
