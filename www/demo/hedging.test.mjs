/** The tail with a hedge and without, in Node: exact as in the closed form, and in the words of its numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageModule } from './page-module.mjs';

const { REQUESTS, tail } = await pageModule('hedging/compute.ts');
const { finding } = await pageModule('hedging/tail.ts');

test('the tail is exact, the sample agrees with it, and the sentence has its numbers', async () => {
  const result = await tail({ delayMs: 60, seed: 42 }, () => {}, new AbortController().signal);
  /** @param {number} ms */
  const longer = (ms) => (ms < 0 ? 1 : 0.95 * Math.exp(-ms / 20) + 0.05 * Math.exp(-Math.max(0, ms - 500) / 500));
  for (const [run, delayMs] of [
    [result.plain, Infinity],
    [result.hedged, 60],
  ]) {
    assert.equal(run.totals.requests, REQUESTS);
    for (const [i, ms] of run.timesMs.entries()) {
      const wanted = longer(ms) * longer(ms - delayMs);
      assert.ok(Math.abs(run.exact.survival[i] - wanted) < 1e-12, `${ms} ms`);
      // Six standard deviations, and a request.
      const noise = 6 * Math.sqrt((wanted * (1 - wanted)) / REQUESTS) + 1 / REQUESTS;
      assert.ok(Math.abs(run.survival[i] - wanted) < noise, `${ms} ms: ${run.survival[i]} for ${wanted}`);
    }
  }
  const said = (/** @type {boolean} */ isHedged) => finding({ ...result, isHedged }).replaceAll('\u00a0', ' ');
  assert.equal(
    said(true),
    'A hedge after 60 ms sends 9.7% more requests, and cuts p99 from 1.3 s to 100 ms and p99.9 from 2.5 s to 760 ms.',
  );
  assert.equal(said(false), 'Without a hedge p99 is 1.3 s, and p99.9 2.5 s.');
});
