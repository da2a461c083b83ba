// rejitter/lab in workerd, which forbids compiling bytes: its wasm file comes as an imported module, and the core is
// JavaScript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { onWorkerd } from '../lib/workerd.mjs';

const WORKER = `
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
} };
`;

test('the lab works with the imported module, on the same RetryPolicy', async () => {
  const text = await onWorkerd({ 'worker.mjs': WORKER }, { wasm: 'lab.wasm' });
  const { refused, calls, mean, notes, waits, delays } = JSON.parse(text);
  assert.ok(refused, 'this host compiles bytes, so the test shows nothing');
  assert.deepEqual(calls, [210, 210, 210]);
  assert.deepEqual([mean, notes], [50, 5]);
  assert.equal(waits.length, 5);
  assert.deepEqual(waits, delays);
});
