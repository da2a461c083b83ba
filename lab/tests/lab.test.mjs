// rejitter-lab as users meet it, from the tarball: what is computed is tested natively (lab/tests/lab.rs), here that it
// arrives. mistakes.test.mjs says which calls are rejected; the suite of tests/clients/hosts has it in bundles.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  importEntry,
  importFrom,
  importPackage,
  infinite,
  printed,
  vectors,
} from '../../tests/package/lib/consumer.mjs';
import { randomOptions } from '../../tests/package/lib/random-options.mjs';
import { caught } from '../../tests/package/lib/readers.mjs';

const { RetryPolicy } = await importPackage();
const { breaker, budget, cooldown, limiter, protect } = await importEntry('protection');
const presets = await importEntry('presets');
const { fromData } = await importEntry('data');
const lab = await importFrom('rejitter-lab');
const { cdf, density, explain, plan, quantiles, sample } = lab;

const FUNCTIONS = (
  'cdf density explain peakOf plan quantiles sample simulateContention simulateHedging simulateLoad simulateOutage ' +
  'simulateRateLimit timeToServeMs'
).split(' ');

/** A value that poses as a policy of another copy: it is validated as by fromData. */
const posing = (data) => ({ toJSON: () => data });

test('as many waits as attempts leave room for, 20 without a limit, or the requested number', () => {
  for (const [length, options, waits] of [
    [5],
    [0, { maxAttempts: 1 }],
    [20, { maxAttempts: Infinity }],
    [1000, { maxAttempts: 1e6 }],
    [7, { maxAttempts: 2 }, 7],
    [1000, { maxAttempts: 2 }, 1000],
  ]) {
    const planned = plan(options, waits);
    assert.deepEqual([planned.length, planned.at(-1)?.k], [length, length || undefined]);
    assert.equal(sample(options, { waits, operations: undefined, seed: undefined }).length, length);
    if (length > 0) assert.equal(sample(options, { waits, operations: 7 }).length, 7 * length);
  }
});

test('plan: each number of a wait under its name', () => {
  const range = { ceilingMs: 100, loMs: 0, hiMs: 100, latticeMs: 100, atoms: [] };
  const quantiles = { p01: 0, p05: 0, p10: 0, p50: 0, p90: 100, p95: 100, p99: 100 };
  const row = { k: 1, ...range, meanMs: 50, sdMs: 50, totalMeanMs: 50, totalWorstMs: 100, quantiles };
  assert.deepEqual(plan({ jitter: 'slotted' }, 1), [row]);
  assert.ok(!('latticeMs' in plan({}, 1)[0]));
  // These differ from each other; tests/lab.rs compares them with a reference.
  const { quantiles: clipped, atoms, ...numbers } = plan({ jitter: 'decorrelated', baseMs: 100, capMs: 299 }, 1)[0];
  const near = (found, expected) => {
    for (const name in expected) assert.ok(Math.abs(found[name] - expected[name]) < 1e-6, name);
  };
  near(clipped, { p01: 102, p05: 110, p10: 120, p50: 200, p90: 280, p95: 290, p99: 298 });
  near(atoms[0], { ms: 299, probability: 0.005 });
  near(numbers, { meanMs: 199.9975, sdMs: 57.730725445, loMs: 100, hiMs: 299 });
});

/** What may stand beside options, in the words of the table. */
const PARTS = {
  budget,
  breaker,
  limit: () => limiter({ limit: 2 }),
  concurrency: () => limiter({ concurrency: 2 }),
};
const retryOnResult = (value) => value === 'busy';

test('explain says the notes of tests/vectors/notes.json, of options and of a policy, one key of it or not', () => {
  const rows = vectors('notes', infinite);
  assert.ok(rows.length > 90);
  for (const { code, text, options, beside = [] } of rows) {
    const parts = beside.filter((name) => PARTS[name]).map((name) => PARTS[name]());
    const more = beside.includes('unclassified results') ? { retryOnResult } : {};
    const protection = parts.length > 0 && protect(...parts);
    const given = { ...options, ...more, protection };
    const policies = beside.length === 0 ? [posing({ version: 1, ...options })] : [given, new RetryPolicy(given)];
    if (protection) policies.push({ ...given, protection: protection.for('a') });
    for (const policy of policies) {
      const notes = explain(policy).flatMap((note) => (note.code === code ? [note.text] : []));
      assert.deepEqual(notes, text ? [text] : [], `${code} of ${JSON.stringify(options)}`);
    }
  }
  // What no row says: the verdicts of `isFailure`, and a policy that leaves its protection.
  const has = (policy, wanted) => explain(policy).some(({ code }) => code === wanted);
  const protection = protect(budget(), { isFailure: ({ result }) => result === 'busy' || undefined });
  for (const asked of [protection, protection.for('a')])
    assert.equal(has({ retryOnResult, protection: asked }, 'results-without-verdict'), false);
  assert.equal(has({ retryOnResult, protection: protect(cooldown()) }, 'results-without-verdict'), false);
  const free = new RetryPolicy({ retryOnResult, protection: protect(budget()) }).with({ protection: false });
  assert.deepEqual([has(free, 'results-without-verdict'), has(free, 'no-budget')], [false, true]);
  assert.equal(has({ protection: false }, 'no-budget'), true);
  assert.equal(has({ protection: protect(breaker()) }, 'no-budget'), true);
  assert.ok(has(new RetryPolicy({ ...presets.awsSdk2020, maxAttempts: 9 }), 'atom-at-cap'));
  assert.deepEqual(Object.keys(explain({})[0]), ['code', 'severity', 'text']);
});

/** The waits of operations by the package's own iterator. */
function delays(policy, seed, waits, operations) {
  const iterator = policy.delays({ seed });
  const all = [];
  for (let i = 0; i < operations; i += 1) {
    for (let k = 0; k < waits; k += 1) all.push(iterator.next().value);
    iterator.reset();
  }
  return all;
}

test('sample: the delays of the policy, bit for bit, in parts too', () => {
  const names = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];
  for (const jitter of [...names, { type: 'additive', maxMs: 70 }]) {
    const policy = new RetryPolicy({ jitter, maxAttempts: 8, minMs: 20 });
    for (const seed of [0, 'text', 2n ** 64n - 1n]) {
      // More operations than are drawn at once.
      const ours = sample(policy, { waits: 7, operations: 1500, seed });
      assert.ok(ours instanceof Float64Array);
      assert.deepEqual([...ours], delays(policy, seed, 7, 1500), JSON.stringify(jitter));
      const part = (firstOperation, operations) => sample(policy, { waits: 7, firstOperation, operations, seed });
      assert.deepEqual(
        [part(0, 2), part(2, 1400), part(1402, 98)].flatMap((each) => [...each]),
        [...ours],
      );
    }
  }
  // An operation that no part before it has reached.
  const [far] = sample({}, { waits: 1, firstOperation: Number.MAX_SAFE_INTEGER, seed: 9 });
  assert.ok(far >= 0 && far < 100 && far !== sample({}, { waits: 1, seed: 9 })[0]);
});

test('sample: the wasm reads the data by itself, and draws the waits of 3,000 random policies, bit for bit', () => {
  for (let i = 1; i <= 3000; i += 1) {
    const capRule = ['bound', 'ceiling', 'draw'][i % 3];
    const policy = fromData({ ...new RetryPolicy(randomOptions(i)).toJSON(), capRule, maxAttempts: 7 });
    const label = JSON.stringify(policy);
    assert.deepEqual([...sample(policy, { waits: 6, seed: i })], [...policy.delays({ seed: i })], label);
  }
});

test('sample: the seed is the given one, else the policy’s, else fresh', () => {
  const seeded = new RetryPolicy({ seed: 5 });
  assert.deepEqual([...sample(seeded)], [...seeded.delays()]);
  assert.deepEqual([...sample(posing(seeded.toJSON()))], [...seeded.delays()]);
  assert.notDeepEqual(sample(seeded, { seed: 6 }), sample(seeded));
  const fresh = Array.from({ length: 100 }, () => sample({}, { waits: 1 })[0]);
  assert.equal(new Set(fresh).size, 100);
});

test('quantiles, cdf and density: several values at once, typed arrays, no values, a resolution', () => {
  const { p05, p50, p95 } = plan({ jitter: 'decorrelated' }, 4).at(-1).quantiles;
  assert.deepEqual([...quantiles({ jitter: 'decorrelated' }, 4, [0.05, 0.5, 0.95])], [p05, p50, p95]);
  assert.deepEqual([...cdf({}, 1, new Float32Array([-1, 0, 25, 100, Infinity]))], [0, 0, 0.25, 1, 1]);
  assert.deepEqual([...quantiles({}, 1, [])], []);
  assert.deepEqual([...density({}, 2)], [0, 200, 1]);
  const cells = density({ jitter: 'decorrelated' }, 9, 50);
  assert.ok(cells.length % 3 === 0 && cells.length >= 150, `${cells.length}`);
});

test('10^4 calls and freed simulations leave no memory behind', async () => {
  const stdout = await printed(
    `import * as lab from 'rejitter-lab';
     const { cdf, density, explain, plan, quantiles, sample } = lab;
     const memories = [];
     const { Instance } = WebAssembly;
     WebAssembly.Instance = function (...args) { const instance = new Instance(...args);
       if (instance.exports.memory) memories.push(instance.exports); return instance; };
     const round = (n) => {
       for (let i = 0; i < n; i += 1) {
         const options = { jitter: ['full', 'decorrelated', 'slotted'][i % 3], baseMs: 1 + (i % 7) };
         plan(options, 3); explain(options); sample(options, { operations: 3000 }); density(options, 2);
           cdf(options, 2, [1, 2]); quantiles(options, 2, [0.5]);
         try { plan({ toJSON: () => ({ version: 1, nothing: 'of this' }) }, 1); } catch {}
         if (i % 5) continue;
         for (const simulation of [lab.simulateOutage(), lab.simulateContention({ figure: 'full' }, { runs: 1 }),
           lab.simulateLoad({}, { horizonMs: 20_000 }), lab.simulateHedging({ requests: 100 })]) {
           simulation.step(1000); simulation.result(); simulation.free();
         }
         try { lab.simulateOutage({}, { clients: 0 }); } catch {}
       }
     };
     const size = () => { gc(); const { memory, __wbindgen_externrefs } = memories[0];
       return [memory.buffer.byteLength, __wbindgen_externrefs.length, process.memoryUsage().heapUsed]; };
     round(300);
     const before = size();
     round(1700);
     console.log(JSON.stringify({ instances: memories.length, before, after: size() }));`,
    { flags: ['--expose-gc'] },
  );
  const { instances, before, after } = JSON.parse(stdout);
  assert.equal(instances, 1);
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2), 'wasm memory and table');
  assert.ok(after[2] - before[2] < 300_000, `heap ${before[2]} → ${after[2]}`);
});

test('the functions are these', () => assert.deepEqual(Object.keys(lab).sort(), FUNCTIONS));

test('works without coders of text, as under jsdom', async () => {
  const stdout = await printed(
    `delete globalThis.TextDecoder; delete globalThis.TextEncoder;
     const { explain, plan, simulateLoad } = require('rejitter-lab');
     const [{ text }] = explain({ jitter: 'none' });
     let message;
     try { simulateLoad({}, { horizonMs: -1 }); } catch (error) { ({ message } = error); }
     console.log(JSON.stringify([plan({ name: 'größe 😀' }, 1)[0].meanMs, text, message]));`,
    { ext: 'cjs', flags: ['--no-experimental-require-module'] },
  );
  const { message } = caught(() => lab.simulateLoad({}, { horizonMs: -1 }));
  assert.deepEqual(JSON.parse(stdout), [50, explain({ jitter: 'none' })[0].text, message]);
});
