// createFetch and fetchWithRetry: what no row of tests/vectors/fetch.json can say of their outcomes, requests and
// options. mistakes.json says which calls are rejected.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';

import { OBSERVERS, fails } from '../lib/callbacks.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { QUICK, closedOrigin, importFetch, serving, statuses } from '../lib/fetching.mjs';
import { caught, declarations } from '../lib/readers.mjs';

const { createFetch, fetchWithRetry } = await importFetch();
const light = await importEntry('light/fetch');
const { RetryPolicy, retryReport } = await importPackage();

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
  const named = (value) => value !== unreadable && (typeof value === 'string' || value instanceof Error);
  for (const value of ['str', 0, null, undefined, Symbol('s'), Object.freeze(new Error('x')), unreadable])
    for (const [entry, options, expected] of [
      // A string, as Tauri's fetch rejects with, and an error are the network's.
      [{ createFetch }, {}, named(value) ? 6 : 1],
      [{ createFetch }, { maxAttempts: 2, retryOn: () => true }, 2],
      ...(value === unreadable ? [] : [[light, {}, named(value) ? 6 : 1]]),
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

test('light: mistakes are made once', async () => {
  for (const args of [['http://'], ['http://x/', { headers: { 'a b': '1' } }], ['http://x/', { body: 'x' }]]) {
    let calls = 0;
    const inner = (...all) => fetch(...all, (calls += 1));
    await assert.rejects(light.createFetch(QUICK, inner)(...args), TypeError);
    assert.ok(calls <= 1, `${args}`);
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

test('the options that are known are those that are declared; a message lists at most ten problems', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown${i}`, 1]));
  const { message } = caught(() => createFetch(many));
  assert.ok(message.split('; ').length <= 11 && message.length < 2000);
  const knownBy = (make) => caught(make).message.split('Known options: ')[1].split(', ');
  const known = knownBy(() => createFetch({ nonsense: 1 }));
  const general = knownBy(() => new RetryPolicy({ nonsense: 1 }));
  const declared = declarations('fetch.d.ts').split('interface FetchOnlyOptions {')[1].split('\n}\n')[0];
  const names = [...declared.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  assert.deepEqual(
    // Hooks and hint are general, but what they get is not.
    names.filter((name) => ![...OBSERVERS, 'hint'].includes(name)).sort(),
    known.filter((name) => !general.includes(name)).sort(),
  );
  // A rejected option is not suggested.
  for (const name of ['metrics', 'retryIf', 'retryOnResult', 'finalResult']) assert.ok(!known.includes(name), name);
});

test('a seed: each call is the next operation, also one with options of its own', async () => {
  const options = { ...QUICK, maxAttempts: 2, seed: 'a fetch' };
  const waits = [];
  const fetch = createFetch({ ...options, onRetry: ({ delayMs }) => waits.push(delayMs) }, statuses(503).inner);
  for (const retry of [{}, undefined, { throwOnStatus: false }, undefined, { respectRetryAfter: false }])
    await fetch('http://x/', { retry });
  const delays = new RetryPolicy(options).delays();
  const expected = waits.map(() => {
    const [wait] = delays;
    delays.reset();
    return wait;
  });
  assert.deepEqual(waits, expected);
  assert.equal(new Set(waits).size, 5);
  await fetch('http://x/', { retry: { seed: 'another' } });
  assert.equal(waits.at(-1), new RetryPolicy({ ...options, seed: 'another' }).delays().next().value);
});

test('a seeded policy: its operations are counted over both of its uses', async () => {
  const options = { ...QUICK, seed: 5, maxAttempts: 2, finalResult: 'resolve' };
  const waits = async (...uses) => {
    const found = [];
    const policy = new RetryPolicy({ ...options, onRetry: ({ delayMs }) => found.push(delayMs) });
    const fetch = createFetch(policy, statuses(503).inner);
    for (const use of uses)
      await (use === 'fetch' ? fetch('http://x/') : policy.run(fails(new Error('x'))).catch(() => {}));
    return found;
  };
  const expected = await waits('run', 'run', 'run');
  assert.equal(new Set(expected).size, 3);
  assert.deepEqual(await waits('fetch', 'run', 'fetch'), expected);
});

test('options of a call are read once, and at each call', async () => {
  const { inner, calls } = statuses(503);
  const fetch = createFetch(QUICK, inner);
  let reads = 0;
  const retry = {
    get maxAttempts() {
      return (reads += 1);
    },
    retryOn: [429],
  };
  await fetch('http://x/', { retry });
  retry.retryOn.push(503);
  await fetch('http://x/', { retry });
  assert.deepEqual([reads, calls.length], [2, 3]);
});
