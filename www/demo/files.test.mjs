/** Every figure as a file: SVG, PNG and CSV are saved, open, and hold the plotted numbers. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { keepBlobs } from './lib/blobs.mjs';
import { inEachEngine } from './lib/built-page.mjs';
import { drawAll, tableOf } from './lib/page.mjs';
import { coloursOf } from './lib/picture.mjs';

inEachEngine(({ engine, withPage }) => {
  test('each figure can be taken away in three forms', () =>
    withPage(async (page) => {
      /** @param {string} id @param {string} kind */
      const saved = async (id, kind) => {
        const button = page.locator(`#${id}`).getByRole('button', { name: new RegExp(`^${kind} file: `) });
        const { name, content } = await (engine === 'firefox' ? handedOver(page, button) : downloaded(page, button));
        assert.equal(name, `rejitter-${id}.${kind.toLowerCase()}`);
        return content;
      };

      for (const id of await drawAll(page)) {
        const svg = page.locator(`#${id} svg[role=img]`);
        const [width, height] = await svg.evaluate((element) => [element.getAttribute('width'), element.getAttribute('height')].map(Number));
        const texts = (await svg.locator('text').allTextContents()).filter(Boolean);

        const drawing = String(await saved(id, 'SVG'));
        const parsed = await page.evaluate((text) => {
          const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
          const colours = [...root.querySelectorAll('path, line, rect, circle, text')].map((mark) => mark.getAttribute('style') ?? '');
          return { name: root.nodeName, texts: [...root.querySelectorAll('text')].map((mark) => mark.textContent), unresolved: colours.filter((style) => style.includes('var(')).length };
        }, drawing);
        assert.deepEqual({ ...parsed, texts: parsed.texts.filter(Boolean) }, { name: 'svg', texts, unresolved: 0 }, id);

        const png = await saved(id, 'PNG');
        assert.equal(png.toString('latin1', 1, 4), 'PNG', id);
        assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * Number(width), 2 * Number(height)], id);
        assert.ok((await page.evaluate(coloursOf, png.toString('base64'))) > 10, `${id}: an empty picture`);

        const csv = String(await saved(id, 'CSV'));
        const lines = csv.trimEnd().split('\r\n').map(fields);
        const { rows } = await tableOf(page, id);
        assert.equal(lines.length, rows.length + 1, id);
        const numbers = (/** @type {(string | number)[]} */ cells) => cells.map(Number).filter((number) => !Number.isNaN(number));
        for (const [i, row] of rows.entries()) {
          const inTable = Object.values(row).filter((cell) => typeof cell === 'number');
          assert.deepEqual(numbers((lines[i + 1] ?? []).slice(1).filter((cell) => cell !== '')), inTable, `${id}, row ${i + 1}`);
        }
      }
    }));
});

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */
/** @typedef {{ name: string, content: Buffer }} File */

/** @param {Page} page @param {Locator} button @returns {Promise<File>} */
async function downloaded(page, button) {
  const download = page.waitForEvent('download');
  await button.click();
  const file = await download;
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

/**
 * What the page hands over to the browser as a download: this Firefox does not tell its driver of any.
 * @param {Page} page
 * @param {Locator} button
 * @returns {Promise<File>}
 */
async function handedOver(page, button) {
  await page.evaluate(keepBlobs);
  await page.evaluate(() => {
    /** @type {Promise<unknown> | undefined} */
    let file;
    addEventListener('click', ({ target }) => {
      if (!(target instanceof HTMLAnchorElement) || !target.download) return;
      const name = target.download;
      file = /** @type {any} */ (globalThis).blobs.get(target.href).arrayBuffer().then((/** @type {ArrayBuffer} */ bytes) => ({ name, bytes: [...new Uint8Array(bytes)] }));
    }, true);
    Object.assign(globalThis, { file: () => file });
  });
  await button.click();
  await page.waitForFunction(() => /** @type {any} */ (globalThis).file());
  const { name, bytes } = await page.evaluate(() => /** @type {any} */ (globalThis).file());
  return { name, content: Buffer.from(bytes) };
}

/** One line of RFC 4180. @param {string} line */
function fields(line) {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, field = '']) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field));
}
