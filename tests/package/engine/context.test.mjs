// Whose context a callback runs in, and whose frames an error shows: those of the operation's caller.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';

import { HOOKS, fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { fragile, importAll } from '../protection/entry.mjs';

const { RetryPolicy, budget, createFetch, hedge, protect, retry } = await importAll();

/** Options whose every callback writes down which context it ran in. */
function watching(storage, seen) {
  const note = (name, answer) => () => {
    seen.push([name, storage.getStore()]);
    return answer;
  };
  const retryIf = async () => {
    note('retryIf')();
    await null;
    return note('retryIf, later', true)();
  };
  const answers = { random: note('random', 0.5), backoff: note('backoff', 1), retryOnResult: note('onResult', false) };
  return {
    baseMs: 1,
    maxAttempts: 3,
    retryIf,
    ...answers,
    ...Object.fromEntries(HOOKS.map((name) => [name, note(name)])),
  };
}

test('100 operations at once, in contexts of their own: every attempt, predicate and hook sees its own', async () => {
  const storage = new AsyncLocalStorage();
  const one = (i) => async () => {
    const seen = [];
    const limits = i % 2 && { attemptTimeoutMs: 60_000, totalTimeoutMs: 60_000 };
    const fn = ({ attempt }) => {
      seen.push(['fn', storage.getStore()]);
      if (attempt < 3 || i % 5 === 0) throw attempt;
    };
    await retry(fn, { ...watching(storage, seen), ...limits }).catch(() => {});
    return seen;
  };
  const all = await Promise.all(Array.from({ length: 100 }, (_, i) => storage.run(i, one(i))));
  for (const [i, seen] of all.entries()) {
    for (const [name, store] of seen) assert.equal(store, i, name);
    const kinds = new Set(seen.map(([name]) => name));
    for (const name of ['fn', 'retryIf', 'retryIf, later', 'random', 'backoff', 'onAttempt', 'onFailure', 'onRetry'])
      assert.ok(kinds.has(name), name);
    assert.ok(kinds.has(i % 5 === 0 ? 'onGiveUp' : 'onSuccess'));
  }
});

for (const moment of ['the attempt', 'the wait', 'retryIf']) {
  test(`aborted from another context, during ${moment}: what runs because of it runs in the operation's`, async () => {
    const storage = new AsyncLocalStorage();
    const seen = [];
    const controller = new AbortController();
    let reached;
    const promise = new Promise((go) => {
      reached = go;
    });
    /** Hangs if this is the moment. */
    const at = (here, otherwise) => () => {
      if (moment !== here) return otherwise();
      reached();
      return new Promise(() => {});
    };
    const options = {
      ...watching(storage, seen),
      signal: controller.signal,
      backoff: () => 60_000,
      capMs: 60_000,
      onRetry: at('the wait', () => {}),
      retryIf: at('retryIf', () => true),
    };
    const operation = storage.run('caller', () =>
      retry(at('the attempt', fails(0)), options).catch((reason) => [reason, storage.getStore()]),
    );
    await promise;
    await new Promise((go) => setTimeout(go, 5));
    storage.run('aborter', () => controller.abort('enough'));
    assert.deepEqual(await operation, ['enough', 'caller']);
    assert.ok(seen.some(([name]) => name === 'onGiveUp'));
    for (const [name, store] of seen) assert.equal(store, 'caller', name);
  });
}

/** Options that lead through different ways of the driver. */
const WAYS = {
  'no options but the waits': {},
  'a deadline': { totalTimeoutMs: 60_000 },
  'an attempt timeout': { attemptTimeoutMs: 60_000 },
  hooks: { onRetry() {}, onFailure() {}, onAttempt() {} },
  'a predicate': { retryIf: async () => true },
  everything: () => ({
    ...{ signal: new AbortController().signal, attemptTimeoutMs: 60_000, totalTimeoutMs: 60_000 },
    ...{ onRetry() {}, retryIf: () => true },
  }),
  beforeRetry: { async beforeRetry() {} },
  'a list of waits': { backoff: [1, 2] },
  random: { random: () => 0.5 },
  'a poll': { retryOnResult: async () => true },
  protection: () => ({ protection: protect(budget()) }),
  'a hedge that never starts': () => ({ protection: protect(hedge({ delayMs: 60_000 })) }),
  'hedges, and a signal': () => ({ ...hedged(), signal: new AbortController().signal }),
};
const hedged = () => ({ protection: protect(hedge({ delayMs: 5, maxRatio: 1 })) });

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

for (const [name, options] of Object.entries(WAYS)) {
  test(`the caller's frames are in the stack of an error of attempts 1 and 3: ${name}`, async () => {
    for (const [how, work] of Object.entries(THROWS))
      for (const maxAttempts of [1, 3]) {
        const given = { baseMs: 1, ...(typeof options === 'function' ? options() : options), maxAttempts };
        const stack = await stackOf(retry, work, given);
        for (const frame of name.includes('hedge') ? ['work', 'theCaller'] : ['work', 'theCaller', 'itsCaller'])
          assert.match(stack, new RegExp(`at (async )?${frame} `), `${how}, of ${maxAttempts}`);
      }
  });
}

test('the caller is in the stack of policies, hedged fetches, rejections by protection, and timeouts', async () => {
  const refuses = async () => {
    await null;
    throw new TypeError('fetch failed');
  };
  const hangs = () => new Promise(() => {});
  const second = ({ attempt }) => (attempt < 2 ? refuses() : hangs());
  const never = { baseMs: 1, protection: protect(hedge({ delayMs: 60_000 })) };
  const policy = new RetryPolicy({ baseMs: 1, maxAttempts: 3 });
  const open = fragile();
  open.open();
  for (const call of [
    () => policy.run(refuses),
    () => policy.wrap(refuses)(),
    () => createFetch(never, refuses)('http://localhost/'),
    () => createFetch({ protection: open, protectionKey: () => null })('http://localhost/'),
    () => retry(refuses, { protection: open }),
    () => new RetryPolicy({ protection: open, totalTimeoutMs: 9 }).wrap(refuses)(),
  ])
    assert.match(await stackOf(call), /at (async )?theCaller /, String(call));
  for (const call of [
    () => retry(hangs, { attemptTimeoutMs: 2, maxAttempts: 2, baseMs: 0 }),
    () => retry(hangs, { totalTimeoutMs: 2 }),
    () => retry(second, { totalTimeoutMs: 30, baseMs: 0 }),
    () => retry(hangs, { attemptTimeoutMs: 20, maxAttempts: 3, baseMs: 0, ...hedged() }),
  ])
    assert.match(await stackOf(call), /^TimeoutError: rejitter: [^]*at async theCaller /, String(call));
});
