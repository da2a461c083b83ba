// createFetch and fetchWithRetry: what is retried, with which body and headers, and the outcome.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { consumer, importEntry, importPackage, repo, runNode } from '../lib/consumer.mjs';
import { QUICK, failing, importFetch, listen, statuses, until } from '../lib/fetching.mjs';

const { createFetch, fetchWithRetry, HttpStatusError } = await importFetch();
const presets = await importEntry('presets');
const { RetryError, TimeoutError, retryReport } = await importPackage();

const quick = createFetch(QUICK);
let server;
before(async () => {
  server = await listen(failing(2));
});
after(() => server.close());
let paths = 0;
const fresh = () => `${server.origin}/${(paths += 1)}`;
const requestsOf = (url) => server.seen.filter(({ path }) => url.endsWith(path));

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

test("a POST whose status says to come back is the server's answer, and no failure", async () => {
  const { inner } = statuses(503);
  const events = [];
  const response = await createFetch({ ...QUICK, onSuccess: (event) => events.push(event.status) }, inner)(
    'http://x/',
    { method: 'POST' },
  );
  assert.equal(response.status, 503);
  assert.deepEqual(events, [503]);
  assert.equal(retryReport(response), undefined);
});

test('idempotencyKey: auto is one UUID for all attempts of a call, another for the next', async () => {
  const post = createFetch({ ...QUICK, idempotencyKey: 'auto' });
  const keys = [];
  for (let i = 0; i < 3; i += 1) {
    const url = fresh();
    assert.equal((await post(url, { method: 'POST', body: 'order', headers: { 'x-mine': '1' } })).status, 200);
    const requests = requestsOf(url);
    assert.equal(requests.length, 3);
    assert.ok(requests.every(({ headers }) => headers['x-mine'] === '1'));
    const seen = new Set(requests.map(({ headers }) => headers['idempotency-key']));
    assert.equal(seen.size, 1);
    keys.push(...seen);
  }
  assert.equal(new Set(keys).size, 3);
  for (const key of keys) assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("idempotencyKey: the request's own key stays; a text; a function of the request; none for GET", async () => {
  const keyOf = async (options, init) => {
    const { inner, calls } = statuses(503, 200);
    const response = await createFetch(QUICK, inner)('http://x/path', { ...init, retry: options });
    return [new Headers(calls[0][1]?.headers).get('idempotency-key'), calls.length, response.status];
  };
  assert.deepEqual(await keyOf({}, { method: 'POST', headers: { 'Idempotency-Key': 'mine' } }), ['mine', 2, 200]);
  assert.deepEqual(await keyOf({}, { method: 'POST', headers: new Headers([['idempotency-key', 'mine']]) }), [
    'mine',
    2,
    200,
  ]);
  assert.deepEqual(
    await keyOf({ idempotencyKey: 'auto' }, { method: 'PATCH', headers: [['IDEMPOTENCY-KEY', 'mine']] }),
    ['mine', 2, 200],
  );
  assert.deepEqual(await keyOf({ idempotencyKey: 'fixed key' }, { method: 'POST' }), ['fixed key', 2, 200]);
  assert.deepEqual(
    await keyOf(
      { idempotencyKey: (request) => `${request.method} ${new URL(request.url).pathname}` },
      { method: 'POST' },
    ),
    ['POST /path', 2, 200],
  );
  assert.deepEqual(await keyOf({ idempotencyKey: 'auto' }, {}), [null, 2, 200]);
  assert.deepEqual(await keyOf({ idempotencyKey: 'auto' }, { method: 'PUT' }), [null, 2, 200]);
  for (const bad of ['', undefined, 5, 'a\nb', ' '])
    await assert.rejects(keyOf({ idempotencyKey: () => bad }, { method: 'POST' }), /idempotencyKey must return/);
});

test('a UUID also where there is no crypto.randomUUID', async (t) => {
  t.mock.method(globalThis.crypto, 'randomUUID');
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: undefined, configurable: true });
  try {
    const { inner, calls } = statuses(200);
    await createFetch({ idempotencyKey: 'auto' }, inner)('http://x/', { method: 'POST' });
    assert.match(
      calls[0][1].headers.get('idempotency-key'),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  } finally {
    delete globalThis.crypto.randomUUID;
  }
});

test("V05 failures of the network are retried on each engine's word; mistakes and bugs are not", async () => {
  const table = JSON.parse(readFileSync(join(repo, 'tests', 'vectors', 'network-failures.json'), 'utf8'));
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
  const closed = await listen(() => {});
  await closed.close();
  const attempts = async (...args) => {
    const error = await createFetch({ ...QUICK, maxAttempts: 3 })(...args).catch((e) => e);
    assert.ok(error instanceof TypeError, String(error));
    return [retryReport(error)?.attempts, retryReport(error)?.reason];
  };
  assert.deepEqual(await attempts(closed.origin), [3, 'exhausted']);
  assert.deepEqual(await attempts(closed.origin, { method: 'POST', body: 'x' }), [3, 'exhausted']);
  assert.deepEqual(await attempts('http://nowhere.invalid/'), [3, 'exhausted']);
  assert.deepEqual(await attempts('nothing://x'), [1, 'notRetryable']);
  assert.deepEqual(await attempts('http://'), [1, 'notRetryable']);
  assert.deepEqual(await attempts(server.origin, { body: 'x' }), [1, 'notRetryable'], 'a GET with a body');
  assert.deepEqual(
    await attempts(server.origin, { method: 'PUT', body: new Blob(['x']).stream() }),
    [1, 'notRetryable'],
    'a stream without duplex',
  );
  const used = new Request(server.origin, { method: 'POST', body: 'x' });
  await used.text();
  assert.deepEqual(await attempts(used), [undefined, undefined], 'rejected before the first attempt, as by fetch');
});

test('V01 rejects with the very value that was thrown, retried or not', async () => {
  for (const value of [
    'str',
    0,
    null,
    undefined,
    Symbol('s'),
    Object.freeze(new Error('x')),
    new Proxy(
      {},
      {
        get() {
          throw new Error('read');
        },
      },
    ),
  ]) {
    for (const retryOn of [undefined, () => true]) {
      let calls = 0;
      const inner = async () => {
        calls += 1;
        throw value;
      };
      const result = await createFetch(
        { ...QUICK, maxAttempts: 2, retryOn },
        inner,
      )('http://x/').then(
        () => 'resolved',
        (error) => ({ error }),
      );
      assert.ok(Object.is(result.error, value));
      assert.equal(calls, retryOn ? 2 : 1);
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

test('throwOnStatus: an HttpStatusError with the response, for 400 and above and when attempts run out', async () => {
  for (const [list, status, attempts] of [
    [[404], 404, 1],
    [[503], 503, 3],
    [[503, 400], 400, 2],
  ]) {
    const { inner, calls } = statuses(...list);
    const error = await createFetch(
      { ...QUICK, maxAttempts: 3, throwOnStatus: true },
      inner,
    )('http://x/').catch((e) => e);
    assert.ok(error instanceof HttpStatusError);
    assert.equal(error.name, 'HttpStatusError');
    assert.equal(error.status, status);
    assert.match(error.message, new RegExp(`^rejitter: HTTP ${status}`));
    assert.equal(await error.response.text(), `answer ${status}`);
    assert.equal(calls.length, attempts);
    assert.equal(retryReport(error).attempts, attempts);
    assert.ok(!JSON.stringify(error).includes('response'));
  }
  const accepted = statuses(202);
  const error = await createFetch(
    { ...QUICK, maxAttempts: 2, retryOn: [202], throwOnStatus: true },
    accepted.inner,
  )('http://x/').catch((e) => e);
  assert.equal(error.status, 202);
  assert.equal(retryReport(error).reason, 'exhausted');
  const wrapped = await createFetch(
    { ...QUICK, maxAttempts: 2, finalError: 'wrap', throwOnStatus: true },
    statuses(503).inner,
  )('http://x/').catch((e) => e);
  assert.ok(wrapped instanceof RetryError);
  assert.equal(await wrapped.cause.response.text(), 'answer 503');
  const both = await createFetch(
    { ...QUICK, maxAttempts: 2, retryOn: [202], finalError: 'wrap', throwOnStatus: true },
    statuses(202).inner,
  )('http://x/').catch((e) => e);
  assert.ok(both instanceof RetryError);
  assert.deepEqual(both.errors, [both.cause]);
  assert.equal(await both.cause.response.text(), 'answer 202');
  assert.equal(retryReport(both), both.report);
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

test('V03 an inner fetch that throws synchronously rejects like one that rejects', async () => {
  let calls = 0;
  const inner = () => {
    calls += 1;
    throw new TypeError('Failed to fetch');
  };
  await assert.rejects(createFetch({ ...QUICK, maxAttempts: 3 }, inner)('http://x/'), /Failed to fetch/);
  assert.equal(calls, 3);
});

test('the attempt timeout is retried, the deadline is not', async () => {
  let calls = 0;
  const hanging = (url, { signal }) =>
    new Promise((resolve, reject) => {
      calls += 1;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const error = await createFetch(
    { ...QUICK, maxAttempts: 3, attemptTimeoutMs: 10 },
    hanging,
  )('http://x/').catch((e) => e);
  assert.ok(error instanceof TimeoutError);
  assert.equal(calls, 3);
  const late = await createFetch({ ...QUICK, totalTimeoutMs: 20 }, hanging)('http://x/').catch((e) => e);
  assert.ok(late instanceof TimeoutError);
  assert.equal(retryReport(late).reason, 'timeout');
  assert.equal(calls, 4);
});

test('A09 each attempt has a signal of its own, unaborted', async () => {
  const signals = [];
  const inner = (url, { signal }) =>
    new Promise((resolve, reject) => {
      signals.push([signal, signal.aborted]);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  await createFetch({ ...QUICK, maxAttempts: 3, attemptTimeoutMs: 5 }, inner)('http://x/').catch(() => {});
  assert.equal(new Set(signals.map(([signal]) => signal)).size, 3);
  assert.ok(signals.every(([, aborted]) => !aborted));
});

test('CommonJS gives the same functions, over the same engine as the main entry', async () => {
  const require = createRequire(join(consumer, 'package.json'));
  const cjs = require('rejitter/fetch');
  assert.deepEqual(Object.keys(cjs).sort(), [
    'HttpStatusError',
    'createFetch',
    'fetchWithRetry',
    'rateLimitHint',
    'retryAfterMs',
  ]);
  const { inner } = statuses(503);
  const response = await cjs.createFetch({ ...QUICK, maxAttempts: 2 }, inner)('http://x/');
  assert.equal(require('rejitter').retryReport(response).attempts, 2);
});

test('a response that is not retried enters no wasm', async () => {
  const { stdout } = await runNode(`
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

test('releases the sockets of discarded responses', async () => {
  const big = await listen((request, response, nth) => {
    if (nth < 4) response.writeHead(503).end(Buffer.alloc(4_000_000));
    else response.end('ok');
  });
  try {
    const response = await quick(`${big.origin}/big`);
    assert.equal(await response.text(), 'ok');
    await until(() => big.sockets.size <= 1, 'one socket at most, kept for the next request');
  } finally {
    await big.close();
  }
});
