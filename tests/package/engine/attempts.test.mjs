// Attempts, as far as neither the table of operations nor the random schedules (../schedules) look at them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy, retry } = await importPackage();
const E = new Error('failing');

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
