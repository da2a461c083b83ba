// The AWS figure: how many events of it the lab's simulation handles.

import { inNode } from '../lib/child.mjs';
import { shuffled, uniform } from '../lib/random.mjs';

const STRATEGIES = ['none', 'exponential', 'equal', 'full', 'decorrelated'];

export const run = ({ node, choice }) => inNode(node, import.meta.url, 'measure', choice);

/** @returns {Promise<{ ms: number, events: number }>} */
export async function measure({ quick, seed }) {
  const { simulateContention } = await import('rejitter/lab');
  const runs = quick ? 20 : 100;
  const random = uniform(seed);
  const sum = { ms: 0, events: 0 };
  // The first round is the warm-up.
  for (const every of [60, quick ? 60 : 10]) {
    Object.assign(sum, { ms: 0, events: 0 });
    for (const figure of shuffled(STRATEGIES, random))
      for (let clients = 10; clients <= 190; clients += every) {
        const start = performance.now();
        const simulation = simulateContention({ figure }, { clients, runs, seed: runs });
        sum.events += simulation.step().events;
        simulation.free();
        sum.ms += performance.now() - start;
      }
  }
  return sum;
}
