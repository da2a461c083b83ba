// 3,000 random schedules (with REJITTER_QUICK 500, with REJITTER_FULL 20,000) against the packed package: of hostile
// callbacks, signals, hooks and clocks, and of operations that share protections; a tenth are for rejitter/light. In
// each, all that is seen of the package is what is seen of the reference (reference.mjs), and nothing is left behind.
// The test of the planted bugs prints how many schedules of its kind each bug takes: nine of ten take fewer than 500.
//
// More, or other seeds: node tests/package/schedules/run.mjs --count N --seed S.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { installed } from '../lib/consumer.mjs';
import { simulation } from './threads.mjs';

const { REJITTER_QUICK, REJITTER_FULL } = process.env;
const [SCHEDULES, ORDERS] = REJITTER_QUICK ? [500, 150] : REJITTER_FULL ? [20_000, 2_000] : [3_000, 600];
/** Few are played in one thread: each compiles what it runs. */
const threads = REJITTER_FULL ? 2 : 1;

test(`${SCHEDULES} random schedules break no invariant`, async () => {
  const { schedules, report } = await simulation({ folder: installed, seed: 20_260_101, to: SCHEDULES, threads });
  assert.equal(report, undefined, report);
  assert.equal(schedules, SCHEDULES);
});

// `cargo xtask proofs interleavings` plays them all.
test(`${ORDERS} of all orders of a few events break no invariant`, async () => {
  const { report } = await simulation({ folder: installed, seed: 0, to: ORDERS, threads, among: 'every' });
  assert.equal(report, undefined, report);
});
