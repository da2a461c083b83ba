// Requests that may be processed once only: when they are sent again, and with which key.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { importEntry, importPackage, printed } from '../lib/consumer.mjs';
import { QUICK, closedOrigin, importFetch, serving, statuses } from '../lib/fetching.mjs';

const { createFetch, fetchWithRetry } = await importFetch();
const light = await importEntry('light/fetch');
const { retryReport } = await importPackage();

const post = createFetch({ ...QUICK, maxAttempts: 3 });

const closed = await closedOrigin();
const { server } = serving((request, response) => {
  const { searchParams } = new URL(request.url, 'http://x');
  const status = Number(searchParams.get('status') ?? 200);
  response.writeHead(status, searchParams.has('to') ? { location: searchParams.get('to') } : {}).end('x');
});
const requestsOf = (path) => server().seen.filter((request) => request.path.startsWith(path));

test('a POST that the server redirects to where nobody can connect is processed once', async () => {
  for (const status of [301, 302, 303, 307, 308])
    for (const [code, to] of [
      ['ECONNREFUSED', `${closed}/done`],
      ['ENOTFOUND', 'http://nowhere.invalid/done'],
    ])
      for (const [entry, send] of Object.entries({ post, light: light.createFetch(QUICK) })) {
        const path = `/${status}-${code}-${entry}`;
        const url = `${server().origin}${path}?${new URLSearchParams({ status, to })}`;
        const error = await send(url, { method: 'POST', body: 'item=7' }).catch((e) => e);
        assert.deepEqual([error.cause.code, requestsOf(path).length], [code, 1], path);
        if (send === post) assert.equal(retryReport(error).attempts, 1);
      }
});

test('a POST whose own connection fails is sent again', async () => {
  for (const [url, code] of [
    [`${closed}/`, 'ECONNREFUSED'],
    [closed.replace('127.0.0.1', 'localhost'), 'ECONNREFUSED'],
    ['http://nowhere.invalid/', 'ENOTFOUND'],
  ]) {
    for (const body of ['item=7', undefined, () => 'item=7', new URLSearchParams('item=7')]) {
      const error = await post(url, { method: 'POST', body }).catch((e) => e);
      assert.equal(error.cause.code, code);
      assert.equal(retryReport(error).attempts, 3, `${url} ${typeof body}`);
    }
  }
});

/** A failure of Node's fetch. */
const failed = (cause, message = 'x') =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(message), cause) });
const REFUSED = { code: 'ECONNREFUSED', syscall: 'connect' };

test('a body whose own source fails does not prove a failed connection: the POST is sent once', async () => {
  const { origin } = server();
  const failure = { ...REFUSED, address: '127.0.0.1', port: Number(new URL(origin).port) };
  // A stream from a database or an upstream fails like this.
  const source = () =>
    new ReadableStream({
      pull(controller) {
        if (this.begun) controller.error(Object.assign(new Error('connect ECONNREFUSED'), failure));
        else controller.enqueue(new TextEncoder().encode('first'));
        this.begun = true;
      },
    });
  for (const redirect of ['follow', 'error'])
    for (const init of [
      { body: source },
      { body: async () => source() },
      { body: () => Readable.fromWeb(source()) },
      { body: source(), duplex: 'half' },
    ]) {
      let sent = 0;
      const inner = (...args) => {
        sent += 1;
        return fetch(...args);
      };
      const go = createFetch({ ...QUICK, maxAttempts: 3 }, inner);
      await assert.rejects(go(`${origin}/source`, { method: 'POST', redirect, ...init }));
      assert.equal(sent, 1, `${init.body}, ${redirect}`);
    }
  // A Request does not show the source of its body.
  const { inner, calls } = statuses(failed({ ...REFUSED, address: '192.0.2.1', port: 80 }));
  await createFetch(
    { ...QUICK, maxAttempts: 3 },
    inner,
  )(new Request('http://192.0.2.1/', { method: 'POST', body: 'x' })).catch(() => {});
  assert.equal(calls.length, 1);
});

test('a Request that will not be sent again is not cloned', async (t) => {
  const clone = t.mock.method(Request.prototype, 'clone');
  const request = (method, headers) =>
    new Request('http://x/', { method, headers, body: method === 'GET' ? undefined : 'x' });
  const clones = async (made, options) => {
    const before = clone.mock.callCount();
    const { inner, calls } = statuses(200);
    await createFetch({ ...QUICK, ...options }, inner)(made);
    assert.equal(await new Response(calls[0][0].body).text(), made.method === 'GET' ? '' : 'x');
    return clone.mock.callCount() - before;
  };
  assert.equal(await clones(request('POST')), 0);
  assert.equal(await clones(request('PATCH')), 0);
  assert.equal(await clones(request('POST', { 'idempotency-key': 'k' })), 1);
  assert.equal(await clones(request('POST'), { idempotencyKey: 'auto' }), 1);
  assert.equal(await clones(request('PUT')), 1);
  assert.equal(await clones(request('PUT'), { maxAttempts: 1 }), 0);
});

test('a constant key is for one call: createFetch rejects it and does not repeat it', async () => {
  const remedy =
    /^rejitter: idempotencyKey must be 'auto' or a function.*Set a text per call: fetch\(url, \{ retry: \{ idempotencyKey \} \}\)$/;
  assert.throws(
    () => createFetch({ idempotencyKey: 'order-4711' }),
    (error) => error instanceof TypeError && remedy.test(error.message) && !/4711/.test(error.message),
  );
  for (const bad of ['', 'a b', 'a:', 5])
    assert.throws(() => createFetch({ idempotencyHeader: bad }), /idempotencyHeader must be the name of a header/);
});

test('idempotencyKey auto where there is no crypto: rejected before anything is sent, with the remedy', async () => {
  const stdout = await printed(`
    import { createFetch } from 'rejitter/fetch';
    delete globalThis.crypto;
    let calls = 0;
    const fetch = createFetch({ idempotencyKey: 'auto' }, async () => { calls += 1; return new Response(); });
    const error = await fetch('http://x/', { method: 'POST' }).catch((error) => error);
    console.log(calls, String(error));
    const own = createFetch({ idempotencyKey: () => 'mine' }, async () => { calls += 1; return new Response(); });
    console.log((await own('http://x/', { method: 'POST' })).status, calls);
  `);
  assert.match(stdout, /^0 TypeError: rejitter: idempotencyKey 'auto' .*crypto.*function/);
  assert.match(stdout, /\n200 1\n$/);
});

test('an option in the wrong place is an error before anything is sent', async () => {
  for (const [init, name] of [
    [{ maxAttempts: 2 }, 'maxAttempts'],
    [{ totalTimeoutMs: 5 }, 'totalTimeoutMs'],
    [{ method: 'POST', idempotencyKey: 'auto' }, 'idempotencyKey'],
  ]) {
    const { inner, calls } = statuses(200);
    const { message } = await createFetch({}, inner)('http://x/', init).catch((error) => error);
    assert.ok(message.startsWith(`rejitter: ${name} `) && message.includes(`retry: { ${name} }`), message);
    assert.equal(calls.length, 0);
  }
  // Additions of hosts and other packages are theirs.
  const { inner, calls } = statuses(200);
  const names =
    'next cf dispatcher timeout onRequest onSuccess onRetry name hint seed metrics methods baseURL retryDelay';
  const others = Object.fromEntries(`${names} retries`.split(' ').map((name) => [name, { own: name }]));
  await createFetch({}, inner)('http://x/', others);
  assert.deepEqual(calls[0][1], others);
  await assert.rejects(fetchWithRetry('http://x/', { maxAttempts: 2 }), /retry: \{ maxAttempts \}/);
});
