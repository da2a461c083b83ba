// Do the schedules find bugs? Many are planted in copies of the package, one at a time, and each must
// be found, by the rule that it breaks. The package as it is passes the same schedules (schedules.test.mjs
// runs far more of them).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MUTANTS } from './mutants.mjs';
import { findAll, passes } from './planting.mjs';

/** Within how many schedules a bug must be found. */
const SCHEDULES = 20_000;
const SEED = 7;

test('the package itself passes', () => passes({ seed: SEED, schedules: 5000 }));

test(`${MUTANTS.length} planted bugs are each found within ${SCHEDULES} schedules`, async (t) => {
  assert.ok(MUTANTS.length >= 79);
  await findAll(t, { mutants: MUTANTS, seed: SEED, schedules: SCHEDULES });
});
