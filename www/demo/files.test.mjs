/** Every figure as a file: SVG, PNG and CSV are saved, open, and hold what the page shows. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { keepBlobs } from './lib/blobs.mjs';
import { PHONE, inEachEngine } from './lib/built-page.mjs';
import { drawAll, drawn, pictureOf, tableOf, useMenu } from './lib/page.mjs';
import { inkOf, onEdge } from './lib/picture.mjs';

/** How far two renderings of the same letters may be apart, in pixels, and in how much of their box they cover. */
const SHIFT = 2;
const COVER = 0.35;

inEachEngine(({ engine, withPage }) => {
  /** @param {Page} page @param {string} id @param {string} item */
  const saved = (page, id, item) =>
    (engine === 'firefox' ? handedOver : downloaded)(page, () => useMenu(page, id, item));

  test('each figure can be taken away as SVG, PNG, slide and CSV', () =>
    withPage(async (page) => {
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
        const words = parsed.texts.join('');
        for (const part of [title, 'seed 42', 'Source: rejitter 0.', `/#${id}`])
          assert.ok(words.includes(part), `${id} says ${part}: ${words}`);

        // Firefox takes seconds for each picture: a drawing of marks and one of strips.
        if (engine === 'chromium' || ['success', 'herd'].includes(id)) {
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
      // 400 times of 16 strategies are rows, not columns.
      const series = await saved(page, 'herd', 'Download CSV over time');
      const [head = '', first = ''] = String(series.content).split('\r\n');
      assert.equal(head, '"strategy","from (ms)","calls","served"');
      assert.match(first, /^"Fixed · none",0,\d+,\d+$/);
    }));

  for (const { id, query, viewport, label } of [
    { id: 'success', query: '', label: 'text.hued.halo' },
    { id: 'arrivals', query: '', label: 'text.halo.strong' },
    { id: 'delays', query: '?jitter=decorrelated&baseMs=1000&capMs=5000', label: 'text.atom-label' },
    { id: 'success', query: '?failureRate=0.8', viewport: PHONE, label: 'text.hued.halo' },
  ]) {
    test(`labels in a picture of "${id}" look like those on the page, ${viewport ? 'on a phone' : 'on a desk'}`, () =>
      withPage(
        async (page) => {
          await drawn(page, id);
          const mark = page.locator(`#${id} .drawing ${label}`).first();
          const look = await mark.evaluate((text) => ({
            text: text.textContent ?? '',
            colour: getComputedStyle(text).fill,
            width: text.getBoundingClientRect().width,
          }));
          const onPage = await pictureOf(page, () =>
            mark.evaluate((text) => {
              text.scrollIntoView({ block: 'center', behavior: 'instant' });
              const { left, top, width, height } = text.getBoundingClientRect();
              return { x: left, y: top, width, height };
            }),
          );
          const png = await saved(page, id, 'Download PNG');
          const svg = await saved(page, id, 'Download SVG');

          // Where the label is in the picture: as another page shows it, which has no style sheet and no font of ours.
          const other = await page.context().newPage();
          await other.setContent(`<body style="margin: 0">${svg.content}</body>`);
          await other.evaluate(() => document.fonts.ready);
          const box = await other
            .locator('text')
            .filter({ hasText: new RegExp(`^${look.text.replace(/[^\w ]/g, '\\$&')}$`) })
            .last()
            .evaluate((text) => {
              const { left, top, width: wide, height: high } = text.getBoundingClientRect();
              return { left, top, width: wide, height: high };
            });
          await other.close();
          assert.ok(
            Math.abs(box.width - look.width) <= SHIFT,
            `"${look.text}" is ${box.width} wide in the file, ${look.width} on the page`,
          );

          const wanted = await page.evaluate(inkOf, {
            base64: onPage,
            colour: look.colour,
            scale: 1,
            box: undefined,
          });
          const found = await page.evaluate(inkOf, {
            base64: png.content.toString('base64'),
            colour: look.colour,
            scale: 2,
            box,
          });
          assert.ok(wanted.cover > 0.05, `no label on the page: ${JSON.stringify(wanted)}`);
          const told = `${look.text}: ${JSON.stringify(found)} in the file, ${JSON.stringify(wanted)} on the page`;
          assert.ok(Math.abs(found.cover / wanted.cover - 1) <= COVER, told);
          assert.ok(Math.abs(found.left - wanted.left) <= SHIFT && Math.abs(found.right - wanted.right) <= SHIFT, told);
        },
        { query, ...(viewport && { viewport }) },
      ));
  }
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
  await page.evaluate(() => {
    /** @type {Promise<unknown> | undefined} */
    let file;
    /** @type {any} */ (globalThis).listening?.abort();
    const listening = new AbortController();
    addEventListener(
      'click',
      ({ target }) => {
        if (!(target instanceof HTMLAnchorElement) || !target.download) return;
        const name = target.download;
        file = /** @type {any} */ (globalThis).blobs
          .get(target.href)
          .arrayBuffer()
          .then((/** @type {ArrayBuffer} */ bytes) => ({
            name,
            base64: btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')),
          }));
      },
      { capture: true, signal: listening.signal },
    );
    Object.assign(globalThis, { file: () => file, listening });
  });
  await act();
  await page.waitForFunction(() => /** @type {any} */ (globalThis).file());
  const { name, base64 } = await page.evaluate(() => /** @type {any} */ (globalThis).file());
  return { name, content: Buffer.from(base64, 'base64') };
}

/** One line of RFC 4180. @param {string} line */
function fields(line) {
  return [...`,${line}`.matchAll(/,("(?:[^"]|"")*"|[^,]*)/g)].map(([, field = '']) =>
    field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field,
  );
}
