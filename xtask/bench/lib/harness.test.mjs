import assert from 'node:assert/strict';
import { test } from 'node:test';

import { batchOf, compare, compareWhole, loopOf } from './harness.mjs';
import { shuffled, uniform } from './random.mjs';

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

test('a loop awaits its expression n times, one after the other', async () => {
  const calls = [];
  const loop = loopOf('work(step)', {
    step: 2,
    work: async (step) => {
      calls.push(calls.length * step);
      await null;
      calls[calls.length - 1] += 1;
    },
  });
  await loop(3);
  assert.deepEqual(calls, [1, 3, 5]);
  assert.notEqual(loopOf('f()', { f: () => 1 }), loopOf('f()', { f: () => 1 }));
});

test('a failure in a loop rejects', async () => {
  const error = new Error('own');
  await assert.rejects(
    loopOf('f()', {
      f: async () => {
        throw error;
      },
    })(1),
    (thrown) => thrown === error,
  );
});

test('a batch takes about as long as it should', async () => {
  const {
    designs: [design],
    now,
  } = workshop({ a: 0.001 });
  assert.equal(await batchOf(design, 1, now), 1000);
  const {
    designs: [slow],
    now: later,
  } = workshop({ a: 70 });
  assert.equal(await batchOf(slow, 1, later), 1);
});

test('a machine that pauses makes no small batches', async () => {
  let time = 0;
  let calls = 0;
  const loop = async (n) => {
    calls += 1;
    time += n * 0.001 + (calls % 3 === 0 ? 0 : 50);
  };
  assert.equal(await batchOf({ name: 'a', loop }, 1, () => time), 1000);
});

test('each round has each design once, in changing order, and times are per operation', async () => {
  const { designs, record, now } = workshop({ a: 0.001, b: 0.004, c: 0.25 });
  const plan = { rounds: 50, batchMs: 1, warmUpMs: 0, seed: 1, now };
  const samples = await compare(designs, plan);
  const rounds = record.slice(-150);
  const orders = new Set();
  for (let i = 0; i < 150; i += 3) {
    assert.deepEqual(rounds.slice(i, i + 3).sort(), ['a', 'b', 'c']);
  }
  for (let i = 0; i < 150; i += 3)
    orders.add(
      record
        .slice(-150)
        .slice(i, i + 3)
        .join(''),
    );
  assert.equal(orders.size, 6);
  for (const [name, ns] of [
    ['a', 1000],
    ['b', 4000],
    ['c', 250_000],
  ]) {
    assert.equal(samples[name].length, 50);
    for (const value of samples[name]) assert.ok(Math.abs(value - ns) < 1e-3 * ns, `${name}: ${value}`);
  }
});

test('wholes: each once per round', () => {
  const record = [];
  const samples = compareWhole(
    ['a', 'b'].map((name, i) => ({
      name,
      once: () => {
        record.push(name);
        return i;
      },
    })),
    { rounds: 20, seed: 3 },
  );
  assert.deepEqual(samples, { a: Array(20).fill(0), b: Array(20).fill(1) });
  for (let i = 0; i < 40; i += 2) assert.notEqual(record[i], record[i + 1]);
  assert.ok(
    record.some((name, i) => i % 2 === 0 && name === 'a') && record.some((name, i) => i % 2 === 0 && name === 'b'),
  );
});

test('the same seed gives the same order, another one another', () => {
  const order = (seed) => {
    const random = uniform(seed);
    return Array.from({ length: 5 }, () => shuffled(['a', 'b', 'c', 'd'], random).join('')).join(' ');
  };
  assert.equal(order(7), order(7));
  assert.notEqual(order(7), order(8));
});

test('shuffling is fair: each of the orders equally often', () => {
  const random = uniform(5);
  const counts = new Map();
  for (let i = 0; i < 6000; i++) {
    const order = shuffled([1, 2, 3], random).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 6);
  // Five standard deviations around 1000.
  for (const count of counts.values()) assert.ok(Math.abs(count - 1000) < 5 * 29, String(count));
});
