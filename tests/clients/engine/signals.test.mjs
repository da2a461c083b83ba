// Signals, as far as neither the table of operations nor the random schedules look at them: listeners of callers that
// throw, and errors of ours that callers have frozen. Each operation is run with one attempt at a time, with
// hedges, and by rejitter/light.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Window } from 'happy-dom';
import nodeAbortController from 'node-abort-controller';

import { fails } from '../../package/lib/callbacks.mjs';
import { replace, underClock } from '../../package/lib/clock.mjs';
import { importEntry, importPackage } from '../../package/lib/consumer.mjs';

const { TimeoutError, retry, retryReport } = await importPackage();
const { hedge, protect } = await importEntry('protection');
const light = await importEntry('light');

const mine = new Error('mine');

/** An attempt that never ends, and whose listener does this with the reason. */
const hanging =
  (listener) =>
  ({ signal }) => {
    signal.addEventListener('abort', () => listener(signal.reason));
    return new Promise(() => {});
  };
const throwing = hanging(fails(mine));

const page = new Window();
/** A page hears of a listener's error by itself; in the last one, the error leaves `abort`. */
const HOSTS = {
  native: AbortController,
  'happy-dom': page.AbortController,
  'node-abort-controller': nodeAbortController.AbortController,
};

/** Runs it in a host. Returns how it ended, and what was reported, by the package or by the host. */
async function inHost(Controller, body) {
  const reported = [];
  const report = (error) => reported.push(error);
  const saved = [replace(globalThis, 'AbortController', Controller), replace(console, 'error', report)];
  const heard = ({ error }) => report(error);
  page.addEventListener('error', heard);
  const uncaught = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', report);
  try {
    return { ...(await underClock(body)), reported };
  } finally {
    for (const putBack of saved) putBack();
    page.removeEventListener('error', heard);
    process.off('uncaughtException', report);
    for (const listener of uncaught) process.on('uncaughtException', listener);
  }
}

/** Callers do one of these with an error of ours once they have it. */
const GRIPS = {
  freeze: (reason) => Object.freeze(reason),
  seal: (reason) => Object.seal(reason),
  'no stack': (reason) => delete reason.stack && Object.preventExtensions(reason),
  'a stack that cannot change': (reason) => Object.defineProperty(reason, 'stack', { value: 1, configurable: false }),
};

const hedged = () => ({ protection: protect(hedge({ delayMs: 10, maxRatio: 1 })) });
const RUNS = {
  plain: (fn, options) => retry(fn, { jitter: 'none', ...options }),
  hedged: (fn, options) => retry(fn, { jitter: 'none', ...options, ...hedged() }),
  light: (fn, options) => light.retry(fn, { jitter: 'none', ...options }),
};
for (const [name, run] of Object.entries(RUNS)) {
  const quick = { baseMs: 1, maxAttempts: 3 };
  const ending = (fn, options) => underClock(() => run(fn, { ...quick, ...options }));

  for (const [host, Controller] of Object.entries(HOSTS))
    test(`${name}, ${host}: a listener that throws keeps no operation pending and changes no timeout`, async () => {
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
        const { error, reported } = await inHost(Controller, () => run(throwing, { ...quick, [limit]: 40 }));
        assert.equal(error.name, 'TimeoutError');
        if (name !== 'light') assert.ok(error instanceof TimeoutError && error.message.includes(limit));
        const made = name === 'light' ? attempts : retryReport(error).attempts;
        assert.ok(made <= attempts * times && reported.length === made, `${limit}: ${reported.length} of ${made}`);
      }
    });

  test(`${name}: a timeout that a caller got hold of stays one`, async () => {
    for (const [grip, take] of Object.entries(GRIPS))
      for (const [limit, reason] of Object.entries({ attemptTimeoutMs: 'exhausted', totalTimeoutMs: 'timeout' })) {
        const { error } = await ending(hanging(take), { [limit]: 40 });
        assert.match(`${error}`, /^TimeoutError: .* timed out after 40 ms/, `${grip}, ${limit}`);
        if (name !== 'light') assert.equal(retryReport(error).reason, reason, grip);
      }
    // An Error.captureStackTrace that throws changes no outcome.
    const putBack = replace(Error, 'captureStackTrace', fails(mine));
    const late = await ending(
      hanging(() => {}),
      { attemptTimeoutMs: 40 },
    ).finally(putBack);
    assert.equal(late.error.name, 'TimeoutError');
  });
}
