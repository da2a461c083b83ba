import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compare } from './harness.mjs';

test('each round has each design once, in changing order, and times are per operation', async () => {
  const ns = { a: 1000, b: 4000, c: 250_000 };
  const record = [];
  // A clock that moves only when a design works.
  let time = 0;
  const designs = Object.entries(ns).map(([name, each]) => ({
    name,
    loop: async (n) => {
      record.push(name);
      time += (n * each) / 1e6;
    },
  }));
  const samples = await compare(designs, { rounds: 50, batchMs: 1, warmUpMs: 0, seed: 1, now: () => time });
  const rounds = record.slice(-150).join('').match(/.../g);
  for (const round of rounds) assert.equal([...round].sort().join(''), 'abc');
  assert.equal(new Set(rounds).size, 6);
  for (const [name, expected] of Object.entries(ns)) {
    assert.equal(samples[name].length, 50);
    for (const value of samples[name]) assert.ok(Math.abs(value - expected) < 1e-3 * expected, `${name}: ${value}`);
  }
});
