/** The browsers of the tests, which CHROME_BIN and FIREFOX_BIN name. */
import { chromium, firefox } from 'playwright-core';
import { LIMIT_MS } from './until.mjs';

/** Chromium as root, and without asking the network for anything of its own. */
const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'].concat(
  ['background-networking', 'component-update', 'sync', 'smooth-scrolling'].map((what) => `--disable-${what}`),
);

/** A name of the loopback address that browsers do not trust as they trust `localhost`. */
export const INSECURE_HOST = 'insecure.test';

/** @param {string} name */
function browserPath(name) {
  const path = process.env[name];
  if (!path) throw new Error(`${name} must be the path of a browser`);
  return path;
}

/** @typedef {'light' | 'dark'} Scheme */
/** @typedef {'chromium' | 'firefox'} Engine */

/**
 * With a colour scheme, and as for a reader who wants less motion. These are for Firefox, which
 * what a context prefers does not reach.
 * @type {Record<Engine, (scheme: Scheme, still?: boolean) => Promise<import('playwright-core').Browser>>}
 */
export const ENGINES = {
  chromium: () =>
    chromium.launch({
      executablePath: browserPath('CHROME_BIN'),
      args: [...CHROMIUM_ARGS, `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`],
    }),
  firefox: (scheme, still = false) =>
    firefox.launch({
      channel: 'moz-firefox',
      executablePath: browserPath('FIREFOX_BIN'),
      firefoxUserPrefs: {
        'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
        'ui.prefersReducedMotion': still ? 1 : 0,
        'network.dns.localDomains': INSECURE_HOST,
      },
    }),
};

/**
 * A profile with no past.
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
export async function newContext(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LIMIT_MS);
  return context;
}
