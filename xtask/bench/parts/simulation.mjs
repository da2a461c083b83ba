// The AWS figure: the lab's simulation against a plain JavaScript twin, cell by cell.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { inNode } from '../lib/child.mjs';
import { contention } from '../lib/contention.mjs';
import { shuffled, uniform } from '../lib/random.mjs';

const OURS = 'rejitter/lab, simulateContention';
const TWIN = 'plain JavaScript';

/** @type {import('../lib/contention.mjs').Strategy[]} */
const STRATEGIES = ['none', 'exponential', 'equal', 'full', 'decorrelated'];

/**
 * Mean calls of 10,000 runs of another implementation, and their standard deviation: by clients and strategy.
 * @type {Record<string, Record<string, [mean: number, sd: number]>>}
 */
const REFERENCE = JSON.parse(readFileSync(new URL('../../../tests/vectors/contention.json', import.meta.url), 'utf8'));

/** @param {import('../lib/child.mjs').Context} context */
export const run = ({ node, choice }) => inNode(node, import.meta.url, 'measure', choice);

/**
 * @typedef {(strategy: import('../lib/contention.mjs').Strategy, clients: number, runs: number, seed: number) => {
 * events: number, calls: Uint32Array }} Simulate
 */

/** @returns {Promise<Simulate>} */
async function lab() {
  const { simulateContention } = await import('rejitter/lab');
  return (figure, clients, runs, seed) => {
    const simulation = simulateContention({ figure }, { clients, runs, seed });
    const { events } = simulation.step();
    const { calls } = simulation.result();
    simulation.free();
    return { events, calls };
  };
}

/**
 * Means agree with the reference within five standard errors of both.
 * @param {Simulate} simulate
 * @param {string} name
 * @param {number} seed
 */
function verify(simulate, name, seed) {
  const runs = 400;
  for (const [clients, row] of Object.entries(REFERENCE)) {
    for (const strategy of STRATEGIES) {
      const [mean, sd] = row[strategy];
      const { calls } = simulate(strategy, Number(clients), runs, seed);
      const found = calls.reduce((sum, value) => sum + value, 0) / runs;
      const error = sd * Math.sqrt(1 / runs + 1 / 10_000);
      assert.ok(
        Math.abs(found - mean) < 5 * error,
        `${name}, ${strategy}, ${clients} clients: ${found} calls instead of ${mean}`,
      );
    }
  }
}

/** @param {import('../lib/child.mjs').Choice} choice */
export async function measure({ quick, seed }) {
  /** @type {[string, Simulate][]} */
  const ways = [
    [OURS, await lab()],
    [TWIN, contention],
  ];
  // It is the warm-up too.
  for (const [name, simulate] of ways) verify(simulate, name, seed);
  const runs = quick ? 20 : 100;
  const random = uniform(seed);
  /** @type {Record<string, { ms: number[], events: number[] }>} */
  const cells = Object.fromEntries(ways.map(([name]) => [name, { ms: [], events: [] }]));
  for (const strategy of STRATEGIES) {
    for (let clients = 10; clients <= 190; clients += quick ? 60 : 10) {
      for (const [name, simulate] of shuffled(ways, random)) {
        const start = performance.now();
        const { events } = simulate(strategy, clients, runs, seed);
        cells[name].ms.push(performance.now() - start);
        cells[name].events.push(events);
      }
    }
  }
  return cells;
}
