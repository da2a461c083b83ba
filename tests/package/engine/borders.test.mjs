// The borders of an operation: listeners of callers that throw, and errors of ours that callers have frozen.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Window } from 'happy-dom';
import nodeAbortController from 'node-abort-controller';

import { fails } from '../lib/callbacks.mjs';
import { replace, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { TimeoutError, retry, retryReport } = await importPackage();
const { hedge, protect } = await importEntry('protection');
const light = await importEntry('light');

const page = new Window();
/** A page hears of a listener's error by itself; in the last one, the error leaves `abort`. */
const HOSTS = {
  native: AbortController,
  'happy-dom': page.AbortController,
  'node-abort-controller': nodeAbortController.AbortController,
};
/** The ways to run an operation: with one attempt at a time, with hedges, and by rejitter/light. */
const OPTIONS = { baseMs: 1, maxAttempts: 3, jitter: 'none' };
const RUNS = {
  plain: (fn, options) => retry(fn, { ...OPTIONS, ...options }),
  hedged: (fn, options) =>
    retry(fn, { ...OPTIONS, ...options, protection: protect(hedge({ delayMs: 10, maxRatio: 1 })) }),
  light: (fn, options) => light.retry(fn, { ...OPTIONS, ...options }),
};

/** An attempt that never ends, and whose listener does this with the reason. */
const hanging =
  (listener) =>
  ({ signal }) => {
    signal.addEventListener('abort', () => listener(signal.reason));
    return new Promise(() => {});
  };

const mine = new Error('mine');
const throwing = hanging(fails(mine));

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

for (const [host, Controller] of Object.entries(HOSTS))
  for (const [name, run] of Object.entries(RUNS))
    test(`an abort listener that throws neither keeps an operation pending nor changes a timeout: ${host}, ${name}`, async () => {
      // Both attempts of an operation that has a hedge are aborted.
      const times = name === 'hedged' ? 2 : 1;
      const { value, reported } = await inHost(Controller, (clock) => {
        const controller = new AbortController();
        const { signal } = controller;
        const all = [throwing, hanging(() => {}), throwing].map((fn) => run(fn, { signal }));
        clock.arm(() => controller.abort(), 50, []);
        return Promise.allSettled(all).then((ends) => ends.map((end) => end.reason === signal.reason));
      });
      assert.deepEqual(value, [true, true, true]);
      assert.deepEqual(reported, Array(2 * times).fill(mine));
      for (const [limit, attempts] of Object.entries({ attemptTimeoutMs: 3, totalTimeoutMs: 1 })) {
        const { error, reported } = await inHost(Controller, () => run(throwing, { [limit]: 40 }));
        assert.equal(error.name, 'TimeoutError');
        if (name !== 'light') assert.ok(error instanceof TimeoutError && error.message.includes(limit));
        const made = name === 'light' ? attempts : retryReport(error).attempts;
        assert.ok(made <= attempts * times && reported.length === made, `${limit}: ${reported.length} of ${made}`);
      }
    });

/** What callers do with an error of ours once they have it. */
const GRIPS = {
  freeze: (reason) => Object.freeze(reason),
  seal: (reason) => Object.seal(reason),
  'no stack': (reason) => delete reason.stack && Object.preventExtensions(reason),
  'a stack that cannot change': (reason) => Object.defineProperty(reason, 'stack', { value: 1, configurable: false }),
};

const hangs = () => new Promise(() => {});

for (const [name, run] of Object.entries(RUNS))
  test(`a reason that a caller got hold of is a timeout all the same; one of the caller's comes out as it is: ${name}`, async () => {
    for (const [grip, take] of Object.entries(GRIPS))
      for (const [limit, reason] of Object.entries({ attemptTimeoutMs: 'exhausted', totalTimeoutMs: 'timeout' })) {
        const { error } = await underClock(() => run(hanging(take), { [limit]: 40 }));
        assert.equal(error.name, 'TimeoutError', `${grip}, ${limit}: ${error}`);
        assert.match(error.message, /timed out after 40 ms/);
        if (name !== 'light') assert.equal(retryReport(error).reason, reason, grip);
      }
    // An Error.captureStackTrace that throws changes no outcome.
    const putBack = replace(Error, 'captureStackTrace', fails(mine));
    const { error: late } = await underClock(() => run(hangs, { attemptTimeoutMs: 40 })).finally(putBack);
    assert.equal(late.name, 'TimeoutError');
    const refuse = () => assert.fail('nothing is asked of it');
    const traps = ['get', 'set', 'has', 'deleteProperty', 'defineProperty', 'preventExtensions'];
    const reason = new Proxy(new Error('mine'), Object.fromEntries(traps.map((trap) => [trap, refuse])));
    const { error } = await underClock((clock) => {
      const controller = new AbortController();
      clock.arm(() => controller.abort(reason), 20, []);
      return run(hangs, { signal: controller.signal });
    });
    assert.ok(Object.is(error, reason));
  });
