// Abort of a fetch at a real server: at each stage, by each signal, with the caller's own reason; the server sees it.
// In a body, also after a collection of garbage, it is aborted in programs.test.mjs and in the browsers.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { importEntry } from '../lib/consumer.mjs';
import { importFetch, serving } from '../lib/fetching.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { onLoopback } from '../../../www/demo/lib/loopback.mjs';

const { createFetch } = await importFetch();
const light = await importEntry('light/fetch');

const { fresh, requestsOf } = serving((request, response) => {
  if (request.url.startsWith('/wait')) response.writeHead(503).end('later');
  // Anything else: headers that never come.
});

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
  Promise.race([promise.catch((error) => ({ error })), delay(15_000, { late: true }, { ref: false })]);

for (const [way, call] of Object.entries(WAYS))
  test(`${way}: before the call, while connecting, for the headers and in the wait`, async (t) => {
    // Takes connections and never says anything: a TLS handshake that hangs.
    const silent = await onLoopback(createServer((socket) => socket.resume()));
    t.after(() => silent.close());
    for (const options of TIMING) {
      /** Starts a call, aborts it when it is there, and compares its error. */
      const aborted = async (url, reason, there, more) => {
        const controller = new AbortController();
        if (!there) controller.abort(reason);
        const promise = call({ ...options, ...more }, controller.signal, url);
        promise.catch(() => {});
        if (there) await until(`${way}: ${url}`, there);
        controller.abort(reason);
        const { error } = await ended(promise);
        assert.ok(Object.is(error, controller.signal.reason), `${url}: ${String(error)}`);
      };
      for (const reason of REASONS) {
        const [before, url] = ['/before', '/headers'].map(fresh);
        await aborted(before, reason);
        await aborted(url, reason, () => requestsOf(url)[0]?.body !== undefined);
        await until('the server sees the close', () => requestsOf(url)[0].closed);
        assert.deepEqual([requestsOf(before).length, requestsOf(url).length], [0, 1]);
      }
      const url = fresh('/wait');
      let waiting = false;
      const random = () => {
        waiting = true;
        return 0.9;
      };
      await aborted(url, ENOUGH, () => waiting, { baseMs: 60_000, capMs: 60_000, random });
      assert.equal(requestsOf(url).length, 1);
      const before = silent.sockets.size;
      await aborted(silent.origin.replace('http', 'https'), ENOUGH, () => silent.sockets.size > before);
      // Node's fetch leaves a connection that is being made to its pool, which gives it up after 10 s.
      await delay(50);
      assert.equal(silent.sockets.size, before + 1, 'no further connection is made');
    }
  });
