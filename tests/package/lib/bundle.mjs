// Bundles by esbuild, minified.

import { join } from 'node:path';

import { build } from '../../../xtask/npm/esbuild.mjs';
import { project } from './consumer.mjs';

/** Bundles a module of a folder. Returns the text. */
export async function bundled(dir, { entry = 'main.mjs', ...options } = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(dir, entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
    ...options,
  });
  return outputFiles[0].text;
}

/** Bundles one module. Returns the text. */
export const bundleOf = (code, options) => bundled(project('bundle', { 'main.mjs': code }), options);
