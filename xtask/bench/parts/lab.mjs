// The lab: ten million full-jitter delays into a Float64Array, against loops in JavaScript, and the events of the AWS
// figure that its simulation handles.

import { BASE_MS, CAP_MS } from '../contenders.mjs';
import { inNode } from '../lib/child.mjs';
import { shuffled, uniform } from '../lib/random.mjs';

export const bulk = ({ node, choice }) => inNode(node, import.meta.url, 'measureBulk', choice);
export const simulation = ({ node, choice }) => inNode(node, import.meta.url, 'measureSimulation', choice);

const WAITS = 10;
const OPERATIONS = 1_000_000;

/** The formula, as one writes it. */
function plainLoop() {
  const delays = new Float64Array(WAITS * OPERATIONS);
  for (let i = 0, at = 0; i < OPERATIONS; i++) {
    for (let k = 1; k <= WAITS; k++) delays[at++] = Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** (k - 1));
  }
  return delays;
}

/** The ceilings computed once. */
function tableLoop() {
  const ceilings = Float64Array.from({ length: WAITS }, (_, i) => Math.min(CAP_MS, BASE_MS * 2 ** i));
  const delays = new Float64Array(WAITS * OPERATIONS);
  for (let i = 0, at = 0; i < OPERATIONS; i++) {
    for (let k = 0; k < WAITS; k++) delays[at++] = Math.random() * ceilings[k];
  }
  return delays;
}

export async function measureBulk({ quick, seed }) {
  const { sample } = await import('rejitter-lab');
  const policy = { maxAttempts: WAITS + 1, baseMs: BASE_MS, capMs: CAP_MS };
  const ways = {
    'JS loop': plainLoop,
    'JS loop, ceilings in a table': tableLoop,
    'rejitter-lab, sample': () => sample(policy, { operations: OPERATIONS, seed }),
  };
  const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  const random = uniform(seed);
  // The first rounds are the warm-up.
  for (let round = -2; round < (quick ? 5 : 40); round++) {
    for (const [name, way] of shuffled(Object.entries(ways), random)) {
      const start = performance.now();
      way();
      if (round >= 0) samples[name].push(performance.now() - start);
    }
  }
  return { samples, delays: WAITS * OPERATIONS };
}

const STRATEGIES = ['none', 'exponential', 'equal', 'full', 'decorrelated'];

export async function measureSimulation({ quick, seed }) {
  const { simulateContention } = await import('rejitter-lab');
  const runs = quick ? 20 : 100;
  const random = uniform(seed);
  let sum;
  // The first round is the warm-up.
  for (const every of [60, quick ? 60 : 10]) {
    sum = { ms: 0, events: 0 };
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
