// Data of a policy that take a megabyte, or say what takes long, and a bound for what is done with them.

import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { kindsOf } from '../schedules/waits.mjs';

export const jitters = [...kindsOf('jitter'), { type: 'proportional', ratio: 1 }, { type: 'additive', ratio: 1000 }];

export function hugeData() {
  const text = 'x'.repeat(1_000_000);
  const nested = (wrap) => {
    let value = 1;
    for (let i = 0; i < 5_000; i += 1) value = wrap(value);
    return value;
  };
  const most = 2 ** 53 - 1;
  return [
    ...[Array(500_000).fill(1), Array(1_000).fill(5e-324), Array(200_000).fill('x')].map((backoff) => ({ backoff })),
    ...[{ seed: text }, { name: text }, { [text]: 1 }, { jitter: text }],
    ...[{ jitter: nested((inner) => ({ type: inner })) }, { backoff: nested((inner) => [inner]) }],
    Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`unknown${i}`, i])),
    { backoff: 'exponential', factor: 1 + 2 ** -52, baseMs: 5e-324, maxAttempts: most },
    { backoff: 'fibonacci', baseMs: 5e-324, maxAttempts: 1e15 },
    ...jitters.map((jitter) => ({ jitter, maxAttempts: most, capMs: 'Infinity' })),
  ].map((data) => ({ version: 1, ...data }));
}

const used = () => process.memoryUsage().external + process.memoryUsage().arrayBuffers;
const before = used();

/** Fails unless what is done with the data, and may throw an error of this package, costs little time and memory. */
export function cheap(step, data) {
  // Time of the processor: other processes do not lengthen it.
  const from = process.cpuUsage();
  try {
    step();
  } catch (error) {
    assert.match(error.message, /^rejitter: /);
  }
  const { user, system } = process.cpuUsage(from);
  // Far above what it takes: a bound for accidents.
  assert.ok(user + system < 1e6, `${step} of ${inspect(data, { depth: 1 }).slice(0, 80)}: ${user + system} µs`);
  assert.ok(used() - before < 10_000_000);
}
