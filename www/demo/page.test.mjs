/**
 * The built page in real browsers, against the misbehaving server.
 *
 * Expects `www/dist`, `rejitter` in `www/node_modules`, and the browsers in CHROME_BIN and
 * FIREFOX_BIN. The expected distributions are exact ones, from tests/vectors.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RetryPolicy } from 'rejitter';
import { ENGINES } from './lib/engines.mjs';
import { startServer } from './misbehaving-server.mjs';

/** @typedef {import('playwright-core').Page} Page */

const DIST = fileURLToPath(new URL('../dist', import.meta.url));

/** @typedef {import('./lib/engines.mjs').Scheme} Scheme */

for (const [engine, launch] of Object.entries(ENGINES)) {
  describe(engine, () => {
    /** @type {import('./misbehaving-server.mjs').MisbehavingServer} */
    let server;
    /** @type {Record<Scheme, import('playwright-core').Browser>} */
    let browsers;

    before(async () => {
      // Slow answers are longer than the page's patience, which is a second.
      server = await startServer({ seed: 42, slowMs: 1500, staticDir: DIST });
      browsers = { light: await launch('light'), dark: await launch('dark') };
    });
    after(async () => {
      await browsers?.light.close();
      await browsers?.dark.close();
      await server?.close();
    });

    /**
     * A page of its own, given to `use` once its first figure is drawn. Afterwards no error may
     * have been reported, except for answers that failed on purpose.
     * @param {(page: Page) => Promise<void>} use
     * @param {{ viewport?: { width: number, height: number }, colorScheme?: Scheme }} [options]
     */
    async function withPage(use, { viewport = { width: 1440, height: 900 }, colorScheme = 'light' } = {}) {
      const context = await browsers[colorScheme].newContext({ viewport, colorScheme });
      try {
        const page = await context.newPage();
        /** @type {string[]} */
        const errors = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        page.on('console', (message) => {
          const onPurpose = /\/(flaky\/|stats\?)/.test(message.location().url) || /\/(flaky\/|stats\?)/.test(message.text());
          if (message.type() === 'error' && !onPurpose) errors.push(message.text());
        });
        await page.goto(`${server.url}/`);
        await drawn(page);
        await use(page);
        assert.deepEqual(errors, []);
      } finally {
        await context.close();
      }
    }

    test('loads: the figure has a row per wait, units on its axis, and its numbers in words', () =>
      withPage(async (page) => {
        assert.equal(await page.locator('#delays-plot .row').count(), 5);
        assert.equal(await page.locator('#delays-plot .shape').count(), 5);
        assert.equal(await page.locator('#delays-plot .spike').count(), 0);
        const ticks = await page.locator('#delays-plot .axis text:not(.axis-title)').allTextContents();
        assert.ok(ticks.length >= 3 && ticks.length <= 7, ticks.join());
        for (const tick of ticks) assert.match(tick, /^\d+(\.\d+)?\u00a0(ms|s)$/);
        assert.match((await page.locator('#delays-desc').textContent()) ?? '', /^Wait 1: median 50\u00a0ms, mean 50\u00a0ms, 5 to 95 % between /);
        assert.equal(await page.textContent('#delays-limits'), 'The cap of 10\u00a0s is never reached in 5 waits.');
        assert.equal(await page.textContent('#total-highest'), '3.1\u00a0s');
        assert.ok(await page.evaluate(() => document.fonts.check('16px Inter') && document.fonts.size > 0));
      }));

    test('the numbers are those of the installed package in Node, for the same seed, to the last bit', () =>
      withPage(async (page) => {
        const { operations, rows } = await readTable(page);
        const columns = Array.from({ length: 5 }, () => new Float64Array(operations));
        const delays = new RetryPolicy().delays({ seed: 42 });
        for (let i = 0; i < operations; i++) {
          let k = 0;
          for (const wait of delays) /** @type {Float64Array} */ (columns[k++])[i] = wait;
          delays.reset();
        }
        const expected = columns.map((column) => [0.05, 0.5, 0.95].map((p) => column.sort()[Math.ceil(p * operations) - 1]));
        assert.deepEqual(rows.map((row) => [row['5 %'], row.median, row['95 %']]), expected);

        // Another seed is another sample, and Reset brings the first one back.
        await page.click('#new-seed');
        await drawn(page);
        assert.notDeepEqual((await readTable(page)).rows, rows);
        await page.click('#reset');
        await drawn(page);
        assert.deepEqual((await readTable(page)).rows, rows);
      }));

    test('all sixteen strategies: chosen by mouse, distributed as they should be, and the code for each runs', () =>
      withPage(async (page) => {
        const exact = await exactDistributions();
        await page.locator('#set-maxAttempts').fill('7');
        await page.getByRole('button', { name: 'Show as table' }).click();
        const codes = [];
        for (const backoff of ['Fixed', 'Linear', 'Exponential', 'Truncated']) {
          for (const jitter of ['None', 'Full', 'Equal', 'Decorrelated']) {
            await choose(page, backoff);
            await choose(page, jitter);
            const name = `${backoff.toLowerCase()} ${jitter.toLowerCase()}`;
            compare(name, await readTable(page), exact(backoff.toLowerCase(), jitter.toLowerCase()));
            codes.push((await page.textContent('#code')) ?? '');
          }
        }
        assert.equal(new Set(codes.map((code) => code.split('\n')[0])).size, 8, 'each function of the family has its strategy');
        await runCodes(codes, server);
      }));

    test('no jitter is a spike per wait; decorrelated jitter has one at the cap', () =>
      withPage(async (page) => {
        await choose(page, 'None');
        assert.equal(await page.locator('#delays-plot .spike').count(), 5);
        assert.equal(await page.locator('#delays-plot .shape').count(), 0);
        assert.deepEqual((await readTable(page)).rows.map((row) => row.median), [100, 200, 400, 800, 1600]);

        await choose(page, 'Decorrelated');
        await page.locator('#set-capMs').fill('5');
        await drawn(page);
        const { rows } = await readTable(page);
        assert.deepEqual(rows.map((row) => Math.round(row['at most'] ?? NaN)), [300, 900, 1000, 1000, 1000]);
        assert.deepEqual(rows.map((row) => row.atoms > 0), [false, false, true, true, true]);
        assert.equal(await page.locator('#delays-plot .spike').count(), 3);
        assert.equal(await page.locator('#delays-plot .cap text').textContent(), 'cap 1\u00a0s');
        assert.equal(await page.textContent('#delays-limits'), 'A wait can reach the cap of 1\u00a0s from wait 3 on.');
        assert.ok(await page.locator('#curve-note').isVisible());
      }));

    test('the whole choice by keyboard: each change draws anew', () =>
      withPage(async (page) => {
        // The second row: the last one fills the width under every curve.
        const path = () => page.locator('#delays-plot .shape').nth(1).getAttribute('d');
        const full = await path();
        await page.getByRole('radio', { name: 'Exponential' }).focus();
        await page.keyboard.press('ArrowUp');
        await drawn(page);
        assert.equal(await page.textContent('#delays-strategy'), 'Linear · full jitter');
        assert.notEqual(await path(), full);
        assert.deepEqual((await readTable(page)).rows.map((row) => Math.round(row['at most'] ?? 0)), [100, 200, 300, 400, 500]);

        await page.keyboard.press('Tab');
        await page.keyboard.press('ArrowDown');
        await drawn(page);
        assert.equal(await page.textContent('#delays-strategy'), 'Linear · equal jitter');

        await page.keyboard.press('Tab');
        const base = page.getByRole('slider', { name: 'Base' });
        assert.ok(await base.evaluate((element) => element === document.activeElement));
        await page.keyboard.press('ArrowRight');
        await drawn(page);
        assert.equal(await base.getAttribute('aria-valuetext'), '150\u00a0ms');
        assert.equal((await readTable(page)).rows[0]?.['at least'], 75);

        // A base above the cap takes the cap along: the package refuses a cap below the base.
        await page.keyboard.press('End');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Home');
        await drawn(page);
        assert.equal(await page.getByRole('slider', { name: 'Cap' }).getAttribute('aria-valuetext'), '100\u00a0ms');
        assert.equal(await base.getAttribute('aria-valuetext'), '100\u00a0ms');
        assert.equal(await page.locator('.error').count(), 0);
      }));

    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      test(`at 390 pixels, ${colorScheme}: nothing scrolls sideways, and the colours are right`, () =>
        withPage(
          async (page) => {
            const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert.equal(await overflow(), 0);
            assert.ok(await page.locator('#controls').isHidden());
            await page.getByRole('button', { name: 'Edit' }).click();
            await choose(page, 'Decorrelated');
            await page.locator('#set-maxAttempts').fill('10');
            await drawn(page);
            assert.equal(await overflow(), 0);
            await page.getByRole('button', { name: 'Done' }).click();
            assert.ok(await page.locator('#controls').isHidden());
            await page.getByRole('button', { name: 'Show as table' }).click();
            assert.equal(await overflow(), 0);

            const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
            const [light, dark] = ['rgb(246, 247, 249)', 'rgb(11, 14, 19)'];
            assert.equal(await background(), colorScheme === 'dark' ? dark : light);
            await page.locator('#theme').click();
            assert.equal(await background(), colorScheme === 'dark' ? light : dark);
            await page.reload();
            assert.equal(await background(), colorScheme === 'dark' ? light : dark);
          },
          { viewport: { width: 390, height: 844 }, colorScheme },
        ));
    }
  });
}

/** Waits until the figure shows what the controls say. @param {Page} page */
async function drawn(page) {
  await page.locator('#delays[aria-busy=false]').waitFor({ timeout: 20_000 });
}

/** A click on a backoff or a jitter. @param {Page} page @param {string} name */
async function choose(page, name) {
  await page.getByRole('radio', { name, exact: true }).click();
  await drawn(page);
}

/**
 * The numbers of the figure, unrounded.
 * @param {Page} page
 */
async function readTable(page) {
  return page.evaluate(() => {
    const text = document.querySelector('#delays-table caption')?.textContent ?? '';
    const rows = [...document.querySelectorAll('#delays-table tbody tr')].map((row) =>
      Object.fromEntries([...row.querySelectorAll('td')].map(({ dataset }) => [dataset.column, Number(dataset.ms ?? dataset.share)])),
    );
    return { operations: Number(/of ([\d,]+) operations/.exec(text)?.[1]?.replaceAll(',', '')), rows };
  });
}

/** @typedef {{ mean: number, sd: number, atoms: number }} Exact */

/** Mean, spread and the share of single values for each wait of a strategy with the page's first settings. */
async function exactDistributions() {
  const file = await readFile(new URL('../../tests/vectors/distributions.json', import.meta.url), 'utf8');
  /** @type {{ distributions: { options: { backoff?: string, jitter: string }, rows: [number, number, number, ...unknown[]][] }[] }} */
  const { distributions } = JSON.parse(file);
  return (/** @type {string} */ backoff, /** @type {string} */ jitter) => {
    // The page truncates at wait 4, the file at wait 10.
    if (backoff === 'truncated' && jitter !== 'decorrelated') {
      return Array.from({ length: 8 }, (_, i) => below(100 * 2 ** (Math.min(i + 1, 4) - 1), jitter));
    }
    const found = distributions.find(({ options }) => options.jitter === jitter && (jitter === 'decorrelated' || options.backoff === backoff));
    assert.ok(found, `${backoff} ${jitter}`);
    return found.rows.slice(0, 8).map((row) => {
      const atoms = /** @type {[number, number][]} */ (row.at(-1));
      return { mean: row[1], sd: row[2], atoms: atoms.reduce((sum, [, p]) => sum + p, 0) };
    });
  };
}

/** @param {number} ceiling @param {string} jitter @returns {Exact} */
function below(ceiling, jitter) {
  if (jitter === 'none') return { mean: ceiling, sd: 0, atoms: 1 };
  const width = jitter === 'full' ? ceiling : ceiling / 2;
  return { mean: ceiling - width / 2, sd: width / Math.sqrt(12), atoms: 0 };
}

/**
 * Within four standard errors; the seed is fixed, so this cannot fail by chance on another day.
 * @param {string} name
 * @param {{ operations: number, rows: { [column: string]: number }[] }} sampled
 * @param {Exact[]} exact
 */
function compare(name, { operations, rows }, exact) {
  assert.equal(rows.length, 8, name);
  for (const [i, row] of rows.entries()) {
    const { mean, sd, atoms } = /** @type {Exact} */ (exact[i]);
    const off = (/** @type {number} */ error) => error / Math.sqrt(operations) + 1e-6 * mean;
    assert.ok(Math.abs((row.mean ?? NaN) - mean) <= 4 * off(sd), `${name}, wait ${i + 1}: mean ${row.mean}, not ${mean}`);
    const share = row.atoms ?? NaN;
    assert.ok(Math.abs(share - atoms) <= 4 * Math.sqrt((atoms * (1 - atoms)) / operations) + 1e-9, `${name}, wait ${i + 1}: ${share} at one value, not ${atoms}`);
  }
}

/**
 * Runs the printed programs, only their address replaced.
 * @param {string[]} codes
 * @param {import('./misbehaving-server.mjs').MisbehavingServer} server
 */
async function runCodes(codes, server) {
  const run = `codes-${codes.length}`;
  const results = codes.map(async (code, i) => {
    const aimed = code.replace('https://example.com/orders', `${server.url}/flaky/${i}?run=${run}&seed=7&rate=0.3`);
    assert.notEqual(aimed, code);
    const program = `${aimed}console.log(response.status, response.ok);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: import.meta.dirname });
    assert.equal(stdout, '200 true\n', code);
  });
  await Promise.all(results);
  assert.ok(server.stats(run).requests > codes.length, 'some of them retried');
}
