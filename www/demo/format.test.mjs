/** Numbers as the page writes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageModule } from './page-module.mjs';

const { duration, share } = await pageModule('charts/format.ts');
const { longestMs } = await pageModule('waits/total.ts');

test('durations: about three digits, in the unit that fits; nothing but 0 is written as 0', () => {
  const table = /** @type {const} */ ([
    [0, '0 ms'],
    [0.001, '0.001 ms'],
    [0.04, '0.04 ms'],
    [0.05, '0.1 ms'],
    [8.25, '8.3 ms'],
    [999.4, '999 ms'],
    [999.5, '1 s'],
    [15_200, '15.2 s'],
    [119_000, '119 s'],
    [120_000, '2 min'],
    [3_600_000, '60 min'],
    [7_200_000, '2 h'],
    [19 * 3_600_000, '19 h'],
    [350 * 86_400_000, '350 days'],
    [2 ** 53 - 1, '104,249,991 days'],
    [Infinity, 'unlimited'],
  ]);
  for (const [ms, words] of table) assert.equal(duration(ms).replaceAll('\u00a0', ' '), words);
});

test('shares: tenths where they count', () => {
  const table = /** @type {const} */ ([
    [0, '0%'],
    [0.047, '4.7%'],
    [0.3, '30%'],
    [0.953, '95.3%'],
    [1, '100%'],
    [1.026, '102.6%'],
    [18.667, '1867%'],
  ]);
  for (const [part, words] of table) assert.equal(share(part).replaceAll('\u00a0', ' '), words);
});

test('the longest that waits can take together, before a deadline', () => {
  /** @type {(...waits: [loMs: number, hiMs: number][]) => { loMs: number, hiMs: number }[]} */
  const waits = (...all) => all.map(([loMs, hiMs]) => ({ loMs, hiMs }));
  const fixed = waits([100, 100], [200, 200], [400, 400]);
  assert.equal(longestMs(fixed, Infinity), 700);
  assert.equal(longestMs(fixed, 701), 700);
  assert.equal(longestMs(fixed, 700), 300, 'a wait that ends at the deadline is not started');
  assert.equal(longestMs(fixed, 50), 0);
  assert.equal(longestMs(waits([50, 100], [100, 200]), 250), 250);
  assert.equal(longestMs(waits([50, 100], [200, 200]), 250), 100);
});
