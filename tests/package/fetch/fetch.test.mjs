// createFetch and fetchWithRetry: what no row of tests/vectors/fetch.json can say of their outcomes and requests.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { QUICK, closedOrigin, importFetch, serving, statuses } from '../lib/fetching.mjs';

const { createFetch, fetchWithRetry } = await importFetch();
const light = await importEntry('light/fetch');
const { retryReport } = await importPackage();

const closed = await closedOrigin();
const { server } = serving((request, response) => {
  const { searchParams } = new URL(request.url, 'http://x');
  response.writeHead(Number(searchParams.get('status')), { location: searchParams.get('to') }).end('x');
});

test('a POST that the server redirects to where nobody can connect is processed once; one sent there, again', async () => {
  const entries = { large: createFetch({ ...QUICK, maxAttempts: 3 }), light: light.createFetch(QUICK) };
  for (const [code, to] of [
    ['ECONNREFUSED', `${closed}/done`],
    ['ECONNREFUSED', `${closed.replace('127.0.0.1', 'localhost')}/done`],
    ['ENOTFOUND', 'http://nowhere.invalid/done'],
  ]) {
    for (const [entry, send] of Object.entries(entries))
      for (const status of [301, 302, 303, 307, 308]) {
        const { origin, seen } = server();
        const before = seen.length;
        const url = `${origin}/?${new URLSearchParams({ status, to })}`;
        const error = await send(url, { method: 'POST', body: 'item=7' }).catch((error) => error);
        assert.deepEqual([error.cause.code, seen.length - before], [code, 1], `${entry}, ${status}`);
      }
    for (const body of ['item=7', undefined, () => 'item=7', new URLSearchParams('item=7')]) {
      const error = await entries.large(to, { method: 'POST', body }).catch((error) => error);
      assert.deepEqual([error.cause.code, retryReport(error).attempts], [code, 3], `${to} ${typeof body}`);
    }
  }
});

test('V01 rejects with the very value that was thrown, retried or not', async () => {
  const unreadable = new Proxy({}, { get: fails(new Error('read')) });
  for (const value of ['str', 0, null, undefined, Symbol('s'), Object.freeze(new Error('x')), unreadable])
    for (const [entry, options, expected] of [
      [{ createFetch }, {}, 1],
      [{ createFetch }, { maxAttempts: 2, retryOn: () => true }, 2],
      ...(value === unreadable ? [] : [[light, {}, 1]]),
    ]) {
      let calls = 0;
      const inner = async () => {
        calls += 1;
        throw value;
      };
      const ended = await entry
        .createFetch(
          { ...QUICK, ...options },
          inner,
        )('http://x/')
        // Nothing of assert's reads the value.
        .then(assert.fail, (error) => ({ error }));
      assert.ok(Object.is(ended.error, value));
      assert.equal(calls, expected);
    }
});

test('fetch is looked up at each attempt, and the first attempt is sent before the call returns', async (t) => {
  const first = statuses(503);
  const second = statuses(200);
  t.mock.method(globalThis, 'fetch', first.inner);
  const onRetry = () => void (globalThis.fetch = second.inner);
  const promise = fetchWithRetry('http://x/', { retry: { baseMs: 1, onRetry } });
  assert.equal(first.calls.length, 1);
  assert.equal((await promise).status, 200);
});

test('a long status text is cut', async () => {
  const inner = async () => ({ status: 404, statusText: 'y'.repeat(10_000) });
  const { message } = await createFetch({ throwOnStatus: true }, inner)('http://x/').catch((error) => error);
  assert.equal(message, `rejitter: HTTP 404 ${'y'.repeat(100)} (GET http://x)`);
});

test('a Request that will not be sent again is not cloned', async (t) => {
  const clone = t.mock.method(Request.prototype, 'clone');
  const key = { 'idempotency-key': 'k' };
  for (const [expected, method, headers, options] of [
    [0, 'POST'],
    [0, 'PATCH'],
    [1, 'POST', key],
    [1, 'POST', undefined, { idempotencyKey: 'auto' }],
    [1, 'PUT'],
    [0, 'PUT', undefined, { maxAttempts: 1 }],
  ]) {
    const before = clone.mock.callCount();
    const { inner, calls } = statuses(200);
    await createFetch({ ...QUICK, ...options }, inner)(new Request('http://x/', { method, headers, body: 'x' }));
    assert.equal(clone.mock.callCount() - before, expected, `${method}, ${JSON.stringify({ headers, options })}`);
    assert.equal(await new Response(calls[0][0].body).text(), 'x');
  }
});

test('one signal for many fetches leaves no listener: A01 A03', async () => {
  const { signal } = new AbortController();
  const empty = async () => new Response(null, { status: Math.random() < 0.5 ? 503 : 204 });
  for (const options of [{}, { attemptTimeoutMs: 1000 }]) {
    const fetch = createFetch({ baseMs: 0, ...options }, empty);
    for (let i = 0; i < 100; i += 1) await fetch('http://x/', { signal });
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  }
});

test("without timeouts the caller's own signal goes to the inner fetch; with one, the attempt's", async () => {
  const { signal } = new AbortController();
  for (const [options, init, ...expected] of [
    [{}, { signal }, signal],
    [{ signal }, {}, signal],
    [{ signal }, { signal }, signal],
    [{}, {}, undefined],
    [{}, { signal: null }, null],
    [{ attemptTimeoutMs: 1000 }, { signal }],
    [{ totalTimeoutMs: 1000 }, {}],
    [{ signal: new AbortController().signal }, { signal }],
  ]) {
    const { inner, calls } = statuses(200);
    await createFetch(options, inner)('http://x/', init);
    const [[, { signal: passed }]] = calls;
    if (expected.length > 0) assert.equal(passed, expected[0]);
    else assert.ok(passed instanceof AbortSignal && passed !== signal && passed !== options.signal);
  }
});
