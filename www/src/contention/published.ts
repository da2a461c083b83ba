/**
 * Numbers of the simulator behind the 2015 figure, and whether a run on this page agrees with them. The simulator that
 * was published with the post has no fixed seed, so its figure is one sample. The JSON has clients, calls and ms: means
 * of 400 runs for each point of its code without the plots (src/backoff_simulator.py of
 * aws-samples/aws-arch-backoff-simulator).
 */
import type { ContentionPoint, Line } from './compute';
import values from './published.json' with { type: 'json' };

export const PUBLISHED_RUNS = 400;

export const PUBLISHED = Object.entries(values).flatMap(([line, points]) =>
  points.map(([clients = 0, calls = 0, ms = 0]) => ({
    line: line as Line,
    clients,
    calls: { mean: calls },
    timeMs: { mean: ms },
  })),
);

/** Counts the published means in the bands of the figure, the 95% intervals of its own means: two for each point. */
export function agreement(points: readonly ContentionPoint[]): { readonly compared: number; readonly within: number } {
  const pairs = PUBLISHED.flatMap((published) => {
    const own = points.find(({ line, clients }) => line === published.line && clients === published.clients);
    return own ? (['calls', 'timeMs'] as const).map((measure) => [own[measure], published[measure].mean] as const) : [];
  });
  const within = pairs.filter(([{ mean, ci95 }, value]) => Math.abs(mean - value) <= ci95);
  return { compared: pairs.length, within: within.length };
}
