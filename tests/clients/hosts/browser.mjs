// Pages in Chromium, Firefox and WebKitGTK.

import { extname, join } from 'node:path';

import { chromium } from 'playwright-core';

import { ALL, serve, visit } from '../lib/browsers.mjs';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

export const titleOf = (browser) => (browser === 'WebKit' ? 'WebKitGTK' : browser);

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

/** Serves a folder of a user's project and resolves with the address. */
export async function serveFolder(folder, root = '.', headers = {}) {
  const { origin, close } = await serve((path) => {
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path);
    const type = TYPES[extname(file)] ?? 'text/plain';
    return folder.has(file) && { type, body: folder.read(file, type === 'text/html' ? 'utf8' : null), headers };
  });
  folder.closing(close);
  return `${origin}/`;
}

/** The results of the page in a folder of the project. */
export const inFolder = (root, browser, headers) => async (folder) =>
  onPage(await serveFolder(folder, root, headers), browser);

/** Opens a page and resolves with what its suite found. */
export async function onPage(url, name = 'Chromium') {
  const { results, errors, printed } = await visit((await browser(name)).page, url);
  // Browsers report responses and connections that fail by themselves.
  const own = /Failed to load resource|CORS request did not succeed/;
  const complaints = [...printed, ...errors].filter((text) => !own.test(text));
  return { ...results, complaints: complaints.join('; ') || 'none' };
}

/** Starts a Chromium with an extension, which must have a service worker. */
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
