import assert from 'node:assert/strict';
import { test } from 'node:test';

import { batchOf, compare, loopOf } from './harness.mjs';

/** A clock that moves only when a design works, and the designs' record. */
function workshop(costs) {
  const record = [];
  let time = 0;
  const designs = Object.entries(costs).map(([name, costMs]) => ({
    name,
    loop: async (n) => {
      record.push(name);
      time += n * costMs;
    },
  }));
  return { designs, record, now: () => time };
}

test('a loop awaits its expression n times, one after the other; a failure rejects', async () => {
  const calls = [];
  const work = async (step) => {
    calls.push(calls.length * step);
    await null;
    calls[calls.length - 1] += 1;
  };
  await loopOf('work(step)', { step: 2, work })(3);
  assert.deepEqual(calls, [1, 3, 5]);
  const error = new Error('own');
  await assert.rejects(loopOf('f()', { f: () => Promise.reject(error) })(1), error);
});

test('a batch takes about as long as it should, also on a machine that pauses', async () => {
  const { designs, now } = workshop({ quick: 0.001, slow: 70 });
  assert.equal(await batchOf(designs[0], 1, now), 1000);
  assert.equal(await batchOf(designs[1], 1, now), 1);
  let time = 0;
  let calls = 0;
  const loop = async (n) => {
    calls += 1;
    time += n * 0.001 + (calls % 3 === 0 ? 0 : 50);
  };
  assert.equal(await batchOf({ name: 'a', loop }, 1, () => time), 1000);
});

test('each round has each design once, in changing order, and times are per operation', async () => {
  const ns = { a: 1000, b: 4000, c: 250_000 };
  const { designs, record, now } = workshop({ a: 0.001, b: 0.004, c: 0.25 });
  const samples = await compare(designs, { rounds: 50, batchMs: 1, warmUpMs: 0, seed: 1, now });
  const rounds = record.slice(-150).join('').match(/.../g);
  for (const round of rounds) assert.equal([...round].sort().join(''), 'abc');
  assert.equal(new Set(rounds).size, 6);
  for (const [name, expected] of Object.entries(ns)) {
    assert.equal(samples[name].length, 50);
    for (const value of samples[name]) assert.ok(Math.abs(value - expected) < 1e-3 * expected, `${name}: ${value}`);
  }
});
