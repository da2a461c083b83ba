// A trap in the lab's wasm ends the call in which it happens: the next one gets a fresh instance, and simulations of
// the old one say that they ended. No data make one.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importFrom, printed } from '../../tests/package/lib/consumer.mjs';
import { cheap, hugeData, jitters } from '../../tests/package/lib/huge-data.mjs';

const { explain, plan } = await importFrom('rejitter-lab');

/** Counts instances; `trap = name` makes one call of that export trap. */
const TRAPS = `
  import * as lab from 'rejitter-lab';
  const { Instance, RuntimeError } = WebAssembly;
  let instances = 0;
  let trap;
  WebAssembly.Instance = function (...args) {
    const { exports } = new Instance(...args);
    if (exports.labPlan === undefined) return { exports };
    instances += 1;
    const wrapped = Object.entries(exports).map(([name, value]) =>
      [name, typeof value !== 'function' ? value : (...args) => {
      if (trap !== name) return value(...args);
      trap = undefined;
      throw new RuntimeError('unreachable');
    }]);
    return { exports: Object.fromEntries(wrapped) };
  };
  const thrown = (call) => { try { return call(), 'nothing';
    } catch (error) { return error.name + ': ' + error.message; } };
  const plain = (result) => JSON.stringify(result, (_, value) => ArrayBuffer.isView(value) ? [...value] : value);
`;

const outputOf = async (code, options) => JSON.parse(await printed(TRAPS + code, options));

test('after a trap each function works as before, in one new instance', async () => {
  const out = await outputOf(`
    const calls = {
      labPlan: () => lab.plan({ jitter: 'decorrelated' }, 3),
      labExplain: () => lab.explain({ name: 'größe' }),
      labSample: () => lab.sample({}, { operations: 9, seed: 1 }),
      labCells: () => lab.density({ jitter: 'pollyV2' }, 2),
      labCdf: () => lab.cdf({}, 1, [1, 2, 3]),
      labQuantiles: () => lab.quantiles({}, 2, [0.5]),
      labSimulate: () => { const simulation = lab.simulateOutage({}, { clients: 9, seed: 1 }); simulation.step();
        return simulation.result(); },
    };
    const out = [];
    for (const [name, call] of Object.entries(calls)) {
      const before = plain(call());
      const made = instances;
      trap = name;
      const fault = thrown(call);
      const after = Object.values(calls).map((call) => plain(call()));
      out.push({ name, fault, same: plain(call()) === before && after.every((text) => text.length > 2),
        more: instances - made });
    }
    console.log(JSON.stringify(out));
  `);
  assert.equal(out.length, 7);
  for (const { name, ...rest } of out)
    assert.deepEqual(rest, { fault: 'RuntimeError: unreachable', same: true, more: 1 }, name);
});

test('simulations of an instance that is gone say so, and do not touch the next one', async () => {
  const out = await outputOf(
    `
    const make = (seed) => lab.simulateOutage({}, { clients: 50, downMs: 5000, seed });
    const ended = (simulation) => { simulation.step(); return plain(simulation.result()); };
    const expected = [1, 2, 3, 4].map((seed) => ended(make(seed)));
    let old = [1, 2, 3, 4].map((seed) => make(seed));
    old[0].step(10);
    const running = old[3].run({ sliceEvents: 10 }).catch((error) => error.message);
    trap = 'labPlan';
    const fault = thrown(() => lab.plan());
    // The same sizes, hence the addresses of the old ones.
    const fresh = [1, 2, 3, 4].map((seed) => make(seed));
    fresh[0].step(10);
    const gone = [thrown(() => old[0].step()), thrown(() => old[0].result()), await running,
      await old[1].run().catch((error) => error.message)];
    old[0].free();
    old[1].free();
    old = undefined;
    // Collected simulations free nothing either.
    for (let i = 0; i < 5; i += 1) { gc(); await new Promise((resolve) => setTimeout(resolve, 0)); }
    const filler = [5, 6, 7, 8].map((seed) => make(seed));
    console.log(JSON.stringify({ fault, gone, same: fresh.map(ended).every((text, i) => text === expected[i]),
      fillers: filler.map(ended).length, instances }));
    `,
    { flags: ['--expose-gc'] },
  );
  const message = 'rejitter: the simulation ended by a fault; start it again';
  assert.deepEqual(out, {
    fault: 'RuntimeError: unreachable',
    gone: [`Error: ${message}`, `Error: ${message}`, message, message],
    same: true,
    fillers: 4,
    instances: 2,
  });
});

test('simulations without references release their memory; those that are held do not', async () => {
  const out = await outputOf(
    `
    const memories = [];
    const Wrapped = WebAssembly.Instance;
    WebAssembly.Instance = function (...args) { const instance = Wrapped(...args);
      if (instance.exports.memory) memories.push(instance.exports.memory); return instance; };
    const held = [];
    const round = async (keep) => {
      for (let i = 0; i < 20; i += 1) {
        const simulation = lab.simulateOutage({}, { clients: 100_000 });
        simulation.step(1000);
        if (keep) held.push(simulation);
      }
      for (let i = 0; i < 10; i += 1) { gc(); await new Promise((resolve) => setTimeout(resolve, 0)); }
      return memories[0].buffer.byteLength;
    };
    const sizes = [];
    for (let i = 0; i < 9; i += 1) sizes.push(await round(i >= 5));
    console.log(JSON.stringify([...sizes, held.length]));
    `,
    { flags: ['--expose-gc'] },
  );
  assert.ok(out[0] > 10e6, `${out}`);
  // In which order they are collected is open, so there may be gaps, but none of the size of a simulation.
  assert.ok(out[4] - out[0] < out[0] / 20, `${out}`);
  assert.ok(out[8] > 2 * out[4], `${out}`);
});

test('data that are nested deeper than a stack leave the lab working', async () => {
  const stdout = await printed(`
    const { explain, plan } = await import('rejitter-lab');
    const seen = [JSON.stringify(plan({}, 3))];
    // Deeper than the stack of a wasm instance is long.
    let deep = {};
    for (let i = 0; i < 20_000; i += 1) deep = { a: deep };
    for (const field of ['jitter', 'backoff', 'seed']) {
      try { explain({ toJSON: () => ({ version: 1, [field]: deep }) }); } catch { seen.push(JSON.stringify(plan({}, 3))); }
    }
    console.log(seen.length, new Set(seen).size);
  `);
  assert.equal(stdout, '4 1\n');
});

test('data of a megabyte, whatever they are, cost little time and memory', () => {
  // Loaded and compiled.
  for (const jitter of jitters) explain({ jitter });
  for (const made of hugeData())
    for (const step of [explain, (policy) => plan(policy, 200)]) cheap(() => step({ toJSON: () => made }), made);
});
