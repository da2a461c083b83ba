/** Actions of the page's tests. */
import assert from 'node:assert/strict';

/** @typedef {import('playwright-core').Page} Page */

/** Waits until a figure shows what the controls say. @param {Page} page @param {string} id */
export async function drawn(page, id) {
  await loaded(page, `#${id}`);
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await page.locator(`#${id}[aria-busy=false]`).waitFor({ timeout: 30_000 });
}

/**
 * Scrolls to the sections one after the other until one of them has the element: they are loaded when they come near.
 * @param {Page} page
 * @param {string} selector
 */
export async function loaded(page, selector) {
  for (const body of await page.locator('main [id$="-body"]').all()) {
    if ((await page.locator(selector).count()) > 0) return;
    await body.scrollIntoViewIfNeeded();
    await body.locator(':scope > *').first().waitFor();
  }
}

/** A click on a backoff or a jitter of the controls. @param {Page} page @param {string} name */
export async function choose(page, name) {
  await page.locator('#controls').getByRole('radio', { name, exact: true }).click();
  await drawn(page, 'delays');
}

/**
 * The numbers of a figure's table, unrounded; words where there is no number.
 * @param {Page} page
 * @param {string} id
 * @returns {Promise<{ caption: string, rows: Record<string, number | string>[] }>}
 */
export async function tableOf(page, id) {
  await drawn(page, id);
  if (await page.locator(`#${id} .table-view`).isHidden()) await useMenu(page, id, 'Show as table');
  return page.locator(`#${id} table`).evaluate((table) => {
    const names = [...table.querySelectorAll('thead th')].map((th) => th.textContent ?? '');
    const rows = [...table.querySelectorAll('tbody tr')].map((row) =>
      Object.fromEntries(
        [...row.children].map((cell, i) => {
          const value = /** @type {HTMLElement} */ (cell).dataset.value;
          const number = Number(value);
          return [names[i] ?? '', value === undefined || Number.isNaN(number) ? (cell.textContent ?? '') : number];
        }),
      ),
    );
    return { caption: table.querySelector('caption')?.textContent ?? '', rows };
  });
}

/** Opens the menu of a figure and chooses an item. @param {Page} page @param {string} id @param {string} item */
export async function useMenu(page, id, item) {
  const figure = page.locator(`#${id}`);
  await figure.getByRole('button', { name: /^Menu: / }).click();
  await figure
    .getByRole(item === 'Show as table' ? 'menuitemcheckbox' : 'menuitem', { name: item, exact: true })
    .click();
}

/** @param {Record<string, number | string>[]} rows @param {string} column @returns {number[]} */
export function column(rows, column) {
  return rows.map((row) => {
    const value = row[column];
    assert.ok(typeof value === 'number', `${column}: ${value}`);
    return value;
  });
}

/** Scrolls through the page, so that everything is drawn. @param {Page} page */
export async function drawAll(page) {
  // Some sections are loaded when they come near.
  for (const body of await page.locator('main [id$="-body"]').all()) {
    await body.scrollIntoViewIfNeeded();
    // The page replaces the figures that the build drew.
    await body.locator(':scope > :not(.static)').first().waitFor({ state: 'attached' });
  }
  const ids = await page.locator('figure.card').evaluateAll((figures) => figures.map(({ id }) => id));
  for (const id of ids) await drawn(page, id);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  return ids;
}

/** How far the page can be scrolled sideways. @param {Page} page */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** The text spacing of WCAG 1.4.12 stands for the wider fonts of other systems. */
export const WIDER_TEXT = '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }';

/** Widths of phones and of what a classic scrollbar leaves of them. */
export const NARROW_WIDTHS = [390, 375, 361, 345, 320, 305];
