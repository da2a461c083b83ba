/**
 * The built page, served on loopback and opened in each engine, again for each test. Expects `www/dist`, `rejitter` in
 * `www/node_modules`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium, firefox } from 'playwright-core';
import { startServer } from '../misbehaving-server.mjs';
import { launchersOf } from '../../../tests/clients/lib/launch.mjs';
import { withFont } from './in-page.mjs';
import { PAGES } from './page.mjs';
import { slower } from './patience.mjs';
import { siteOf } from './site.mjs';
import { LIMIT_MS } from '../../../tests/package/lib/until.mjs';

const ENGINES = launchersOf({ chromium, firefox });
/** The browsers of all files, by engine and settings of the reader's system: Chromium's contexts have their own. */
const started = new Map();
after(async () => {
  for (const browser of started.values()) await (await browser).close();
});

export const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** Dark, and with motion: what a reader's system says needs a Firefox of its own, and one is enough for both. */
export const NIGHT = { scheme: 'dark', reducedMotion: false };

/** The demo server with a folder: its headers hold workers to the policy, too. */
export async function served(folder, more = {}) {
  const server = await startServer({ seed: 42, site: siteOf(folder), ...more });
  return { ...server, url: `${server.url}/` };
}

/** Where the page is served once more. */
export const SUB_PATH = 'some/where/';

/** Returns a folder with the page, also under a path, whose slow answers never come in time. The script runs first. */
export async function patient(script = '') {
  const folder = await mkdtemp(path.join(tmpdir(), 'page-test-'));
  after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'first.js'), script);
  for (const place of ['', SUB_PATH]) {
    const edit = async (name, change) => {
      const file = path.join(folder, place, name);
      await writeFile(file, change(await readFile(file, 'utf8')));
    };
    await cp(DIST, path.join(folder, place), { recursive: true });
    await edit('flaky.js', slower);
    for (const page of PAGES)
      await edit(`${page}index.html`, (html) => html.replace('<head>', '<head><script src="/first.js"></script>'));
  }
  return folder;
}

/**
 * Declares tests for each engine. The engines run side by side: much of what browsers do is waiting. `declare` gets
 * `pageTest`, which declares a test of one page, and `withPage`, which gives a page with a profile of its own to a
 * function; afterwards no error may have been reported but those that are `ignored`, and no file may be missing if the
 * page `isWhole`. A page has its `query`, after the site's address, or a whole address. Without `reducedMotion` figures
 * play, and each frame is drawn, which takes most of a browser's time. `init` runs before the page's own scripts.
 */
export function inEachEngine(
  declare,
  { engines = ['chromium', 'firefox'], concurrency = 1, serve = () => served(DIST), pages = {}, ignored = /^$/ } = {},
) {
  describe(engines.join(' and '), { concurrency: true }, () => {
    for (const engine of engines)
      describe(engine, { concurrency }, () => {
        let site;
        before(async () => {
          site = await serve();
        });
        after(() => site?.close());

        async function withPage(use, options) {
          const { query = '', viewport = DESKTOP, scheme = 'light', ...more } = { ...pages, ...options };
          const { reducedMotion = true, isWhole = true, init = () => {} } = more;
          const key = engine === 'chromium' ? engine : `${scheme} ${reducedMotion}`;
          if (!started.has(key)) started.set(key, ENGINES[engine](scheme, reducedMotion));
          const browser = await started.get(key);
          const motion = reducedMotion ? 'reduce' : 'no-preference';
          const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: motion });
          context.setDefaultTimeout(LIMIT_MS);
          try {
            const page = await context.newPage();
            const errors = [];
            const report = (text) => ignored.test(text) || errors.push(text);
            page.on('pageerror', (error) => report(String(error)));
            page.on('console', (message) => {
              if (message.type() === 'error') report(`${message.text()} ${message.location().url}`);
            });
            // What the page's policy blocks, also in engines that print nothing.
            await page.addInitScript(() => {
              addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
                console.error(`policy: ${effectiveDirective} ${blockedURI}`),
              );
            });
            await page.addInitScript(init);
            await page.goto(new URL(query, site.url).href);
            await page.locator('html[data-ready]').waitFor();
            await page.evaluate(withFont);
            await use(page, { url: site.url, errors });
            assert.deepEqual(errors, []);
            if (isWhole) assert.equal(site.stats().notFound, 0, 'a file of the page is missing');
          } finally {
            await context.close();
          }
        }

        declare({
          engine,
          site: () => site,
          pageTest: (name, options, use) => void test(name, () => withPage(use, options)),
          withPage,
        });
      });
  });
}
