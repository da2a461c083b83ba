/** Sections that are loaded when they come near. */
import { isLoaded } from './page.mjs';
import { until } from './until.mjs';

/**
 * Brings a section into view until the page has loaded it: what is above it may still grow.
 * @param {import('playwright-core').Page} page
 * @param {string} id of the section's body
 */
export async function loaded(page, id) {
  await until(`#${id} is loaded`, () => page.evaluate(isLoaded, id));
}
