/**
 * Starts the browsers of all tests: those that CHROME_BIN and FIREFOX_BIN name, or that are on PATH. Playwright is an
 * argument, because each folder with tests has an installation of its own.
 */
import { spawnSync } from 'node:child_process';

/** Chromium as root, in a container, and without asking the network for anything of its own. */
const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'].concat(
  ['background-networking', 'component-update', 'dev-shm-usage', 'smooth-scrolling', 'sync'].map(
    (what) => `--disable-${what}`,
  ),
);

/** A name of the loopback address that browsers do not trust as they trust `localhost`. */
export const INSECURE_HOST = 'insecure.test';

const PROGRAMS = {
  CHROME_BIN: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  FIREFOX_BIN: ['firefox', 'firefox-esr'],
};

/** A missing browser is an error: a test that skips a browser says nothing about it. */
function find(variable) {
  const found =
    process.env[variable] ?? spawnSync('which', PROGRAMS[variable], { encoding: 'utf8' }).stdout.split('\n')[0];
  if (found) return found;
  throw new Error(`${variable} must be the path of a browser (on Debian: apt-get install chromium firefox-esr)`);
}

/**
 * With a colour scheme, and as for a reader who wants less motion. These are for Firefox, which
 * what a context prefers does not reach.
 */
export const launchersOf = ({ chromium, firefox }) => ({
  chromium: (_scheme, _still, more) =>
    chromium.launch({
      ...more,
      executablePath: find('CHROME_BIN'),
      args: [...CHROMIUM_ARGS, `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`],
    }),
  firefox: (scheme, still = false) =>
    firefox.launch({
      // Makes Playwright speak WebDriver BiDi, which an unpatched Firefox understands.
      channel: 'moz-firefox',
      executablePath: find('FIREFOX_BIN'),
      firefoxUserPrefs: {
        'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
        'ui.prefersReducedMotion': still ? 1 : 0,
        'network.dns.localDomains': INSECURE_HOST,
      },
    }),
});
