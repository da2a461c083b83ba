// The engines of workers and of the edge: Cloudflare's runtime, the real one, and Vercel's, which is a context with the
// globals of its runtime that compiles no code, neither text nor bytes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { EdgeVM } from '@edge-runtime/vm';
import workerd from 'workerd';

import { bundled } from '../lib/bundle.mjs';
import { installed, project } from '../lib/consumer.mjs';

const config = (date, wasm) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [(name = "main", worker = .worker),
      (name = "internet", network = (allow = ["private", "public", "local"]))],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  );
  const worker :Workerd.Worker = (
    modules = [(name = "bundle.js", esModule = embed "bundle.js"), (name = "${wasm}", wasm = embed "${wasm}")],
    compatibilityDate = "${date}",
  );`;

/**
 * Serves the bundle of `worker.mjs`, asks it once, and ends it. Returns the text of the response, which must be a 200.
 * @param {Record<string, string>} files
 * @param {{ date: string, wasm: string }} options `wasm`: a file of the package that the worker imports
 */
export async function onWorkerd(files, { date, wasm }) {
  const dir = project('workerd', { ...files, 'config.capnp': config(date, wasm) });
  const options = { entry: 'worker.mjs', conditions: ['workerd'], external: ['*.wasm'] };
  writeFileSync(join(dir, 'bundle.js'), await bundled(dir, options));
  copyFileSync(join(installed, wasm), join(dir, wasm));
  const child = spawn(workerd.default, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  try {
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      errors += chunk;
    });
    const port = await new Promise((done, failed) => {
      let text = '';
      child.stdio[3].setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        const found = /"event":"listen".*?"port":(\d+)/.exec(text);
        if (found) done(Number(found[1]));
      });
      child.once('exit', (code) => failed(new Error(`workerd ended with ${code}: ${errors}`)));
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  } finally {
    child.kill();
  }
}

/** Returns the exports of `main.mjs` in a folder, bundled with the condition `edge-light` and run in the edge runtime. */
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
  const moduleOf = (path) => new WebAssembly.Module(readFileSync(join(installed, path.replace(/\?module$/, ''))));
  const deployed = Object.fromEntries(Array.from(imports, (path) => [path, moduleOf(path)]));
  const vm = new EdgeVM({
    codeGeneration: { strings: false, wasm: false },
    extend: (context) => Object.assign(context, { deployed }),
    initialCode: text,
  });
  return vm.context.bundle;
}
