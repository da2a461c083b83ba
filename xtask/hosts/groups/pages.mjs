// Pages and extensions under a Content-Security-Policy.

import { createHash } from 'node:crypto';

import { RECORDER } from '../../../www/demo/lib/webdriver.mjs';
import { chromiumWithExtension, inFolder, serveFolder } from '../browser.mjs';
import { row } from '../row.mjs';

const POLICY = "script-src 'self'";
const CSP = { 'content-security-policy': POLICY };
const HTML = '<!doctype html><title>suite</title><script type="module" src="page.js"></script>\n';
const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
const ESBUILD = 'esbuild page.mjs --bundle --format=esm --outfile=out/page.js';

const NO_LAB = 'The lab needs WebAssembly.';
const refused = (remark) => ({ parts: 'abcefg', remark: remark ? `${remark} ${NO_LAB}` : NO_LAB });

const csp = (name, build, { browser = 'Chromium', remark = '' } = {}) =>
  row(`${browser === 'WebKit' ? 'WebKitGTK' : browser}, CSP, ${name}`, {
    ...refused(remark),
    files: {
      // The driver of WebKitGTK needs it.
      'recorder.mjs': RECORDER,
      'page.mjs': `import './recorder.mjs';\n${PAGE}`,
      'index.html': HTML.replace('page.js', './page.mjs'),
      'out/index.html': HTML,
    },
    build,
    results: inFolder('out', browser, CSP),
  });

const FILES = {
  ...{
    '': 'index.browser',
    '/fetch': 'fetch.browser',
    '/lab': 'lab',
    '/light': 'light',
    '/light/fetch': 'light-fetch',
  },
  ...{ '/protection': 'protection.browser', '/reconnect': 'reconnect.browser', '/testing': 'testing' },
};
const MAP = JSON.stringify({
  imports: Object.fromEntries(
    Object.entries(FILES).map(([name, file]) => [`rejitter${name}`, `./node_modules/rejitter/${file}.js`]),
  ),
});
const HASH = createHash('sha256').update(MAP).digest('base64');

export const CSP_PAGES = {
  name: 'Pages with a strict Content-Security-Policy',
  versions: "`script-src 'self'`; bundled by esbuild 0.28.2, Vite 8.3.8 or Rollup 4.67.4, or not at all.",
  packages: { '@rollup/plugin-node-resolve': '16.0.3', esbuild: '0.28.2', rollup: '4.67.4', vite: '8.3.8' },
  rows: [
    ...['Chromium', 'Firefox', 'WebKit'].map((browser) => csp('esbuild', ESBUILD, { browser })),
    csp('Vite', 'vite build --outDir out'),
    csp('Rollup', 'rollup page.mjs -p node-resolve={browser:true} -d out --entryFileNames page.js'),
    csp('Rollup without `browser`', 'rollup page.mjs -p node-resolve -d out --entryFileNames page.js', {
      remark: 'The browser reports that it refuses WebAssembly.',
    }),
    row('Chromium, CSP, an import map', {
      ...refused('The files of the form for browsers.'),
      files: {
        'page.mjs': PAGE,
        'index.html': `<!doctype html><title>suite</title><script type="importmap">${MAP}</script>
<script type="module" src="./page.mjs"></script>\n`,
      },
      results: inFolder('.', 'Chromium', { 'content-security-policy': `${POLICY} 'sha256-${HASH}'` }),
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
    extension("MV3, page, 'wasm-unsafe-eval'", 'page', { parts: 'abcdefg', manifest: WITH_WASM }),
    extension('MV3, content script on a page with a strict CSP', 'site', refused('')),
  ],
};
