// The AWS figure: the lab's simulation against a plain JavaScript twin, cell by cell.

import assert from 'node:assert/strict';

import { inNode } from '../lib/child.mjs';
import { contention } from '../lib/contention.mjs';
import { shuffled, uniform } from '../lib/random.mjs';
import { sum } from '../report/table.mjs';

const OURS = 'rejitter/lab, simulateContention';
const TWIN = 'plain JavaScript';

const STRATEGIES = ['none', 'exponential', 'equal', 'full', 'decorrelated'];

export const run = ({ node, choice }) => inNode(node, import.meta.url, 'measure', choice);

/** Returns the number of events. @typedef {(...args: Parameters<typeof contention>) => number} Simulate */

async function lab() {
  const { simulateContention } = await import('rejitter/lab');
  return (figure, clients, runs) => {
    const simulation = simulateContention({ figure }, { clients, runs, seed: runs });
    const { events } = simulation.step();
    simulation.free();
    return events;
  };
}

export async function measure({ quick, seed }) {
  const ways = [
    [OURS, await lab()],
    [TWIN, (...args) => contention(...args).events],
  ];
  const runs = quick ? 20 : 100;
  const random = uniform(seed);
  let cells = {};
  // The first round is the warm-up.
  for (const every of [60, quick ? 60 : 10]) {
    cells = Object.fromEntries(ways.map(([name]) => [name, { ms: [], events: [] }]));
    for (const strategy of STRATEGIES) {
      const before = ways.map(([name]) => sum(cells[name].events));
      for (let clients = 10; clients <= 190; clients += every)
        for (const [name, simulate] of shuffled(ways, random)) {
          const start = performance.now();
          cells[name].events.push(simulate(strategy, clients, runs));
          cells[name].ms.push(performance.now() - start);
        }
      const [ours, twin] = ways.map(([name], i) => sum(cells[name].events) - before[i]);
      // Its tests compare the lab with another implementation.
      assert.ok(Math.abs(ours / twin - 1) < 0.05, `${strategy}: ${ours} events, and ${twin} of the twin`);
    }
  }
  return cells;
}
