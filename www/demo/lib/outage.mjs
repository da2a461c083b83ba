/** Outages computed with the package alone: nothing of the page. */
import { simulateOutage } from 'rejitter/lab';

export const HERD = { clients: 1000, downMs: 2000, capacityPerS: 120, rejectionCost: 0.05 };

/** One outage: with these events at most, and other clients and servers if `outage` says so. */
export function outageAlone(options, outage = {}, events = Infinity) {
  const fixed = { burst: 12, spreadMs: 100, latencyMs: 10, horizonMs: 40_000, traced: 0, seed: 42 };
  const simulation = simulateOutage({ baseMs: 100, capMs: 10_000, ...options }, { ...HERD, ...fixed, ...outage });
  simulation.step(events);
  const result = simulation.result();
  simulation.free();
  return result;
}

/** The value in the middle, the lower one of two. @param {number[]} values */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
