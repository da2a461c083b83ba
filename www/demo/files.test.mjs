/** Every figure as a file: SVG, PNG and CSV are saved, open, and hold what the page shows. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { keepBlobs, keepNextFile, keptFile } from './lib/blobs.mjs';
import { inEachEngine } from './lib/built-page.mjs';
import { PAGES, drawAll, drawn, tableOf, useMenu } from './lib/page.mjs';
import { onEdge } from './lib/picture.mjs';
import { until } from './lib/until.mjs';

inEachEngine(({ engine, withPage }) => {
  /** @param {Page} page @param {string} id @param {string} item */
  const saved = (page, id, item) =>
    (engine === 'firefox' ? handedOver : downloaded)(page, () => useMenu(page, id, item));

  /** Words in the settings of figures that do not show the herd. */
  const SETTINGS = {
    contention: 'base 5 ms, cap 2 s',
    recovery: 'new requests 93% of 120/s',
    load: 'clients wait 1 s',
    'rate-limit': '100 requests per 10 s',
    tail: 'hedge after 60 ms',
    hedging: '70% utilisation',
    herd: 'server down for 2 s',
  };

  for (const at of PAGES)
    test(`/${at}: each figure can be taken away as SVG, PNG, slide and CSV, with its own settings`, () =>
      withPage(
        async (page) => {
          for (const id of await drawAll(page)) {
            const svg = page.locator(`#${id} .drawing > svg`);
            const width = Number(await svg.getAttribute('width'));
            const texts = (await svg.locator('text').allTextContents()).filter(Boolean);
            const title = (await page.locator(`#${id} h3`).textContent()) ?? '';

            const drawing = await saved(page, id, 'Download SVG');
            assert.equal(drawing.name, `rejitter-${id}.svg`);
            const parsed = await page.evaluate((text) => {
              const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
              const styles = [...root.querySelectorAll('[style]')].map((mark) => mark.getAttribute('style') ?? '');
              return {
                name: root.nodeName,
                width: Number(root.getAttribute('width')),
                texts: [...root.querySelectorAll('text')].map((mark) => mark.textContent ?? ''),
                unresolved: styles.filter((style) => style.includes('var(')).length,
              };
            }, String(drawing.content));
            assert.deepEqual([parsed.name, parsed.unresolved, parsed.width], ['svg', 0, width + 48], id);
            // The drawing, and around it what tells where it comes from.
            const from = parsed.texts.indexOf(texts[0] ?? '');
            assert.deepEqual(parsed.texts.slice(from).filter(Boolean).slice(0, texts.length), texts, id);
            const words = parsed.texts.join('').replaceAll('\u00a0', ' ');
            const own = SETTINGS[/** @type {keyof typeof SETTINGS} */ (id)] ?? title;
            for (const part of [title, own, 'seed 42', 'Source: rejitter 0.', `#${id}`].map((one) =>
              one.replaceAll('\u00a0', ' '),
            ))
              assert.ok(words.includes(part), `${id} says ${part}: ${words}`);

            // Firefox takes seconds for each picture: a drawing of marks and one of strips.
            if (engine === 'chromium' || ['delays', 'herd'].includes(id)) {
              const png = await saved(page, id, 'Download PNG');
              assert.equal(png.name, `rejitter-${id}.png`);
              assert.equal(png.content.readUInt32BE(16), 2 * (width + 48), id);
              const slide = await saved(page, id, 'Download PNG, 1920 × 1080');
              assert.equal(slide.name, `rejitter-${id}-1920x1080.png`);
              assert.deepEqual([slide.content.readUInt32BE(16), slide.content.readUInt32BE(20)], [1920, 1080], id);
              for (const { name, content } of [png, slide]) {
                const { colours, edge } = await page.evaluate(onEdge, { base64: content.toString('base64'), edge: 10 });
                assert.ok(colours > 10, `${name}: an empty picture`);
                assert.equal(edge, 1, `${name}: something is cut at its edge`);
              }
            }

            const csv = await saved(page, id, 'Download CSV');
            assert.equal(csv.name, `rejitter-${id}.csv`);
            const lines = String(csv.content).trimEnd().split('\r\n').map(fields);
            const { rows } = await tableOf(page, id);
            assert.equal(lines.length, rows.length + 1, id);
            for (const [i, row] of rows.entries()) {
              // A number in the file is at most half a unit of its last digit away; the difference is rounded, too.
              const cells = Object.values(row).map((cell) => (typeof cell === 'number' ? cell : undefined));
              for (const [c, cell] of (lines[i + 1] ?? []).entries()) {
                const value = cells[c];
                if (value === undefined) continue;
                assert.ok(
                  Math.abs(Number(cell) - value) <= Math.max(0.0005 + 1e-12, 1e-6 * Math.abs(value)),
                  `${id}, row ${i + 1}: ${cell} for ${value}`,
                );
                assert.ok(cell.replace(/^.*\.|e.*$/g, '').length <= 9, `${id}, row ${i + 1}: ${cell}`);
              }
              assert.equal(lines[i + 1]?.length, lines[0]?.length, id);
            }
          }
        },
        { query: `${at}?protection=cooldown,hedge` },
      ));

  test('the crosshair by pointer and by keyboard has the numbers of the table, and goes with Escape', () =>
    withPage(
      async (page) => {
        const { rows } = await tableOf(page, 'recovery');
        await page.reload();
        await drawn(page, 'recovery');
        const box = page.locator('#recovery .crosshair-box');
        const area = page.locator('#recovery .crosshair-area');
        await area.focus();
        await page.keyboard.press('ArrowRight');
        await box.waitFor();
        const [place = '', reach = ''] = await box.locator('> *').allTextContents();
        const ms = 1000 * Number(/at ([\d.]+).s/.exec(place)?.[1]);
        // Bins of 400 ms.
        const perS = Number(rows[Math.round(ms / 400)]?.['reach the server']) * 2.5;
        assert.ok(Math.abs(Number(/([\d.]+)\/s/.exec(reach)?.[1]) - perS) < 1, `${place}: ${reach}, ${perS}`);
        await page.keyboard.press('Escape');
        await box.waitFor({ state: 'hidden' });
        const at = await page.locator('#recovery .drawing').boundingBox();
        await page.mouse.move((at?.x ?? 0) + 300, (at?.y ?? 0) + 100);
        await box.waitFor();
      },
      { query: 'protection/' },
    ));

  test('one figure alone: embedded, with a link to its page', () =>
    withPage(
      async (page) => {
        await drawn(page, 'load');
        assert.equal(await page.locator('figure.card:visible').count(), 1);
        assert.equal(await page.locator('.top').isVisible(), false);
        assert.match((await page.locator('.back a').getAttribute('href')) ?? '', /\/protection\/#load$/);
      },
      { query: 'protection/?figure=load' },
    ));
});

inEachEngine(
  ({ withPage }) => {
    test('a figure is copied as an image', () =>
      withPage(async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await drawn(page, 'delays');
        // It is said for a moment only.
        await page.evaluate(() => {
          const figure = /** @type {Element} */ (document.getElementById('delays'));
          new MutationObserver(() => {
            const said = figure.querySelector('[role=status].copied')?.textContent;
            if (said) figure.setAttribute('data-said', said);
          }).observe(figure, { childList: true, subtree: true });
        });
        await useMenu(page, 'delays', 'Copy as image');
        const said = page.locator('#delays[data-said]');
        await said.waitFor();
        assert.equal(await said.getAttribute('data-said'), 'Copied');
        const base64 = await page.evaluate(async () => {
          const [item] = await navigator.clipboard.read();
          const bytes = new Uint8Array(await ((await item?.getType('image/png')) ?? new Blob()).arrayBuffer());
          return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
        });
        assert.ok((await page.evaluate(onEdge, { base64, edge: 10 })).colours > 10);
      }));
  },
  { engines: ['chromium'] },
);

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ name: string, content: Buffer }} File */

/** @param {Page} page @param {() => Promise<void>} act @returns {Promise<File>} */
async function downloaded(page, act) {
  const download = page.waitForEvent('download');
  await act();
  const file = await download;
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

/**
 * Downloads that the page hands over to the browser: this Firefox does not report them to its driver.
 * @param {Page} page
 * @param {() => Promise<void>} act
 * @returns {Promise<File>}
 */
async function handedOver(page, act) {
  await page.evaluate(keepBlobs);
  await page.evaluate(keepNextFile);
  await act();
  const { name, base64 } = await until('a file is saved', () => page.evaluate(keptFile));
  return { name, content: Buffer.from(base64, 'base64') };
}

/** One line of RFC 4180. @param {string} line */
function fields(line) {
  return [...`,${line}`.matchAll(/,("(?:[^"]|"")*"|[^,]*)/g)].map(([, field = '']) =>
    field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field,
  );
}
