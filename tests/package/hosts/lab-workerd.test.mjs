// rejitter/lab in workerd, which forbids compiling bytes: its wasm file comes as an
// imported module, and the core is JavaScript.

import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { build } from 'esbuild';

import { installed, project } from '../lib/consumer.mjs';
import { onWorkerd } from '../lib/workerd.mjs';

test('the lab works with the imported module, on the same RetryPolicy', async () => {
  const dir = project('lab-workerd', {
    'worker.mjs': `
      import { RetryPolicy } from 'rejitter';
      import { explain, plan, sample, simulateContention } from 'rejitter/lab';
      export default { async fetch() {
        let refused = false;
        try { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); } catch { refused = true; }
        try {
          const policy = new RetryPolicy({ seed: 1 });
          const simulation = simulateContention({ figure: 'none' }, { clients: 20, hopSdMs: 0, runs: 3 });
          const calls = [...(await simulation.run({ sliceEvents: 100 })).calls];
          simulation.free();
          return Response.json({ refused, calls, mean: plan(policy, 1)[0].meanMs, notes: explain(policy).length,
            waits: [...sample(policy)], delays: [...policy.delays()] });
        } catch (e) { return new Response(String(e.stack), { status: 500 }); }
      } };`,
    'config.capnp': `
      using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [(name = "main", worker = .worker)],
        sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
      );
      const worker :Workerd.Worker = (
        modules = [(name = "bundle.js", esModule = embed "bundle.js"), (name = "lab.wasm", wasm = embed "lab.wasm")],
        compatibilityDate = "2025-01-01",
      );`,
  });
  await build({
    entryPoints: [join(dir, 'worker.mjs')],
    outfile: join(dir, 'bundle.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    conditions: ['workerd'],
    logLevel: 'error',
    external: ['*.wasm'],
  });
  copyFileSync(join(installed, 'lab.wasm'), join(dir, 'lab.wasm'));
  await onWorkerd(dir, async (origin) => {
    const response = await fetch(`${origin}/`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { refused, calls, mean, notes, waits, delays } = JSON.parse(text);
    assert.ok(refused, 'this host compiles bytes, so the test shows nothing');
    assert.deepEqual(calls, [210, 210, 210]);
    assert.deepEqual([mean, notes], [50, 5]);
    assert.equal(waits.length, 5);
    assert.deepEqual(waits, delays);
  });
});
