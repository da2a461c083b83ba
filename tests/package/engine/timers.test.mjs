// The waits as the host sees them: the arguments of setTimeout, and who is called for them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { VirtualClock, turn } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';
import { kindsOf } from '../schedules/waits.mjs';

const { RetryPolicy, retry } = await importPackage();
const failing = fails(0);

for (const jitter of [...kindsOf('jitter'), { type: 'proportional', ratio: 0.5 }, { type: 'additive', maxMs: 5 }])
  test(`T03 T05 5,000 failing attempts, jitter ${inspect(jitter)}: whole waits within the cap, as spread late as early`, async () => {
    const policy = { jitter, capMs: 9000, minMs: 5, maxAttempts: 5000, seed: 'T03' };
    const { delays } = await operate(failing, policy);
    assert.equal(delays.length, 4999);
    for (const ms of delays) assert.ok(Number.isInteger(ms) && ms >= 5 && ms <= 9000, `setTimeout(${ms})`);
    assert.deepEqual(delays, [...new RetryPolicy(policy).delays()].map(Math.ceil));
    // Attempt 5,000 has the bounds of attempt 50.
    const mean = (list) => list.reduce((a, b) => a + b) / list.length;
    const [early, late] = [delays.slice(50, 1050), delays.slice(-1000)].map(mean);
    assert.ok(Math.abs(early - late) < 1000, `${early} against ${late}`);
  });

test('M03 maxAttempts Infinity works: 20,000 failures, then a value', async () => {
  const fn = ({ attempt }) => (attempt <= 20_000 ? failing() : 'value');
  const { value, calls } = await operate(fn, { maxAttempts: Infinity, baseMs: 0 });
  assert.deepEqual([value, calls], ['value', 20_001]);
});

test('timers and the clock are looked up at each use, not kept from the import or from the wait before', async () => {
  const one = new VirtualClock().install();
  const promise = retry(({ attempt }) => (attempt < 3 ? failing() : attempt), { jitter: 'none' });
  await turn();
  const waiting = one.next();
  one.uninstall();
  // The second wait goes to the clock of that moment.
  const two = new VirtualClock({ start: one.now + 100 }).install();
  try {
    waiting.callback();
    await two.drain();
    assert.deepEqual([one.delays, two.delays, await promise], [[100], [200], 3]);
  } finally {
    two.uninstall();
  }
});
