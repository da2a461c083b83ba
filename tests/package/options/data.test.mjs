// Policies as JSON and back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HOOKS } from '../lib/callbacks.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { randomOptions } from '../lib/random-options.mjs';

const { RetryPolicy } = await importPackage();
const presets = await importEntry('presets');
const { fromData } = await importEntry('data');

const PRESETS = Object.values(presets).filter((value) => typeof value === 'object');

/** The first waits, for a seed of its own or the policy's. */
function waits(policy, given) {
  const iterator = policy.delays(given);
  return Array.from({ length: 45 }, () => iterator.next().value);
}

const through = (policy) => fromData(JSON.parse(JSON.stringify(policy)));

test('presets and 2000 random policies come back the same: data, waits, seeds, to the last bit', () => {
  let seeded = 0;
  const ofPresets = PRESETS.map((preset) => ({ ...preset, seed: 5, maxAttempts: 46 }));
  for (const given of [...ofPresets, ...Array.from({ length: 2000 }, (_, i) => randomOptions(i + 1))]) {
    const policy = new RetryPolicy(given);
    const again = through(policy);
    const label = JSON.stringify(given, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
    assert.deepEqual(again.toJSON(), policy.toJSON(), label);
    assert.deepEqual(waits(again, { seed: 'x' }), waits(policy, { seed: 'x' }), label);
    assert.equal(again.metrics() === undefined, policy.metrics() === undefined, label);
    seeded += given.seed !== undefined;
    if (given.seed !== undefined) assert.deepEqual(waits(again), waits(policy), label);
  }
  assert.ok(seeded > 500, String(seeded));
  const unseeded = through(new RetryPolicy());
  assert.notEqual(waits(unseeded)[0], waits(unseeded)[0]);
});

test('the data is plain JSON of the options that were set, with a version; callbacks and the signal stay behind', () => {
  const callbacks = [...HOOKS, 'retryIf', 'retryOnResult', 'random'].map((name) => [name, () => 0.5]);
  const { signal } = new AbortController();
  const additive = { type: 'additive', maxMs: 3 };
  const plain = { baseMs: 5, totalTimeoutMs: 9, finalError: 'wrap', finalResult: 'reject', jitter: additive };
  for (const [options, more] of [
    [{}, {}],
    [plain, plain],
    [{ capMs: Infinity }, { capMs: 'Infinity' }],
    [{ maxAttempts: Infinity }, { maxAttempts: 'Infinity' }],
    [{ seed: 7 }, { seed: { bits: '7' } }],
    [{ seed: 7n }, { seed: { bits: '7' } }],
    // A list raises the cap: that is not the caller's.
    [{ backoff: [60_000, Infinity] }, { backoff: [60_000, 'Infinity'] }],
    // Names are texts, whatever they say.
    [{ name: 'Infinity' }, { name: 'Infinity' }],
    [{ ...Object.fromEntries(callbacks), signal, baseMs: 3 }, { baseMs: 3 }],
  ]) {
    const data = new RetryPolicy(options).toJSON();
    assert.deepEqual(data, { version: 1, backoff: 'exponential', jitter: 'full', maxAttempts: 6, ...more });
    assert.deepEqual(through(data).toJSON(), data);
  }
  assert.deepEqual(fromData({ version: 1 }).toJSON(), new RetryPolicy().toJSON());
  assert.deepEqual(waits(fromData({ version: 1, seed: 'Infinity' })), waits(new RetryPolicy({ seed: 'Infinity' })));
  const curve = new RetryPolicy({ backoff: (k) => k });
  assert.throws(() => curve.toJSON(), /^TypeError: rejitter: backoff must be .*, got a function/);
});

test("the data is the reader's: changing it afterwards changes no policy", () => {
  const data = { version: 1, backoff: [5, 6], jitter: 'none', maxAttempts: 4 };
  const policy = fromData(data);
  Object.assign(data, { maxAttempts: 1 }).backoff[0] = 99;
  policy.toJSON().backoff[0] = 77;
  assert.deepEqual([...policy.delays(), ...data.backoff], [5, 6, 6, 99, 6], 'and the argument is not changed');
});
