// The entries with protection, as a consumer imports them, and what the tests here share.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { VirtualClock } from '../lib/clock.mjs';
import { project } from '../lib/consumer.mjs';

const dir = project('protection', {
  'all.mjs': "export * from 'rejitter';\nexport * from 'rejitter/protection';\nexport * from 'rejitter/fetch';\n",
});

/** `rejitter`, `rejitter/protection` and `rejitter/fetch` of the consumer folder, as one module. */
export const importAll = () => import(pathToFileURL(join(dir, 'all.mjs')).href);

/** A promise with what settles it, and how it was settled: `state` is 'pending', 'fulfilled' or 'rejected'. */
export function watched(promise) {
  const seen = { state: 'pending', value: undefined, error: undefined };
  promise.then(
    (value) => Object.assign(seen, { state: 'fulfilled', value }),
    (error) => Object.assign(seen, { state: 'rejected', error }),
  );
  return seen;
}

/** A callback whose end the test decides: each call adds `{ resolve, reject, attempt }`. */
export function controlled() {
  const calls = [];
  const fn = (attempt) =>
    new Promise((resolve, reject) => {
      calls.push({ resolve, reject, attempt });
    });
  return { fn, calls };
}

export const fails = (error) => () => {
  throw error;
};

/** Waits of exactly 100 ms. */
export const plain = { backoff: 'fixed', baseMs: 100, jitter: 'none', random: () => 0 };
export const error = new Error('down');
export const down = fails(error);

/** A test that runs under a virtual clock, which starts at 0, and leaves no timer. */
export const timed = (name, body) =>
  test(name, async () => {
    const clock = new VirtualClock({ start: 0 }).install();
    try {
      await body(clock);
      assert.equal(clock.pending.size, 0, 'a timer is left');
    } finally {
      clock.uninstall();
    }
  });
