// Do the schedules find bugs? Many are planted in copies of the package, one at a time, and each must
// be found, by the rule that it breaks. If the package as it is broke one, that would be no rule of most of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findAll, readBugs } from './planting.mjs';

/** Within how many schedules a bug must be found. */
const SCHEDULES = 10_000;
const SEED = 7;

const BUGS = readBugs();

test(`${BUGS.length} planted bugs are each found within ${SCHEDULES} schedules`, async (t) => {
  assert.ok(BUGS.length >= 103);
  await findAll(t, { mutants: BUGS, seed: SEED, schedules: SCHEDULES });
});
