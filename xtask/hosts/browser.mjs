// Pages in Chromium, Firefox and WebKitGTK.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

import { ALL } from '../../tests/package/lib/browsers.mjs';

const { chromium } = createRequire(new URL('../../tests/package/package.json', import.meta.url))('playwright-core');

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** Started once for all pages. */
const running = new Map();

async function browser(name) {
  if (!running.has(name)) running.set(name, await ALL[name]());
  return running.get(name);
}

export async function closeBrowsers() {
  for (const each of running.values()) await each.close();
  running.clear();
}

/**
 * Serves a folder of a user's project and resolves with the address.
 * @param {import('./folder.mjs').Folder} folder
 * @param {string} [root]
 * @param {Record<string, string>} [headers]
 */
export async function serveFolder(folder, root = '.', headers = {}) {
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url ?? '/', 'http://localhost');
    const file = join(folder.path(root), pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain', ...headers });
    return response.end(readFileSync(file));
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  folder.closing(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
}

/**
 * Opens a page and resolves with what its suite found.
 * @param {string} url
 * @param {string} [name]
 */
export async function onPage(url, name = 'Chromium') {
  const errors = [];
  try {
    return await (await browser(name)).withPage(async (page) => {
      page.on('pageerror', (error) => errors.push(error.message ?? error));
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await page.goto(url);
      // Where a Content-Security-Policy forbids strings as code, a function of the page is waited for from outside.
      const limit = Date.now() + 120_000;
      while (Date.now() < limit) {
        const results = await page.evaluate(() => globalThis.results);
        if (results) return results;
        await new Promise((go) => {
          setTimeout(go, 100);
        });
      }
      throw new Error('the page has no results');
    });
  } catch (error) {
    throw new Error(`${error.message}\n${errors.join('\n')}`);
  }
}

/**
 * Starts a Chromium with an extension, which must have a service worker.
 * @param {import('./folder.mjs').Folder} folder
 * @param {string} path
 */
export async function chromiumWithExtension(folder, path) {
  const context = await chromium.launchPersistentContext('', {
    executablePath: process.env.CHROME_BIN,
    // Playwright's own headless mode is another program without extensions.
    headless: false,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
      `--disable-extensions-except=${path}`,
      `--load-extension=${path}`,
    ],
  });
  folder.closing(() => context.close());
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker', { timeout: 60_000 }));
  return { context, id: new URL(worker.url()).host };
}
