// createFetch and fetchWithRetry: what is retried, with which body and headers, and the outcome.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Agent, fetch as fetchOf } from 'undici';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, importPackage, printed, vectors } from '../lib/consumer.mjs';
import { QUICK, closedOrigin, failing, importFetch, listen, serving, statuses } from '../lib/fetching.mjs';

const { createFetch, fetchWithRetry } = await importFetch();
const presets = await importEntry('presets');
const { breaker, protect } = await importEntry('protection');
const { retryReport } = await importPackage();

const { server } = serving(failing(2));

test('B11 408 is left to the browser where there is one', async () => {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  const versions = Object.getOwnPropertyDescriptor(process, 'versions');
  // Node loads its fetch when it is first used, and reads the versions then.
  assert.ok(new Request('http://x/') && new Response());
  try {
    Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Mozilla/5.0 (X11)' }, configurable: true });
    Object.defineProperty(process, 'versions', { value: {}, configurable: true });
    const { inner, calls } = statuses(408, 200);
    assert.equal((await createFetch(QUICK, inner)('http://x/')).status, 408);
    assert.equal(calls.length, 1);
  } finally {
    Object.defineProperty(process, 'versions', versions);
    if (descriptor) Object.defineProperty(globalThis, 'navigator', descriptor);
    else delete globalThis.navigator;
  }
});

test('a function makes the key of a request; a UUID also where there is no crypto.randomUUID', async (t) => {
  t.mock.method(globalThis.crypto, 'randomUUID');
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: undefined, configurable: true });
  const { inner, calls } = statuses(200);
  const idempotencyKey = (request) => `${request.method} ${new URL(request.url).pathname}`;
  for (const options of [{ idempotencyKey }, { idempotencyKey: 'auto' }, { idempotencyKey: 'auto' }])
    await createFetch(options, inner)('http://x/path', { method: 'POST' });
  delete globalThis.crypto.randomUUID;
  const [own, ...keys] = calls.map(([, { headers }]) => headers.get('idempotency-key'));
  assert.equal(own, 'POST /path');
  assert.notEqual(keys[0], keys[1]);
  for (const key of keys) assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("V05 failures of the network are retried on each engine's word; mistakes and bugs are not", async () => {
  const table = vectors('network-failures');
  for (const { code, syscall, message, is } of table) {
    const thrown = Object.assign(new TypeError(message), code && { code }, syscall && { syscall });
    for (const error of [thrown, Object.assign(new TypeError('x'), { cause: thrown })]) {
      const { inner, calls } = statuses(error, 200);
      await createFetch(QUICK, inner)('http://x/').catch((e) => assert.equal(e, error));
      assert.equal(calls.length, is === 'network' || is === 'unprocessed' ? 2 : 1, `${code} ${syscall} ${message}`);
    }
  }
});

test('V05 real failures of this engine: connection refused, unknown host, scheme, bad URL, used body', async () => {
  const attempts = async (...args) => {
    const error = await createFetch({ ...QUICK, maxAttempts: 3 })(...args).catch((e) => e);
    assert.ok(error instanceof TypeError, String(error));
    return [retryReport(error)?.attempts, retryReport(error)?.reason];
  };
  const closed = await closedOrigin();
  const { origin } = server();
  for (const args of [[closed], [closed, { method: 'POST', body: 'x' }], ['http://nowhere.invalid/']])
    assert.deepEqual(await attempts(...args), [3, 'exhausted'], String(args));
  // The last two: a GET with a body, and a stream without duplex.
  const stream = { method: 'PUT', body: new Blob(['x']).stream() };
  for (const args of [['nothing://x'], ['http://'], [origin, { body: 'x' }], [origin, stream]])
    assert.deepEqual(await attempts(...args), [1, 'notRetryable'], String(args));
  const used = new Request(server().origin, { method: 'POST', body: 'x' });
  await used.text();
  assert.deepEqual(await attempts(used), [undefined, undefined], 'rejected before the first attempt, as by fetch');
});

test('V01 rejects with the very value that was thrown, retried or not', async () => {
  const unreadable = new Proxy({}, { get: fails(new Error('read')) });
  for (const value of ['str', 0, null, undefined, Symbol('s'), Object.freeze(new Error('x')), unreadable]) {
    for (const [retryOn, expected] of [
      [undefined, 1],
      [() => true, 2],
    ]) {
      let calls = 0;
      const inner = async () => {
        calls += 1;
        throw value;
      };
      const promise = createFetch({ ...QUICK, maxAttempts: 2, retryOn }, inner)('http://x/');
      // Nothing of assert's reads the value.
      const ended = await promise.then(assert.fail, (error) => ({ error }));
      assert.ok(Object.is(ended.error, value));
      assert.equal(calls, expected);
    }
  }
});

test('the response is the very object that the inner fetch gave', async () => {
  const response = new Response('x');
  assert.equal(await createFetch({}, async () => response)('http://x/'), response);
  const odd = { status: 200 };
  assert.equal(await createFetch({}, async () => odd)('http://x/'), odd);
  // Mocks of fetch without a return value return undefined: this is not a failure, whatever the rules.
  for (const nothing of [undefined, null, 5, { ok: true }]) {
    for (const options of [
      {},
      { throwOnStatus: true },
      { ...presets.goRetryableHttp, retryOn: presets.goRetryableHttpRetryOn },
      { retryOn: [503] },
      { retryOn: ({ retryable }) => retryable },
    ]) {
      assert.equal(await createFetch(options, async () => nothing)('http://x/'), nothing);
    }
  }
});

test('fetch is looked up at each attempt, and the first attempt is sent before the call returns', async (t) => {
  const first = statuses(503);
  const second = statuses(200);
  t.mock.method(globalThis, 'fetch', first.inner);
  const promise = fetchWithRetry('http://x/', {
    retry: {
      baseMs: 1,
      onRetry: () => {
        globalThis.fetch = second.inner;
      },
    },
  });
  assert.equal(first.calls.length, 1);
  assert.equal((await promise).status, 200);
  assert.equal(second.calls.length, 1);
});

test('a response that is not retried enters no wasm', async () => {
  const stdout = await printed(`
    let compiled = 0;
    const { Module } = WebAssembly;
    WebAssembly.Module = class extends Module { constructor(bytes) { super(bytes); compiled += 1; } };
    const { createFetch } = await import('rejitter/fetch');
    const fetch = createFetch({}, async () => new Response('x', { status: globalThis.status ?? 200 }));
    await fetch('http://x/'); await fetch('http://x/', { method: 'POST', body: 'x' });
    globalThis.status = 404;
    await fetch('http://x/');
    const before = compiled;
    globalThis.status = 503;
    await fetch('http://x/', { retry: { baseMs: 1, maxAttempts: 2 } });
    console.log(before, compiled);
  `);
  assert.equal(stdout, '0 1\n');
});

test('a response that may be the outcome holds no connection that the next request needs', async () => {
  // Where hosts limit their number: undici by this option, browsers to six for each host.
  const dispatcher = new Agent({ connections: 1 });
  const one = (url, init) => fetchOf(url, { ...init, dispatcher });
  const endless = await listen((request, response, nth) => {
    if (nth < 3) response.writeHead(503).write('begin');
    else response.end('ok');
  });
  try {
    const protection = protect(breaker({ minimumCalls: 100 }));
    for (const more of [{ totalTimeoutMs: 60_000 }, { throwOnStatus: true }, { protection }])
      assert.equal(
        (await createFetch({ ...QUICK, ...more }, one)(`${endless.origin}/${Object.keys(more)}`)).status,
        200,
      );
  } finally {
    await dispatcher.destroy();
    await endless.close();
  }
});
