// Bundlers: the suite in a bundle, which Chromium or Node runs.

import { RECORDER } from '../../../../www/demo/lib/webdriver.mjs';
import { inFolder, onPage, titleOf } from '../browser.mjs';
import { printedBy, row } from '../row.mjs';
import { PRINT } from '../suite.mjs';

/** The page's program leaves its results on `globalThis`. */
const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
const HTML = (src) => `<!doctype html><title>suite</title><script type="module" src="${src}"></script>\n`;
const FILES = { 'page.mjs': PAGE, 'index.html': HTML('./page.mjs') };

/**
 * A bundler whose output is a page.
 * @param {string} build writes into `out`: without an `index.html`, a `page.js`
 * @param {Record<string, string>} [files] of the project
 */
const bundler = (name, packages, build, files = {}, daily = false) => ({
  name,
  versions: `${Object.entries(packages)
    .map(([package_, version]) => `${package_} ${version}`)
    .join(', ')}. Run in Chromium.`,
  packages,
  daily,
  rows: [
    row(name, {
      browser: 'Chromium',
      files: { ...FILES, 'out/index.html': HTML('page.js'), ...files },
      build,
      results: inFolder('out'),
    }),
  ],
});

/** @param {string} [options] of its plugin */
export const ROLLUP = (options = '', input = 'page.mjs', output = "{ dir: 'out', entryFileNames: 'page.js' }") => `
import { nodeResolve } from '@rollup/plugin-node-resolve';
const plugins = [nodeResolve(${options})];
export default { input: '${input}', output: ${output}, plugins };
`;

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
    'esbuild page.mjs --bundle --minify --format=esm --outfile=out/page.js',
    {},
    true,
  ),
  bundler(
    'Rollup',
    { '@rollup/plugin-node-resolve': '16.0.3', rollup: '4.67.4' },
    'rollup -c rollup.config.mjs',
    { 'rollup.config.mjs': ROLLUP() },
    true,
  ),
  bundler('webpack', { webpack: '5.112.2', 'webpack-cli': '7.0.2' }, 'webpack -c webpack.config.mjs', {
    'webpack.config.mjs': WEBPACK,
  }),
  bundler('Rspack', { '@rspack/cli': '2.2.8', '@rspack/core': '2.3.2' }, 'rspack build -c rspack.config.mjs', {
    'rspack.config.mjs': WEBPACK,
  }),
  bundler('Parcel', { parcel: '2.16.4' }, 'parcel build index.html --dist-dir out --no-cache'),
];

const VITE_BUILD = bundler('Vite, build', { vite: '8.3.8' }, 'vite build --outDir out', {}, true);
const WEBPACK_FOR_NODE = `import webpack from 'webpack';
const output = { path: import.meta.dirname, filename: 'main.cjs' };
webpack({ mode: 'production', entry: './source.mjs', target: 'node20', output }, (error, stats) => {
  if (error) throw error;
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
});
`;
const VITE_FOR_NODE = `import { build } from 'vite';
const output = { entryFileNames: 'main.mjs' };
const rollupOptions = { input: 'source.mjs', output };
await build({ build: { outDir: '.', emptyOutDir: false, minify: true, modulePreload: false, rollupOptions } });
`;

const FOR_NODE = 'esbuild source.mjs --bundle --minify';

/** A bundle that Node runs, with nothing of the package outside. */
const inNode = (name, build, main, files = {}) =>
  row(`${name}, in Node`, {
    files: (folder) => ({ 'source.mjs': folder.suite() + PRINT, ...files }),
    build: build.startsWith(FOR_NODE) ? `${build} --outfile=${main}` : build,
    results(folder) {
      const left = /(?:from|import|require)\s*\(?\s*["']rejitter[^"']*/.exec(folder.read(main));
      if (left) throw new Error(`the bundle has ${left[0]}`);
      return printedBy(`node ${main}`)(folder);
    },
  });

export const IN_NODE = {
  name: 'Bundles in Node',
  versions: 'esbuild 0.28.2, rollup 4.67.4, vite 8.3.8, webpack 5.112.2; minified.',
  packages: {
    '@rollup/plugin-node-resolve': '16.0.3',
    esbuild: '0.28.2',
    rollup: '4.67.4',
    vite: '8.3.8',
    webpack: '5.112.2',
  },
  daily: true,
  rows: [
    inNode('esbuild, ES module', `${FOR_NODE} --format=esm --platform=neutral --main-fields=module,main`, 'main.mjs'),
    inNode('esbuild, CommonJS', `${FOR_NODE} --format=cjs --platform=node`, 'main.cjs'),
    inNode('esbuild, script for browsers', `${FOR_NODE} --format=iife --platform=browser`, 'main.cjs'),
    inNode('Rollup', 'rollup -c rollup.config.mjs', 'main.mjs', {
      'rollup.config.mjs': ROLLUP('', 'source.mjs', "{ file: 'main.mjs', compact: true }"),
    }),
    inNode('Vite', 'node vite.mjs', 'main.mjs', { 'vite.mjs': VITE_FOR_NODE }),
    inNode('webpack', 'node webpack.mjs', 'main.cjs', { 'webpack.mjs': WEBPACK_FOR_NODE }),
  ],
};

export const VITE = {
  ...VITE_BUILD,
  name: 'Vite',
  rows: [
    ...VITE_BUILD.rows,
    row('Vite, dev server', {
      browser: 'Chromium',
      daily: false,
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
  daily: true,
  rows: ['Chromium', 'Firefox', 'WebKit'].flatMap((engine) =>
    Object.entries(STARTS).map(([kind, start]) =>
      row(`${titleOf(engine)}, ${kind}`, {
        browser: engine,
        expected: { texts: 'short', complaints: 'none' },
        files: {
          'recorder.mjs': RECORDER,
          'worker.mjs': WORKER,
          'page.mjs': start,
          'out/index.html': HTML('page.js'),
        },
        build: 'esbuild page.mjs worker.mjs --bundle --minify --format=esm --outdir=out',
        results: inFolder('out', engine),
      }),
    ),
  ),
};
