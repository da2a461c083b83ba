// 100,000 random schedules (with REJITTER_QUICK 10,000) of operations that share protections, against the packed
// package: every decision of budget, breaker and cooldown is the one that their machines in the oracle take.
//
// More, or other seeds: node tests/package/schedules/run.mjs --suite protection --count N --seed S.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { installed } from '../lib/consumer.mjs';
import { Threads, report } from '../schedules/threads.mjs';

const SCHEDULES = process.env.REJITTER_QUICK ? 10_000 : 100_000;

test(`${SCHEDULES} random schedules break no rule of protection`, async () => {
  const threads = new Threads(2, 'protection');
  try {
    const { schedules, finding } = await threads.simulate({
      folder: installed,
      seed: 20_261_122,
      schedules: SCHEDULES,
    });
    assert.equal(finding, undefined, finding && report(finding));
    assert.equal(schedules, SCHEDULES);
  } finally {
    await threads.close();
  }
});
