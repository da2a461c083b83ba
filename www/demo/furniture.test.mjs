/** Tests the furniture of the built page: menus, links to figures, embedding, printing. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import path from 'node:path';
import { DIST, PHONE, inEachEngine } from './lib/built-page.mjs';
import { ENGINES, newContext } from './lib/engines.mjs';
import { drawAll, drawn } from './lib/page.mjs';
import { inkOf, onEdge } from './lib/picture.mjs';
import { serveFolder } from './lib/static-server.mjs';

/** @typedef {import('playwright-core').Page} Page */

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The name of what has the focus. @param {Page} page */
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

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
      const found = await page.evaluate(async () =>
        (await /** @type {any} */ (globalThis).axe.run()).violations.map((/** @type {any} */ { id }) => id),
      );
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
      await page.getByRole('menuitemcheckbox', { checked: true }).waitFor();
      await page.locator('#delays-heading').click();
      await menu.waitFor({ state: 'hidden' });
    }));

  test('a long simulation does not keep the waits waiting', () =>
    withPage(async (page) => {
      for (const id of ['contention', 'delays']) await drawn(page, id);
      const jitter = await page.locator('#controls').getByRole('radio', { name: 'Equal', exact: true }).elementHandle();
      // The page itself clicks: on a busy machine, a click from outside may come after the end.
      const isRunning = await page.evaluate(async (radio) => {
        const [start, abort] = /** @type {NodeListOf<HTMLButtonElement>} */ (
          document.querySelectorAll('#contention .run button')
        );
        const says = (/** @type {string} */ selector, /** @type {RegExp} */ words) =>
          new Promise((resolve) => {
            const element = /** @type {Element} */ (document.querySelector(selector));
            new MutationObserver((_, observer) => {
              if (!words.test(element.textContent ?? '')) return;
              observer.disconnect();
              resolve(undefined);
            }).observe(element, { childList: true, characterData: true, subtree: true });
          });
        const firstNumbers = says('#contention .run-numbers', /\d/);
        start?.click();
        await firstNumbers;
        const waits = says('#delays .subtitle', /equal jitter/);
        document.getElementById('delays')?.scrollIntoView({ block: 'center', behavior: 'instant' });
        /** @type {HTMLElement | null} */ (radio)?.click();
        await waits;
        const isDisabled = start?.disabled;
        abort?.click();
        return isDisabled;
      }, jitter);
      assert.equal(isRunning, true, 'the long run goes on');
      await page.locator('#contention .run-state [role=status]', { hasText: /^Aborted/ }).waitFor();
    }));

  test('a link to one figure shows it alone, with a link to the page; also in a section that loads later', () =>
    withPage(async (page, url) => {
      for (const id of ['hero', 'herd', 'peaks']) {
        await page.goto(`${url}?seed=7&figure=${id}`);
        await page.locator('html[data-ready]').waitFor();
        const figure = page.locator(id === 'hero' ? '#hero-body' : `figure#${id}`);
        await figure.locator('svg').first().waitFor();
        const shown = await page
          .locator('body *')
          .evaluateAll((all) =>
            all
              .filter(
                (element) =>
                  element.children.length === 0 && element.getClientRects().length > 0 && !element.closest('svg'),
              )
              .map(
                (element) =>
                  element.closest('figure, [data-figure], .back')?.id ?? `${element.localName}.${element.className}`,
              ),
          );
        assert.deepEqual([...new Set(shown)].toSorted(), [id === 'hero' ? 'hero-body' : id, ''].toSorted());
        // The link of an embedded figure keeps the figure and what is chosen in it.
        assert.equal(new URL(page.url()).searchParams.get('figure'), id);
        const back = await page.locator('.back a').getAttribute('href');
        assert.equal(back, `${new URL(url).pathname}?seed=7#${id}`);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
        if (id === 'hero') continue;
        assert.match(await page.title(), /\S · rejitter$/);
        await page.evaluate(await readFile(AXE, 'utf8'));
        const found = await page.evaluate(async () =>
          (await /** @type {any} */ (globalThis).axe.run()).violations.map((/** @type {any} */ { id: rule }) => rule),
        );
        assert.deepEqual(found, [], id);
      }
      await page.goto(`${url}?figure=${encodeURIComponent('<b>nothing')}`);
      await page.locator('.error', { hasText: 'This page has no figure “<b>nothing”.' }).waitFor();
    }));

  test('a link to a figure of a section that is loaded later leads there', () =>
    withPage(
      async (page) => {
        await page.locator('#peaks').waitFor();
        await page.waitForFunction(
          () => Math.abs(document.getElementById('peaks')?.getBoundingClientRect().top ?? Infinity) < innerHeight,
        );
        // Each figure and each section has a link to itself, in sight when it has the focus.
        const anchor = page.locator('#peaks .anchor');
        assert.equal(await anchor.getAttribute('href'), '#peaks');
        assert.equal(await anchor.evaluate((link) => getComputedStyle(link).opacity), '0');
        await page.keyboard.press('Tab');
        await anchor.focus();
        assert.equal(await anchor.evaluate((link) => getComputedStyle(link).opacity), '1');
        const lost = await page
          .locator('main > section')
          .evaluateAll((sections) =>
            sections.filter((section) => !section.querySelector('h2[id] + .anchor')).map(({ id }) => id),
          );
        assert.deepEqual(lost, []);
      },
      { query: '#peaks' },
    ));
});

// A page without scripts has nothing to report, and only Chromium prints for its driver.
test('before any script there are the hero and the grid, with the numbers that the page computes', async () => {
  const server = await serveFolder(DIST);
  const browser = await ENGINES.chromium('light');
  try {
    const read = async (/** @type {Page} */ page) => ({
      words: (
        await page
          .locator('.hero-sentence, .hero-label, .hero-words, .hero-why, .hero-limits > span:first-child')
          .allTextContents()
      ).filter(Boolean),
      cells: await page.locator('.cell').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label'))),
      strips: await page.locator('.hero-strip image:not(.if-dark)').evaluateAll((images) =>
        Promise.all(
          images.map(async (strip) => {
            const image = new Image();
            image.src = strip.getAttribute('href') ?? '';
            await image.decode();
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext('2d');
            context?.drawImage(image, 0, 0);
            const bytes = context?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray();
            return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join();
          }),
        ),
      ),
    });
    for (const viewport of [{ width: 1440, height: 900 }, PHONE]) {
      const boxes = async (/** @type {Page} */ page) =>
        page
          .locator('.hero-row, .cell, #aws-2015, #herd-section')
          .evaluateAll((all) => all.map((element) => Math.round(element.getBoundingClientRect().top)));
      const still = await (await newContext(browser, { viewport, javaScriptEnabled: false })).newPage();
      await still.goto(server.url);
      const before = await read(still);
      assert.ok(
        before.words.length > 5 && before.cells.length >= 16 && before.strips.length === 2,
        JSON.stringify(before).slice(0, 400),
      );
      assert.ok(
        before.cells.every((label) => /\d/.test(label ?? '')),
        before.cells.join(),
      );
      // It is in sight, and so are the words of sections whose figures need scripts.
      for (const place of ['.hero-strip svg >> nth=1', '.cell svg >> nth=3', '#live-section .sub', 'noscript .notice'])
        assert.ok(await still.locator(place).isVisible(), place);
      assert.ok(await still.locator('#controls').isHidden());
      const strip = await still.locator('.hero-strip').nth(1).screenshot();

      const page = await (await newContext(browser, { viewport })).newPage();
      const { colours } = await page.evaluate(onEdge, { base64: strip.toString('base64'), edge: 1 });
      assert.ok(colours > 20, 'the strip is drawn');
      await page.route('**/worker-*.js', async (route) => {
        // Scripts run, and the worker has not answered: nothing may move when it does.
        await page.locator('html[data-ready]').waitFor();
        await page.evaluate(() => document.fonts.ready);
        Object.assign(first, { at: await boxes(page), statics: await page.locator('.static').count() });
        await route.continue();
      });
      /** @type {{ at: number[], statics: number }} */
      const first = { at: [], statics: 0 };
      await page.goto(server.url);
      await page.locator('#hero-body > .static').waitFor({ state: 'detached' });
      assert.equal(first.statics, 2);
      assert.deepEqual(first.at.slice(0, 2), (await boxes(page)).slice(0, 2));
      await drawn(page, 'delays');
      await page.locator('.static').waitFor({ state: 'detached' });
      assert.deepEqual(await read(page), before);
      await page.context().close();
    }
  } finally {
    await browser.close();
    await server.close();
  }
});

test('in print: no buttons, no blank pages, no figure apart from its title', async () => {
  const server = await serveFolder(DIST);
  const browser = await ENGINES.chromium('dark');
  try {
    const page = await (await newContext(browser)).newPage();
    await page.goto(server.url);
    await page.locator('#hero-body > .static').waitFor({ state: 'detached' });
    const pages = async () => String(await page.pdf({ format: 'A4' })).match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;
    const early = await pages();
    assert.ok(early >= 1 && early <= 4, `${early} pages, nothing scrolled to`);
    await page.emulateMedia({ media: 'print' });
    assert.ok(
      await page.locator('.cell svg').nth(3).isVisible(),
      'the grid is printed before anybody has scrolled to it',
    );
    await page.emulateMedia({ media: 'screen' });
    await drawAll(page);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.tools:visible, #controls:visible, .top:visible, .anchor:visible').count(), 0);
    const split = await page
      .locator('figure.card')
      .evaluateAll((figures) =>
        figures.filter((figure) => getComputedStyle(figure).breakInside !== 'avoid').map(({ id }) => id),
      );
    assert.deepEqual(split, []);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgba(0, 0, 0, 0)');
  } finally {
    await browser.close();
    await server.close();
  }
});

test('links for previews: one address, and a picture of 1200 by 630 pixels with the hero on it', async () => {
  const html = await readFile(path.join(DIST, 'index.html'), 'utf8');
  assert.doesNotMatch(html, /\{\{/);
  const meta = Object.fromEntries(
    [...html.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"/g)].map(
      ([, name = '', content = '']) => [name, content],
    ),
  );
  const canonical = /<link rel="canonical" href="([^"]+)"/.exec(html)?.[1] ?? '';
  assert.equal(meta['og:url'], canonical);
  assert.match(canonical, /^https:\/\/.*\/$/);
  assert.equal(meta['twitter:card'], 'summary_large_image');
  assert.ok(meta['og:title'] && meta['og:description'] && meta['og:image:alt']);
  const name = meta['og:image']?.slice(canonical.length) ?? '';
  const png = await readFile(path.join(DIST, name));
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
  assert.deepEqual([meta['og:image:width'], meta['og:image:height']], ['1200', '630']);
  const browser = await ENGINES.chromium('light');
  try {
    const page = await (await newContext(browser)).newPage();
    const base64 = png.toString('base64');
    const { colours, edge } = await page.evaluate(onEdge, { base64, edge: 20 });
    assert.ok(colours > 100 && edge === 1, `${colours} colours, ${edge} at the edge`);
    // The title is written, in the font of the page and not cut.
    const title = await page.evaluate(inkOf, {
      base64,
      colour: 'rgb(21, 27, 38)',
      scale: 1,
      box: { left: 0, top: 50, width: 1200, height: 80 },
    });
    assert.ok(title.cover > 0.03 && title.left < 70 && title.right > 800 && title.right < 1140, JSON.stringify(title));
  } finally {
    await browser.close();
  }
});

test('the page requests each of its files once, and one worker', async () => {
  const server = await serveFolder(DIST);
  const browser = await ENGINES.chromium('light');
  try {
    const page = await (await newContext(browser)).newPage();
    await page.goto(server.url);
    await page.locator('html[data-ready]').waitFor();
    await drawAll(page);
    const scripts = server.requested.filter((path) => path.endsWith('.js'));
    assert.deepEqual(scripts.toSorted(), [...new Set(scripts)].toSorted());
    assert.equal(scripts.filter((path) => path.includes('/worker-')).length, 1);
    assert.equal(page.workers().length, 1);
  } finally {
    await browser.close();
    await server.close();
  }
});
