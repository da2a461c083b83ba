// @ts-check
// The first attempt succeeds, in Chromium and in Firefox.

import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

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

/** @param {string} name */
function pathOf(name) {
  const path = process.env[name];
  if (!path) throw new Error(`set ${name} to the path of that browser`);
  return path;
}

async function launchers() {
  const { chromium, firefox } = await import('playwright-core');
  return {
    Chromium: () => chromium.launch({ executablePath: pathOf('CHROME_BIN'), args: CHROMIUM_FLAGS }),
    // The channel makes Playwright speak WebDriver BiDi, which an unpatched Firefox understands.
    Firefox: () => firefox.launch({ channel: 'moz-firefox', executablePath: pathOf('FIREFOX_BIN') }),
  };
}

async function script() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../lib/browser-page.mjs', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

/**
 * Isolated, so that the page's clock is fine.
 * @param {string} code
 */
async function serve(code) {
  const server = createServer(({ url }, response) => {
    response.writeHead(200, {
      'content-type': url === '/page.js' ? 'text/javascript' : 'text/html',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    response.end(
      url === '/page.js'
        ? code
        : '<!doctype html><meta charset="utf-8"><title>bench</title><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(undefined));
  });
  return server;
}

/** @param {import('./all.mjs').Context} context */
export async function run({ choice: { quick, seed }, say }) {
  // Longer batches than in Node: the clock ticks every 5 or 20 µs.
  const plan = { rounds: quick ? 20 : 100, batchMs: quick ? 4 : 8, warmUpMs: quick ? 50 : 200, seed };
  const server = await serve(await script());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  /** @type {Record<string, any>} */
  const results = {};
  try {
    for (const [name, launch] of Object.entries(await launchers())) {
      const browser = await launch();
      try {
        const label = `${name} ${browser.version().split('.')[0]}`;
        say(label);
        const page = await browser.newPage();
        await page.goto(`http://127.0.0.1:${port}/`);
        await page.waitForFunction(() => 'measure' in globalThis);
        results[label] = await page.evaluate(
          (/** @type {unknown} */ given) => /** @type {any} */ (globalThis).measure(given),
          plan,
        );
      } finally {
        await browser.close();
      }
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return results;
}
