// docs/migration/bottleneck-p-limit.md: each row of its tables is run twice on a virtual clock, with the other package
// and with rejitter. Calls start at the same times, unless limits.json says how they differ. So do the blocks at its
// top.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import Bottleneck from 'bottleneck';
import pLimit from 'p-limit';

import { vectors } from '../../package/lib/consumer.mjs';
import { blocks, documents, evaluate, literal, marked, tableIn } from '../../package/lib/readers.mjs';
import { importAll } from '../../package/protection/entry.mjs';
import { sleep } from '../lib/migration.mjs';
import { importPasted, still } from '../lib/pasted.mjs';

const { RetryPolicy, limiter, protect } = await importAll();
const PAGE = documents.get('docs/migration/bottleneck-p-limit.md');
const CALLS = 10;

/** Starts calls of 300 ms at once. Returns when each began, and how often one was rejected. */
function started(callOf) {
  return still(async (clock) => {
    const times = [];
    const fn = async () => {
      times.push(clock.now);
      await sleep(300);
    };
    const call = callOf(fn);
    const ends = await Promise.allSettled(Array.from({ length: CALLS }, () => call()));
    return { times, rejected: ends.filter(({ status }) => status === 'rejected').length };
  }, null);
}

const bottlenecked = (cell, base) => (fn) => {
  const isOptions = cell.startsWith('{');
  const bottleneck = new Bottleneck(isOptions ? evaluate(cell, { Bottleneck }) : base);
  const group = cell.startsWith('group') && new Bottleneck.Group(base);
  return isOptions ? () => bottleneck.schedule(fn) : () => evaluate(cell, { bottleneck, group, fn });
};
const limited = (cell) => (fn) => {
  const limit = evaluate(cell, { pLimit });
  return () => limit(fn);
};
const ours = (cell, base) => (fn) => {
  const isPart = cell.startsWith('limiter(');
  const protection = protect(evaluate(isPart ? cell : base, { limiter }));
  const policy = new RetryPolicy({ maxAttempts: 1, protection });
  return isPart ? () => policy.run(fn) : () => evaluate(cell, { policy, protection, fn });
};

/** Bottleneck arms a timer for each of its steps, which takes some ms of each time. */
function sameStarts(actual, expected) {
  const same = actual.length === expected.length && actual.every((time, i) => Math.abs(time - expected[i]) <= 20);
  assert.ok(same, `starts at ${actual} instead of ${expected}`);
}

/** Rows in which the two differ, as their remarks say. */
const { limits: SPECIAL } = vectors('migration');

for (const [heading, other] of Object.entries({
  Bottleneck: bottlenecked,
  "a call of Bottleneck's": bottlenecked,
  'p-limit': limited,
}))
  for (const [oldCell, nowCell, remark] of tableIn(PAGE, heading))
    test(`${heading}: ${oldCell} is ${nowCell}`, async () => {
      const before = await started(other(literal(oldCell), { minTime: 100 }));
      const after = await started(ours(literal(nowCell), 'limiter({ limit: 10 })'));
      const [, row] = Object.entries(SPECIAL).find(([part]) => oldCell.includes(part)) ?? [];
      if (row) assert.notEqual(remark, '', 'the page says how they differ');
      const { old = before.times, now = old, rejected = [before.rejected, before.rejected] } = row ?? {};
      sameStarts(before.times, old);
      sameStarts(after.times, now);
      assert.deepEqual([before.rejected, after.rejected], rejected);
    });

test('the blocks at the top make the same calls at the same times', async () => {
  const [[, before]] = marked('bottleneck');
  const { code: after } = blocks(PAGE)[0];
  const times = [];
  for (const code of [before, after]) {
    const files = {
      'api.mjs': `
        let calls = 0;
        export const at = [];
        export async function callApi() {
          at.push(performance.now());
          if (++calls < 3) throw new Error('down');
        }`,
    };
    times.push(
      await still(async () => {
        const { at } = await importPasted(`${code}\nexport { at } from './api.mjs';`, files);
        return at.map((time) => time - at[0]);
      }),
    );
  }
  sameStarts(times[1], times[0]);
  assert.equal(times[0].length, 3);
});
