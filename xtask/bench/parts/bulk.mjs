// @ts-check
// Ten million full-jitter delays into a Float64Array: the lab's `sample` against loops in JavaScript.

import assert from 'node:assert/strict';

import { BASE_MS, CAP_MS } from '../contenders/limits.mjs';
import { inEachNode } from '../lib/child.mjs';
import { compareWhole } from '../lib/harness.mjs';

const BASELINE = 'JS loop';
const OURS = 'rejitter/lab, sample';

const WAITS = 10;
const OPERATIONS = 1_000_000;

/** @param {import('./all.mjs').Context} context */
export const run = (context) => inEachNode(context, import.meta.url);

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

/**
 * With draws that can be repeated, as the lab's can: 53 bits of a seeded generator (sfc32).
 * @param {number} seed
 */
function seededLoop(seed) {
  const ceilings = Float64Array.from({ length: WAITS }, (_, i) => Math.min(CAP_MS, BASE_MS * 2 ** i));
  const delays = new Float64Array(WAITS * OPERATIONS);
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, seed | 0, 1];
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  for (let i = 0, at = 0; i < OPERATIONS; i++) {
    for (let k = 0; k < WAITS; k++) delays[at++] = ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) * 2 ** -53 * ceilings[k];
  }
  return delays;
}

/**
 * Each wait lies below its ceiling, and around half of it in the mean.
 * @param {Float64Array} delays
 * @param {string} name
 */
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

/** @param {import('../lib/plans.mjs').Choice} choice */
export async function measure({ quick, seed }) {
  const { sample } = await import('rejitter/lab');
  const policy = { maxAttempts: WAITS + 1, baseMs: BASE_MS, capMs: CAP_MS };
  /** @type {Record<string, () => Float64Array>} */
  const ways = {
    [BASELINE]: plainLoop,
    'JS loop, ceilings in a table': tableLoop,
    'JS loop, seeded': () => seededLoop(seed),
    [OURS]: () => sample(policy, { operations: OPERATIONS, seed }),
  };
  const designs = Object.entries(ways).map(([name, way]) => {
    check(way(), name);
    way();
    const once = () => {
      const start = performance.now();
      way();
      return performance.now() - start;
    };
    return { name, once };
  });
  return { samples: compareWhole(designs, { rounds: quick ? 5 : 40, seed }), delays: WAITS * OPERATIONS };
}
