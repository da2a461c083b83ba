/** The exact figures, in Node: the delay distributions, with the areas that they claim, and the AWS figure of 2015. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { RetryPolicy } from 'rejitter';
import { sample } from 'rejitter-lab';
import { AT_ONCE, INITIAL, done, median, page } from './lib/node.mjs';

const { MOST_DRAWN, waits, delays, mostOf, ridgeOf, ridgePath, waitScale, cellsOf, longestMs } = await page(
  'waits/compute waits/figure waits/ridge state/cells compute/outage',
);

const distributions = async (strategy) =>
  (await done(waits, { strategy, choices: [], large: [strategy], seed: 42 })).large;

test('medians and landings are those of the installed package', async () => {
  const [{ waits: planned, landings }] = await distributions(INITIAL);
  const sampled = sample(new RetryPolicy({ maxAttempts: 10 }), { waits: 9, operations: 2000, seed: 42 });
  for (let k = 0; k < 9; k++) {
    const own = Array.from({ length: 2000 }, (_, i) => Number(sampled[9 * i + k]));
    const sums = own.map((_, i) => sampled.slice(9 * i, 9 * i + k + 1).reduce((a, b) => a + b, 0));
    assert.ok(Math.abs(median(own) / planned[k].quantiles.p50 - 1) < 0.08, `wait ${k + 1}`);
    // The first landing is exact: the sum of one wait is that wait.
    const expected = k === 0 ? planned[0].quantiles.p50 : median(sums);
    assert.ok(Math.abs(expected / landings[k].p50 - 1) < 1e-9, `landing ${k + 1}`);
  }
});

test('a ridge has the area of its probability in every strategy, and is closed in the frame', async () => {
  const { cells } = await done(waits, { strategy: INITIAL, choices: cellsOf(INITIAL).all, large: [], seed: 42 });
  for (const { choice, waits: all } of cells)
    for (const capMs of [INITIAL.capMs, 1000]) {
      const most = capMs === 1000 ? 1000 : mostOf({ waits: all, landings: [] }, capMs);
      const scale = waitScale(most, 10, 900, 20);
      for (const wait of all.slice(0, MOST_DRAWN)) {
        const ridge = ridgeOf(wait, scale);
        if (!ridge) continue;
        // Per e-fold of the time: the width of a column is the same everywhere.
        const perPixel = Math.log(most) / (900 - 30);
        const area = ridge.points.reduce((sum, [, density]) => sum + 2 * density * perPixel, 0);
        let inside = 0;
        for (let i = 0; i < wait.cells.length; i += 3) {
          const [from, to, p] = wait.cells.subarray(i, i + 3);
          inside += (p * Math.max(0, Math.min(to, most) - Math.max(from, 1))) / (to - from);
        }
        const name = `${choice.backoff} ${choice.jitter}, wait ${wait.k}`;
        assert.ok(Math.abs(area - inside) < 0.01, `${name}: ${area} for ${inside}`);
        const path = ridgePath(ridge, { base: 50, unit: 10, most: 40 });
        assert.match(path, /^M[\d.]+,50L.*L([\d.]+),50z$/);
        for (const [, x, y] of path.matchAll(/[ML]([\d.]+),([\d.]+)/g))
          assert.ok(Number(x) >= 10 && Number(x) <= 901 && Number(y) >= 10 && Number(y) <= 50, `${x},${y}`);
        assert.equal(ridge.isCut, wait.cells.at(-2) > 1.001 * most);
      }
    }
});

test('a ridge of a uniform wait is as high in each row: densities are true to one another', async () => {
  const [{ waits: all }] = await distributions(INITIAL);
  const scale = waitScale(10_000, 0, 1000, 0);
  for (const wait of all) assert.ok(Math.abs(ridgeOf(wait, scale).peak - 1) < 0.04, `wait ${wait.k}`);
});

test('words name the waits that are none, and those at which clients meet', async () => {
  for (const [strategy, words] of [
    [AT_ONCE, /^No retry waits: all of them come at once\./],
    [{ ...INITIAL, jitter: 'decorrelated' }, /\d+% of the clients wait exactly 10.s and retry together\./],
  ]) {
    const [chosen] = await distributions(strategy);
    assert.match(delays(0).note({ strategy, chosen })[0], words);
  }
});

test('the longest that waits can take together, before a deadline: one that ends there is not started', () => {
  const waits = (...all) => all.map(([loMs, hiMs]) => ({ loMs, hiMs }));
  const fixed = waits([100, 100], [200, 200], [400, 400]);
  assert.deepEqual(
    [Infinity, 701, 700, 50].map((ms) => longestMs(fixed, ms)),
    [700, 700, 300, 0],
  );
  assert.equal(longestMs(waits([50, 100], [100, 200]), 250), 250);
  assert.equal(longestMs(waits([50, 100], [200, 200]), 250), 100);
});

const { contention, PUBLISHED, PUBLISHED_RUNS, agreement } = await page('contention/compute contention/published');
const { contention: figure } = await page('contention/figure');

/**
 * Mean and standard deviation of calls, then of the time in ms, of 10,000 seeds of an implementation that shares
 * nothing with this one: by clients and strategy.
 */
const REFERENCE = JSON.parse(readFileSync(new URL('../../tests/vectors/contention.json', import.meta.url), 'utf8'));

test('the AWS figure has published values that agree with the reference of another implementation', () => {
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

test('the AWS figure counts the published values in the bands that are drawn, and no others', async () => {
  const result = await done(contention, { clients: [10, 50, 100, 150, 190], runs: 10, seed: 42 });
  const { points } = result;
  let within = 0;
  for (const { line, clients, ...published } of PUBLISHED) {
    const point = points.find((one) => one.line === line && one.clients === clients);
    for (const measure of ['calls', 'timeMs'])
      if (Math.abs(point[measure].mean - published[measure].mean) <= point[measure].ci95) within++;
  }
  assert.deepEqual(agreement(points), { compared: 50, within });
  assert.ok(within > 40 && within < 50, `${within}: some are outside by chance`);
  assert.ok(figure.subtitle(result)[0].startsWith(`${within} of 50 values`));
});
