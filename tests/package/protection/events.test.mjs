// Events of a protection: onEvent, the channel, and the events and reports of operations.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { test } from 'node:test';

import { microtasks } from '../lib/clock.mjs';
import { printed } from '../lib/consumer.mjs';
import { down, error, fails, holding, importAll, plain, reports, timed, watched } from './entry.mjs';

const { breaker, budget, cooldown, protect, retry, retryAfter } = await importAll();

/** A list of the events of a protection, and the function that fills it. */
function listed() {
  const events = [];
  return { events, onEvent: (event) => void events.push(event) };
}

timed('a breaker: opened, rejected, half-open, closed, with its numbers and the key', async (clock) => {
  const { events, onEvent } = listed();
  const api = protect(breaker({ consecutiveFailures: 2, openMs: 1000 }), { onEvent });
  const call = (fn) => retry(fn, { ...plain, maxAttempts: 1, protection: api.for('k') }).catch(() => {});
  await call(down);
  await call(down);
  await clock.advance(200);
  await call(() => 1);
  await clock.advance(300);
  await call(() => 1);
  const key = 'k';
  assert.deepEqual(events, [
    { type: 'opened', key, state: 'open', retryAfterMs: 500, failures: 2, calls: 2, opens: 1 },
    { type: 'rejected', key, by: 'breaker', retryAfterMs: 300 },
    { type: 'half-open', key, state: 'half-open', retryAfterMs: 500, failures: 2, calls: 2, opens: 1 },
    { type: 'closed', key, state: 'closed', retryAfterMs: 0, failures: 0, calls: 0, opens: 1 },
  ]);
  assert.ok(events.every(Object.isFrozen));
  events.length = 0;
  api.open(70);
  api.close();
  api.close();
  const shown = events.map(({ type, key, retryAfterMs }) => `${type} ${key} ${retryAfterMs}`);
  assert.deepEqual(shown, ['opened undefined 70', 'closed undefined 0']);
});

timed('a cooldown: held, rejected', async (clock) => {
  const { events, onEvent } = listed();
  const api = protect(cooldown(), { onEvent });
  await holding(api, 600);
  watched(retry(() => 1, { ...plain, random: () => 0.5, protection: api }));
  watched(retry(() => 1, { ...plain, totalTimeoutMs: 50, protection: api }));
  await clock.drain();
  assert.deepEqual(events, [
    { type: 'held', holdMs: 750 },
    { type: 'rejected', by: 'cooldown', retryAfterMs: 600 },
  ]);
});

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

timed('a budget: empty at the first rejection, rejected at each, full once it is', async (clock) => {
  const { events, onEvent } = listed();
  const api = protect(budget({ capacity: 1, perSuccess: 0.5, refund: false }), { onEvent });
  const run = async (fn) => {
    watched(retry(fn, { ...plain, maxAttempts: 3, protection: api }));
    await clock.drain();
  };
  await run(() => 1);
  await run(down);
  await run(down);
  await run(() => 1);
  assert.equal(events.length, 3);
  await run(() => 1);
  await run(() => 1);
  await run(down);
  assert.deepEqual(events, [
    { type: 'budget-empty', tokens: 0, capacity: 1 },
    { type: 'rejected', by: 'budget' },
    { type: 'rejected', by: 'budget' },
    { type: 'budget-full', tokens: 1, capacity: 1 },
    { type: 'budget-empty', tokens: 0, capacity: 1 },
    { type: 'rejected', by: 'budget' },
  ]);
});

timed('onEvent is treated as a hook: not awaited, its errors are reported and change nothing', async (clock, t) => {
  const reported = reports(t);
  for (const onEvent of [fails(error), async () => fails(error)()]) {
    const api = protect(breaker({ consecutiveFailures: 1 }), { onEvent });
    const seen = watched(retry(down, { ...plain, protection: api }));
    await microtasks();
    assert.ok(Object.is(seen.error, error));
    assert.equal(api.status().breaker.state, 'open');
    // Opened, and rejected.
    assert.deepEqual(reported.splice(0), [error, error]);
  }
});

timed('events come in the context of the operation that they are about', async () => {
  const storage = new AsyncLocalStorage();
  const seen = [];
  const api = protect(breaker({ consecutiveFailures: 1 }), cooldown(), {
    onEvent: ({ type }) => seen.push([type, storage.getStore()]),
  });
  for (const name of ['first', 'second'])
    storage.run(name, () => watched(retry(down, { ...plain, maxAttempts: 1, protection: api })));
  await microtasks();
  assert.deepEqual(seen, [
    ['opened', 'first'],
    ['rejected', 'second'],
  ]);
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
