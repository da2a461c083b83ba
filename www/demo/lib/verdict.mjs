/** The verdict's numbers, computed with the package alone: nothing of the page. */
import { simulateOutage } from 'rejitter/lab';

/** The options of each strategy of the grid, as a program would write them: decorrelated jitter once. */
const STRATEGIES = ['fixed', 'linear', 'exponential', 'truncated'].flatMap((backoff) =>
  ['none', 'full', 'equal', 'decorrelated'].flatMap((jitter) => {
    if (jitter === 'decorrelated') return backoff === 'fixed' ? [{ backoff, jitter, options: { jitter } }] : [];
    return [{ backoff, jitter, options: { backoff, jitter, ...(backoff === 'truncated' && { truncateAt: 4 }) } }];
  }),
);

/**
 * Three scenarios, with what the verdict says of them: one strategy wins; two do, within the noise; none serves 99%.
 */
export const SCENARIOS = [
  { herd: {}, strategy: { maxAttempts: 10 }, pick: 'exponential full', level: [], served: 990 },
  {
    herd: { downMs: 8000 },
    strategy: { maxAttempts: Infinity },
    pick: 'exponential equal',
    level: ['exponential full'],
    served: 990,
  },
  {
    herd: {},
    strategy: { maxAttempts: 6 },
    pick: 'fixed decorrelated',
    level: [],
    served: 300,
  },
];
export const HERD = { clients: 1000, downMs: 2000, capacityPerS: 120, rejectionCost: 0.05 };

/**
 * One outage by the package alone: with these events at most, and other clients and servers if `outage` says so.
 * @param {any} options
 * @param {object} [outage]
 * @param {number} [events]
 */
export function outageAlone(options, outage = {}, events = Infinity) {
  const herd = HERD;
  const fixed = { burst: 12, spreadMs: 100, latencyMs: 10, horizonMs: 40_000, traced: 0, seed: 42 };
  const simulation = simulateOutage(options, { ...herd, ...fixed, ...outage });
  simulation.step(events);
  const result = simulation.result();
  simulation.free();
  return result;
}

/**
 * Every strategy over the page's seeds, by the package alone.
 * @param {typeof SCENARIOS[number]} scenario
 * @param {number} seeds
 */
export function independently({ herd, strategy }, seeds) {
  const outage = { ...HERD, ...herd };
  const { clients } = outage;
  return STRATEGIES.map(({ backoff, jitter, options }) => {
    const runs = Array.from({ length: seeds }, (_, k) => {
      const { servedMs, meanAttempts } = outageAlone(
        { ...options, baseMs: 100, capMs: 10_000, ...strategy },
        { ...outage, horizonMs: 60_000, seed: k === 0 ? 42 : `42/${k}` },
        150 * clients,
      );
      return {
        served: servedMs.length,
        callsPerClient: meanAttempts,
        enoughMs: servedMs[0.99 * clients - 1] ?? Infinity,
      };
    });
    return { name: `${backoff} ${jitter}`, runs };
  });
}

/** The value in the middle, the lower one of two. @param {number[]} values */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? NaN;
