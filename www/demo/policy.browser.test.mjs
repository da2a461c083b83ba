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
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createServer } from 'vite';
import { DIST, inEachEngine } from './lib/built-page.mjs';
import { SMALL, drawAll, picture } from './lib/page.mjs';
import { bePatient } from './lib/patience.mjs';
import { reckon } from './lib/reckon.mjs';
import { until } from './lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';
import { CONTENT_SECURITY_POLICY } from './page-policy.mjs';

test('the built page states its policies before anything they act on', async () => {
  const html = await readFile(path.join(DIST, 'index.html'), 'utf8');
  const [first, second] = html.slice(html.indexOf('<head>')).match(/<(?!head)[^>]+>/g);
  const [, policy] = /^<meta http-equiv="Content-Security-Policy" content="([^"]+)">$/.exec(first);
  assert.equal(policy.replaceAll('&#39;', "'"), CONTENT_SECURITY_POLICY);
  assert.equal(second, '<meta name="referrer" content="no-referrer">');
  // Whatever else the policy allows, no script runs that is not a file of the page.
  assert.doesNotMatch(
    CONTENT_SECURITY_POLICY,
    /script-src[^;]*'(unsafe-inline|unsafe-eval)'|script-src[^;]* (\*|https?:|data:|blob:)/,
  );
});

// Chromium also reports the responses that the live calls ask for.
const options = { concurrency: 3, serve: () => startServer({ seed: 42, staticDir: DIST }), pages: { init: bePatient } };

inEachEngine(
  ({ pageTest, site, withPage }) => {
    pageTest(
      'nothing of the page is a violation',
      { query: `${SMALL}&calls=8&failure=503&baseMs=20` },
      async (page) => {
        const figures = await drawAll(page);
        assert.ok(figures.length >= 3, figures.join());
        // Some calls are retried, so the page itself compiles wasm.
        await page.locator('#live-start').click();
        const { whole } = reckon({ failure: '503', rate: 0.6, calls: 8, maxAttempts: 4 });
        await page.locator('#live-sentence', { hasText: whole }).waitFor();
        // A picture is drawn from a data: address and saved from a blob: one.
        assert.equal((await picture(page, 'waits')).name, 'rejitter-waits.png');
        assert.ok(await page.evaluate(() => document.fonts.check('16px Inter')));
        const licences = page.getByRole('contentinfo').getByRole('link', { name: /^Licences of the packages/ });
        const href = await licences.getAttribute('href');
        assert.equal((await page.request.get(new URL(href, page.url()).href)).status(), 200);
      },
    );

    test('nothing that is injected runs', async () => {
      const other = await startServer({ seed: 42, failureRate: 0 });
      after(() => other.close());
      await withPage(async (page, { errors }) => {
        await page.evaluate((foreign) => {
          const element = (name, attributes, text = '') => {
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
        const count = (directive) => errors.filter((text) => text.startsWith(`policy: ${directive} `)).length;
        const seen = () => Object.fromEntries(Object.keys(expected).map((directive) => [directive, count(directive)]));
        await until('every attack is blocked', () => isDeepStrictEqual(seen(), expected)).catch(() => undefined);
        assert.deepEqual(seen(), expected);
        assert.deepEqual(await page.evaluate(() => ['ran' in globalThis, document.baseURI]), [false, `${site().url}/`]);
        errors.splice(0);
      });
    });

    test('in development, with modules and styles of Vite, nothing is blocked either', async () => {
      const cacheDir = await mkdtemp(path.join(tmpdir(), 'vite-'));
      // Not the usual port, which another program may use.
      const server = { host: '127.0.0.1', port: 0, strictPort: false };
      const root = fileURLToPath(new URL('..', import.meta.url));
      const vite = await createServer({ root, cacheDir, logLevel: 'silent', server });
      try {
        await vite.listen();
        await withPage(
          async (page) => {
            await drawAll(page);
            await page.waitForFunction(() => document.querySelectorAll('style[data-vite-dev-id]').length > 0);
            assert.equal(vite.ws.clients.size, 1, 'the page hears of changes');
          },
          { query: vite.resolvedUrls.local[0] + SMALL },
        );
      } finally {
        await vite.close();
        await rm(cacheDir, { recursive: true, force: true });
      }
    });
  },
  { ...options, ignored: /status of 503/ },
);
