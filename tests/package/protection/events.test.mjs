// Events of a protection on their channel. What onEvent gets, and when, the random schedules compare with a reference.

import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { test } from 'node:test';

import { printed } from '../lib/consumer.mjs';
import { down, fails, importAll, plain, timed, watched } from './entry.mjs';

const { breaker, budget, cooldown, protect, retry, retryAfter } = await importAll();

test('a draw that entropy cannot be had for holds and opens all the same', async () => {
  // A process of its own: entropy is taken at the first draws.
  const stdout = await printed(`
    import { retry, retryAfter } from 'rejitter';
    import { breaker, cooldown, protect } from 'rejitter/protection';
    import { virtualClock } from 'rejitter/testing';
    const clock = virtualClock();
    const types = [];
    const onEvent = ({ type }) => types.push(type);
    const protection = protect(breaker({ consecutiveFailures: 1 }), cooldown(), { onEvent });
    const ended = (error) => retry(() => { throw error; }, { maxAttempts: 1, protection }).catch((e) => e.message);
    // Compartments of SES do that.
    Date.now = () => { throw new TypeError('secure mode'); };
    console.error = () => types.push('reported');
    await ended(retryAfter(600, new Error('busy')));
    // The hold's probe, of which the breaker hears nothing.
    await ended(retryAfter(1, new Error('busy')));
    console.log(await clock.runUntil(ended(new Error('first'))), types.join());
  `);
  assert.equal(stdout, 'first held,opened\n');
});

timed('the channel publishes changes of breakers and rejections, of all protections', async (clock) => {
  const messages = [];
  const subscriber = (message, name) => messages.push([name, message]);
  const api = protect(breaker({ consecutiveFailures: 1 }), cooldown(), budget());
  const call = (fn, options) =>
    retry(fn, { ...plain, maxAttempts: 1, protection: api.for('k'), ...options }).catch(() => {});
  const observed = channel('rejitter:protection');
  observed.subscribe(subscriber);
  try {
    await call(fails(retryAfter(100)));
    watched(call(() => 1));
    await call(() => 1, { totalTimeoutMs: 10 });
    await clock.drain();
    await call(down);
    await call(() => 1);
  } finally {
    observed.unsubscribe(subscriber);
  }
  await call(() => 1);
  assert.deepEqual(messages, [
    ['rejitter:protection', { type: 'rejected', key: 'k', by: 'cooldown', retryAfterMs: 100 }],
    [
      'rejitter:protection',
      { type: 'opened', key: 'k', state: 'open', retryAfterMs: 500, failures: 1, calls: 2, opens: 1 },
    ],
    ['rejitter:protection', { type: 'rejected', key: 'k', by: 'breaker', retryAfterMs: 500 }],
  ]);
  assert.ok(messages.every(([, message]) => Object.isFrozen(message)));
});
