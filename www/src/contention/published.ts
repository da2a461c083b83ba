/** Numbers of the simulator behind the 2015 figure, and whether a run on this page agrees with them. */
import type { ContentionPoint, Line } from './compute';

/**
 * The simulator that was published with the post has no fixed seed, so its figure is one sample. These are means of
 * 400 runs for each point of its code without the plots (src/backoff_simulator.py of
 * aws-samples/aws-arch-backoff-simulator).
 */
export const PUBLISHED_RUNS = 400;

/** Means of the calls, and of the time in ms. */
type Means = readonly [calls: number, timeMs: number];

export interface PublishedPoint {
  readonly line: Line;
  readonly clients: number;
  readonly calls: { readonly mean: number };
  readonly timeMs: { readonly mean: number };
}

const VALUES: Readonly<Record<Line, Readonly<Record<number, Means>>>> = {
  none: {
    10: [50.69, 376.9],
    50: [690.77, 1141.7],
    100: [2424.48, 2027.5],
    150: [5137.8, 2873.2],
    190: [8007.1, 3536],
  },
  exponential: {
    10: [50.91, 3508.9],
    50: [620.52, 36009.4],
    100: [1854.19, 63295.2],
    150: [3539.12, 85582.8],
    190: [5162.82, 100852.8],
  },
  equal: {
    10: [42.55, 736.1],
    50: [347.23, 4265.9],
    100: [812.56, 6645.1],
    150: [1324.06, 8301.1],
    190: [1759.05, 9395.4],
  },
  full: {
    10: [38.88, 462.1],
    50: [332.33, 2886.7],
    100: [796.05, 4836.5],
    150: [1318.74, 6423.9],
    190: [1772.27, 7408.5],
  },
  decorrelated: {
    10: [37.68, 444.9],
    50: [375.83, 2178.7],
    100: [1000.63, 4590.1],
    150: [1761.6, 6530.3],
    190: [2437.36, 7899],
  },
};

export const PUBLISHED: readonly PublishedPoint[] = Object.entries(VALUES).flatMap(([line, points]) =>
  Object.entries(points).map(([clients, [calls, timeMs]]) => ({
    line: line as Line,
    clients: Number(clients),
    calls: { mean: calls },
    timeMs: { mean: timeMs },
  })),
);

export interface Agreement {
  /** Means that were compared: two for each point, its calls and its time. */
  readonly compared: number;
  /** The means that lie in the band that is drawn. */
  readonly within: number;
}

/** Counts the published means in the bands of the figure: the 95% intervals of its own means. */
export function agreement(points: readonly ContentionPoint[]): Agreement {
  const pairs = PUBLISHED.flatMap((published) => {
    const own = points.find(({ line, clients }) => line === published.line && clients === published.clients);
    return own ? (['calls', 'timeMs'] as const).map((measure) => [own[measure], published[measure].mean] as const) : [];
  });
  const within = pairs.filter(([{ mean, ci95 }, value]) => Math.abs(mean - value) <= ci95);
  return { compared: pairs.length, within: within.length };
}
