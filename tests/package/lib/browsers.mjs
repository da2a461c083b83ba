// Real browsers: the ones that CHROME_BIN and FIREFOX_BIN name, or that are on PATH. A missing one is an
// error, because a test that quietly skips a browser says nothing about it. With TEST_BROWSERS=WebKit it
// is WebKitGTK instead, a run of its own: unlike the others it cannot be had on every system.

import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';

import { chromium, firefox } from 'playwright-core';

import { RECORDER } from '../../../www/demo/lib/webdriver.mjs';
import { launchWebKit } from './webkit.mjs';

function find(variable, names) {
  if (process.env[variable]) return process.env[variable];
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here: the next folder.
      }
    }
  }
  throw new Error(
    `no browser: set ${variable}, or install one of ${names.join(', ')} (on Debian: apt-get install chromium ` +
      'firefox-esr)',
  );
}

// Quiet, without a sandbox (containers have none to give), and without calls to the outside.
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const ALL = {
  Chromium: () =>
    chromium.launch({
      executablePath: find('CHROME_BIN', ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']),
      args: CHROMIUM_FLAGS,
    }),
  // The channel makes Playwright speak WebDriver BiDi, which an unpatched Firefox understands.
  Firefox: () =>
    firefox.launch({ channel: 'moz-firefox', executablePath: find('FIREFOX_BIN', ['firefox', 'firefox-esr']) }),
  WebKit: launchWebKit,
};

const NAMES = process.env.TEST_BROWSERS?.split(',') ?? ['Chromium', 'Firefox'];
export const BROWSERS = Object.fromEntries(
  NAMES.map((name) => {
    if (!ALL[name]) throw new Error(`TEST_BROWSERS names ${name}, which is none of ${Object.keys(ALL).join(', ')}`);
    return [name, ALL[name]];
  }),
);

/** What this engine's driver does not tell, the page has to. */
const FIRST = BROWSERS.WebKit ? '<!doctype html><script src="/recorder.js"></script>' : '<!doctype html>';
const recorder = { type: 'text/javascript', body: RECORDER };

/**
 * A server on loopback. `routes`: path → { type, body, headers } or a function (request, response).
 * Anything else is a 404, of which the list `missed` tells.
 */
export async function serve(routes) {
  const missed = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://loopback');
    const route = pathname === '/recorder.js' ? recorder : routes(pathname);
    if (typeof route === 'function') route(request, response);
    else if (route) {
      response.writeHead(200, { 'content-type': route.type, 'cache-control': 'no-store', ...route.headers });
      response.end(route.type === 'text/html' ? route.body.replace('<!doctype html>', FIRST) : route.body);
    } else {
      missed.push(pathname);
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    missed,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
  };
}
