// wasm-pack build --target bundler: the wasm is imported as a module, which a bundler resolves.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import webpack from 'webpack';

import { expected, use } from './use.mjs';

const out = process.env.WASM_PACK_OUT;
const folder = mkdtempSync(join(process.env.REJITTER_TARGET_DIR, 'wasm-pack', 'app-'));
after(() => rmSync(folder, { recursive: true }));

test('retries in a bundle of webpack', async () => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(out, join(folder, 'node_modules/rejitter'), 'dir');
  const entry = join(folder, 'entry.mjs');
  writeFileSync(entry, "export * from 'rejitter';\n");
  const stats = await new Promise((done, failed) => {
    webpack(
      {
        entry,
        mode: 'production',
        target: 'node20',
        experiments: { asyncWebAssembly: true, outputModule: true },
        output: { path: join(folder, 'dist'), filename: 'app.mjs', library: { type: 'module' } },
        // Here all exports are kept, whatever a user's app would keep.
        optimization: { usedExports: false },
      },
      (error, stats) => (error ? failed(error) : done(stats)),
    );
  });
  assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }).errors, []);
  assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }).warnings, []);
  const api = await import(pathToFileURL(join(folder, 'dist/app.mjs')).href);
  assert.deepEqual(await use(api), expected);
});
