/**
 * Hedges on the page: the tail with one and without, and servers that must do their work, too. The figures' numbers and
 * sentences are those of the package.
 *
 * Expects `rejitter` in `www/node_modules`, `www/dist`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { inEachEngine } from './lib/built-page.mjs';
import { DEFAULTS, loadOf, hedgingSentence, sharedServers, tailOf, tailSentence } from './lib/hedging.mjs';
import { SMALL, drawn, loaded, tableOf } from './lib/page.mjs';
import { until } from './lib/until.mjs';
import { pageModule } from './page-module.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./lib/hedging.mjs').Hedges} Hedges */

const nothing = () => {};
const { signal } = new AbortController();

describe('the tail', () => {
  /** @type {any} */
  let page;
  /** @type {any} */
  let finding;
  before(async () => {
    page = await pageModule('compute/hedging.ts');
    ({ finding } = await pageModule('figures/tail.ts'));
  });

  test('is exact as in the closed form, and the sample agrees with it', async () => {
    const { plain, hedged, delays } = await page.tail({ delayMs: 60, seed: 42 }, nothing, signal);
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
    assert.deepEqual(
      delays.map((/** @type {any} */ { delayMs }) => delayMs),
      page.DELAYS,
    );
    for (const { delayMs, extra } of delays) assert.ok(Math.abs(extra - longer(delayMs)) < 1e-12, `${delayMs} ms`);
    const after100 = delays.find((/** @type {any} */ { delayMs }) => delayMs === 100);
    assert.deepEqual([after100.extra.toFixed(4), after100.p99Ms.toFixed(1)], ['0.0564', '137.4']);
  });

  test('has the numbers of the package for the seed, in a sentence', async () => {
    for (const { delayMs, seed } of [
      { delayMs: 60, seed: 42 },
      { delayMs: 75, seed: 7 },
    ]) {
      const found = await page.tail({ delayMs, seed }, nothing, signal);
      const wanted = tailOf(delayMs, seed);
      assert.deepEqual([found.plain, found.hedged], [wanted.plain, wanted.hedged]);
      assert.ok(found.delays.some((/** @type {any} */ point) => point.delayMs === delayMs));
      assert.equal(finding(found), tailSentence(wanted, delayMs));
    }
  });
});

describe('servers with hedges', () => {
  /** @type {any} */
  let page;
  /** @type {any} */
  let finding;
  before(async () => {
    page = await pageModule('compute/hedging.ts');
    ({ finding } = await pageModule('figures/hedging.ts'));
  });

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
    const { hedgingFigure } = await pageModule('figures/hedging.ts');
    /** @param {number} utilisation @param {Hedges} hedges @param {number} p99Ms @param {number} extra */
    const point = (utilisation, hedges, p99Ms, extra) => ({ utilisation, hedges, p50Ms: 10, p99Ms, extra });
    const points = [
      ...[point(0.4, 'none', 80, 0), point(0.4, 'limited', 70, 0.05), point(0.4, 'unlimited', 70, 0.05)],
      ...[point(0.6, 'none', 90, 0), point(0.6, 'limited', 95, 0.1), point(0.6, 'unlimited', 9000, 0.9)],
    ];
    const data = { input: { utilisations: [0.4, 0.6], seed: 1 }, points, utilisation: 0.4 };
    assert.match(
      hedgingFigure.describe(data),
      /Hedges with maxRatio 0\.1 shorten p99 up to 40%\. They overload the servers never, without the limit from 60% on\.$/,
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

inEachEngine(({ withPage }) => {
  /** @param {Page} page @param {string} id */
  const findingOf = async (page, id) => {
    await drawn(page, id);
    return page.locator(`#${id} .finding`).textContent();
  };

  test('tail: the sentence and the table have the numbers of the package, by the slider and by the link', () =>
    withPage(
      async (page) => {
        const slider = page.getByRole('slider', { name: 'A hedge starts after' });
        assert.equal(await findingOf(page, 'tail'), tailSentence(tailOf(DEFAULTS.delayMs, 42), DEFAULTS.delayMs));
        await slider.focus();
        await page.keyboard.press('ArrowRight');
        await page.waitForURL(/&hedgeMs=80$/);
        const after80 = tailOf(80, 42);
        assert.equal(await findingOf(page, 'tail'), tailSentence(after80, 80));
        await page.reload();
        assert.equal(await findingOf(page, 'tail'), tailSentence(after80, 80));
        assert.equal(await slider.getAttribute('aria-valuetext'), '80\u00a0ms');
        /** @param {number} seed @param {ReturnType<typeof tailOf>} expected */
        const hasTable = async (seed, expected) => {
          const { rows, caption } = await tableOf(page, 'tail');
          assert.match(caption, new RegExp(`seed ${seed}$`));
          assert.deepEqual(
            rows.map((row) => [row.numbers, row['hedges per request'], row.p50, row.p99, row['p99.9']]),
            [expected.plain, expected.hedged].flatMap((run) => [
              ['exact', run.exact.extra, run.exact.p50Ms, run.exact.p99Ms, run.exact.p999Ms],
              ['sampled', loadOf(run), run.p50Ms, run.p99Ms, run.p999Ms],
            ]),
          );
        };
        await hasTable(42, after80);
        // Another seed: another sample, the same exact numbers.
        await page.locator('#new-seed').click();
        const seed = Number(await page.textContent('#seed'));
        const other = tailOf(80, seed);
        await hasTable(seed, other);
        assert.deepEqual(other.hedged.exact, after80.hedged.exact);
        await page.locator('#reset').click();
        assert.equal(await findingOf(page, 'tail'), tailSentence(tailOf(DEFAULTS.delayMs, 42), DEFAULTS.delayMs));
        await page.waitForURL((url) => url.search === '');
      },
      { query: SMALL },
    ));

  test('tail: the rings of the sample lie on the exact lines', () =>
    withPage(
      async (page) => {
        await drawn(page, 'tail');
        const far = await page.locator('#tail [data-panel="tail"] .series').evaluateAll((lines) =>
          lines.map((series) => {
            const path = /** @type {SVGPathElement} */ (series.querySelector('.line'));
            const bottom = path.getBBox().y + path.getBBox().height;
            const length = path.getTotalLength();
            const points = Array.from({ length: 1000 }, (_, i) => path.getPointAtLength((length * i) / 999));
            const rings = [...series.querySelectorAll('.sampled')]
              .map((ring) => ['cx', 'cy'].map((name) => Number(ring.getAttribute(name))))
              // Below one request in a thousand the sample is coarse.
              .filter(([, cy = 0]) => cy < bottom - 70);
            return rings.map(([cx = 0, cy = 0]) => Math.min(...points.map((at) => Math.hypot(at.x - cx, at.y - cy))));
          }),
        );
        assert.equal(far.length, 2);
        for (const distances of far) {
          assert.ok(distances.length > 25, `${distances.length} rings`);
          assert.ok(Math.max(...distances) < 2.5, distances.join());
        }
      },
      { query: '?figure=tail' },
    ));

  test('tail: the crosshair by keyboard announces the exact and the sampled share', () =>
    withPage(
      async (page) => {
        await drawn(page, 'tail');
        const slider = page.getByRole('slider', { name: 'Crosshair: What does a hedge do to the tail?' });
        await slider.focus();
        await page.keyboard.press('PageUp');
        const { plain, hedged } = tailOf(DEFAULTS.delayMs, 42);
        // The first time from the delay on, and ten more.
        const i = plain.timesMs.findIndex((ms) => ms >= DEFAULTS.delayMs) + 10;
        const share = (/** @type {number | undefined} */ part) => `${Number((100 * (part ?? NaN)).toPrecision(3))}%`;
        const of = (/** @type {typeof plain} */ run) =>
          `${share(run.exact.survival[i])}, sampled ${share(run.survival[i])}`;
        const wanted = `longer than ${Math.round(plain.timesMs[i] ?? 0)}\u00a0ms`;
        const told = page.locator('#tail .spoken', {
          hasText: `${wanted}: no hedge ${of(plain)}, hedge ${of(hedged)}`,
        });
        await told.waitFor({ state: 'attached' });
        assert.equal(await slider.getAttribute('aria-valuetext'), wanted);
      },
      { query: '?figure=tail' },
    ));

  test('hedging: the sentence has the numbers of the package, at every utilisation that can be chosen', () =>
    withPage(
      async (page, url) => {
        assert.equal(await findingOf(page, 'hedging'), hedgingSentence(DEFAULTS.utilisation, 42));
        const { rows } = await tableOf(page, 'hedging');
        const { p50Ms, p99Ms } = sharedServers(0.7, 'unlimited', 42);
        const row = rows.find((one) => one.utilisation === '70%' && one.hedges === 'no limit');
        assert.deepEqual([row?.p50, row?.p99], [p50Ms, p99Ms]);
        // Another stop of the slider is another sentence about the same points.
        const slider = page.getByRole('slider', { name: 'Utilisation', exact: true });
        await slider.focus();
        await page.keyboard.press('Home');
        await page.waitForURL(/\?utilisation=0\.2&figure=hedging$/);
        assert.equal(await findingOf(page, 'hedging'), hedgingSentence(0.2, 42));
        // A typed one is computed.
        const number = page.getByRole('textbox', { name: 'Utilisation, as a number' });
        await number.fill('73');
        await number.press('Enter');
        await page.waitForURL(/\?utilisation=0\.73&figure=hedging$/);
        assert.equal(await findingOf(page, 'hedging'), hedgingSentence(0.73, 42));
        await page.goto(`${url}?utilisation=0.73&seed=7&figure=hedging`);
        assert.equal(await findingOf(page, 'hedging'), hedgingSentence(0.73, 7));
        assert.match((await page.locator('#hedging .bound-label').textContent()) ?? '', /^now 73%$/);
      },
      { query: '?figure=hedging' },
    ));

  test('the hedge is part of the generated code and of the history', () =>
    withPage(
      async (page) => {
        const code = page.locator('#code-panel');
        await loaded(page, 'budget-body');
        await page.getByRole('checkbox', { name: 'budget' }).check();
        await page.getByRole('checkbox', { name: 'hedge' }).check();
        await page.waitForURL(/&protection=budget(,|%2C)hedge$/);
        await page.getByRole('navigation').getByRole('link', { name: 'Code' }).click();
        await page.waitForURL(/#code-heading$/);
        await code.filter({ hasText: 'protect(budget(), hedge({ delayMs: 60 }))' }).waitFor();
        assert.match(
          (await code.textContent()) ?? '',
          /import \{ budget, hedge, protect \} from 'rejitter\/protection'/,
        );
        const slider = page.getByRole('slider', { name: 'A hedge starts after' });
        await slider.focus();
        await page.keyboard.press('End');
        await page.waitForURL(/hedgeMs=1000#code-heading$/);
        await code.filter({ hasText: 'hedge({ delayMs: 1000 })' }).waitFor();
        await page.goBack();
        await until('the address is the one before', () => !page.url().includes('hedgeMs'));
        await code.filter({ hasText: 'hedge({ delayMs: 60 })' }).waitFor();
        assert.equal(await slider.getAttribute('aria-valuetext'), '60\u00a0ms');
        await page.goForward();
        await code.filter({ hasText: 'hedge({ delayMs: 1000 })' }).waitFor();
        assert.ok(await page.getByRole('checkbox', { name: 'hedge' }).isChecked());
      },
      { query: SMALL },
    ));
});
