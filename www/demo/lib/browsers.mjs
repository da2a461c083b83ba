/** Real browsers for the page's tests: started once a scheme, a clean context for each test. */
import assert from 'node:assert/strict';
import { chromium, firefox } from 'playwright-core';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {'light' | 'dark'} Scheme */
/** @typedef {{ viewport?: { width: number, height: number }, scheme?: Scheme, reducedMotion?: boolean, isExpected?: (error: string) => boolean }} PageOptions */

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Chromium as root, and without asking the network for anything of its own. */
const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'].concat(
  ['background-networking', 'component-update', 'sync', 'smooth-scrolling'].map((what) => `--disable-${what}`),
);

/** @param {string} name */
function browserPath(name) {
  const path = process.env[name];
  if (!path) throw new Error(`${name} must be the path of a browser`);
  return path;
}

/** @typedef {{ scheme: Scheme, reducedMotion: boolean }} Wishes what the reader has told the system */

/** @type {Record<string, (wishes: Wishes) => Promise<Browser>>} */
const LAUNCHERS = {
  chromium: () => chromium.launch({ executablePath: browserPath('CHROME_BIN'), args: CHROMIUM_ARGS }),
  firefox: ({ scheme, reducedMotion }) =>
    firefox.launch({
      channel: 'moz-firefox',
      executablePath: browserPath('FIREFOX_BIN'),
      // What a context says of them does not reach this Firefox.
      firefoxUserPrefs: {
        'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
        'ui.prefersReducedMotion': reducedMotion ? 1 : 0,
      },
    }),
};

export const ENGINES = Object.keys(LAUNCHERS);

/** @param {string} engine */
export function browsersOf(engine) {
  /** @type {Map<string, Promise<Browser>>} */
  const started = new Map();

  /** @param {Wishes} wishes */
  function browser(wishes) {
    const key = JSON.stringify(wishes);
    const running = started.get(key) ?? /** @type {NonNullable<typeof LAUNCHERS[string]>} */ (LAUNCHERS[engine])(wishes);
    started.set(key, running);
    return running;
  }

  return {
    /**
     * A page of its own at `url`, given to `use`. Afterwards no error may have been reported, but
     * for those that are expected.
     * @param {string} url
     * @param {(page: Page, errors: string[]) => Promise<void>} use
     * @param {PageOptions} [options]
     */
    async withPage(url, use, { viewport = DESKTOP, scheme = 'light', reducedMotion = false, isExpected = () => false } = {}) {
      const context = await (await browser({ scheme, reducedMotion })).newContext({ viewport, colorScheme: scheme, reducedMotion: reducedMotion ? 'reduce' : 'no-preference' });
      try {
        const page = await context.newPage();
        /** @type {string[]} */
        const errors = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        page.on('console', (message) => {
          const text = `${message.text()} ${message.location().url}`;
          if (message.type() === 'error' && !isExpected(text)) errors.push(text);
        });
        await page.goto(url);
        await use(page, errors);
        assert.deepEqual(errors, []);
      } finally {
        await context.close();
      }
    },
    async close() {
      for (const running of started.values()) await (await running).close();
    },
  };
}
