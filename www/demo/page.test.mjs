/**
 * The built page in real browsers: its frame, its waits, links, files, colours and access.
 *
 * Expects `www/dist`, `rejitter` in `www/node_modules`, and the browsers in CHROME_BIN and
 * FIREFOX_BIN. The expected distributions are exact ones, from tests/vectors.
 */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { DIST, inEachEngine } from './lib/built-page.mjs';
import { choose, column, drawAll, drawn, loaded, summaryIs, tableOf } from './lib/page.mjs';
import { percentilesInNode } from './lib/percentiles.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Budget of every visitor's download: the page and its worker, without the wasm, which is inlined as text. */
const MOST_SCRIPT_BYTES = 60_000;

/** Nothing else in the scripts is a text that long, without quotes, `$`, `<` and backslashes: the wasm. */
const LONG_TEXT = /(["'`])[^"'`$<\\\n]{2500,}\1/g;

inEachEngine(
  ({ withPage }) => {
    test('loads under a sub-path: the figures are drawn, units on every tick, numbers in words', () =>
      withPage(async (page) => {
        const figures = await drawAll(page);
        assert.ok(figures.includes('delays'), figures.join());
        for (const id of figures) {
          const ticks = await page
            .locator(`#${id} .axis`)
            .evaluateAll((axes) =>
              axes.map((axis) =>
                [...axis.querySelectorAll('text:not(.axis-title)')].map((text) => text.textContent ?? ''),
              ),
            );
          for (const axis of ticks) assert.ok(axis.length <= 6, `${id}: ${axis}`);
          assert.match((await page.locator(`#${id} svg desc`).first().textContent()) ?? '', /\d/, id);
        }
        for (const tick of await page.locator('#delays .axis text:not(.axis-title)').allTextContents())
          assert.match(tick, /^\d+(\.\d+)?\u00a0(ms|s)$/);
        assert.match(
          (await page.locator('#delays-desc').textContent()) ?? '',
          /Wait 1: median 50\u00a0ms, mean 50\u00a0ms, 5 to 95% between 5\u00a0ms and 95\u00a0ms\./,
        );
        assert.match(
          (await page.locator('#delays .note').textContent()) ?? '',
          /^The cap of 10\u00a0s limits the waits from wait 8 on\./,
        );
        assert.equal(await page.textContent('#total-worst'), '32.7\u00a0s');
        assert.ok(await page.evaluate(() => document.fonts.check('16px Inter') && document.fonts.size > 0));
      }));

    test('p50 and p95 are those of the installed package in Node, for the same seed, to the last bit', () =>
      withPage(async (page) => {
        await drawn(page, 'success');
        assert.deepEqual(await percentiles(page), percentilesInNode(42));

        // Another seed is another sample, and Reset brings the first one back.
        await page.click('#new-seed');
        await drawn(page, 'success');
        const seed = Number(await page.textContent('#seed'));
        assert.deepEqual(await percentiles(page), percentilesInNode(seed));
        await page.click('#reset');
        await drawn(page, 'success');
        assert.deepEqual(await percentiles(page), percentilesInNode(42));
      }));

    test('all sixteen strategies, chosen in the grid by mouse, are distributed as they should be', () =>
      withPage(
        async (page) => {
          const exact = await exactDistributions();
          await drawn(page, 'delays');
          for (const backoff of ['fixed', 'linear', 'exponential', 'truncated']) {
            for (const jitter of ['none', 'full', 'equal', 'decorrelated']) {
              // Decorrelated jitter is one cell for all backoffs, which stay as they are.
              const cell = page.locator(
                jitter === 'decorrelated'
                  ? `.cell[data-jitter=${jitter}]`
                  : `.cell[data-backoff=${backoff}][data-jitter=${jitter}]`,
              );
              await cell.click();
              assert.ok(
                await page
                  .locator('#controls')
                  .getByRole('radio', { name: capitalised(backoff), exact: true })
                  .isChecked(),
              );
              assert.equal(await cell.getAttribute('aria-checked'), 'true');
              assert.ok(
                await page
                  .locator('#controls')
                  .getByRole('radio', { name: capitalised(jitter), exact: true })
                  .isChecked(),
              );
              compare(`${backoff} ${jitter}`, (await tableOf(page, 'delays')).rows.slice(0, 8), exact(backoff, jitter));
            }
          }
        },
        { query: '?maxAttempts=9' },
      ));

    test('no jitter is a spike per wait; decorrelated jitter has one at the cap', () =>
      withPage(
        async (page) => {
          await choose(page, 'None');
          const marks = (/** @type {string} */ kind) =>
            page.locator(`#delays .row > g:not(.compared) .${kind}`).count();
          assert.deepEqual([await marks('spike'), await marks('shape')], [5, 0]);

          await choose(page, 'Decorrelated');
          await page.locator('#set-capMs').fill('5');
          await drawn(page, 'delays');
          assert.deepEqual([await marks('spike'), await marks('shape')], [3, 5]);
          assert.equal(await page.locator('#delays .limit text').textContent(), 'cap 1\u00a0s');
          assert.match(
            (await page.locator('#delays .note').textContent()) ?? '',
            /^A wait can reach the cap of 1\u00a0s from wait 3 on\./,
          );
          const rows = (await tableOf(page, 'delays')).rows.slice(0, 5);
          assert.deepEqual(column(rows, 'at most').map(Math.round), [300, 900, 1000, 1000, 1000]);
          assert.deepEqual(
            column(rows, 'exactly the cap').map((share) => share > 0),
            [false, false, true, true, true],
          );
        },
        { query: '?comparedJitter=full&maxAttempts=6' },
      ));

    test('the whole choice by keyboard: grid, radio buttons, sliders, numbers', () =>
      withPage(async (page) => {
        await drawn(page, 'delays');
        const atMost = async () => column((await tableOf(page, 'delays')).rows.slice(0, 5), 'at most').map(Math.round);
        const cell = page.locator('.cell[aria-checked=true]');
        assert.equal(await page.locator('.cell[tabindex="0"]').count(), 1);
        await cell.focus();
        await page.keyboard.press('ArrowUp');
        assert.deepEqual(await atMost(), [100, 200, 300, 400, 500]);
        await cell.focus();
        await page.keyboard.press('ArrowRight');
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-jitter')), 'equal');
        await drawn(page, 'delays');
        assert.match(
          (await page.locator('#delays .subtitle').textContent()) ?? '',
          /^Linear · equal jitter vs Exponential · no jitter$/,
        );
        await page.keyboard.press('Shift+ArrowDown');
        await drawn(page, 'delays');
        assert.match(
          (await page.locator('#delays .subtitle').textContent()) ?? '',
          /^Linear · equal jitter vs Truncated · no jitter$/,
        );

        await page.locator('#controls').getByRole('radio', { name: 'Linear' }).focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Tab');
        await page.keyboard.press('ArrowUp');
        await summaryIs(page, /^Exponential · full/);

        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate(() => document.activeElement?.id), 'more-jitters');
        await page.keyboard.press('Tab');
        const base = page.getByRole('slider', { name: 'Base' });
        assert.ok(await base.evaluate((element) => element === document.activeElement));
        await page.keyboard.press('ArrowRight');
        assert.equal(await base.getAttribute('aria-valuetext'), '150\u00a0ms');
        // A base above the cap takes the cap along: the package rejects a cap below the base.
        await page.keyboard.press('End');
        await page.getByRole('slider', { name: 'Cap', exact: true }).focus();
        await page.keyboard.press('Home');
        assert.equal(
          await page.getByRole('slider', { name: 'Cap', exact: true }).getAttribute('aria-valuetext'),
          '100\u00a0ms',
        );
        assert.equal(await base.getAttribute('aria-valuetext'), '100\u00a0ms');
        // The number of a slider is its neighbour, and takes any value.
        await page.keyboard.press('Tab');
        await page.keyboard.type('1.25 s');
        await page.keyboard.press('Enter');
        assert.equal(
          await page.getByRole('slider', { name: 'Cap', exact: true }).getAttribute('aria-valuetext'),
          '1.25\u00a0s',
        );
        await drawn(page, 'delays');
        assert.equal(await page.locator('.error:visible').count(), 0);
      }));

    test('Shift-click compares, and the link in the address bar brings everything back', () =>
      withPage(async (page, url) => {
        await page.selectOption('#preset', { label: 'Someone is waiting' });
        await drawn(page, 'delays');
        await page.locator('.cell[data-backoff=linear][data-jitter=equal]').click({ modifiers: ['Shift'] });
        await page.locator('.cell[data-backoff=truncated][data-jitter=full]').click();
        await page.locator('#set-failureRate').fill('4');
        await page.click('#new-seed');
        const shown = async () => {
          const tables = [];
          for (const id of ['delays', 'success', 'landing']) tables.push((await tableOf(page, id)).rows);
          return tables;
        };
        const before = await shown();
        await page.waitForURL(/backoff=truncated/);
        await page.waitForURL(/failureRate=0\.4.*seed=/);
        const link = page.url();
        await page.goto('about:blank');
        await page.goto(link);
        assert.deepEqual(await shown(), before);
        assert.equal(await page.locator('.cell.is-compared').getAttribute('data-backoff'), 'linear');

        // Invalid values of a link are named and ignored; the others count.
        await page.goto(`${url}?jitter=maximal&baseMs=-5&capMs=wide&seed=7&constructor=1`);
        assert.match(
          (await page.locator('.link-notice').textContent()) ?? '',
          /jitter must be one of .*, got 'maximal'; baseMs must be .*, got -5; capMs must be a number, got 'wide'\.$/,
        );
        await summaryIs(page, /^Exponential · full · 100\u00a0ms to 10\u00a0s/);
        assert.equal(await page.textContent('#seed'), '7');
        await page.click('#new-seed');
        assert.ok(await page.locator('.link-notice').isHidden());
      }));

    test('a section, or the worker, that does not load says so', () =>
      withPage(async (page, url) => {
        for (const section of ['cost-body', 'delays-body']) {
          // Another page: its errors are meant.
          const other = await page.context().newPage();
          if (section === 'cost-body') await other.route(/\/cost-[^/]*\.js$/, (route) => route.abort());
          else
            await other.addInitScript(() => {
              globalThis.Worker = class extends Worker {
                constructor() {
                  const gone = URL.createObjectURL(new Blob());
                  URL.revokeObjectURL(gone);
                  super(gone, { type: 'module' });
                }
              };
            });
          await other.goto(url);
          await other.locator('html[data-ready]').waitFor();
          await loaded(other, section);
          await other.locator(`#${section} .error`, { hasText: 'did not load' }).first().waitFor();
          await other.close();
        }
      }));

    test('back and forward: the page shows what the address says', () =>
      withPage(async (page) => {
        await choose(page, 'Equal');
        await page.waitForURL(/jitter=equal$/);
        await page.getByRole('navigation').getByRole('link', { name: 'Herd' }).click();
        await choose(page, 'Linear');
        await page.waitForURL(/backoff=linear.*#herd-heading$/);
        await page.goBack();
        await page.waitForURL(/jitter=equal$/);
        await summaryIs(page, /^Exponential · equal/);
        await page.goForward();
        await page.waitForURL(/backoff=linear/);
        await summaryIs(page, /^Linear · equal/);
      }));
  },
  { under: '/some/where/' },
);

test('the page is small: its scripts without the wasm, compressed', async () => {
  const html = await readFile(`${DIST}/index.html`, 'utf8');
  // The page names its script and all that this imports; the rest is loaded when it is needed.
  const first = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(([, name = '']) => name);
  const worker = (await readdir(`${DIST}/assets`))
    .filter((name) => /^worker-.*\.js$/.test(name))
    .map((name) => `assets/${name}`);
  assert.equal(worker.length, 1);
  assert.ok(first.length > 2 && !first.some((name) => /section|menu|cost/.test(name)), first.join());
  let total = 0;
  for (const name of [...first, ...worker]) {
    const text = await readFile(`${DIST}/${name}`, 'utf8');
    total += brotliCompressSync(text.replaceAll(LONG_TEXT, '""')).length;
  }
  assert.ok(total > 20_000 && total <= MOST_SCRIPT_BYTES, `${total} bytes`);
});

/** @param {Page} page */
async function percentiles(page) {
  return Promise.all(
    ['half-succeed', 'most-succeed'].map(async (id) => Number(await page.locator(`#${id}`).getAttribute('data-ms'))),
  );
}

/** @typedef {{ mean: number, atoms: number }} Exact */

/** The exact mean of each wait and the share of single values, for the page's first settings. */
async function exactDistributions() {
  const file = await readFile(new URL('../../tests/vectors/distributions.json', import.meta.url), 'utf8');
  /**
   * @type {{ distributions: { options: { backoff?: string, jitter: string }, rows: [number, number, number,
   * ...unknown[]][] }[] }}
   */
  const { distributions } = JSON.parse(file);
  return (/** @type {string} */ backoff, /** @type {string} */ jitter) => {
    // The page truncates at wait 4, the file at wait 10.
    if (backoff === 'truncated' && jitter !== 'decorrelated') {
      return Array.from({ length: 8 }, (_, i) => below(100 * 2 ** (Math.min(i + 1, 4) - 1), jitter));
    }
    const found = distributions.find(
      ({ options }) => options.jitter === jitter && (jitter === 'decorrelated' || options.backoff === backoff),
    );
    assert.ok(found, `${backoff} ${jitter}`);
    return found.rows.slice(0, 8).map((row) => {
      const atoms = /** @type {[number, number][]} */ (row.at(-1));
      return { mean: row[1], atoms: atoms.reduce((sum, [, p]) => sum + p, 0) };
    });
  };
}

/** @param {number} ceiling @param {string} jitter @returns {Exact} */
function below(ceiling, jitter) {
  if (jitter === 'none') return { mean: ceiling, atoms: 1 };
  return { mean: jitter === 'full' ? ceiling / 2 : 0.75 * ceiling, atoms: 0 };
}

/**
 * @param {string} name
 * @param {Record<string, number | string>[]} rows
 * @param {Exact[]} exact
 */
function compare(name, rows, exact) {
  assert.equal(rows.length, 8, name);
  for (const [i, row] of rows.entries()) {
    const { mean, atoms } = /** @type {Exact} */ (exact[i]);
    assert.ok(
      Math.abs(Number(row.mean) - mean) <= 1e-6 * mean,
      `${name}, wait ${i + 1}: mean ${row.mean}, not ${mean}`,
    );
    // A wait that is always the same has no share of its own to tell.
    const share = row['exactly the cap'];
    if (atoms === 1) assert.equal(share, '–', name);
    else
      assert.ok(Math.abs(Number(share) - atoms) <= 1e-6, `${name}, wait ${i + 1}: ${share} at one value, not ${atoms}`);
  }
}

/** @param {string} text */
function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
