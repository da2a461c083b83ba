// Bundlers: the suite in a bundle, which Chromium or Node runs.

import { RECORDER } from '../../../www/demo/lib/webdriver.mjs';
import { onPage, serveFolder } from '../browser.mjs';

/** The page's program leaves its results on `globalThis`. */
const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
const HTML = (src, type = 'module') =>
  `<!doctype html><title>suite</title><script type="${type}" src="${src}"></script>\n`;

/**
 * A bundler whose output is a page.
 * @param {string} name
 * @param {Record<string, string>} packages
 * @param {Record<string, any>} options its files and command, the folder of its output, and the script of the page
 */
const bundler = (name, packages, { files = {}, build: [command, ...args], out, page, type }) => ({
  name,
  versions: `${Object.entries(packages)
    .map(([package_, version]) => `${package_} ${version}`)
    .join(', ')}. Run in Chromium.`,
  packages,
  rows: [
    {
      name,
      async run(folder) {
        folder.write({ 'suite.mjs': folder.suite(), 'page.mjs': PAGE, 'index.html': HTML('./page.mjs'), ...files });
        await folder.exec(folder.bin(command), args);
        if (page) folder.write({ [`${out}/index.html`]: HTML(page, type) });
        return onPage(await serveFolder(folder, out));
      },
    },
  ],
});

const WEBPACK = `export default {
  mode: 'production',
  entry: './page.mjs',
  output: { path: import.meta.dirname + '/out', filename: 'page.js' },
};
`;

export const BUNDLERS = [
  bundler(
    'esbuild',
    { esbuild: '0.28.2' },
    {
      build: ['esbuild', 'page.mjs', '--bundle', '--minify', '--format=esm', '--outfile=out/page.js'],
      out: 'out',
      page: 'page.js',
    },
  ),
  bundler(
    'Rollup',
    { '@rollup/plugin-node-resolve': '16.0.3', rollup: '4.67.4' },
    {
      build: ['rollup', 'page.mjs', '-p', 'node-resolve', '-d', 'out', '--entryFileNames', 'page.js'],
      out: 'out',
      page: 'page.js',
    },
  ),
  bundler(
    'webpack',
    { webpack: '5.112.2', 'webpack-cli': '7.0.2' },
    {
      files: { 'webpack.config.mjs': WEBPACK },
      build: ['webpack', '-c', 'webpack.config.mjs'],
      out: 'out',
      page: 'page.js',
    },
  ),
  bundler(
    'Rspack',
    { '@rspack/cli': '2.2.8', '@rspack/core': '2.3.2' },
    {
      files: { 'rspack.config.mjs': WEBPACK },
      build: ['rspack', 'build', '-c', 'rspack.config.mjs'],
      out: 'out',
      page: 'page.js',
    },
  ),
  bundler(
    'Parcel',
    { parcel: '2.16.4' },
    { build: ['parcel', 'build', 'index.html', '--dist-dir', 'out', '--no-cache'], out: 'out' },
  ),
];

const VITE_BUILD = bundler(
  'Vite, build',
  { vite: '8.3.8' },
  { build: ['vite', 'build', '--outDir', 'out'], out: 'out' },
);
export const VITE = {
  ...VITE_BUILD,
  name: 'Vite',
  rows: [
    ...VITE_BUILD.rows,
    {
      name: 'Vite, dev server',
      async run(folder) {
        folder.write({ 'suite.mjs': folder.suite(), 'page.mjs': PAGE, 'index.html': HTML('./page.mjs') });
        const [, url] = await folder.serve(
          folder.bin('vite'),
          ['--host', '127.0.0.1', '--port', '0'],
          /(http:\/\/127\.0\.0\.1:\d+\/)/,
        );
        return onPage(url);
      },
    },
  ],
};

const WORKER = "import { suite } from './suite.mjs';\nsuite().then((results) => postMessage(results));\n";
/** The driver of WebKitGTK needs the recorder. */
const STARTS = {
  page: "import './recorder.mjs';\n" + PAGE,
  worker: `import './recorder.mjs';
new Worker('worker.js', { type: 'module' }).onmessage = ({ data }) => { globalThis.results = data; };
`,
};

export const ENGINES = {
  name: 'Browsers',
  versions: 'A page and a web worker (of modules); bundled by esbuild 0.28.2.',
  packages: { esbuild: '0.28.2' },
  rows: ['Chromium', 'Firefox', 'WebKit'].flatMap((engine) =>
    Object.entries(STARTS).map(([kind, start]) => ({
      name: `${engine === 'WebKit' ? 'WebKitGTK' : engine}, ${kind === 'page' ? 'page' : 'web worker'}`,
      async run(folder) {
        const files = {
          'suite.mjs': folder.suite(),
          'recorder.mjs': RECORDER,
          'worker.mjs': WORKER,
          'page.mjs': start,
        };
        folder.write({ ...files, 'out/index.html': HTML('page.js') });
        await folder.exec(folder.bin('esbuild'), [
          'page.mjs',
          'worker.mjs',
          '--bundle',
          '--format=esm',
          '--outdir=out',
        ]);
        return onPage(await serveFolder(folder, 'out'), engine);
      },
    })),
  ),
};
