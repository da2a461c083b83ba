/** Numbers of the simulator behind the 2015 figure, and whether a run on this page agrees with them. */
import type { ContentionPoint, Line } from '../compute/contention';

/**
 * The simulator that was published with the post has no fixed seed, so its figure is one sample. These are means of
 * 400 runs for each point of its code without the plots (src/backoff_simulator.py of
 * aws-samples/aws-arch-backoff-simulator).
 */
export const PUBLISHED_RUNS = 400;

/** Mean and standard deviation of the calls, then of the time in ms. */
type Moments = readonly [calls: number, callsSd: number, timeMs: number, timeSd: number];

export interface PublishedPoint {
  readonly line: Line;
  readonly clients: number;
  readonly calls: { readonly mean: number; readonly sd: number };
  readonly timeMs: { readonly mean: number; readonly sd: number };
}

const VALUES: Readonly<Record<Line, Readonly<Record<number, Moments>>>> = {
  none: {
    10: [50.69, 4.18, 376.9, 36],
    50: [690.77, 16.8, 1141.7, 42.7],
    100: [2424.48, 32.23, 2027.5, 43.7],
    150: [5137.8, 48.31, 2873.2, 42.9],
    190: [8007.1, 67.14, 3536, 45.9],
  },
  exponential: {
    10: [50.91, 4.11, 3508.9, 1312.6],
    50: [620.52, 29.07, 36009.4, 3188.5],
    100: [1854.19, 60.08, 63295.2, 3917.6],
    150: [3539.12, 97.58, 85582.8, 4279.7],
    190: [5162.82, 115.65, 100852.8, 4144.7],
  },
  equal: {
    10: [42.55, 2.58, 736.1, 194.8],
    50: [347.23, 6.06, 4265.9, 546],
    100: [812.56, 7.41, 6645.1, 685.5],
    150: [1324.06, 10.73, 8301.1, 666.2],
    190: [1759.05, 12.18, 9395.4, 623.4],
  },
  full: {
    10: [38.88, 2.29, 462.1, 102.8],
    50: [332.33, 4.58, 2886.7, 540.2],
    100: [796.05, 6.63, 4836.5, 520.8],
    150: [1318.74, 10.16, 6423.9, 566.9],
    190: [1772.27, 12.56, 7408.5, 525.7],
  },
  decorrelated: {
    10: [37.68, 2.24, 444.9, 93.5],
    50: [375.83, 13.04, 2178.7, 508.2],
    100: [1000.63, 27.62, 4590.1, 705.2],
    150: [1761.6, 45.65, 6530.3, 800.6],
    190: [2437.36, 58.68, 7899, 819.4],
  },
};

export const PUBLISHED: readonly PublishedPoint[] = Object.entries(VALUES).flatMap(([line, points]) =>
  Object.entries(points).map(([clients, [calls, callsSd, timeMs, timeSd]]) => ({
    line: line as Line,
    clients: Number(clients),
    calls: { mean: calls, sd: callsSd },
    timeMs: { mean: timeMs, sd: timeSd },
  })),
);

export interface Agreement {
  /** Means that were compared: two for each point, its calls and its time. */
  readonly compared: number;
  /** The means that differ by no more than chance explains. */
  readonly within: number;
}

/**
 * Compares the means with the published ones. The interval of each difference is so wide that all of them hold
 * together in 95% of the seeds, if both simulate the same.
 */
export function agreement(points: readonly ContentionPoint[]): Agreement {
  const pairs = PUBLISHED.flatMap((published) => {
    const own = points.find(({ line, clients }) => line === published.line && clients === published.clients);
    if (!own) return [];
    return (['calls', 'timeMs'] as const).map((measure) => ({
      own: own[measure],
      runs: own.runs,
      published: published[measure],
    }));
  });
  const within = pairs.filter(({ own, runs, published }) => {
    const error = Math.hypot(own.sd / Math.sqrt(runs), published.sd / Math.sqrt(PUBLISHED_RUNS));
    return Math.abs(own.mean - published.mean) <= quantile(pairs.length, runs) * error;
  });
  return { compared: pairs.length, within: within.length };
}

/** Two-sided quantile for `compared` differences at once (Šidák), of Student's t for this many runs. */
function quantile(compared: number, runs: number): number {
  const z = normalQuantile((1 + 0.95 ** (1 / compared)) / 2);
  const freedom = Math.max(1, runs - 1);
  // Cornish and Fisher's series: ten runs scatter more than the normal distribution says.
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** For the upper half, to 0.0005 (Abramowitz and Stegun 26.2.23). */
function normalQuantile(probability: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - probability));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}
