// Real browsers: Chromium and Firefox, or the ones that TEST_BROWSERS names. WebKitGTK is a run of its own: unlike the
// others it cannot be had on every system.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { after, before, describe } from 'node:test';

import { chromium, firefox } from 'playwright-core';

import { launchersOf } from '../../../www/demo/lib/launch.mjs';
import { LIMIT_MS } from '../../../www/demo/lib/until.mjs';
import { RECORDER, withWebKit } from '../../../www/demo/lib/webdriver.mjs';
import { installed } from './consumer.mjs';
import { onLoopback } from '../../../www/demo/lib/loopback.mjs';

const launchers = launchersOf({ chromium, firefox });

/** A browser of Playwright, as `withPage(use)` and `close()`. */
const played = (launch) => async () => {
  const browser = await launch();
  return {
    async withPage(use) {
      const page = await browser.newPage();
      page.setDefaultTimeout(LIMIT_MS);
      return use(page).finally(() => page.close());
    },
    close: () => browser.close(),
  };
};

export const ALL = {
  Chromium: played(launchers.chromium),
  Firefox: played(launchers.firefox),
  // Each page has a browser of its own.
  WebKit: async () => ({ withPage: withWebKit, close: async () => {} }),
};

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
 * The same tests in each browser. They get `withPage(use)`, which passes a page to `use` and closes it.
 * @param {(withPage: (use: (page: any) => Promise<any>) => Promise<any>) => void} tests
 */
export function withPages(tests) {
  for (const [name, launch] of Object.entries(BROWSERS))
    describe(name, () => {
      let browser;
      before(async () => {
        browser = await launch();
      });
      after(() => browser?.close());
      tests((use) => browser.withPage(use));
    });
}

/**
 * The same tests in each browser. They get `visit(url)`, which opens a page and resolves with what its `finished`
 * resolved with, and the errors of the page.
 * @param {(visit: (url: string) => Promise<{ result: any, errors: string[] }>) => void} tests
 */
export const inBrowsers = (tests) =>
  withPages((withPage) =>
    tests((url) =>
      withPage(async (page) => {
        const errors = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        await page.goto(url);
        await page.waitForFunction(() => globalThis.finished !== undefined);
        return { result: await page.evaluate(() => globalThis.finished), errors };
      }),
    ),
  );
