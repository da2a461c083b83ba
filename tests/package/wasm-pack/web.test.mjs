// wasm-pack build --target web: modules that a page loads as they are.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BROWSERS, html, serve } from '../lib/browsers.mjs';
import { expected } from './use.mjs';

const out = process.env.WASM_PACK_OUT;
const here = fileURLToPath(new URL('.', import.meta.url));

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/** The page, what uses the package, and the package's files. */
function route(path) {
  if (path === '/') return html('');
  const file = path === '/use.mjs' ? join(here, path) : join(out, path);
  return existsSync(file) ? { type: TYPES[extname(file)], body: readFileSync(file) } : undefined;
}

let server;
let browser;

before(async () => {
  server = await serve(route);
  browser = await BROWSERS.Chromium();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

test('retries on a page', () =>
  browser.withPage(async (page) => {
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(server.origin);
    const seen = await page.evaluate(async () => {
      const { default: init, ...api } = await import('/rejitter_wasm.js');
      await init();
      const { use } = await import('/use.mjs');
      return use(api);
    });
    assert.deepEqual(seen, expected);
    assert.deepEqual(complaints, []);
  }));

test('without init() it says so in words, and the failure is the cause', () =>
  browser.withPage(async (page) => {
    await page.goto(server.origin);
    const seen = await page.evaluate(async () => {
      const { retry, fetchWithRetry, RetryPolicy } = await import('/rejitter_wasm.js');
      const first = await retry(() => 'a first success needs no wasm');
      const error = await retry(() => Promise.reject('mine')).catch((error) => error);
      let thrown = '';
      try {
        new RetryPolicy().delays().next();
      } catch (error) {
        thrown = error.message;
      }
      return [first, error.message, error.cause, thrown, typeof fetchWithRetry];
    });
    const words = 'rejitter: call init() first, and await it: it loads the wasm file';
    assert.deepEqual(seen, ['a first success needs no wasm', words, 'mine', words, 'function']);
  }));
