// Pages and extensions under a Content-Security-Policy.

import { chromiumWithExtension, onPage, serveFolder } from '../browser.mjs';

const CSP = { 'content-security-policy': "script-src 'self'" };
const HTML = '<!doctype html><title>suite</title><script src="page.js"></script>\n';

/** Keeps the package's warning next to the results. */
const PAGE = `import { suite } from './suite.mjs';
const warnings = [];
console.warn = (...args) => warnings.push(args.join(' '));
globalThis.results = suite().then((results) => ({ ...results, warning: warnings[0] }));
`;

async function bundled(folder, { parts, page = PAGE, conditions = [], out = 'out/page.js' }) {
  folder.write({ 'suite.mjs': folder.suite({ parts }), 'page.mjs': page });
  const args = [
    'page.mjs',
    '--bundle',
    '--format=iife',
    `--outfile=${out}`,
    ...conditions.map((name) => `--conditions=${name}`),
  ];
  await folder.exec(folder.bin('esbuild'), args);
}

const onCsp = (browser, conditions, parts) => async (folder) => {
  await bundled(folder, { parts, conditions });
  folder.write({ 'out/index.html': HTML });
  return onPage(await serveFolder(folder, 'out', CSP), browser);
};

const NO_LAB = 'The lab needs WebAssembly.';

export const CSP_PAGES = {
  name: 'Pages with a strict Content-Security-Policy',
  versions: "`script-src 'self'`; bundled by esbuild 0.28.2.",
  packages: { esbuild: '0.28.2' },
  rows: ['Chromium', 'Firefox'].flatMap((browser) => [
    {
      name: `${browser}, CSP, condition no-wasm`,
      parts: 'abcefg',
      remark: NO_LAB,
      run: onCsp(browser, ['no-wasm'], 'abcefg'),
    },
    {
      name: `${browser}, CSP, default entry point`,
      parts: 'abf',
      remark: "The operation ends with the callback's own error, and one warning says:",
      rejected: /rejitter: operations are not retried\..*/,
      run: onCsp(browser, [], 'abf'),
    },
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

const extension = (name, conditions, parts, where, more = {}) => ({
  name,
  parts,
  ...more,
  async run(folder) {
    await bundled(folder, { parts, page: CONTENT, conditions, out: 'extension/page.js' });
    folder.write({
      'extension/manifest.json': JSON.stringify({ ...MANIFEST, ...more.manifest }),
      'extension/background.js': '',
      'extension/page.html': HTML,
      'site/index.html': '<!doctype html><title>page</title>\n',
    });
    const { context, id } = await chromiumWithExtension(folder, folder.path('extension'));
    const page = await context.newPage();
    await page.goto(where === 'page' ? `chrome-extension://${id}/page.html` : await serveFolder(folder, 'site', CSP));
    const element = page.locator('html[data-results]');
    await element.waitFor({ state: 'attached', timeout: 60_000 });
    return JSON.parse(await element.getAttribute('data-results'));
  },
});

const WITH_WASM = {
  manifest: { content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'" } },
};

export const EXTENSION = {
  name: 'Browser extensions, Manifest V3',
  versions: 'Chromium; bundled by esbuild 0.28.2.',
  packages: { esbuild: '0.28.2' },
  rows: [
    extension('MV3, page, condition no-wasm', ['no-wasm'], 'abcefg', 'page', { remark: NO_LAB }),
    extension("MV3, page, 'wasm-unsafe-eval'", [], 'abcdefg', 'page', WITH_WASM),
    extension('MV3, content script on a page with a strict CSP', ['no-wasm'], 'abcefg', 'site', {
      remark: `Condition \`no-wasm\`. ${NO_LAB}`,
    }),
  ],
};
