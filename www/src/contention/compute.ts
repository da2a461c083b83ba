/**
 * The figure of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015): N clients compete for
 * one row, and each of them retries until its write has succeeded.
 */
import { simulateContention, type Statistics } from 'rejitter-lab';
import { resultOf, type Pace } from '../compute/pace';

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
  /** Runs of each point. */
  readonly runs: number;
  readonly seed: number;
}

/** One point of both halves of the figure: the mean over all runs. */
export interface ContentionPoint {
  readonly line: Line;
  readonly clients: number;
  /** Writes that reached the server. */
  readonly calls: Statistics;
  /** Time until the last client knew that its write succeeded. */
  readonly timeMs: Statistics;
}

export interface ContentionResult {
  readonly input: ContentionInput;
  readonly points: readonly ContentionPoint[];
}

export async function contention(
  input: ContentionInput,
  pace: Pace,
  report: (partial: ContentionResult) => void,
): Promise<ContentionResult> {
  const { clients, runs, seed } = input;
  const points: ContentionPoint[] = [];
  for (const n of clients) {
    for (const line of LINES) {
      const simulation = simulateContention(
        { figure: line, baseMs: BASE_MS, capMs: CAP_MS },
        { clients: n, runs, seed: `${seed}/${line}/${n}` },
      );
      const { callsSummary, timeMsSummary } = await resultOf(simulation, pace);
      points.push({ line, clients: n, calls: callsSummary, timeMs: timeMsSummary });
    }
    report({ input, points: [...points] });
  }
  return { input, points };
}
