// Programs: the suite in Node, Deno and Bun, as each package manager installs it, as a test of each runner, and in
// bundles that Node runs.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { printedBy, program, row } from '../row.mjs';
import { MARK, PRINT } from '../suite.mjs';

const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

const PLATFORM = `${process.platform}-${process.arch}`;

/** Installations that this process has started, by folder. @type {Map<string, Promise<void>>} */
const started = new Map();

/** Installs a package once, in a folder of its own, and returns the path of a file in it. */
async function installed(dir, package_, version, file) {
  if (!started.has(dir)) started.set(dir, existsSync(dir) ? Promise.resolve() : install(dir, `${package_}@${version}`));
  await started.get(dir);
  return join(dir, 'node_modules', package_, file);
}

/** The folder has its name only once it is whole: a program that is still being written cannot be started. */
async function install(dir, what) {
  mkdirSync(dirname(dir), { recursive: true });
  const draft = mkdtempSync(`${dir}-`);
  writeFileSync(join(draft, 'package.json'), '{ "private": true }');
  const args = ['install', '--no-audit', '--no-fund', '--no-save', what];
  await promisify(execFile)('npm', args, { cwd: draft });
  // Another process may have been faster.
  if (!existsSync(dir)) renameSync(draft, dir);
}

/** Returns a function that installs a Node once and resolves with its path. */
export const nodes = (out) => (major) =>
  installed(join(out, `.node-${major}`), `node-${PLATFORM}`, VERSIONS[major], 'bin/node');

/** The same for Deno. */
export const denoIn = (out) =>
  installed(join(out, '.deno'), `@deno/${PLATFORM}${process.platform === 'linux' ? '-glibc' : ''}`, '2.9.6', 'deno');

export const NODES = {
  name: 'Node',
  versions: `Node ${Object.values(VERSIONS).join(', ')}.`,
  daily: true,
  rows: Object.keys(VERSIONS).flatMap((major) => {
    const daily = major === '20';
    const strips = `node@${major} --no-warnings --experimental-strip-types main.ts`;
    return [
      program(`Node ${major}, ESM`, `node@${major} main.mjs`, { daily }),
      program(`Node ${major}, CommonJS`, `node@${major} main.cjs`, { daily }),
      daily
        ? program('Node 20, CommonJS alone', 'node@20 --no-experimental-require-module main.cjs')
        : program(`Node ${major}, types stripped`, strips, { daily }),
      // Its own fetch runs on WebAssembly, and so does the lab.
      program(`Node ${major}, --jitless`, `node@${major} --jitless main.mjs`, {
        daily,
        parts: 'abefghi',
        expected: { wasm: 'refused' },
        remark: "The lab and Node's own `fetch` need WebAssembly.",
      }),
    ];
  }),
};

export const DENO = {
  name: 'Deno',
  packages: { deno: '2.9.6' },
  rows: [program('Deno', 'deno run --allow-net --no-prompt main.mjs')],
};

export const BUN = {
  name: 'Bun',
  packages: { bun: '1.4.5' },
  rows: [
    program('Bun, ESM', 'bun main.mjs'),
    program('Bun, CommonJS', 'bun main.cjs'),
    program('Bun, TypeScript', 'bun main.ts'),
  ],
};

const YARN = 'npx -y -p @yarnpkg/cli-dist@4.18.1 yarn';
const YARN_ENV = { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false', YARN_ENABLE_TELEMETRY: '0' };

/** The suite as a program of both module systems, of what a package manager installed. */
const installedBy = (name, line, env) => [
  program(`${name}, ESM`, `${line} main.mjs`, { env }),
  program(`${name}, CommonJS`, `${line} main.cjs`, { env }),
];

export const PNPM = {
  name: 'pnpm',
  versions: 'pnpm 10.34.9.',
  install: (folder) => folder.install({}, 'npx -y pnpm@10.34.9 install'),
  rows: installedBy('pnpm', 'node'),
};

export const YARN_PNP = {
  name: 'Yarn',
  versions: "Yarn 4.18.1, Plug'n'Play.",
  async install(folder) {
    folder.write({ '.yarnrc.yml': 'nodeLinker: pnp\nenableGlobalCache: false\n', 'yarn.lock': '' });
    await folder.install({}, `${YARN} install`, YARN_ENV);
  },
  rows: installedBy('Yarn PnP', `${YARN} node`, YARN_ENV),
};

const PRINTS = `{ process.stdout.write('${MARK}' + JSON.stringify(await suite()) + '\\n'); }`;

const jest = (name, testEnvironment, commonJs, more = {}) => {
  const file = commonJs ? 'jest.test.cjs' : 'jest.test.mjs';
  const test = `test('suite', async () => ${PRINTS}, 60_000);\n`;
  return row(name, {
    ...more,
    files: (folder) => ({
      'jest.config.json': JSON.stringify({ testEnvironment, testMatch: ['**/jest.test.*'], transform: {} }),
      [file]: folder.suite({ ...more, commonJs }).replace('exports.suite = suite;', '') + test,
    }),
    results: printedBy(`jest --ci ${file}`, commonJs ? {} : { NODE_OPTIONS: '--experimental-vm-modules' }),
  });
};

const NO_FETCH = { parts: 'abdefghi', remark: 'jsdom has no `fetch`; with that of Node, `createFetch` works.' };

export const JESTS = {
  name: 'Jest',
  packages: {
    ...{ '@edge-runtime/jest-environment': '4.0.0', jest: '30.5.2' },
    ...{ 'jest-environment-jsdom': '30.5.2', 'jest-fixed-jsdom': '0.0.11' },
  },
  rows: [
    jest('Jest, node, CommonJS', 'node', true),
    jest('Jest, node, ESM', 'node', false),
    jest('Jest, jsdom, CommonJS', 'jsdom', true, NO_FETCH),
    jest('Jest, jsdom, ESM', 'jsdom', false, NO_FETCH),
    jest('Jest, jsdom with the globals of Node', 'jest-fixed-jsdom', true),
    jest('Jest, edge-runtime', '@edge-runtime/jest-environment', true),
  ],
};

const VITEST_TEST = `import { test } from 'vitest';
import { suite } from './suite.mjs';
test('suite', async () => { console.log('${MARK}' + JSON.stringify(await suite())); }, 60_000);
`;

export const VITEST = {
  name: 'Vitest',
  packages: { 'happy-dom': '20.14.6', jsdom: '29.1.1', vitest: '4.1.12' },
  rows: ['node', 'jsdom', 'happy-dom'].map((environment) =>
    row(`Vitest, ${environment}`, {
      files: { 'vitest.test.mjs': VITEST_TEST },
      results: printedBy(`vitest run --environment ${environment} vitest.test.mjs`),
    }),
  ),
};

const ROLLUP = `import commonjs from '@rollup/plugin-commonjs';
import { nodeResolve } from '@rollup/plugin-node-resolve';
const plugins = [nodeResolve({ browser: process.env.BROWSER === '1', preferBuiltins: true }), commonjs()];
export default { input: 'source.mjs', output: { file: 'main.mjs', compact: true }, plugins, onLog() {} };
`;
const WEBPACK = `import webpack from 'webpack';
const output = { path: import.meta.dirname, filename: 'main.cjs' };
webpack({ mode: 'production', entry: './source.mjs', target: process.env.FOR, output, performance: false }, (error, stats) => {
  if (error) throw error;
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
});
`;
const VITE = `import { build } from 'vite';
const output = { entryFileNames: 'main.mjs' };
const rollupOptions = { input: 'source.mjs', output };
const own = { outDir: '.', emptyOutDir: false, minify: true, modulePreload: false, ssr: process.env.SSR === '1' };
await build({ build: { ...own, rollupOptions }, ssr: { noExternal: true } });
`;

/** The program of Bun, where npm runs no scripts of packages. */
export const BUN_PROGRAM = createRequire(createRequire(import.meta.url).resolve('bun/package.json')).resolve(
  `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}/bin/bun`,
);

/** A program in `main`, or, where it is not bundled, in `source.mjs`: with one instance, and nothing else outside. */
const inNode = (name, build, main, { env, by = 'node', instances = 'one' } = {}) =>
  row(name, {
    dependency: true,
    expected: { instances },
    files: (folder) => ({
      'source.mjs': folder.suite({ dependency: true }) + PRINT,
      ...{ 'rollup.config.mjs': ROLLUP, 'webpack.mjs': WEBPACK, 'vite.mjs': VITE },
    }),
    build,
    env,
    results(folder) {
      const left = /(?:from|import|require)\s*\(?\s*["']rejitter[^"']*/.exec(folder.read(main));
      if (build && left) throw new Error(`the bundle has ${left[0]}`);
      return printedBy(`${by} ${main}`)(folder);
    },
  });

const ESBUILD = 'esbuild source.mjs --bundle --minify';

export const IN_NODE = {
  name: 'Bundles in Node and Bun',
  versions:
    'bun 1.4.5, esbuild 0.28.2, rollup 4.67.4, vite 8.3.8, webpack 5.112.2; minified. ' +
    'A CommonJS dependency shares the instance, unless the platform of esbuild is `neutral`.',
  packages: {
    ...{ '@rollup/plugin-commonjs': '29.0.3', '@rollup/plugin-node-resolve': '16.0.3', bun: '1.4.5' },
    ...{ esbuild: '0.28.2', rollup: '4.67.4', vite: '8.3.8', webpack: '5.112.2' },
  },
  daily: true,
  rows: [
    inNode(
      'esbuild, ES module, in Node',
      `${ESBUILD} --format=esm --platform=neutral --main-fields=module,main --outfile=main.mjs`,
      'main.mjs',
      // For neither pages nor Node, it leaves the condition `module` out.
      { instances: 'several' },
    ),
    inNode('esbuild, CommonJS, in Node', `${ESBUILD} --format=cjs --platform=node --outfile=main.cjs`, 'main.cjs'),
    inNode(
      'esbuild, script for browsers, in Node',
      `${ESBUILD} --format=iife --platform=browser --outfile=main.cjs`,
      'main.cjs',
    ),
    inNode('Rollup, in Node', 'rollup -c rollup.config.mjs', 'main.mjs'),
    inNode('Rollup for browsers, in Node', 'rollup -c rollup.config.mjs', 'main.mjs', { env: { BROWSER: '1' } }),
    inNode('Vite, in Node', 'node vite.mjs', 'main.mjs'),
    inNode('Vite for servers, in Node', 'node vite.mjs', 'main.mjs', { env: { SSR: '1' } }),
    inNode('webpack, in Node', 'node webpack.mjs', 'main.cjs', { env: { FOR: 'node20' } }),
    inNode('webpack for browsers, in Node', 'node webpack.mjs', 'main.cjs', { env: { FOR: 'web' } }),
    inNode(
      'Bun for browsers, in Node',
      `${BUN_PROGRAM} build source.mjs --target=browser --outfile=main.mjs`,
      'main.mjs',
    ),
    inNode('Bun for Bun', `${BUN_PROGRAM} build source.mjs --target=bun --outfile=main.mjs`, 'main.mjs', {
      by: BUN_PROGRAM,
    }),
    inNode('a CommonJS dependency, in Node', undefined, 'source.mjs'),
    inNode('a CommonJS dependency, in Bun', undefined, 'source.mjs', { by: BUN_PROGRAM }),
  ],
};
