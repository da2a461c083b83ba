// Pages and extensions under a Content-Security-Policy.

import { chromiumWithExtension, inFolder, serveFolder } from '../browser.mjs';
import { row } from '../row.mjs';

const CSP = { 'content-security-policy': "script-src 'self'" };
const HTML = '<!doctype html><title>suite</title><script src="page.js"></script>\n';

/** Keeps the package's warning next to the results. */
const PAGE = `import { suite } from './suite.mjs';
const warnings = [];
console.warn = (...args) => warnings.push(args.join(' '));
globalThis.results = suite().then((results) => ({ ...results, warning: warnings[0] }));
`;

const esbuild = (out, condition) =>
  `esbuild page.mjs --bundle --format=iife --outfile=${out}${condition ? ` --conditions=${condition}` : ''}`;

const csp = (browser, name, condition, more) =>
  row(`${browser}, CSP, ${name}`, {
    ...more,
    files: { 'page.mjs': PAGE, 'out/index.html': HTML },
    build: esbuild('out/page.js', condition),
    results: inFolder('out', browser, CSP),
  });

const NO_LAB = 'The lab needs WebAssembly.';

export const CSP_PAGES = {
  name: 'Pages with a strict Content-Security-Policy',
  versions: "`script-src 'self'`; bundled by esbuild 0.28.2.",
  packages: { esbuild: '0.28.2' },
  rows: ['Chromium', 'Firefox'].flatMap((browser) => [
    csp(browser, 'condition no-wasm', 'no-wasm', { parts: 'abcefg', remark: NO_LAB }),
    csp(browser, 'default entry point', undefined, {
      parts: 'abf',
      remark: "The operation ends with the callback's own error, and one warning says:",
      rejected: /rejitter: operations are not retried\..*/,
    }),
  ]),
};

const MANIFEST = {
  manifest_version: 3,
  name: 'suite',
  version: '1',
  background: { service_worker: 'background.js' },
  content_scripts: [{ matches: ['http://127.0.0.1/*'], js: ['page.js'], run_at: 'document_end' }],
  host_permissions: ['http://127.0.0.1/*'],
};

/** A content script shares nothing but the document with the page. */
const CONTENT = `import { suite } from './suite.mjs';
suite().then((results) => { document.documentElement.dataset.results = JSON.stringify(results); });
`;

const extension = (name, condition, where, { manifest, ...more }) =>
  row(name, {
    ...more,
    files: {
      'page.mjs': CONTENT,
      'extension/manifest.json': JSON.stringify({ ...MANIFEST, ...manifest }),
      'extension/background.js': '',
      'extension/page.html': HTML,
      'site/index.html': '<!doctype html><title>page</title>\n',
    },
    build: esbuild('extension/page.js', condition),
    async results(folder) {
      const { context, id } = await chromiumWithExtension(folder, folder.path('extension'));
      const page = await context.newPage();
      await page.goto(where === 'page' ? `chrome-extension://${id}/page.html` : await serveFolder(folder, 'site', CSP));
      const element = page.locator('html[data-results]');
      await element.waitFor({ state: 'attached', timeout: 60_000 });
      return JSON.parse(await element.getAttribute('data-results'));
    },
  });

const WITH_WASM = { content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'" } };

export const EXTENSION = {
  name: 'Browser extensions, Manifest V3',
  versions: 'Chromium; bundled by esbuild 0.28.2.',
  packages: { esbuild: '0.28.2' },
  rows: [
    extension('MV3, page, condition no-wasm', 'no-wasm', 'page', { parts: 'abcefg', remark: NO_LAB }),
    extension("MV3, page, 'wasm-unsafe-eval'", undefined, 'page', { parts: 'abcdefg', manifest: WITH_WASM }),
    extension('MV3, content script on a page with a strict CSP', 'no-wasm', 'site', {
      parts: 'abcefg',
      remark: `Condition \`no-wasm\`. ${NO_LAB}`,
    }),
  ],
};
