// What bundles have of the package: what the app uses. That they work, with one instance, is in tests/clients/hosts.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
import webpack from 'webpack';

import { bundleOf } from '../../package/lib/bundle.mjs';
import { BEHAVIOUR, behaves, project, runTests } from '../../package/lib/consumer.mjs';

/** Those of esbuild are weighed (sizes.test.mjs). */
const BUNDLERS = {
  async Rollup(dir, file) {
    const bundle = await rollup({ input: join(dir, 'app.mjs'), plugins: [nodeResolve()], onLog() {} });
    await bundle.write({ file });
  },
  webpack: (dir) =>
    new Promise((done, fail) => {
      const output = { path: dir, filename: 'out.mjs', chunkFormat: 'module' };
      const options = { context: dir, entry: './app.mjs', mode: 'production', target: 'node20', output };
      webpack(options, (error, stats) =>
        error || stats?.hasErrors() ? fail(error ?? new Error(stats.toString())) : done(),
      );
    }),
};

/** In metrics, what blocks, and another function: what only others need. */
const OF_OTHERS = ['firstAttemptSuccesses', 'SharedArrayBuffer', 'retryWithLinearBackoff'];

for (const [name, build] of Object.entries(BUNDLERS))
  test(`${name}: a bundle has the function that the app uses, and what it needs`, async () => {
    const found = async (source) => {
      const dir = project('bundle', { 'app.mjs': source });
      await build(dir, join(dir, 'out.mjs'));
      const text = readFileSync(join(dir, 'out.mjs'), 'utf8');
      return OF_OTHERS.filter((part) => text.includes(part));
    };
    const one = `import { retryWithFullJitter } from 'rejitter';\nawait retryWithFullJitter(() => 1);\n`;
    assert.deepEqual(await found(one), []);
    const all = `import * as all from 'rejitter';\nconsole.log(Object.values(all));\n`;
    assert.deepEqual(await found(all), OF_OTHERS, 'the control');
  });

test('an import whose names are not used leaves nothing in a bundle', async () => {
  for (const code of [`import 'rejitter'; console.log(1);`, `import { retry } from 'rejitter'; console.log(1);`])
    assert.equal((await bundleOf(code)).trim(), 'console.log(1);');
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
