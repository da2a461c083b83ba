/** The AWS figure of the page, in Node. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { done, page } from './lib/node.mjs';

const { contention, PUBLISHED, PUBLISHED_RUNS, agreement } = await page(
  'contention/compute.ts',
  'contention/published.ts',
);
const { contention: figure } = await page('contention/figure.ts');

/**
 * Mean and standard deviation of calls, then of the time in ms, of 10,000 seeds of an implementation that shares
 * nothing with this one: by clients and strategy.
 */
const REFERENCE = JSON.parse(readFileSync(new URL('../../tests/vectors/contention.json', import.meta.url), 'utf8'));

test('has published values that agree with the reference of another implementation', () => {
  const compared = PUBLISHED.filter(({ clients }) => Object.hasOwn(REFERENCE, clients));
  assert.deepEqual([PUBLISHED.length, compared.length], [25, 15]);
  for (const { line, clients, calls, timeMs } of compared) {
    const [callsMean, callsSd, timeMean, timeSd] = REFERENCE[clients][line];
    // 3.2 standard errors: all thirty hold at once in 95% of samples.
    const error = (sd) => 3.2 * Math.hypot(sd / 100, sd / Math.sqrt(PUBLISHED_RUNS));
    assert.ok(Math.abs(calls.mean - callsMean) <= error(callsSd), `${line} ${clients}: ${calls.mean} calls`);
    assert.ok(Math.abs(timeMs.mean - timeMean) <= error(timeSd), `${line} ${clients}: ${timeMs.mean} ms`);
  }
});

test('counts the published values in the bands that are drawn, and no others', async () => {
  const { points } = await done(contention, { clients: [10, 50, 100, 150, 190], runs: 10, seed: 42 });
  let within = 0;
  for (const { line, clients, ...published } of PUBLISHED) {
    const point = points.find((one) => one.line === line && one.clients === clients);
    for (const measure of ['calls', 'timeMs'])
      if (Math.abs(point[measure].mean - published[measure].mean) <= point[measure].ci95) within++;
  }
  assert.deepEqual(agreement(points), { compared: 50, within });
  assert.ok(within > 40 && within < 50, `${within}: some are outside by chance`);
  assert.ok(figure.describe({ points, seed: 42 }).includes(`${within} of 50 values`));
});

test('is the same for the same seed, reports as it goes, and ends when it is not wanted', async () => {
  const input = { clients: [10, 20], runs: 5, seed: 1 };
  const shares = [];
  const result = await done(contention, input, ({ share }) => shares.push(share));
  assert.ok(shares.length >= 10 && shares.every((part, i) => part > 0 && part <= 1 && part >= (shares[i - 1] ?? 0)));
  assert.deepEqual(await done(contention, input), result);
  const stop = new AbortController();
  const long = done(contention, { clients: [190], runs: 100, seed: 1 }, () => stop.abort(), stop);
  await assert.rejects(long, { name: 'AbortError' });
});
