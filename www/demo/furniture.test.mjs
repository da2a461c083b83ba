/** What surrounds the figures of the built page: menus, links to figures, embedding, printing. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { DIST, inEachEngine } from './lib/built-page.mjs';
import { ENGINES } from './lib/engines.mjs';
import { choose, drawAll, drawn } from './lib/page.mjs';
import { serveFolder } from './lib/static-server.mjs';

/** @typedef {import('playwright-core').Page} Page */

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The name of what has the focus. @param {Page} page */
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

inEachEngine(({ withPage }) => {
  test('the menu of a figure by keyboard: arrows, Home, End, Escape, Tab; the focus returns; axe finds nothing', () =>
    withPage(async (page) => {
      await drawn(page, 'delays');
      const button = page.locator('#delays').getByRole('button', { name: /^Menu: / });
      const menu = page.locator('#delays [role=menu]');
      await button.focus();
      await page.keyboard.press('Enter');
      await menu.waitFor();
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      const seen = [await focused(page)];
      for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp', 'Home', 'End', 'ArrowDown']) {
        await page.keyboard.press(key);
        seen.push(await focused(page));
      }
      const [first, last] = ['Download SVG', 'Copy link to this figure'];
      assert.deepEqual(seen, [first, 'Download PNG', first, last, first, last, first]);
      await page.evaluate(await readFile(AXE, 'utf8'));
      const found = await page.evaluate(async () => (await /** @type {any} */ (globalThis).axe.run()).violations.map((/** @type {any} */ { id }) => id));
      assert.deepEqual(found, []);
      for (const key of ['Escape', 'Tab']) {
        if (key === 'Tab') await page.keyboard.press('Enter');
        await menu.waitFor();
        await page.keyboard.press(key);
        await menu.waitFor({ state: 'hidden' });
        assert.equal(await button.getAttribute('aria-expanded'), 'false');
        if (key === 'Escape') assert.equal(await focused(page), await button.getAttribute('aria-label'));
      }
      // The table and back; then a click elsewhere closes the menu.
      await button.click();
      await page.getByRole('menuitemcheckbox', { name: 'Show as table' }).click();
      await page.locator('#delays table').waitFor();
      assert.equal(await focused(page), await button.getAttribute('aria-label'));
      await button.click();
      assert.equal(await page.getByRole('menuitemcheckbox', { checked: true }).count(), 1);
      await page.locator('#delays-heading').click();
      await menu.waitFor({ state: 'hidden' });
    }));

  test('a long simulation does not keep the waits waiting', () =>
    withPage(async (page) => {
      await drawAll(page);
      const start = page.getByRole('button', { name: /^Run it as published/ });
      await start.click();
      await page.locator('#contention .run-numbers:not(:empty)').waitFor();
      await choose(page, 'Equal');
      assert.match((await page.textContent('#delays .subtitle')) ?? '', /equal jitter/);
      assert.ok(await start.isDisabled(), 'the long run goes on');
      await page.getByRole('button', { name: 'Abort' }).first().click();
    }));
});

test('the page requests each of its files once, and one worker', async () => {
  const server = await serveFolder(DIST);
  const browser = await ENGINES.chromium('light');
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.locator('html[data-ready]').waitFor();
    await drawAll(page);
    const scripts = server.asked.filter((path) => path.endsWith('.js'));
    assert.deepEqual(scripts.toSorted(), [...new Set(scripts)].toSorted());
    assert.equal(scripts.filter((path) => path.includes('/worker-')).length, 1);
    assert.equal(page.workers().length, 1);
  } finally {
    await browser.close();
    await server.close();
  }
});
