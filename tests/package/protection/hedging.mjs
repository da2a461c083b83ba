// The set-up of the tests of hedging: a virtual clock, and operations whose calls the test ends.

import assert from 'node:assert/strict';

import { microtasks } from '../lib/clock.mjs';
import { controlled, importAll, timed, watched } from './entry.mjs';

const { RetryPolicy, createFetch, hedge, protect } = await importAll();

/** At most one hedge per round, 50 ms after the attempt; waits of 100 ms. */
const OPTIONS = { maxAttempts: 4, backoff: 'fixed', baseMs: 100, jitter: 'none', random: () => 0 };
const partsOr = (parts) => protect(...(parts.length > 0 ? parts : [hedge({ delayMs: 50 })]));

/** Starts an operation. Returns its calls and its end. */
export function begin(options, ...parts) {
  const api = partsOr(parts);
  const policy = new RetryPolicy({ ...OPTIONS, metrics: true, protection: api, ...options });
  const { fn, calls } = controlled();
  return { api, policy, calls, run: watched(policy.run(fn)) };
}

/** Makes a fetch. Returns it with the calls of the inner one, and the state of hedging. */
export function make(options, ...parts) {
  const calls = [];
  const inner = (input, init) =>
    new Promise((resolve, reject) => {
      const call = { input, init, resolve, reject, signal: init?.signal ?? input.signal };
      call.signal?.addEventListener('abort', () => reject(call.signal.reason));
      calls.push(call);
    });
  const api = partsOr(parts);
  const fetch = createFetch({ ...OPTIONS, protection: api, ...options }, inner);
  return { fetch, calls, status: () => api.for('https://example.com').status() };
}

/** A test under a virtual clock from 0, which leaves no timer. */
export const hedged = (name, body) =>
  timed(name, async (clock) => {
    const at = async (ms) => {
      await clock.advance(ms - clock.now);
      assert.equal(clock.now, ms);
    };
    await body({ at, clock });
  });

/** Settles a call, and lets everything run that follows at once. */
export function ok(call, value) {
  call.resolve(value);
  return microtasks();
}
