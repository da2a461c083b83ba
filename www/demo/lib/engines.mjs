/** The browsers of the page's tests. */
import { chromium, firefox } from 'playwright-core';
import { launchersOf } from './launch.mjs';
import { LIMIT_MS } from './until.mjs';

/** @typedef {import('./launch.mjs').Scheme} Scheme */
/** @typedef {import('./launch.mjs').Engine} Engine */

export const ENGINES = launchersOf({ chromium, firefox });

/**
 * A profile with no past.
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
export async function newContext(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LIMIT_MS);
  return context;
}
