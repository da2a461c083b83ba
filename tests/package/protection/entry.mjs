// The entries with protection, as a consumer imports them, and what the tests here share.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { onClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { fails } from '../lib/callbacks.mjs';

export { fails };

/** `rejitter`, `rejitter/protection` and `rejitter/fetch` of the consumer folder, as one object. */
export const importAll = async () => ({
  ...(await importPackage()),
  ...(await importEntry('protection')),
  ...(await importEntry('fetch')),
});

/** A promise with what settles it, and how it was settled: `state` is 'pending', 'fulfilled' or 'rejected'. */
export function watched(promise) {
  const seen = { state: 'pending', value: undefined, error: undefined };
  promise.then(
    (value) => Object.assign(seen, { state: 'fulfilled', value }),
    (error) => Object.assign(seen, { state: 'rejected', error }),
  );
  return seen;
}

/** Waits of exactly 100 ms. */
export const plain = { backoff: 'fixed', baseMs: 100, jitter: 'none', random: () => 0 };
export const error = new Error('down');
export const down = fails(error);

/** A test that runs under a virtual clock, which starts at 0, and leaves no timer. */
export const timed = (name, body, ofClock) =>
  test(name, (t) =>
    onClock(
      async (clock) => {
        await body(clock, t);
        assert.equal(clock.pending.size, 0, 'a timer is left');
      },
      { start: 0, ...ofClock },
    ),
  );

/** A list of what goes to `console.error`, or `warn`, until the test ends. */
export function reports(t, method = 'error') {
  const seen = [];
  t.mock.method(console, method, (thrown) => seen.push(thrown));
  return seen;
}

const { breaker, budget, cooldown, hedge, limiter, protect, retry, retryAfter } = await importAll();

export const PARTS = { budget, breaker, cooldown, limiter, hedge };

/** Parts by their names and options, as a table has them. */
export const partsOf = (parts) => Object.entries(parts).map(([name, options]) => PARTS[name](options));

/** A step of a script, by its number. The last one repeats. */
export const nth = (script, n) => script[Math.min(n, script.length) - 1];

/** The numbers that `expected` names. */
export const namedIn = (expected, numbers) =>
  Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [
      name,
      Object(value) === value ? namedIn(value, numbers[name]) : (numbers[name] ?? null),
    ]),
  );

/** An operation in which the server asks everyone to wait. */
export const hint = (protection, ms) =>
  retry(fails(retryAfter(ms)), { ...plain, maxAttempts: 1, protection }).catch(() => {});

/** The same, and the first attempt that comes fails: the hold's probe. The next ones are held. */
export const holding = async (protection, ms) => {
  await hint(protection, ms);
  await retry(down, { ...plain, maxAttempts: 1, protection }).catch(() => {});
};

export const state = (api) => api.status().breaker.state;

/** A protection whose circuit opens for 500 ms at the first failure, with draw 0. */
export const fragile = (...parts) => protect(breaker({ consecutiveFailures: 1, openMs: 1000 }), ...parts);
