// Bundlers: the suite in a bundle, which Chromium or Node runs.

import { RECORDER } from '../../../www/demo/lib/webdriver.mjs';
import { inFolder, onPage } from '../browser.mjs';
import { row } from '../row.mjs';

/** The page's program leaves its results on `globalThis`. */
const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
const HTML = (src) => `<!doctype html><title>suite</title><script type="module" src="${src}"></script>\n`;
const FILES = { 'page.mjs': PAGE, 'index.html': HTML('./page.mjs') };

/**
 * A bundler whose output is a page.
 * @param {string} name
 * @param {Record<string, string>} packages
 * @param {string} build writes into `out`: without an `index.html`, a `page.js`
 * @param {Record<string, string>} [files] of the project
 */
const bundler = (name, packages, build, files = {}) => ({
  name,
  versions: `${Object.entries(packages)
    .map(([package_, version]) => `${package_} ${version}`)
    .join(', ')}. Run in Chromium.`,
  packages,
  rows: [
    row(name, {
      files: { ...FILES, 'out/index.html': HTML('page.js'), ...files },
      build,
      results: inFolder('out'),
    }),
  ],
});

const WEBPACK = `export default {
  mode: 'production',
  entry: './page.mjs',
  output: { path: import.meta.dirname + '/out', filename: 'page.js' },
};
`;

export const BUNDLERS = [
  bundler('esbuild', { esbuild: '0.28.2' }, 'esbuild page.mjs --bundle --minify --format=esm --outfile=out/page.js'),
  bundler(
    'Rollup',
    { '@rollup/plugin-node-resolve': '16.0.3', rollup: '4.67.4' },
    'rollup page.mjs -p node-resolve -d out --entryFileNames page.js',
  ),
  bundler('webpack', { webpack: '5.112.2', 'webpack-cli': '7.0.2' }, 'webpack -c webpack.config.mjs', {
    'webpack.config.mjs': WEBPACK,
  }),
  bundler('Rspack', { '@rspack/cli': '2.2.8', '@rspack/core': '2.3.2' }, 'rspack build -c rspack.config.mjs', {
    'rspack.config.mjs': WEBPACK,
  }),
  bundler('Parcel', { parcel: '2.16.4' }, 'parcel build index.html --dist-dir out --no-cache'),
];

const VITE_BUILD = bundler('Vite, build', { vite: '8.3.8' }, 'vite build --outDir out');
export const VITE = {
  ...VITE_BUILD,
  name: 'Vite',
  rows: [
    ...VITE_BUILD.rows,
    row('Vite, dev server', {
      files: FILES,
      results: async (folder) =>
        onPage(await folder.serve('vite --host 127.0.0.1 --port 0', /(http:\/\/127\.0\.0\.1:\d+\/)/)),
    }),
  ],
};

const WORKER = "import { suite } from './suite.mjs';\nsuite().then((results) => postMessage(results));\n";
/** The driver of WebKitGTK needs the recorder. */
const STARTS = {
  page: "import './recorder.mjs';\n" + PAGE,
  'web worker': `import './recorder.mjs';
new Worker('worker.js', { type: 'module' }).onmessage = ({ data }) => { globalThis.results = data; };
`,
};

export const ENGINES = {
  name: 'Browsers',
  versions: 'A page and a web worker (of modules); bundled by esbuild 0.28.2.',
  packages: { esbuild: '0.28.2' },
  rows: ['Chromium', 'Firefox', 'WebKit'].flatMap((engine) =>
    Object.entries(STARTS).map(([kind, start]) =>
      row(`${engine === 'WebKit' ? 'WebKitGTK' : engine}, ${kind}`, {
        files: {
          'recorder.mjs': RECORDER,
          'worker.mjs': WORKER,
          'page.mjs': start,
          'out/index.html': HTML('page.js'),
        },
        build: 'esbuild page.mjs worker.mjs --bundle --format=esm --outdir=out',
        results: inFolder('out', engine),
      }),
    ),
  ),
};
