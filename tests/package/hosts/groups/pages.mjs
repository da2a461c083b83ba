// Pages and extensions under a Content-Security-Policy.

import { createHash } from 'node:crypto';

import { RECORDER } from '../../../../www/demo/lib/webdriver.mjs';
import { chromiumWithExtension, inFolder, serveFolder, titleOf } from '../browser.mjs';
import { row } from '../row.mjs';
import { PARTS, WITHOUT_LAB } from '../suite.mjs';
import { ROLLUP } from './bundlers.mjs';

const POLICY = "script-src 'self'";
const CSP = { 'content-security-policy': POLICY };
const HTML = '<!doctype html><title>suite</title><script type="module" src="page.js"></script>\n';
const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
const ESBUILD = 'esbuild page.mjs --bundle --minify --format=esm --outfile=out/page.js';

const NO_LAB = 'The lab needs WebAssembly.';
const refused = (remark) => ({
  parts: WITHOUT_LAB,
  remark: remark ? `${remark} ${NO_LAB}` : NO_LAB,
  expected: { wasm: 'refused' },
});
/** Retries under a policy say nothing, and bundles for production have short texts. */
const QUIET = { complaints: 'none', texts: 'short' };

const csp = (name, build, { browser = 'Chromium', remark = '', expected = QUIET } = {}) =>
  row(`${titleOf(browser)}, CSP, ${name}`, {
    ...refused(remark),
    expected,
    probe: expected.complaints === undefined,
    browser,
    files: {
      // The driver of WebKitGTK needs it.
      'recorder.mjs': RECORDER,
      'page.mjs': `import './recorder.mjs';\n${PAGE}`,
      'index.html': HTML.replace('page.js', './page.mjs'),
      'out/index.html': HTML,
      'rollup.config.mjs': ROLLUP(),
      'browser.config.mjs': ROLLUP('{ browser: true }'),
    },
    build,
    results: inFolder('out', browser, CSP),
  });

/** The files of the package as they are: in the form for browsers, or in the one that tries WebAssembly first. */
const FILES = {
  ...{ '': 'index', '/fetch': 'fetch', '/protection': 'protection', '/reconnect': 'reconnect' },
  ...{ '/lab': '-lab', '/light': '-light', '/light/fetch': '-light-fetch', '/testing': '-testing' },
};
const mapOf = (form) =>
  JSON.stringify({
    imports: Object.fromEntries(
      Object.entries(FILES).map(([name, file]) => [
        `rejitter${name}`,
        `./node_modules/rejitter/${file.startsWith('-') ? file.slice(1) : `${file}${form}`}.js`,
      ]),
    ),
  });

const native = (browser, name, { form = '', policy = '', ...more }) => {
  const map = mapOf(form);
  const hash = createHash('sha256').update(map).digest('base64');
  return row(`${titleOf(browser)}, ${name}`, {
    ...more,
    browser,
    files: {
      'recorder.mjs': RECORDER,
      'page.mjs': PAGE,
      'index.html': `<!doctype html><title>suite</title><script type="importmap">${map}</script>
<script type="module" src="./recorder.mjs"></script><script type="module" src="./page.mjs"></script>\n`,
    },
    results: inFolder('.', browser, policy && { 'content-security-policy': `${policy} 'sha256-${hash}'` }),
  });
};

/** Pages without a bundler. WebKit refuses instances of WebAssembly under a policy, not modules. */
const unbundled = (browser) => {
  const strict = (remark) => ({ ...refused(remark), policy: POLICY, ...(browser === 'WebKit' && { expected: {} }) });
  return [
    native(browser, 'an import map', { expected: { wasm: 'compiled', texts: 'long', complaints: 'none' } }),
    native(browser, "CSP with 'wasm-unsafe-eval', an import map", {
      policy: `${POLICY} 'wasm-unsafe-eval'`,
      expected: { wasm: 'compiled' },
    }),
    native(browser, 'CSP, an import map', { form: '.browser', ...strict('The files of the form for browsers.') }),
    native(browser, 'CSP, an import map of the other form', strict('The browser reports that it refuses WebAssembly.')),
  ];
};

export const CSP_PAGES = {
  name: 'Pages with a strict Content-Security-Policy',
  versions: "`script-src 'self'`; bundled by esbuild 0.28.2, Vite 8.3.8 or Rollup 4.67.4, or not at all.",
  packages: { '@rollup/plugin-node-resolve': '16.0.3', esbuild: '0.28.2', rollup: '4.67.4', vite: '8.3.8' },
  daily: true,
  rows: [
    ...['Chromium', 'Firefox', 'WebKit'].flatMap((browser) => [
      csp('esbuild', ESBUILD, { browser }),
      ...unbundled(browser),
    ]),
    csp('Vite', 'vite build --outDir out'),
    csp('Rollup', 'rollup -c browser.config.mjs', { expected: { complaints: 'none' } }),
    csp('Rollup without `browser`', 'rollup -c rollup.config.mjs', {
      remark: 'The browser reports that it refuses WebAssembly.',
      expected: { wasm: 'refused' },
    }),
  ],
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

const extension = (name, where, { manifest, ...more }) =>
  row(name, {
    ...more,
    files: {
      'page.mjs': CONTENT,
      'extension/manifest.json': JSON.stringify({ ...MANIFEST, ...manifest }),
      'extension/background.js': '',
      'extension/page.html': HTML,
      'site/index.html': '<!doctype html><title>page</title>\n',
    },
    build: 'esbuild page.mjs --bundle --format=iife --outfile=extension/page.js',
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
    extension('MV3, page', 'page', refused('')),
    extension("MV3, page, 'wasm-unsafe-eval'", 'page', { parts: Object.keys(PARTS).join(''), manifest: WITH_WASM }),
    extension('MV3, content script on a page with a strict CSP', 'site', refused('')),
  ],
};
