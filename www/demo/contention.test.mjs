/** The AWS figure of the page, in Node: the page's own functions, on the installed package. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { pageModule } from './page-module.mjs';

const { contention } = await pageModule('contention/compute.ts');
const { contention: figure } = await pageModule('contention/figure.ts');
const { PUBLISHED, PUBLISHED_RUNS, agreement } = await pageModule('contention/published.ts');

const signal = new AbortController().signal;
const nothing = () => {};

describe('the published figure', () => {
  /**
   * Mean and standard deviation of calls, then of the time in ms, of 10,000 seeds of an implementation that shares
   * nothing with this one: by clients and strategy.
   * @type {Record<string, Record<string, [number, number, number, number]>>}
   */
  const REFERENCE = JSON.parse(readFileSync(new URL('../../tests/vectors/contention.json', import.meta.url), 'utf8'));
  /** @param {number} clients @param {string} line */
  const at = (clients, line) => REFERENCE[clients]?.[line] ?? assert.fail(`${line}, ${clients} clients`);

  /** From 95% for one mean to 95% for all ten together. */
  const ALL_TEN = 2.81 / 1.96;

  test("has the reference's means for ten clients, within both confidence intervals", async () => {
    const { points, events } = await contention({ clients: [10], runs: 400, seed: 42 }, nothing, signal);
    assert.equal(points.length, 5);
    assert.ok(events > 5 * 400 * 10);
    for (const { line, clients, runs, calls, timeMs } of points) {
      assert.deepEqual([clients, runs], [10, 400]);
      const [callsMean, callsSd, timeMean, timeSd] = at(clients, line);
      // 10,000 seeds: half of the interval is 0.0196 standard deviations.
      assert.ok(
        Math.abs(calls.mean - callsMean) <= ALL_TEN * (calls.ci95 + 0.0196 * callsSd),
        `${line}: ${calls.mean} calls`,
      );
      assert.ok(
        Math.abs(timeMs.mean - timeMean) <= ALL_TEN * (timeMs.ci95 + 0.0196 * timeSd),
        `${line}: ${timeMs.mean} ms`,
      );
    }
  });

  test('has published values that agree with the reference of another implementation', () => {
    assert.equal(PUBLISHED.length, 25);
    let compared = 0;
    for (const { line, clients, calls, timeMs } of PUBLISHED) {
      if (!Object.hasOwn(REFERENCE, clients)) continue;
      compared += 1;
      const [callsMean, callsSd, timeMean, timeSd] = at(clients, line);
      // 3.2 standard errors: all thirty hold at once in 95% of samples.
      const error = (/** @type {number} */ sd) => 3.2 * Math.hypot(sd / 100, sd / Math.sqrt(PUBLISHED_RUNS));
      assert.ok(Math.abs(calls.mean - callsMean) <= error(callsSd), `${line} ${clients}: ${calls.mean} calls`);
      assert.ok(Math.abs(timeMs.mean - timeMean) <= error(timeSd), `${line} ${clients}: ${timeMs.mean} ms`);
    }
    assert.equal(compared, 15);
  });

  test('counts the published values in the bands that are drawn, and no others', async () => {
    const clients = [10, 50, 100, 150, 190];
    const { points } = await contention({ clients, runs: 10, seed: 42 }, nothing, signal);
    let within = 0;
    for (const { line, clients: n, ...published } of PUBLISHED) {
      const point = points.find((/** @type {any} */ one) => one.line === line && one.clients === n);
      for (const measure of /** @type {const} */ (['calls', 'timeMs']))
        if (Math.abs(point[measure].mean - published[measure].mean) <= point[measure].ci95) within++;
    }
    assert.deepEqual(agreement(points), { compared: 50, within });
    assert.ok(within > 40 && within < 50, `${within}: some are outside by chance`);
    assert.ok(figure.describe({ points, seed: 42 }).includes(`${within} of 50 values`));
  });

  test('is the same for the same seed, reports as it goes, and ends when it is not wanted', async () => {
    const input = { clients: [10, 20], runs: 5, seed: 1 };
    /** @type {number[]} */
    const shares = [];
    const result = await contention(input, (/** @type {{ share: number }} */ { share }) => shares.push(share), signal);
    assert.ok(
      shares.length >= 10 && shares.every((share, i) => share > 0 && share <= 1 && share >= (shares[i - 1] ?? 0)),
    );
    assert.deepEqual(await contention(input, nothing, signal), result);
    const stop = new AbortController();
    const long = contention({ clients: [190], runs: 100, seed: 1 }, () => stop.abort(), stop.signal);
    await assert.rejects(long, { name: 'AbortError' });
  });
});
