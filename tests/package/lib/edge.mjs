// Vercel's edge runtime: its globals, in a context that compiles no code, neither text nor bytes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { EdgeVM } from '@edge-runtime/vm';

import { bundled } from './bundle.mjs';
import { installed } from './consumer.mjs';

/**
 * Returns the exports of the module `main.mjs` in `dir`, bundled with the condition `edge-light` and run in the
 * edge runtime; and which compiled modules it imports.
 */
export async function onEdge(dir) {
  const imports = new Set();
  const text = await bundled(dir, {
    format: 'iife',
    globalName: 'bundle',
    conditions: ['edge-light'],
    plugins: [
      {
        // The host compiles what is imported with ?module when it is deployed, and hands it in.
        name: 'wasm-module',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /\.wasm\?module$/ }, ({ path }) => {
            imports.add(path);
            return { path, namespace: 'wasm-module' };
          });
          onLoad({ filter: /.*/, namespace: 'wasm-module' }, ({ path }) => ({
            contents: `export default deployed[${JSON.stringify(path)}];`,
          }));
        },
      },
    ],
  });
  const deployed = Object.fromEntries(
    [...imports].map((path) => [
      path,
      new WebAssembly.Module(readFileSync(join(installed, path.replace(/\?module$/, '')))),
    ]),
  );
  const vm = new EdgeVM({
    codeGeneration: { strings: false, wasm: false },
    extend: (context) => Object.assign(context, { deployed }),
    initialCode: text,
  });
  return { exported: vm.context.bundle, vm, imports: [...imports].sort() };
}
