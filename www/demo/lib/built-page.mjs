/** The built page, served on loopback and opened in each engine, again for each test. */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENGINES, newContext } from './engines.mjs';
import { serveFolder } from './static-server.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./engines.mjs').Engine} Engine */
/** @typedef {import('./engines.mjs').Scheme} Scheme */
/**
 * @typedef {object} PageOptions
 * @property {string} [query]
 * @property {{ width: number, height: number }} [viewport]
 * @property {Scheme} [scheme]
 * @property {boolean} [reducedMotion]
 * @property {() => void} [init] runs in the page before its own scripts
 */

/** @typedef {{ page: Page, errors: string[] }} Tab */

const ALL = /** @type {Engine[]} */ (Object.keys(ENGINES));

export const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/**
 * @typedef {object} BuiltPage
 * @property {Engine} engine
 * @property {(use: (page: Page, url: string) => Promise<void>, options?: PageOptions) => Promise<void>} withPage
 *   gives the page to `use`, reloaded; afterwards no error may have been reported and no file may be missing
 */

/**
 * Declares tests for each engine.
 * @param {(built: BuiltPage) => void} declare
 * @param {{ engines?: readonly Engine[] }} [options]
 */
export function inEachEngine(declare, { engines = ALL } = {}) {
  eachAtTheSameTime((engine) => {
    describe(engine, { concurrency: 1 }, () => {
      /** @type {Map<string, Promise<import('playwright-core').Browser>>} */
      const started = new Map();
      /** @type {Awaited<ReturnType<typeof serveFolder>>} */
      let server;

      before(async () => {
        server = await serveFolder(DIST);
      });
      after(async () => {
        for (const browser of started.values()) await (await browser).close();
        await server?.close();
      });

      /** The browser for a setting of the reader's system. @param {Scheme} scheme @param {boolean} still */
      function browserFor(scheme, still) {
        const key = `${scheme} ${still}`;
        const browser = started.get(key) ?? ENGINES[engine](scheme, still);
        started.set(key, browser);
        return browser;
      }

      /** @type {Map<string, Tab>} for the next test: opening a tab takes longer than loading the page */
      const tabs = new Map();

      /** @param {Scheme} scheme @param {boolean} still @returns {Promise<Tab>} */
      async function openTab(scheme, still) {
        const context = await newContext(await browserFor(scheme, still), {
          colorScheme: scheme,
          reducedMotion: still ? 'reduce' : 'no-preference',
        });
        const page = await context.newPage();
        /** @type {string[]} */
        const errors = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        page.on('console', (message) => {
          if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
        });
        await reportViolations(page);
        return { page, errors };
      }

      declare({
        engine,
        async withPage(
          use,
          { query = '', viewport = DESKTOP, scheme = 'light', reducedMotion = false, init = () => {} } = {},
        ) {
          const key = `${scheme} ${reducedMotion}`;
          const tab = tabs.get(key) ?? (await openTab(scheme, reducedMotion));
          tabs.delete(key);
          const { page, errors } = tab;
          try {
            const script = await page.addInitScript(init);
            await page.setViewportSize(viewport);
            await page.goto(server.url + query);
            await page.locator('html[data-ready]').waitFor();
            await page.evaluate(() => document.fonts.ready);
            await use(page, server.url);
            assert.deepEqual([...errors, ...server.missing], []);
            await script.dispose();
            await leave(page);
            errors.length = 0;
            tabs.set(key, tab);
          } finally {
            if (!tabs.has(key)) await page.context().close();
          }
        },
      });
    });
  }, engines);
}

/** Leaves the page, and nothing of it behind. @param {Page} page */
async function leave(page) {
  await page.context().clearPermissions();
  await page.emulateMedia({ media: null, forcedColors: null });
  await page.mouse.move(0, 0);
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
}

/**
 * Prints what the page's policy blocks as an error on its console, also in engines that print nothing.
 * @param {Page} page
 */
export function reportViolations(page) {
  return page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      console.error(`policy: ${effectiveDirective} ${blockedURI}`),
    );
  });
}

/**
 * Declares a suite for each engine. They run side by side, each of them one test after the other: much of what browsers
 * do is waiting.
 * @param {(engine: Engine) => void} declare
 * @param {readonly Engine[]} [engines]
 */
export function eachAtTheSameTime(declare, engines = ALL) {
  describe(engines.join(' and '), { concurrency: true }, () => {
    for (const engine of engines) declare(engine);
  });
}
