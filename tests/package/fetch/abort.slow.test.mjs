// Abort of a fetch: at each stage, by each signal, with the caller's own reason; and the server sees it.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { importEntry, importPackage, printed } from '../lib/consumer.mjs';
import { importFetch, serving } from '../lib/fetching.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { onLoopback } from '../../../www/demo/lib/loopback.mjs';

const { createFetch } = await importFetch();
const light = await importEntry('light/fetch');
const { retryReport } = await importPackage();
const listeners = (signal) => getEventListeners(signal, 'abort').length;

const { server, fresh, requestsOf } = serving((request, response) => {
  if (request.url.startsWith('/wait')) response.writeHead(503).end('later');
  else if (request.url.startsWith('/body')) response.writeHead(200).write('begin');
  // Anything else: headers that never come.
});

/** How the signal gets in: with the call, with a Request, with the options. */
const WAYS = {
  'init.signal': (options, signal, url, init) => createFetch(options)(url, { ...init, signal }),
  'Request.signal': (options, signal, url, init) => createFetch(options)(new Request(url, { ...init, signal })),
  'options.signal': (options, signal, url, init) => createFetch({ ...options, signal })(url, init),
  'retry.signal': (options, signal, url, init) => createFetch(options)(url, { ...init, retry: { signal } }),
  'init.signal of light': (options, signal, url, init) => light.createFetch(options)(url, { ...init, signal }),
  'Request.signal of light': (options, signal, url, init) =>
    light.createFetch(options)(new Request(url, { ...init, signal })),
};
const ENOUGH = new Error('enough');
const REASONS = [ENOUGH, Object.freeze({ why: 'enough' }), 'enough', 0, null, undefined];
const TIMING = [{}, { attemptTimeoutMs: 60_000 }, { totalTimeoutMs: 600_000 }];

/** How a promise rejects; late is as bad as never. */
const ended = (promise) =>
  Promise.race([promise.catch((error) => ({ error })), delay(15_000, { late: true }, { ref: false })]);

for (const [way, call] of Object.entries(WAYS))
  test(`${way}: before the call, while connecting, for the headers, in the wait and in the body`, async (t) => {
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
        if (!there && !way.startsWith('Request')) assert.equal(listeners(controller.signal), 0);
      };
      for (const reason of REASONS) {
        const [before, url, body] = ['/before', '/headers', '/body'].map(fresh);
        await aborted(before, reason);
        await aborted(url, reason, () => requestsOf(url)[0]?.body !== undefined);
        await until('the server sees the close', () => requestsOf(url)[0].closed);
        assert.deepEqual([requestsOf(before).length, requestsOf(url).length], [0, 1]);
        const controller = new AbortController();
        const reader = (await call(options, controller.signal, body)).body.getReader();
        assert.equal(new TextDecoder().decode((await reader.read()).value), 'begin');
        const reading = reader.read();
        reading.catch(() => {});
        controller.abort(reason);
        const { error } = await ended(reading);
        // The engine decides how a body rejects; the identity of an Error stays.
        if (reason instanceof Error) assert.equal(error, reason);
        else assert.ok(error !== undefined);
        await until('the server sees the close', () => requestsOf(body)[0].closed);
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
      assert.equal(retryReport(ENOUGH), undefined);
      // Node's fetch leaves a connection that is being made to its pool, which gives it up after 10 s.
      await delay(50);
      assert.equal(silent.sockets.size, before + 1, 'no further connection is made');
    }
  });

test("without timeouts the caller's own signal goes to the inner fetch; with one, the attempt's", async () => {
  const { signal } = new AbortController();
  const passed = async (options, init) => {
    let seen;
    await createFetch(options, async (url, init) => {
      seen = init;
      return new Response('x');
    })('http://x/', init);
    return seen?.signal;
  };
  assert.equal(await passed({}, { signal }), signal);
  assert.equal(await passed({ signal }, {}), signal);
  assert.equal(await passed({ signal }, { signal }), signal);
  assert.equal(await passed({}, {}), undefined);
  assert.equal(await passed({}, { signal: null }), null);
  for (const [options, init] of [
    [{ attemptTimeoutMs: 1000 }, { signal }],
    [{ totalTimeoutMs: 1000 }, {}],
    [{ signal: new AbortController().signal }, { signal }],
  ]) {
    const other = await passed(options, init);
    assert.ok(other instanceof AbortSignal && other !== signal && other !== options.signal);
  }
});

test('A01 A03 one signal for a thousand fetches: no listener is left, and no dependent signal', async () => {
  const controller = new AbortController();
  const fetch = createFetch({ baseMs: 0 }, async () => new Response(null, { status: Math.random() < 0.5 ? 503 : 204 }));
  for (let i = 0; i < 1000; i += 1) await fetch('http://x/', { signal: controller.signal });
  assert.equal(listeners(controller.signal), 0);
  const timed = createFetch({ baseMs: 0, attemptTimeoutMs: 1000 }, async () => new Response(null, { status: 204 }));
  for (let i = 0; i < 1000; i += 1) await timed('http://x/', { signal: controller.signal });
  assert.equal(listeners(controller.signal), 0, 'a response without a body needs no listener');
});

test('A01 with timeouts: one weak listener for all responses with a body, gone when they are', async () => {
  const stdout = await printed(
    `
    import { getEventListeners } from 'node:events';
    import { createFetch } from 'rejitter/fetch';
    const controller = new AbortController();
    const fetch = createFetch({ attemptTimeoutMs: 60000 }, async () => new Response('x'));
    const turn = () => new Promise((go) => setTimeout(go, 5));
    for (let i = 0; i < 2000; i += 1) await (await fetch('http://x/', { signal: controller.signal })).text();
    const held = [await fetch('http://x/', { signal: controller.signal }),
      await fetch('http://x/', { signal: controller.signal })];
    for (let i = 0; i < 10; i += 1) { await turn(); gc(); }
    const during = getEventListeners(controller.signal, 'abort').length;
    held.length = 0;
    for (let i = 0; i < 10; i += 1) { await turn(); gc(); }
    console.log(during, getEventListeners(controller.signal, 'abort').length);
  `,
    { flags: ['--expose-gc'] },
  );
  assert.equal(stdout, '1 0\n');
});

test('a body stays abortable when only its reader is kept, and after a collection of garbage', async () => {
  for (const args of ['url, { signal }', 'new Request(url, { signal })']) {
    for (const options of ['{ attemptTimeoutMs: 60000 }', '{}']) {
      const stdout = await printed(
        `
        import { createServer } from 'node:http';
        import { createFetch } from 'rejitter/fetch';
        const server = createServer((request, response) => { response.writeHead(200).write('begin');
          response.once('close', () => console.log('closed')); });
        await new Promise((done) => server.listen(0, '127.0.0.1', done));
        const url = 'http://127.0.0.1:' + server.address().port;
        const controller = new AbortController();
        const { signal } = controller;
        const start = async () =>
          (await createFetch(${options})(${args})).body.getReader();
        const reader = await start();
        await reader.read();
        for (let i = 0; i < 10; i += 1) { await new Promise((go) => setTimeout(go, 5)); gc(); }
        const reason = new Error('enough');
        controller.abort(reason);
        const timer = setTimeout(() => { console.log('late'); process.exit(); }, 3000);
        await reader.read().catch((error) => console.log(error === reason));
        clearTimeout(timer);
        setTimeout(() => { server.closeAllConnections(); server.close(); }, 100);
      `,
        { flags: ['--expose-gc'] },
      );
      assert.equal(stdout, 'true\nclosed\n', `${args} ${options}`);
    }
  }
});

test('Node does not warn of listeners when the attempts of many calls with one signal fail', async () => {
  const stdout = await printed(`
    import { createFetch } from 'rejitter/fetch';
    process.on('warning', (warning) => console.log(warning.name));
    const { signal } = new AbortController();
    const fetch = createFetch({ baseMs: 0, maxAttempts: 4 });
    const call = async () => (await fetch('${server().origin}/wait', { signal })).status;
    console.log(...new Set(await Promise.all(Array.from({ length: 700 }, call))));
    process.exit();
  `);
  assert.equal(stdout, '503\n');
});
