// wasm-pack build --target web: modules that a page loads as they are.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BROWSERS } from '../lib/browsers.mjs';
import { expected } from './use.mjs';

const out = process.env.WASM_PACK_OUT;
const here = fileURLToPath(new URL('.', import.meta.url));

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>web</title>';

let server;
let browser;

before(async () => {
  server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    if (path === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      return;
    }
    const file = path === '/use.mjs' ? join(here, path) : join(out, path);
    try {
      const body = await readFile(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  browser = await BROWSERS.Chromium();
});

after(async () => {
  await browser?.close();
  server?.close();
});

test('retries on a page', () =>
  browser.withPage(async (page) => {
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const seen = await page.evaluate(async () => {
      const { default: init, ...api } = await import('/rejitter.js');
      await init();
      const { use } = await import('/use.mjs');
      return use(api);
    });
    assert.deepEqual(seen, expected);
    assert.deepEqual(complaints, []);
  }));

test('without init() it says so in words, and the operation ends with its own outcome', () =>
  browser.withPage(async (page) => {
    const warnings = [];
    page.on('console', (message) => warnings.push(message.text()));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const seen = await page.evaluate(async () => {
      const { retry, fetchWithRetry, RetryPolicy } = await import('/rejitter.js');
      const first = await retry(() => 'a first success needs no wasm');
      const error = await retry(() => Promise.reject('mine')).catch((error) => error);
      let thrown = '';
      try {
        new RetryPolicy().delays().next();
      } catch (error) {
        thrown = error.message;
      }
      return [first, error, thrown, typeof fetchWithRetry];
    });
    const words = 'rejitter: call init() first, and await it: it loads the wasm file';
    assert.deepEqual(seen, ['a first success needs no wasm', 'mine', words, 'function']);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /^rejitter: operations are not retried\. Error: rejitter: call init\(\) first/);
  }));
