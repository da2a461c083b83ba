// Attempts and draws, as far as the random schedules (../schedules) do not look at them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy, retry } = await importPackage();
const E = new Error('failing');
const failing = fails(E);

test('delays() draws once for each wait that has a draw', () => {
  const kinds = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];
  for (const jitter of [...kinds, { type: 'proportional', ratio: 0.5 }, { type: 'additive', maxMs: 5 }]) {
    let draws = 0;
    const random = () => {
      draws += 1;
      return 0.5;
    };
    assert.equal([...new RetryPolicy({ jitter, maxAttempts: 5, random }).delays()].length, 4);
    assert.equal(draws, jitter === 'none' ? 0 : 4, JSON.stringify(jitter));
  }
});

test('pollyV2 with a custom random: the second draw of a wait comes from the lower digits of the first', async () => {
  const draws = [0.9, 0.8, 0.7, 0.6];
  // Above the cap the value is cap/2 + r′·cap/2.
  const options = { jitter: 'pollyV2', baseMs: 1000, capMs: 1000, maxAttempts: 5 };
  let i = 0;
  const { delays } = await operate(failing, { ...options, random: () => draws[i++] });
  assert.equal(i, 4);
  assert.ok(
    draws.some((r, k) => delays[k] === Math.ceil(500 + ((r * 2 ** 26) % 1) * 500)),
    delays.join(),
  );
  // The redraw is as uniform as with two draws, though only large values of r need it.
  const curve = { jitter: 'pollyV2', baseMs: 1000, capMs: 3000, maxAttempts: 4 };
  const lowerHalf = (policyOf) => {
    const upper = Array.from({ length: 4096 }, (_, seed) => [...policyOf(seed).delays()][2]).filter((ms) => ms >= 1500);
    return upper.filter((ms) => ms < 2250).length / upper.length;
  };
  const oneDraw = lowerHalf((seed) => {
    const uniform = new RetryPolicy({ backoff: 'fixed', baseMs: 1, seed }).delays();
    return new RetryPolicy({ ...curve, random: () => uniform.next().value });
  });
  const twoDraws = lowerHalf((seed) => new RetryPolicy({ ...curve, seed }));
  assert.ok(Math.abs(oneDraw - twoDraws) < 0.05, `${oneDraw} and ${twoDraws}`);
});

test('the first attempt is called in the stack of the caller, without a receiver, with the attempt alone', async () => {
  let called = false;
  function caller() {
    return retry(function (...args) {
      called = true;
      assert.deepEqual([this, args.length], [undefined, 1]);
      return new Error('here').stack;
    });
  }
  const promise = caller();
  assert.ok(called);
  assert.match(await promise, /at caller /);
});

test('an attempt shows the time as it passes, and callbacks cannot change it to mislead each other', async () => {
  const seen = [];
  await operate(
    (attempt, clock) => {
      for (const name of ['attempt', 'signal', 'previousError', 'elapsedMs'])
        assert.throws(() => Object.assign(attempt, { [name]: 99 }), TypeError, name);
      const before = [attempt.elapsedMs, attempt.remainingMs];
      clock.now += 7;
      seen.push([...before, attempt.elapsedMs, attempt.remainingMs]);
      if (attempt.attempt < 2) throw E;
    },
    { jitter: 'none', totalTimeoutMs: 500 },
  );
  assert.deepEqual(seen, [
    [0, 500, 7, 493],
    [107, 393, 114, 386],
  ]);
});

test('a deadline that a hook lets pass before the first attempt is named in the error', async () => {
  const { error } = await underClock((clock) => {
    const onAttempt = () => {
      clock.now += 200;
    };
    return retry(assert.fail, { totalTimeoutMs: 100, onAttempt });
  });
  assert.match(error.message, /^rejitter: the operation timed out after 100 ms .*, before the first attempt$/);
});
