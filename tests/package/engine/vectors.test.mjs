// The golden vectors: the same seed gives the same waits, bit for bit, in the package as in native Rust,
// which is tested against the same file.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importPackage, infinite, vectors } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy } = await importPackage();
const rows = vectors('delays', infinite);

test('there are vectors, of every backoff and every jitter', () => {
  assert.ok(rows.length >= 16);
  const kinds = vectors('kinds');
  const names = (option) =>
    [...new Set(kinds[option].map(({ name }) => name))].filter((name) => name !== 'custom').sort();
  assert.deepEqual([...new Set(rows.map(({ options }) => options.backoff ?? 'exponential'))].sort(), names('backoff'));
  assert.deepEqual(
    [...new Set(rows.map(({ options }) => options.jitter?.type ?? options.jitter ?? 'full'))].sort(),
    names('jitter'),
  );
  assert.ok(rows.every(({ delays }) => delays.length > 0));
});

for (const [i, { options, seed, delays }] of rows.entries()) {
  test(`vector ${i + 1}: ${JSON.stringify({ ...options, seed })}`, () => {
    const { maxAttempts = 6, ...rest } = options;
    // The list may be the first part of a longer or endless one.
    const policy = new RetryPolicy({ ...rest, maxAttempts });
    const iterator = policy.delays({ seed });
    const given = delays.map(() => iterator.next().value);
    assert.equal(given.length, delays.length);
    for (const [k, wait] of delays.entries())
      assert.ok(Object.is(given[k], wait), `wait ${k + 1}: ${given[k]} instead of ${wait}`);
    // Without state as well: a queue asks for one wait at a time.
    assert.deepEqual(
      delays.map((_, k) => policy.delayMs(k + 1, { seed })),
      delays,
    );
    if (delays.length === maxAttempts - 1) assert.equal(iterator.next().done, true);
  });
}

const hints = vectors('hints', infinite);

test('a server cannot shorten the waits of a policy: hinted waits are those of the vectors', () => {
  assert.ok(hints.length >= 40);
  for (const { options, seed, hintMs, delays } of hints) {
    const policy = new RetryPolicy({ ...options, seed });
    const own = [...policy.delays()];
    assert.equal(own.length, delays.length);
    for (const [i, wait] of delays.entries()) {
      const hinted = policy.delayMs(i + 1, { hintMs });
      assert.ok(Object.is(hinted, wait), `${JSON.stringify(options)}, wait ${i + 1}: ${hinted} instead of ${wait}`);
      assert.ok(wait >= own[i] && wait >= hintMs);
    }
  }
});

test('an operation waits what the vectors say, rounded up', async () => {
  for (const { options, seed, delays } of rows.filter(({ options }) => options.maxAttempts < 100)) {
    const end = await operate(fails(0), { ...options, seed });
    // Waits longer than a timer can hold are armed in pieces: others test those.
    if (delays.every((ms) => ms < 2 ** 31 - 1))
      assert.deepEqual(end.delays, delays.slice(0, end.delays.length).map(Math.ceil));
    assert.ok(end.delays.length > 0);
  }
});
