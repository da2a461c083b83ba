// rejitter/lab in workerd, which forbids compiling bytes: both wasm files come as imported modules.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { build } from 'esbuild';
import workerd from 'workerd';

import { installed, project } from './lib/consumer.mjs';

test('the lab works with the imported modules, on the same RetryPolicy', async () => {
  const dir = project('lab-workerd', {
    'worker.mjs': `
      import { RetryPolicy } from 'rejitter';
      import { explain, plan, sample } from 'rejitter/lab';
      export default { fetch() {
        let refused = false;
        try { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); } catch { refused = true; }
        try {
          const policy = new RetryPolicy({ seed: 1 });
          return Response.json({ refused, mean: plan(policy, 1)[0].meanMs, notes: explain(policy).length, waits: [...sample(policy)], delays: [...policy.delays()] });
        } catch (e) { return new Response(String(e.stack), { status: 500 }); }
      } };`,
    'config.capnp': `
      using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [(name = "main", worker = .worker)],
        sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
      );
      const worker :Workerd.Worker = (
        modules = [(name = "bundle.js", esModule = embed "bundle.js"), (name = "core.wasm", wasm = embed "core.wasm"), (name = "lab.wasm", wasm = embed "lab.wasm")],
        compatibilityDate = "2025-01-01",
      );`,
  });
  await build({
    entryPoints: [join(dir, 'worker.mjs')], outfile: join(dir, 'bundle.js'), bundle: true, minify: true, format: 'esm', conditions: ['workerd'], logLevel: 'error',
    external: ['*.wasm'],
  });
  for (const name of ['core.wasm', 'lab.wasm']) copyFileSync(join(installed, name), join(dir, name));
  const child = spawn(workerd.default, ['serve', 'config.capnp', '--control-fd=3'], { cwd: dir, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  try {
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => { errors += chunk; });
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
    const { refused, mean, notes, waits, delays } = JSON.parse(text);
    assert.ok(refused, 'this host compiles bytes, so the test shows nothing');
    assert.deepEqual([mean, notes], [50, 4]);
    assert.equal(waits.length, 5);
    assert.deepEqual(waits, delays);
  } finally {
    child.kill();
  }
});
