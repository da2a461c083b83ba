// Whose frames an error shows: those of the operation's caller. Whose context a callback runs in, the random schedules
// (../schedules) watch.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AWAITED } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { fragile, importAll } from '../protection/entry.mjs';

const { RetryPolicy, budget, createFetch, hedge, protect, retry } = await importAll();
const hedged = (delayMs) => ({ protection: protect(hedge({ delayMs, maxRatio: 1 })) });
const never = () => hedged(60_000);

/** Options that lead through different ways of the driver. */
const WAYS = {
  'no options but the waits': () => ({}),
  'limits, hooks and a predicate': () => ({
    ...{ signal: new AbortController().signal, attemptTimeoutMs: 60_000, totalTimeoutMs: 60_000 },
    ...{ onRetry() {}, onFailure() {}, onAttempt() {}, retryIf: async () => true },
  }),
  'a synchronous predicate': () => ({ retryIf: () => true }),
  'an attempt timeout': () => ({ attemptTimeoutMs: 60_000 }),
  [AWAITED]: () => ({ async [AWAITED]() {} }),
  'a list of waits': () => ({ backoff: [1, 2] }),
  random: () => ({ random: () => 0.5 }),
  'a poll': () => ({ retryOnResult: async () => true }),
  protection: () => ({ protection: protect(budget()) }),
  'a hedge that never starts': never,
  'hedges, and a signal': () => ({ ...hedged(5), signal: new AbortController().signal }),
};

/** How the callback fails. */
const THROWS = {
  synchronously: function work() {
    throw new Error('failed');
  },
  'at once': async function work() {
    throw new Error('failed');
  },
  'after 15 ms': async function work() {
    await new Promise((go) => setTimeout(go, 15));
    throw new Error('failed');
  },
};

/** The stack of the error with which a call ends that two functions await. */
async function stackOf(call, ...args) {
  async function theCaller() {
    return await call(...args);
  }
  async function itsCaller() {
    await theCaller();
  }
  return (await underClock(itsCaller)).error.stack;
}

for (const [name, options] of Object.entries(WAYS))
  test(`the caller's frames are in the stack of an error of attempts 1 and 3: ${name}`, async () => {
    for (const [how, work] of Object.entries(THROWS))
      for (const maxAttempts of [1, 3]) {
        const stack = await stackOf(retry, work, { baseMs: 1, ...options(), maxAttempts });
        for (const frame of name.includes('hedge') ? ['work', 'theCaller'] : ['work', 'theCaller', 'itsCaller'])
          assert.match(stack, new RegExp(`at (async )?${frame} `), `${how}, of ${maxAttempts}`);
      }
  });

const refuses = async () => {
  await null;
  throw new TypeError('fetch failed');
};
const hangs = () => new Promise(() => {});
const policy = new RetryPolicy({ baseMs: 1, maxAttempts: 3 });
const open = fragile();
open.open();
/** Other calls, by the error with which they end. */
const CALLS = {
  'TypeError: fetch failed': [
    ...[() => policy.run(refuses), () => policy.wrap(refuses)()],
    () => createFetch({ baseMs: 1, ...never() }, refuses)('http://localhost/'),
  ],
  'RejectedError: rejitter: ': [
    () => createFetch({ protection: open, protectionKey: () => null })('http://localhost/'),
    () => retry(refuses, { protection: open }),
    () => new RetryPolicy({ protection: open, totalTimeoutMs: 9 }).wrap(refuses)(),
  ],
  'TimeoutError: rejitter: ': [
    () => retry(hangs, { attemptTimeoutMs: 2, maxAttempts: 2, baseMs: 0 }),
    () => retry(hangs, { totalTimeoutMs: 2 }),
    () => retry(({ attempt }) => (attempt < 2 ? refuses() : hangs()), { totalTimeoutMs: 30, baseMs: 0 }),
    () => retry(hangs, { attemptTimeoutMs: 20, maxAttempts: 3, baseMs: 0, ...hedged(5) }),
  ],
};
for (const [start, calls] of Object.entries(CALLS))
  test(`the caller is in the stack of policies, fetches and protection: ${start}`, async () => {
    for (const call of calls) {
      const stack = await stackOf(call);
      assert.ok(stack.startsWith(start), stack);
      assert.match(stack, /at (async )?theCaller /, String(call));
    }
  });
