// Cloudflare's runtime, the real one, serving the bundle of a test.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import workerd from 'workerd';

import { bundled } from './bundle.mjs';
import { installed, project } from './consumer.mjs';

const config = (date, modules) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [(name = "main", worker = .worker),
      (name = "internet", network = (allow = ["private", "public", "local"]))],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  );
  const worker :Workerd.Worker = (
    modules = [(name = "bundle.js", esModule = embed "bundle.js")${modules}],
    compatibilityDate = "${date}",
  );`;

/**
 * Serves the bundle of `worker.mjs`, asks it once, and ends it. Returns the text of the response, which must be a 200.
 * @param {Record<string, string>} files
 * @param {{ query?: Record<string, string>, date?: string, wasm?: string }} [options] `wasm`: a file of the
 *   package that the worker imports
 */
export async function onWorkerd(files, { query, date = '2025-01-01', wasm } = {}) {
  const modules = wasm ? `, (name = "${wasm}", wasm = embed "${wasm}")` : '';
  const dir = project('workerd', { ...files, 'config.capnp': config(date, modules) });
  const options = { entry: 'worker.mjs', conditions: ['workerd'], external: ['*.wasm'] };
  writeFileSync(join(dir, 'bundle.js'), await bundled(dir, options));
  if (wasm) copyFileSync(join(installed, wasm), join(dir, wasm));
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
    const response = await fetch(`http://127.0.0.1:${port}/?${new URLSearchParams(query)}`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  } finally {
    child.kill();
  }
}
