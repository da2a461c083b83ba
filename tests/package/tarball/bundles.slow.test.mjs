// What bundles have of the package: what the app uses, once. An app imports it, and a CommonJS dependency of its own
// requires it: two instances would be twice the bytes, and errors, policies and reports of one would be strangers to the
// other. That bundles work is in tests/package/hosts.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { arch, execPath, platform } from 'node:process';
import { test } from 'node:test';

import commonjs from '@rollup/plugin-commonjs';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

import { bundleOf, bundled } from '../lib/bundle.mjs';
import { BEHAVIOUR, behaves, project, run, runTests } from '../lib/consumer.mjs';

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

const esbuild = (options) => async (dir) => {
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

test('an import whose names are not used leaves nothing in a bundle', async () => {
  for (const code of [`import 'rejitter'; console.log(1);`, `import { retry } from 'rejitter'; console.log(1);`])
    assert.equal((await bundleOf(code)).trim(), 'console.log(1);');
});

/** In metrics, what blocks, and another function: what only others need. */
const OF_OTHERS = ['firstAttemptSuccesses', 'SharedArrayBuffer', 'retryWithLinearBackoff'];

for (const [name, build] of [
  ['esbuild', esbuild({ platform: 'neutral', mainFields: ['module', 'main'] })],
  ['Rollup', ofRollup(false)],
  ['webpack', ofWebpack('node20')],
])
  test(`${name}: a bundle has the function that the app uses, and what it needs`, async () => {
    const found = async (source) => {
      const dir = project('bundle', { 'app.mjs': source });
      await build(dir);
      const text = readFileSync(join(dir, 'out.mjs'), 'utf8');
      return OF_OTHERS.filter((part) => text.includes(part));
    };
    const one = `import { retryWithFullJitter } from 'rejitter';\nawait retryWithFullJitter(() => 1);\n`;
    assert.deepEqual(await found(one), []);
    const all = `import * as all from 'rejitter';\nconsole.log(Object.values(all));\n`;
    assert.deepEqual(await found(all), OF_OTHERS, 'the control');
  });

test('V07 the tests of behaviour pass on a minified bundle, where no name of a class or function is left', async () => {
  const bundle = join(project('bundle', {}), 'bundle.mjs');
  // Not for production, which has no long texts.
  const define = { 'process.env.NODE_ENV': '"test"' };
  writeFileSync(bundle, await bundleOf("export * from 'rejitter';", { keepNames: false, define }));
  await behaves(bundle);
  // The control: the bundle is what they ran on.
  writeFileSync(bundle, "export { retry, RetryPolicy } from 'rejitter';\nthrow new Error('this bundle');");
  assert.notEqual((await runTests([BEHAVIOUR[0]], bundle)).code, 0);
});
