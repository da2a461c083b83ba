// The package inside bundles: esbuild, Vite, Rollup, webpack and the workers' hosts, each minified, each run.

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

import { bundleOf, bundled } from '../lib/bundle.mjs';
import { BEHAVIOUR, behaves, installed, printed, project, run, runTests } from '../lib/consumer.mjs';
import { onEdge } from '../lib/edge.mjs';
import { onWorkerd } from '../lib/workerd.mjs';

/** Program of each bundle, which prints or returns values, waits, classes of errors. */
const JOB = `
import { RetryPolicy, retry, retryWithFullJitter, retryWithLinearBackoff } from 'rejitter';
export async function job() {
  const out = {};
  out.value = await retryWithFullJitter(({ attempt }) => { if (attempt < 4) throw new Error('flaky'); return attempt;
    }, { baseMs: 1 });
  out.delays = [...new RetryPolicy({ seed: 'bundle', jitter: 'decorrelated' }).delays()];
  const own = new Error('own');
  out.identity = (await retry(() => Promise.reject(own), { baseMs: 0, maxAttempts: 2 }).catch((e) => e)) === own;
  const controller = new AbortController();
  setTimeout(() => controller.abort('enough'), 5);
  out.aborted = await retryWithLinearBackoff(() => { throw 0; }, { baseMs: 60000, capMs: 60000,
    signal: controller.signal }).catch((e) => e);
  const refused = await retry(() => 1, { baseMs: -1 }).catch((e) => e);
  out.refused = [refused instanceof RangeError, refused.name, refused.message];
  out.unseeded = new Set(Array.from({ length: 20 }, () => new RetryPolicy().delays().next().value)).size;
  out.wrapped = await new RetryPolicy({ maxAttempts: 2 }).wrap((a, b) => a + b)(1, 2);
  return out;
}
`;
const MAIN = `import { job } from './job.mjs';\njob().then((out) => console.log(JSON.stringify(out)));\n`;
const SOURCES = { 'job.mjs': JOB, 'main.mjs': MAIN };

const expected = JSON.parse(await printed(JOB + 'job().then((out) => console.log(JSON.stringify(out)));'));

test('the unbundled job is right, so that the bundles can be compared with it', () => {
  const { delays, refused, ...rest } = expected;
  assert.deepEqual(rest, { value: 4, identity: true, aborted: 'enough', unseeded: 20, wrapped: 3 });
  assert.equal(delays.length, 5);
  assert.deepEqual(refused.slice(0, 2), [true, 'RangeError']);
  assert.match(refused[2], /baseMs.*-1/);
});

/** Minified bundles for browsers, workers and edge runtimes have no long texts. */
function withText({ refused, ...found }) {
  const isShort = refused[2] === 'rejitter: baseMs: invalid -1';
  return { ...found, refused: isShort ? expected.refused : refused };
}

async function sameAsUnbundled(file) {
  const { code, stdout, stderr } = await run(process.execPath, [file], { env: { NODE_TEST_CONTEXT: undefined } });
  assert.equal(stderr, '');
  assert.equal(code, 0);
  assert.deepEqual(withText(JSON.parse(stdout)), expected);
  // Nothing is left outside the bundle.
  assert.doesNotMatch(readFileSync(file, 'utf8'), /(from|import|require)\s*\(?\s*["']rejitter/);
}

const esbuild = (name, options) => async (dir) => {
  const file = join(dir, name);
  writeFileSync(file, await bundled(dir, options));
  return file;
};

const BUNDLERS = {
  'esbuild, ES module': esbuild('out.mjs', { platform: 'neutral', mainFields: ['module', 'main'] }),
  'esbuild, CommonJS for Node': esbuild('out.cjs', { format: 'cjs', platform: 'node' }),
  'esbuild, a script for browsers': esbuild('out.cjs', { format: 'iife', platform: 'browser' }),
  Rollup: async (dir) => {
    const bundle = await rollup({
      input: join(dir, 'main.mjs'),
      // Rollup finds no packages by itself: this is the one that there is.
      plugins: [
        {
          name: 'the-package',
          resolveId: (id) => (id === 'rejitter' ? { id: join(installed, 'index.js'), moduleSideEffects: false } : null),
        },
      ],
      onLog: (level, log) => assert.notEqual(level, 'warn', log.message),
    });
    await bundle.write({ file: join(dir, 'out.mjs'), format: 'es', compact: true });
    await bundle.close();
    return join(dir, 'out.mjs');
  },
  Vite: async (dir) => {
    await vite({
      root: dir,
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: 'out',
        minify: true,
        modulePreload: false,
        target: 'es2022',
        rollupOptions: { input: join(dir, 'main.mjs') },
      },
    });
    const [file] = readdirSync(join(dir, 'out', 'assets')).filter((name) => name.endsWith('.js'));
    // A page's script, run by Node: named as a module.
    copyFileSync(join(dir, 'out', 'assets', file), join(dir, 'out.mjs'));
    return join(dir, 'out.mjs');
  },
  webpack: (dir) =>
    new Promise((done, failed) => {
      webpack(
        {
          mode: 'production',
          context: dir,
          entry: './main.mjs',
          target: 'node20',
          output: { path: dir, filename: 'out.cjs' },
        },
        (error, stats) => {
          if (error) failed(error);
          else if (stats.hasErrors() || stats.hasWarnings()) failed(new Error(stats.toString()));
          else done(join(dir, 'out.cjs'));
        },
      );
    }),
};

for (const [name, build] of Object.entries(BUNDLERS)) {
  test(`${name}: the minified bundle does what the package does`, async () => {
    await sameAsUnbundled(await build(project('bundle', SOURCES)));
  });
}

test('an import whose names are not used leaves nothing in a bundle', async () => {
  for (const code of [`import 'rejitter'; console.log(1);`, `import { retry } from 'rejitter'; console.log(1);`])
    assert.equal((await bundleOf(code)).trim(), 'console.log(1);');
});

/** In metrics, what blocks, and another function: what only others need. */
const OF_OTHERS = ['firstAttemptSuccesses', 'SharedArrayBuffer', 'retryWithLinearBackoff'];

for (const name of ['esbuild, ES module', 'Rollup', 'webpack']) {
  test(`${name}: a bundle has the function that the app uses, and what it needs`, async () => {
    const found = async (source) => {
      const text = readFileSync(await BUNDLERS[name](project('bundle', { 'main.mjs': source })), 'utf8');
      return OF_OTHERS.filter((part) => text.includes(part));
    };
    assert.deepEqual(
      await found(`import { retryWithFullJitter } from 'rejitter';\nawait retryWithFullJitter(() => 1);\n`),
      [],
    );
    assert.deepEqual(
      await found(`import * as all from 'rejitter';\nconsole.log(Object.values(all));\n`),
      OF_OTHERS,
      'the control',
    );
  });
}

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

test('edge-light: runs in the edge runtime, which rejects compiling bytes', async () => {
  const { exported, vm, imports } = await onEdge(
    project('bundle', { 'job.mjs': JOB, 'main.mjs': "export { job } from './job.mjs';\n" }),
  );
  assert.deepEqual(imports, [], 'no wasm file is imported');
  assert.equal(vm.evaluate('globalThis.EdgeRuntime'), 'edge-runtime');
  assert.throws(
    () => vm.evaluate('new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))'),
    /disallowed/,
  );
  assert.deepEqual(withText(JSON.parse(JSON.stringify(await exported.job()))), expected);
});

const WORKER = `
import { job } from './job.mjs';
let rejection;
export default { async fetch() {
  try { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); } catch (e) { rejection = e.name; }
  try { return Response.json({ out: await job(), rejection }); } catch (e) { return new Response(String(e.stack),
    { status: 500 }); }
} };
`;

test('W07 workerd: runs where compiling bytes and work at the top level are rejected', async () => {
  const { out, rejection } = JSON.parse(await onWorkerd({ ...SOURCES, 'worker.mjs': WORKER }));
  assert.deepEqual(withText(out), expected);
  assert.ok(rejection, 'this host compiles bytes, so the test shows nothing');
});
