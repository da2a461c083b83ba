// Do the schedules of protection find bugs? Each bug that a part of this kind has had somewhere is planted in a copy of
// the package, and must be found, by the rule that it breaks.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findAll, passes } from '../schedules/planting.mjs';
import { MUTANTS } from './mutants.mjs';

/** Within how many schedules a bug must be found. */
const SCHEDULES = 40_000;
const SEED = 11;
const suite = 'protection';

test('the package itself passes', () => passes({ suite, seed: SEED, schedules: 2000 }));

test(`${MUTANTS.length} planted bugs are each found within ${SCHEDULES} schedules`, async (t) => {
  assert.ok(MUTANTS.length >= 30);
  await findAll(t, { suite, mutants: MUTANTS, seed: SEED, schedules: SCHEDULES });
});
