// Pages, web workers and extensions: the suite in bundles of each bundler and as the files are, in each browser, under
// a Content-Security-Policy and without one.

import { createHash } from 'node:crypto';

import { RECORDER } from '../../lib/webdriver.mjs';
import { chromiumWithExtension, inFolder, onPage, serveFolder, titleOf } from '../browser.mjs';
import { ONE_INSTANCE, row, versionsOf } from '../row.mjs';
import { PARTS, WITHOUT_LAB } from '../suite.mjs';

/** Leaves the results on `globalThis`. The driver of WebKitGTK needs the recorder. */
const PAGE = "import './recorder.mjs';\nimport { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
const HTML = (src, more = '') =>
  `<!doctype html><title>suite</title>${more}<script type="module" src="${src}"></script>\n`;

/** @param {string} [options] of its plugin */
const ROLLUP = (options = '') => `
import { nodeResolve } from '@rollup/plugin-node-resolve';
const output = { dir: 'out', entryFileNames: 'page.js' };
export default { input: 'page.mjs', output, plugins: [nodeResolve(${options})] };
`;
const WEBPACK = `export default {
  mode: 'production',
  entry: './page.mjs',
  output: { path: import.meta.dirname + '/out', filename: 'page.js' },
};
`;
const ESBUILD = 'esbuild page.mjs --bundle --minify --format=esm --outfile=out/page.js';

/** A page. `build` writes into `out`: without an `index.html`, a `page.js`. `root` has the page. */
const page = (name, { browser = 'Chromium', root = 'out', headers, files, ...more }) =>
  row(name, {
    browser,
    files: {
      'recorder.mjs': RECORDER,
      'page.mjs': PAGE,
      'index.html': HTML('./page.mjs'),
      'out/index.html': HTML('page.js'),
      'rollup.config.mjs': ROLLUP(),
      'browser.config.mjs': ROLLUP('{ browser: true }'),
      'webpack.config.mjs': WEBPACK,
      ...files,
    },
    results: inFolder(root, browser, headers),
    ...more,
  });

const SHARES = '; a CommonJS dependency of the app shares its instance';

/** A bundler whose output is a page. */
const bundler = (name, packages, build, { daily = false, ...more } = {}) => ({
  name,
  versions: `${versionsOf(packages)}. Run in Chromium${more.dependency ? SHARES : ''}.`,
  packages,
  daily,
  rows: [page(name, { build, ...more })],
});

export const BUNDLERS = [
  bundler('esbuild', { esbuild: '0.28.2' }, ESBUILD, { daily: true, ...ONE_INSTANCE }),
  bundler('Rollup', { '@rollup/plugin-node-resolve': '16.0.3', rollup: '4.67.4' }, 'rollup -c rollup.config.mjs', {
    daily: true,
  }),
  bundler('webpack', { webpack: '5.112.2', 'webpack-cli': '7.0.2' }, 'webpack -c webpack.config.mjs', ONE_INSTANCE),
  bundler(
    'Rspack',
    { '@rspack/cli': '2.2.8', '@rspack/core': '2.3.2' },
    'rspack build -c webpack.config.mjs',
    ONE_INSTANCE,
  ),
  bundler('Parcel', { parcel: '2.16.4' }, 'parcel build index.html --dist-dir out --no-cache', ONE_INSTANCE),
];

const VITE_BUILD = bundler('Vite, build', { vite: '8.3.8' }, 'vite build --outDir out', {
  daily: true,
  ...ONE_INSTANCE,
});
export const VITE = {
  ...VITE_BUILD,
  name: 'Vite',
  rows: [
    ...VITE_BUILD.rows,
    page('Vite, dev server', {
      daily: false,
      results: async (folder) =>
        onPage(await folder.serve('vite --host 127.0.0.1 --port 0', /(http:\/\/127\.0\.0\.1:\d+\/)/)),
    }),
  ],
};

/** The program of a page, by its kind. */
const STARTS = {
  page: PAGE,
  'web worker': `import './recorder.mjs';
new Worker('worker.js', { type: 'module' }).onmessage = ({ data }) => { globalThis.results = data; };
`,
};
const WORKER = "import { suite } from './suite.mjs';\nsuite().then((results) => postMessage(results));\n";

export const ENGINES = {
  name: 'Browsers',
  versions: 'A page and a web worker (of modules); bundled by esbuild 0.28.2.',
  packages: { esbuild: '0.28.2' },
  daily: true,
  rows: ['Chromium', 'Firefox', 'WebKit'].flatMap((browser) =>
    Object.entries(STARTS).map(([kind, start]) =>
      page(`${titleOf(browser)}, ${kind}`, {
        browser,
        expected: { texts: 'short', complaints: 'none' },
        files: { 'worker.mjs': WORKER, 'page.mjs': start },
        build: 'esbuild page.mjs worker.mjs --bundle --minify --format=esm --outdir=out',
      }),
    ),
  ),
};

const POLICY = "script-src 'self'";
const CSP = { 'content-security-policy': POLICY };
const refused = (remark = '') => ({
  parts: WITHOUT_LAB,
  remark: `${remark} The lab needs WebAssembly.`.trim(),
  expected: { wasm: 'refused' },
});
const REPORTED = 'The browser reports that it refuses WebAssembly.';

/** Retries under a policy say nothing, and bundles for production have short texts. */
const csp = (name, build, { browser = 'Chromium', remark, expected = { complaints: 'none', texts: 'short' } } = {}) =>
  page(`${titleOf(browser)}, CSP, ${name}`, {
    ...refused(remark),
    expected,
    probe: expected.complaints === undefined,
    browser,
    build,
    headers: CSP,
  });

/** The files of the packages as they are: in the form for all hosts, or in Node's, which compiles WebAssembly. */
const FORMS = ['index', 'data', 'fetch', 'protection', 'reconnect'];
const OTHERS = ['light', 'light-fetch', 'testing'];
const mapOf = (form) => {
  const files = [...FORMS.map((name) => [name, name + form]), ...OTHERS.map((name) => [name, name])];
  const imports = files.map(([name, file]) => {
    const path = name === 'index' ? '' : `/${name.replace('-', '/')}`;
    return [`rejitter${path}`, `./node_modules/rejitter/${file}.js`];
  });
  const lab = { 'rejitter-lab': './node_modules/rejitter-lab/index.js' };
  return JSON.stringify({ imports: { ...Object.fromEntries(imports), ...lab } });
};

const native = (browser, name, { form = '', policy, ...more }) => {
  const map = mapOf(form);
  const hash = createHash('sha256').update(map).digest('base64');
  return page(`${titleOf(browser)}, ${name}`, {
    ...more,
    browser,
    root: '.',
    headers: policy && { 'content-security-policy': `${policy} 'sha256-${hash}'` },
    files: { 'index.html': HTML('./page.mjs', `<script type="importmap">${map}</script>`) },
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
    native(browser, 'CSP, an import map', strict()),
    native(browser, "CSP, an import map of Node's form", { form: '.node', ...strict(REPORTED) }),
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
    csp('Rollup without `browser`', 'rollup -c rollup.config.mjs', { expected: { complaints: 'none' } }),
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
      'extension/page.html': HTML('page.js'),
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
    extension('MV3, page', 'page', refused()),
    extension("MV3, page, 'wasm-unsafe-eval'", 'page', { parts: Object.keys(PARTS).join(''), manifest: WITH_WASM }),
    extension('MV3, content script on a page with a strict CSP', 'site', refused()),
  ],
};
