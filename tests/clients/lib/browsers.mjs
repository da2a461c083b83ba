// Real browsers: Chromium and Firefox, or the ones that TEST_BROWSERS names. WebKitGTK is a run of its own: unlike the
// others it cannot be had on every system.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { after, before, describe } from 'node:test';

import { chromium, firefox } from 'playwright-core';

import { launchersOf } from './launch.mjs';
import { LIMIT_MS, until } from '../../package/lib/until.mjs';
import { RECORDER, withWebKit } from './webdriver.mjs';
import { installed } from '../../package/lib/consumer.mjs';
import { onLoopback } from '../../package/lib/loopback.mjs';

const launchers = launchersOf({ chromium, firefox });

/** A browser of Playwright with a page. */
const played = (launch) => async () => {
  const browser = await launch();
  const page = await browser.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  return { page, close: () => browser.close() };
};

/** WebKitGTK with a page, which is there until what uses it has ended. */
const driven = () =>
  new Promise((ready, failed) => {
    const use = (page) => new Promise((end) => ready({ page, close: () => Promise.all([end(), ended]) }));
    const ended = withWebKit(use);
    ended.catch(failed);
  });

/** Each starts a browser with one page for all that is opened: one page more takes three times the CPU. */
export const ALL = { Chromium: played(launchers.chromium), Firefox: played(launchers.firefox), WebKit: driven };

const NAMES = process.env.TEST_BROWSERS?.split(',') ?? ['Chromium', 'Firefox'];
export const BROWSERS = Object.fromEntries(
  NAMES.map((name) => {
    if (!ALL[name]) throw new Error(`TEST_BROWSERS must name some of ${Object.keys(ALL).join(', ')}, got ${name}`);
    return [name, ALL[name]];
  }),
);

/** The page reports what this engine's driver does not. */
const FIRST = BROWSERS.WebKit ? '<!doctype html><script src="/recorder.js"></script>' : '<!doctype html>';
const recorder = { type: 'text/javascript', body: RECORDER };

/**
 * A server on loopback. `routes`: path → { type, body, headers } or a function (request, response).
 * Anything else is a 404.
 */
export function serve(routes) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://loopback');
    const route = pathname === '/recorder.js' ? recorder : routes(pathname);
    if (typeof route === 'function') route(request, response);
    else if (route) {
      response.writeHead(200, { 'content-type': route.type, 'cache-control': 'no-store', ...route.headers });
      response.end(route.type === 'text/html' ? route.body.replace('<!doctype html>', FIRST) : route.body);
    } else response.writeHead(404).end();
  });
  return onLoopback(server);
}

/** Pages and scripts that `serve` takes. */
export const html = (head, headers) => ({
  type: 'text/html',
  body: `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>test</title><body>${head}`,
  headers,
});
export const js = (body, headers) => ({ type: 'text/javascript', body, headers });

/** A file of the package below `/rejitter/`. */
export function packageFile(path, headers) {
  const [, name] = /^\/rejitter\/([\w./-]+)$/.exec(path) ?? [];
  const file = name && join(installed, normalize(name));
  return file && existsSync(file) ? js(readFileSync(file), headers) : undefined;
}

/**
 * The same tests in each browser. They get a function that returns its page.
 * @param {(pageOf: () => any) => void} tests
 */
export function withPages(tests) {
  for (const [name, start] of Object.entries(BROWSERS))
    describe(name, () => {
      let browser;
      before(async () => {
        browser = await start();
      });
      after(() => browser?.close());
      tests(() => browser.page);
    });
}

/**
 * Opens an address and resolves with the `results` of the page, its uncaught errors, and what it printed as errors.
 * @returns {Promise<{ results: any, errors: string[], printed: string[] }>}
 */
export async function visit(page, url) {
  const [errors, printed] = [[], []];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && printed.push(message.text()));
  try {
    await page.goto(url);
    // Where a Content-Security-Policy forbids strings as code, a function of the page is waited for from outside.
    const results = await until('the page has results', () => page.evaluate(() => globalThis.results));
    // A message that it still sends does not belong to the next one.
    await page.goto('about:blank');
    return { results, errors, printed };
  } catch (error) {
    throw new Error([error.message, ...printed, ...errors].join('\n'), { cause: error });
  }
}

/** The same tests in each browser. They get a function that visits an address. */
export const inBrowsers = (tests) => withPages((pageOf) => tests((url) => visit(pageOf(), url)));
