// The daily run: of the table of hosts, the rows that need no installation, as tests.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { GROUPS } from './groups/all.mjs';
import { hosting } from './origin.mjs';
import { problemOf } from './row.mjs';

/** Groups whose packages the tests have, without the rows that need more. */
export const DAILY = GROUPS.filter(({ daily }) => daily).map(({ rows, ...group }) => ({
  ...group,
  rows: rows.filter(({ daily = true }) => daily),
}));

/** A test for each row that is wanted. */
export function testDaily(wanted) {
  const project = hosting();
  for (const { name, packages = {}, rows } of DAILY) {
    const chosen = rows.filter(wanted);
    if (chosen.length === 0) continue;
    describe(name, () => {
      let folder;
      before(async () => {
        folder = project();
        await folder.install(packages);
      });
      for (const row of chosen) test(row.name, async () => assert.equal(await problemOf(row, folder), ''));
    });
  }
}
