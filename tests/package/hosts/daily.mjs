// The daily run: of the table of hosts, the rows that need no installation, as tests.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { workFolder } from '../lib/consumer.mjs';
import { closedOrigin } from '../lib/fetching.mjs';
import { closeBrowsers } from './browser.mjs';
import { Folder } from './folder.mjs';
import { GROUPS } from './groups/all.mjs';
import { startOrigin } from './origin.mjs';
import { problemOf } from './row.mjs';

/** Groups whose packages the tests have, without the rows that need more. */
export const DAILY = GROUPS.filter(({ daily }) => daily).map(({ rows, ...group }) => ({
  ...group,
  rows: rows.filter(({ daily = true }) => daily),
}));

/** A test for each row that is wanted. */
export function testDaily(wanted) {
  let origin;
  let closed;
  before(async () => {
    [origin, closed] = await Promise.all([startOrigin(), closedOrigin()]);
  });
  after(async () => {
    await origin.close();
    await closeBrowsers();
  });
  for (const { name, packages = {}, rows } of DAILY) {
    const chosen = rows.filter(wanted);
    if (chosen.length === 0) continue;
    describe(name, () => {
      let folder;
      before(async () => {
        const node = async () => process.execPath;
        folder = new Folder({ dir: workFolder('hosts'), origin: origin.url, closed, node });
        await folder.install(packages);
      });
      for (const row of chosen) test(row.name, async () => assert.equal(await problemOf(row, folder), ''));
    });
  }
}
