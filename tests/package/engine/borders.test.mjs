// The borders of an operation: listeners of callers that throw, and errors of ours that callers have frozen.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Window } from 'happy-dom';
import nodeAbortController from 'node-abort-controller';

import { replace, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { TimeoutError, retry, retryReport } = await importPackage();
const { hedge, protect } = await importEntry('protection');

const page = new Window();
/** A page hears of a listener's error by itself; in the last one, the error leaves `abort`. */
const HOSTS = {
  native: AbortController,
  'happy-dom': page.AbortController,
  'node-abort-controller': nodeAbortController.AbortController,
};
const GUARDS = { plain: () => undefined, hedged: () => protect(hedge({ delayMs: 10, maxRatio: 1 })) };
const options = (guard) => ({ baseMs: 1, maxAttempts: 3, jitter: 'none', protection: GUARDS[guard]() });

/** An attempt that never ends, and whose listener does this with the reason. */
const hanging =
  (listener) =>
  ({ signal }) => {
    signal.addEventListener('abort', () => listener(signal.reason));
    return new Promise(() => {});
  };

const mine = new Error('mine');
const throwing = hanging(() => {
  throw mine;
});

/** Runs it in a host. Returns how it ended, and what was reported, by the package or by the host. */
async function inHost(Controller, body) {
  const reported = [];
  const saved = [
    replace(globalThis, 'AbortController', Controller),
    replace(console, 'error', (error) => reported.push(error)),
  ];
  const heard = ({ error }) => reported.push(error);
  page.addEventListener('error', heard);
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => reported.push(error));
  try {
    return { ...(await underClock(body)), reported };
  } finally {
    for (const putBack of saved) putBack();
    page.removeEventListener('error', heard);
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
}

for (const [host, Controller] of Object.entries(HOSTS)) {
  for (const guard of Object.keys(GUARDS)) {
    test(`an abort listener that throws keeps no operation pending: ${host}, ${guard}`, async () => {
      const { value, reported } = await inHost(Controller, (clock) => {
        const controller = new AbortController();
        const run = (fn) => retry(fn, { ...options(guard), signal: controller.signal });
        const all = [throwing, hanging(() => {}), throwing].map(run);
        clock.arm(() => controller.abort(), 50, []);
        return Promise.allSettled(all).then((ends) => ends.map((end) => end.reason === controller.signal.reason));
      });
      assert.deepEqual(value, [true, true, true]);
      // Both attempts of an operation that has a hedge.
      assert.deepEqual(reported, Array(guard === 'plain' ? 2 : 4).fill(mine));
    });

    test(`an abort listener that throws leaves timeouts as they are: ${host}, ${guard}`, async () => {
      for (const [limit, attempts] of [
        ['attemptTimeoutMs', 3],
        ['totalTimeoutMs', 1],
      ]) {
        const { error, reported } = await inHost(Controller, () => retry(throwing, { ...options(guard), [limit]: 40 }));
        const times = guard === 'plain' ? 1 : 2;
        assert.deepEqual([error instanceof TimeoutError, error.message.includes(limit)], [true, true]);
        assert.ok(retryReport(error).attempts <= attempts * times && reported.length === retryReport(error).attempts);
      }
    });
  }
}

/** What callers do with an error of ours once they have it. */
const GRIPS = {
  freeze: (reason) => Object.freeze(reason),
  seal: (reason) => Object.seal(reason),
  'no stack': (reason) => delete reason.stack && Object.preventExtensions(reason),
  'a stack that cannot change': (reason) => Object.defineProperty(reason, 'stack', { value: 1, configurable: false }),
};

for (const guard of Object.keys(GUARDS)) {
  for (const [grip, take] of Object.entries(GRIPS)) {
    test(`a reason that a caller got hold of is a timeout all the same: ${grip}, ${guard}`, async () => {
      for (const [limit, reason] of [
        ['attemptTimeoutMs', 'exhausted'],
        ['totalTimeoutMs', 'timeout'],
      ]) {
        const { error } = await underClock(() => retry(hanging(take), { ...options(guard), [limit]: 40 }));
        assert.ok(error instanceof TimeoutError, `${limit}: ${error}`);
        assert.deepEqual([error.message.includes(limit), retryReport(error).reason], [true, reason]);
      }
    });
  }

  test(`a reason of the caller's that answers nothing comes out as it is: ${guard}`, async () => {
    const refuse = () => assert.fail('nothing is asked of it');
    const traps = Object.fromEntries(
      ['get', 'set', 'has', 'deleteProperty', 'defineProperty', 'preventExtensions'].map((name) => [name, refuse]),
    );
    const reason = new Proxy(new Error('mine'), traps);
    const { error } = await underClock((clock) => {
      const controller = new AbortController();
      clock.arm(() => controller.abort(reason), 20, []);
      return retry(
        hanging(() => {}),
        { ...options(guard), signal: controller.signal },
      );
    });
    assert.ok(Object.is(error, reason));
  });

  test(`an Error.captureStackTrace that throws changes no outcome: ${guard}`, async () => {
    const putBack = replace(Error, 'captureStackTrace', () => {
      throw mine;
    });
    try {
      const { error } = await underClock(() =>
        retry(
          hanging(() => {}),
          { ...options(guard), attemptTimeoutMs: 40 },
        ),
      );
      assert.deepEqual([error.name, retryReport(error).reason], ['TimeoutError', 'exhausted']);
    } finally {
      putBack();
    }
  });
}
