// An app imports the package, and a CommonJS dependency of its own requires it: in each bundler's output there is one
// instance of it. Two would be twice the bytes, and errors, policies and reports of one would be strangers to the other.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { arch, execPath, platform } from 'node:process';
import { test } from 'node:test';

import commonjs from '@rollup/plugin-commonjs';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

import { bundled } from '../lib/bundle.mjs';
import { project, run } from '../lib/consumer.mjs';

/** An export of each entry that shares state, or by which values are told apart. */
const SHARED = {
  rejitter: 'RetryPolicy',
  'rejitter/data': 'fromData',
  'rejitter/fetch': 'HttpStatusError',
  'rejitter/light': 'TimeoutError',
  'rejitter/light/fetch': 'createFetch',
  'rejitter/protection': 'RejectedError',
};
const entries = Object.entries(SHARED);
const FILES = {
  'app.mjs': `${entries.map(([entry, name], i) => `import { ${name} as own${i} } from '${entry}';`).join('\n')}
    import theirs from './node_modules/dependency/index.js';
    console.log(JSON.stringify([${entries.map((_, i) => `own${i} === theirs[${i}]`)}]));`,
  'node_modules/dependency/index.js': `module.exports = [${entries.map(([entry, name]) => `require('${entry}').${name}`)}];`,
  'node_modules/dependency/package.json': '{ "name": "dependency" }',
};

/** The program of Bun, where npm runs no scripts of packages. */
const bun = createRequire(createRequire(import.meta.url).resolve('bun/package.json')).resolve(
  `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`,
);

const esbuild = (/** @type {object} */ options) => async (dir) => {
  writeFileSync(join(dir, 'out.mjs'), await bundled(dir, { entry: 'app.mjs', ...options }));
};
const ofRollup = (browser) => async (dir) => {
  const plugins = [nodeResolve({ browser, preferBuiltins: true }), commonjs()];
  const bundle = await rollup({ input: join(dir, 'app.mjs'), plugins, onLog() {} });
  await bundle.write({ file: join(dir, 'out.mjs') });
};
const ofVite = (ssr) => (dir) =>
  vite({
    root: dir,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr,
      rollupOptions: { input: join(dir, 'app.mjs'), output: { entryFileNames: 'out.mjs' } },
      outDir: dir,
      emptyOutDir: false,
    },
  });
const ofWebpack = (target) => (dir) =>
  new Promise((done, fail) => {
    const output = { path: dir, filename: 'out.mjs', chunkFormat: 'module' };
    webpack({ context: dir, entry: './app.mjs', mode: 'production', target, output }, (error, stats) =>
      error || stats?.hasErrors() ? fail(error ?? new Error(stats.toString())) : done(),
    );
  });
const ofBun = (target) => async (dir) => {
  const { code, stderr } = await run(bun, ['build', 'app.mjs', `--target=${target}`, '--outfile=out.mjs'], {
    cwd: dir,
  });
  assert.equal(code, 0, stderr);
};

for (const [how, build, program = execPath] of [
  ['esbuild, for browsers', esbuild({ platform: 'browser' })],
  ['esbuild, for Node', esbuild({ platform: 'node' })],
  ['Rollup, for browsers', ofRollup(true)],
  ['Rollup', ofRollup(false)],
  ['Vite, for browsers', ofVite(false)],
  ['Vite, for servers', ofVite(true)],
  ['webpack, for browsers', ofWebpack('web')],
  ['webpack, for Node', ofWebpack('node')],
  ['Bun, for browsers', ofBun('browser')],
  ['Bun, for Bun', ofBun('bun'), bun],
  ['Bun, without a bundle', async () => {}, bun],
  ['Node, without a bundle', async () => {}],
])
  test(`an app and its CommonJS dependency have one instance: ${how}`, async () => {
    const dir = project('one-bundle', FILES);
    await build(dir);
    const file = join(dir, how.endsWith('without a bundle') ? 'app.mjs' : 'out.mjs');
    const { code, stdout, stderr } = await run(program, [file], { env: { NODE_TEST_CONTEXT: undefined } });
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      JSON.parse(stdout).map((same, i) => same || entries[i][0]),
      entries.map(() => true),
    );
  });
