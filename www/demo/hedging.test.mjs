/**
 * Hedges on the page: the tail with one and without, and servers that must do their work, too. The figures' numbers and
 * sentences are those of the package.
 *
 * Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hedgingSentence, sharedServers, tailOf, tailSentence } from './lib/hedging.mjs';
import { pageModule } from './page-module.mjs';

/** @typedef {import('./lib/hedging.mjs').Hedges} Hedges */

const page = await pageModule('hedging/compute.ts');
const tail = await pageModule('hedging/tail.ts');
const { finding, hedgingFigure } = await pageModule('hedging/figure.ts');

const nothing = () => {};
const { signal } = new AbortController();

describe('the tail', () => {
  test('is exact as in the closed form, and the sample agrees with it', async () => {
    const { plain, hedged } = await page.tail({ delayMs: 60, seed: 42 }, nothing, signal);
    /** @param {number} ms */
    const longer = (ms) => (ms < 0 ? 1 : 0.95 * Math.exp(-ms / 20) + 0.05 * Math.exp(-Math.max(0, ms - 500) / 500));
    for (const [run, delayMs] of [
      [plain, Infinity],
      [hedged, 60],
    ]) {
      assert.equal(run.totals.requests, page.REQUESTS);
      for (const [i, ms] of run.timesMs.entries()) {
        const wanted = longer(ms) * longer(ms - delayMs);
        assert.ok(Math.abs(run.exact.survival[i] - wanted) < 1e-12, `${ms} ms`);
        // Six standard deviations, and a request.
        const noise = 6 * Math.sqrt((wanted * (1 - wanted)) / page.REQUESTS) + 1 / page.REQUESTS;
        assert.ok(Math.abs(run.survival[i] - wanted) < noise, `${ms} ms: ${run.survival[i]} for ${wanted}`);
      }
    }
    // The reference.
    const rounded = (/** @type {any} */ { p99Ms, p999Ms }) => [p99Ms, p999Ms].map((ms) => Math.round(10 * ms) / 10);
    assert.deepEqual(rounded(plain.exact), [1304.7, 2456]);
    assert.deepEqual(rounded(hedged.exact), [100.2, 759.1]);
    assert.equal(hedged.exact.extra.toFixed(4), '0.0973');
  });

  test('has the numbers of the package for the seed, in a sentence', async () => {
    for (const { delayMs, seed } of [
      { delayMs: 60, seed: 42 },
      { delayMs: 75, seed: 7 },
    ]) {
      const found = await page.tail({ delayMs, seed }, nothing, signal);
      const wanted = tailOf(delayMs, seed);
      const whole = [wanted.plain, wanted.hedged].map((run) => ({ ...run, isCut: false }));
      assert.deepEqual([found.plain, found.hedged], whole);
      assert.equal(tail.finding({ ...found, isHedged: true }), tailSentence(wanted, delayMs));
      assert.equal(tail.finding({ ...found, isHedged: false }), 'Without a hedge p99 is 1.3 s, and p99.9 2.46 s.');
    }
  });
});

describe('servers with hedges', () => {
  test('have the numbers of the package, before and after they are overloaded', async () => {
    const utilisations = [0.5, 0.7];
    /** @type {number[]} */
    const reports = [];
    const report = (/** @type {any} */ { points }) => reports.push(points.length);
    const found = await page.hedging({ utilisations, seed: 42 }, report, signal);
    assert.deepEqual(reports, [3]);
    assert.equal(found.points.length, 6);
    for (const { utilisation, hedges, ...point } of found.points) {
      const { p50Ms, p99Ms, totals } = sharedServers(utilisation, hedges, 42);
      assert.deepEqual(point, { p50Ms, p99Ms, extra: totals.hedges / totals.requests }, `${utilisation} ${hedges}`);
    }
    for (const utilisation of utilisations)
      assert.equal(finding({ ...found, utilisation }), hedgingSentence(utilisation, 42));
    assert.match(finding({ ...found, utilisation: 0.5 }), /p50 is [\d.]+\u00a0ms, p99 [\d.]+\u00a0ms\.$/);
    assert.match(finding({ ...found, utilisation: 0.7 }), /99\.\d% .* half of them take longer than 2\d\u00a0s\.$/);
  });

  test('are named where hedges pay, and where they overload them', async () => {
    /** @param {number} utilisation @param {Hedges} hedges @param {number} p99Ms @param {number} extra */
    const point = (utilisation, hedges, p99Ms, extra) => ({ utilisation, hedges, p50Ms: 10, p99Ms, extra });
    const points = [
      ...[point(0.4, 'none', 80, 0), point(0.4, 'limited', 70, 0.05), point(0.4, 'unlimited', 70, 0.05)],
      ...[point(0.6, 'none', 90, 0), point(0.6, 'limited', 95, 0.1), point(0.6, 'unlimited', 9000, 0.9)],
    ];
    const data = { input: { utilisations: [0.4, 0.6], seed: 1 }, points, utilisation: 0.4 };
    assert.match(
      hedgingFigure.describe(data),
      /Hedges with maxRatio 0\.1 shorten p99 up to 40%\. They overload the servers not up to 60%, without the limit from between 40% and 60%\.$/,
    );
    const { rows, isBad } = hedgingFigure.table(data);
    assert.deepEqual(
      rows.map((/** @type {unknown} */ _, /** @type {number} */ row) => isBad(row, 5)),
      [false, false, false, false, false, true],
    );
  });

  test('are computed at a typed utilisation, too, and not at all when they are not wanted', async () => {
    assert.deepEqual(page.utilisationsWith(0.7), page.UTILISATIONS);
    assert.deepEqual(
      page.utilisationsWith(0.73).filter((/** @type {number} */ one) => !page.UTILISATIONS.includes(one)),
      [0.73],
    );
    const stop = new AbortController();
    const all = page.hedging({ utilisations: page.UTILISATIONS, seed: 1 }, () => stop.abort(), stop.signal);
    await assert.rejects(all, { name: 'AbortError' });
  });
});
