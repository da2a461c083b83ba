/** Waits for what is loaded or drawn only while it is near the screen: what is above it may still grow. */
import { drawn, isLoaded } from './page.mjs';
import { until } from './until.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Brings a section into view until the page has loaded it. @param {Page} page @param {string} id of its body */
export async function loaded(page, id) {
  await until(`#${id} is loaded`, () => page.evaluate(isLoaded, id));
}

/**
 * Brings a figure into view until a part of it says this.
 * @param {Page} page
 * @param {string} id
 * @param {string} part
 * @param {RegExp} words
 */
export async function says(page, id, part, words) {
  await until(`${part} of #${id} says ${words}`, async () => {
    await drawn(page, id);
    return words.test((await page.locator(`#${id} ${part}`).first().textContent()) ?? '');
  });
}

/**
 * Brings a figure into view until it has at least this number of marks.
 * @param {Page} page
 * @param {string} id
 * @param {string} marks
 * @param {number} count
 */
export async function has(page, id, marks, count) {
  await until(`#${id} has ${count} ${marks}`, async () => {
    await drawn(page, id);
    return (await page.locator(`#${id}${marks}`).count()) >= count;
  });
}
