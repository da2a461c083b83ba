/**
 * The page under its Content-Security-Policy, in real browsers: it works without a violation, and nothing that is
 * injected into it runs. Served by the demo server, which also sends the policy to workers, and by Vite's server for
 * development.
 *
 * Expects `www/dist`, `rejitter` in `www/node_modules`, and the browsers in CHROME_BIN and FIREFOX_BIN.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createServer } from 'vite';
import { DESKTOP, DIST, eachAtTheSameTime, reportViolations } from './lib/built-page.mjs';
import { keepBlobs, keepNextFile, keptFile } from './lib/blobs.mjs';
import { ENGINES, newContext } from './lib/engines.mjs';
import { SMALL, drawAll, drawn } from './lib/page.mjs';
import { bePatient } from './lib/patience.mjs';
import { reckon } from './lib/reckon.mjs';
import { until } from './lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';
import { CONTENT_SECURITY_POLICY } from './page-policy.mjs';

/** @typedef {import('playwright-core').Page} Page */

test('the built page states its policies before anything they act on', async () => {
  const html = await readFile(path.join(DIST, 'index.html'), 'utf8');
  const [first = '', second = ''] = html.slice(html.indexOf('<head>')).match(/<(?!head)[^>]+>/g) ?? [];
  const policy = /^<meta http-equiv="Content-Security-Policy" content="([^"]+)">$/
    .exec(first)?.[1]
    ?.replaceAll('&#39;', "'");
  assert.equal(policy, CONTENT_SECURITY_POLICY);
  assert.equal(second, '<meta name="referrer" content="no-referrer">');
  // Whatever else the policy allows, no script runs that is not a file of the page.
  assert.doesNotMatch(
    CONTENT_SECURITY_POLICY,
    /script-src[^;]*'(unsafe-inline|unsafe-eval)'|script-src[^;]* (\*|https?:|data:|blob:)/,
  );
});

eachAtTheSameTime((engine) => {
  describe(engine, { concurrency: 3 }, () => {
    /** @type {import('./misbehaving-server.mjs').MisbehavingServer} */
    let site;
    /** @type {import('./misbehaving-server.mjs').MisbehavingServer} another origin */
    let other;
    /** @type {import('playwright-core').Browser} */
    let browser;

    before(async () => {
      site = await startServer({ seed: 42, staticDir: DIST });
      other = await startServer({ seed: 42, failureRate: 0 });
      browser = await ENGINES[engine]('light');
    });
    after(async () => {
      await browser?.close();
      await site?.close();
      await other?.close();
    });

    /**
     * @param {string} url
     * @param {(page: Page, messages: string[]) => Promise<void>} use `messages`: the page's errors and violations
     */
    async function withPage(url, use) {
      const context = await newContext(browser, { viewport: DESKTOP });
      try {
        const page = await context.newPage();
        /** @type {string[]} */
        const messages = [];
        page.on('pageerror', (error) => messages.push(String(error)));
        // Chromium also reports the responses that the live calls ask for.
        page.on(
          'console',
          (message) =>
            message.type() === 'error' && !/status of 503/.test(message.text()) && messages.push(message.text()),
        );
        await reportViolations(page);
        await page.addInitScript(bePatient);
        await page.goto(url);
        await page.locator('html[data-ready]').waitFor();
        await use(page, messages);
      } finally {
        await context.close();
      }
    }

    test('works without a violation: figures, workers, wasm, fonts, pictures, live calls to both servers', () =>
      withPage(`${site.url}/${SMALL}&calls=8&failure=503&baseMs=20`, async (page, messages) => {
        const figures = await drawAll(page);
        assert.ok(figures.length >= 3, figures.join());
        // Some calls are retried, so the page itself compiles wasm.
        await page.locator('#live-start').click();
        await page
          .locator('#live-sentence', { hasText: reckon({ failure: '503', rate: 0.6, calls: 8, maxAttempts: 4 }).whole })
          .waitFor();
        // A picture is drawn from a data: address and saved from a blob: one.
        await drawn(page, 'waits');
        await page.evaluate(keepBlobs);
        await page.evaluate(keepNextFile);
        await page
          .locator('#waits')
          .getByRole('button', { name: /^PNG of/ })
          .click();
        assert.equal((await until('the picture is saved', () => page.evaluate(keptFile))).name, 'rejitter-waits.png');
        await page.evaluate(() => document.fonts.ready);
        assert.ok(await page.evaluate(() => document.fonts.check('16px Inter')));
        const link = await page
          .getByRole('contentinfo')
          .getByRole('link', { name: /^Licences of the packages/ })
          .evaluate((element) => /** @type {HTMLAnchorElement} */ (element).href);
        assert.equal((await page.request.get(link)).status(), 200);
        assert.deepEqual(messages, []);
      }));

    test('nothing that is injected runs', () =>
      withPage(site.url, async (page, messages) => {
        await page.evaluate((foreign) => {
          const element = (/** @type {string} */ name, /** @type {Record<string, string>} */ attributes, text = '') => {
            const made = document.createElement(name);
            for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
            made.textContent = text;
            document.body.append(made);
            return made;
          };
          const attack = 'globalThis.ran = true';
          element('script', {}, attack);
          element('script', { src: `data:text/javascript,${attack}` });
          element('script', { src: URL.createObjectURL(new Blob([attack], { type: 'text/javascript' })) });
          element('script', { src: `${foreign}/stats` });
          element('img', { src: 'data:,', onerror: attack });
          element('button', { onclick: attack }).click();
          element('iframe', { src: `${foreign}/stats` });
          element('object', { data: `${foreign}/stats` });
          element('base', { href: foreign });
        }, other.url);
        // The control: each of them is seen to be blocked, by the policy in the page and by that in the header.
        const expected = { 'script-src-elem': 8, 'script-src-attr': 4, 'frame-src': 2, 'object-src': 2, 'base-uri': 2 };
        const seen = () =>
          Object.fromEntries(
            Object.keys(expected).map((directive) => [
              directive,
              messages.filter((text) => text.startsWith(`policy: ${directive} `)).length,
            ]),
          );
        await until('every attack is blocked', () => isDeepStrictEqual(seen(), expected)).catch(() => undefined);
        assert.deepEqual(seen(), expected);
        assert.deepEqual(await page.evaluate(() => ({ ran: 'ran' in globalThis, base: document.baseURI })), {
          ran: false,
          base: `${site.url}/`,
        });
      }));

    test('in development, with modules and styles of Vite, nothing is blocked either', async () => {
      const cacheDir = await mkdtemp(path.join(tmpdir(), 'vite-'));
      const vite = await createServer({
        root: fileURLToPath(new URL('..', import.meta.url)),
        cacheDir,
        logLevel: 'silent',
        // Not the usual port, which another program may use.
        server: { host: '127.0.0.1', port: 0, strictPort: false },
      });
      try {
        await vite.listen();
        const [url = ''] = vite.resolvedUrls?.local ?? [];
        await withPage(url + SMALL, async (page, messages) => {
          await drawAll(page);
          await page.waitForFunction(() => document.querySelectorAll('style[data-vite-dev-id]').length > 0);
          assert.equal(vite.ws.clients.size, 1, 'the page hears of changes');
          assert.deepEqual(messages, []);
        });
      } finally {
        await vite.close();
        await rm(cacheDir, { recursive: true, force: true });
      }
    });
  });
});
