/**
 * The page's Content-Security-Policy, in real browsers: nothing that is injected runs, and Vite's server for
 * development works under it. That the page works without a violation is a part of every test in a browser.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createServer } from 'vite';
import { inEachEngine } from './lib/built-page.mjs';
import { SMALL, drawAll } from './lib/page.mjs';
import { until } from '../../tests/package/lib/until.mjs';
import { startServer } from './misbehaving-server.mjs';

inEachEngine(({ site, withPage }) => {
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
      assert.deepEqual(await page.evaluate(() => ['ran' in globalThis, document.baseURI]), [false, site().url]);
      errors.splice(0);
    });
  });

  test('in development, with modules and styles of Vite, nothing is blocked either', async (t) => {
    const cacheDir = await mkdtemp(path.join(tmpdir(), 'vite-'));
    // Not the usual port, which another program may use.
    const server = { host: '127.0.0.1', port: 0, strictPort: false };
    const root = fileURLToPath(new URL('..', import.meta.url));
    const vite = await createServer({ root, cacheDir, logLevel: 'silent', server });
    t.after(() => vite.close().finally(() => rm(cacheDir, { recursive: true, force: true })));
    await vite.listen();
    await withPage(
      async (page) => {
        await drawAll(page);
        await page.waitForFunction(() => document.querySelectorAll('style[data-vite-dev-id]').length > 0);
        assert.equal(vite.ws.clients.size, 1, 'the page hears of changes');
      },
      { query: vite.resolvedUrls?.local[0] + SMALL },
    );
  });
});
