// Ten million full-jitter delays into a Float64Array: the lab's `sample` against loops in JavaScript.

import assert from 'node:assert/strict';

import { BASE_MS, CAP_MS } from '../contenders.mjs';
import { inNode } from '../lib/child.mjs';
import { shuffled, uniform } from '../lib/random.mjs';

const BASELINE = 'JS loop';
const OURS = 'rejitter/lab, sample';

const WAITS = 10;
const OPERATIONS = 1_000_000;

export const run = ({ node, choice }) => inNode(node, import.meta.url, 'measure', choice);

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

/** Each wait lies below its ceiling, and around half of it in the mean. */
function check(delays, name) {
  assert.equal(delays.length, WAITS * OPERATIONS, name);
  for (let k = 0; k < WAITS; k++) {
    const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** k);
    let sum = 0;
    for (let at = k; at < delays.length; at += WAITS) {
      if (!(delays[at] >= 0 && delays[at] < ceiling)) assert.fail(`${name}: wait ${k + 1} is ${delays[at]}`);
      sum += delays[at];
    }
    // Its standard deviation is ceiling/√12/1000: ten of them.
    const mean = sum / OPERATIONS;
    assert.ok(Math.abs(mean - ceiling / 2) < 0.003 * ceiling, `${name}: wait ${k + 1} is ${mean} in the mean`);
  }
}

export async function measure({ quick, seed }) {
  const { sample } = await import('rejitter/lab');
  const policy = { maxAttempts: WAITS + 1, baseMs: BASE_MS, capMs: CAP_MS };
  const ways = {
    [BASELINE]: plainLoop,
    'JS loop, ceilings in a table': tableLoop,
    [OURS]: () => sample(policy, { operations: OPERATIONS, seed }),
  };
  const samples = {};
  for (const [name, way] of Object.entries(ways)) {
    check(way(), name);
    way();
    samples[name] = [];
  }
  const random = uniform(seed);
  for (let round = 0; round < (quick ? 5 : 40); round++) {
    for (const [name, way] of shuffled(Object.entries(ways), random)) {
      const start = performance.now();
      way();
      samples[name].push(performance.now() - start);
    }
  }
  return { samples, delays: WAITS * OPERATIONS };
}
