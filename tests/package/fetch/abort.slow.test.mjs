// Abort of a fetch at a real server, by each signal, with the caller's own reason; the server sees it. Before the call
// and in a wait, rows of tests/vectors/fetch.json abort it; in a body, also after a collection of garbage,
// programs.test.mjs and the browsers.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { importEntry } from '../lib/consumer.mjs';
import { importFetch, serving } from '../lib/fetching.mjs';
import { LIMIT_MS, until } from '../lib/until.mjs';
import { onLoopback } from '../lib/loopback.mjs';

const { createFetch } = await importFetch();
const light = await importEntry('light/fetch');

/** Headers that never come. */
const { fresh, requestsOf } = serving(() => {});

/** How the signal gets in: with the call, with a Request, with the options. */
const WAYS = {
  'init.signal': (options, signal, url) => createFetch(options)(url, { signal }),
  'Request.signal': (options, signal, url) => createFetch(options)(new Request(url, { signal })),
  'options.signal': (options, signal, url) => createFetch({ ...options, signal })(url),
  'retry.signal': (options, signal, url) => createFetch(options)(url, { retry: { signal } }),
  'init.signal of light': (options, signal, url) => light.createFetch(options)(url, { signal }),
  'Request.signal of light': (options, signal, url) => light.createFetch(options)(new Request(url, { signal })),
};
const ENOUGH = new Error('enough');
const REASONS = [ENOUGH, Object.freeze({ why: 'enough' }), 'enough', 0, null, undefined];
const TIMING = [{}, { attemptTimeoutMs: 60_000 }, { totalTimeoutMs: 600_000 }];

/** How a promise rejects; late is as bad as never. */
const ended = (promise) =>
  Promise.race([promise.catch((error) => ({ error })), delay(LIMIT_MS, { late: true }, { ref: false })]);

for (const [way, call] of Object.entries(WAYS))
  test(`${way}: while connecting, and for the headers`, async (t) => {
    // Takes connections and never says anything: a TLS handshake that hangs.
    let connections = 0;
    const silent = await onLoopback(createServer((socket) => ++connections && socket.resume()));
    t.after(() => silent.close());
    for (const options of TIMING) {
      /** Starts a call, aborts it when it is there, and compares its error. */
      const aborted = async (url, reason, there) => {
        const controller = new AbortController();
        const promise = call(options, controller.signal, url);
        promise.catch(() => {});
        await until(`${way}: ${url}`, there);
        controller.abort(reason);
        const { error } = await ended(promise);
        assert.ok(Object.is(error, controller.signal.reason), `${url}: ${String(error)}`);
      };
      for (const reason of REASONS) {
        const url = fresh();
        await aborted(url, reason, () => requestsOf(url)[0]?.body !== undefined);
        await until('the server sees the close', () => requestsOf(url)[0].closed);
        assert.equal(requestsOf(url).length, 1);
      }
      const before = connections;
      await aborted(silent.origin.replace('http', 'https'), ENOUGH, () => connections > before);
      await delay(50);
      assert.equal(connections, before + 1, 'no further connection is made');
    }
  });
