// Requests that may be processed once only: when they are sent again, and with which key.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';

import { importPackage, runNode } from '../lib/consumer.mjs';
import { QUICK, importFetch, listen, statuses } from '../lib/fetching.mjs';

const { createFetch, fetchWithRetry } = await importFetch();
const { retryReport } = await importPackage();

const post = createFetch({ ...QUICK, maxAttempts: 3 });

let server;
let closed;
before(async () => {
  const gone = await listen(() => {});
  await gone.close();
  closed = gone.origin;
  server = await listen((request, response) => {
    const { searchParams } = new URL(request.url, 'http://x');
    const status = Number(searchParams.get('status') ?? 200);
    response.writeHead(status, searchParams.has('to') ? { location: searchParams.get('to') } : {}).end('x');
  });
});
after(() => server.close());
const requestsOf = (path) => server.seen.filter((request) => request.path.startsWith(path));

for (const status of [301, 302, 303, 307, 308]) {
  for (const [name, target] of [
    ['ECONNREFUSED', () => `${closed}/done`],
    ['ENOTFOUND', () => 'http://nowhere.invalid/done'],
  ]) {
    test(`a POST that the server redirects (${status}) and cannot connect (${name}) is processed once`, async () => {
      const path = `/${status}-${name}`;
      const error = await post(`${server.origin}${path}?${new URLSearchParams({ status, to: target() })}`, {
        method: 'POST',
        body: 'item=7',
      }).catch((e) => e);
      assert.equal(error.cause.code, name);
      assert.equal(requestsOf(path).length, 1);
      assert.equal(retryReport(error).attempts, 1);
    });
  }
}

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

test('prepare that returns another request: its address decides', async () => {
  const moved = failed({ ...REFUSED, address: '192.0.2.9', port: 80 });
  for (const [url, attempts] of [
    ['http://192.0.2.9/', 3],
    ['http://192.0.2.1/', 1],
  ]) {
    const { inner, calls } = statuses(moved);
    await createFetch({ ...QUICK, maxAttempts: 3, prepare: () => new Request(url, { method: 'POST' }) }, inner)(
      'http://192.0.2.1/',
      { method: 'POST' },
    ).catch(() => {});
    assert.equal(calls.length, attempts);
  }
});

test('a request that prepare made unsafe is not repeated', async () => {
  const order = (request, headers) => new Request(request.url, { method: 'POST', body: 'order', headers });
  const drop = (request) => request.headers.delete('idempotency-key');
  const own = { idempotencyKey: 'auto' };
  const keyed = { method: 'POST', headers: { 'idempotency-key': 'k' } };
  for (const [expected, prepare, init, options] of [
    [1, (request) => order(request)],
    [1, (request) => order(request, { 'idempotency-key': 'added' })],
    [1, (request, { attempt }) => order(request, { 'idempotency-key': attempt }), keyed],
    [3, (request) => order(request, request.headers), keyed],
    // A key that is missing is put back.
    [3, drop, keyed],
    [3, drop, { method: 'POST' }, own],
    [3, (request) => order(request), { method: 'POST' }, own],
    [1, (request) => order(request), {}, own],
    [3, (request) => new Request(request.url, { method: 'PUT', body: 'x' })],
  ]) {
    server.seen.length = 0;
    const fetch = createFetch({ ...QUICK, maxAttempts: 3, prepare, ...options });
    const response = await fetch(`${server.origin}/prepared?status=503`, init);
    assert.equal(response.status, 503);
    const keys = new Set(requestsOf('/prepared').map(({ headers }) => headers['idempotency-key']));
    assert.deepEqual([server.seen.length, keys.size], [expected, 1], `${prepare} ${JSON.stringify(init)}`);
    if (init?.method === 'POST') assert.equal(keys.has(undefined), false, 'without a key');
  }
  // An attempt that would repeat an order with another key is not made.
  server.seen.length = 0;
  const late = createFetch({
    ...QUICK,
    prepare: (request, { attempt }) => (attempt > 1 ? order(request, { 'idempotency-key': 'b' }) : undefined),
  });
  const error = await late(`${server.origin}/prepared?status=503`, keyed).catch((e) => e);
  assert.match(error.message, /^rejitter: prepare must return/);
  assert.equal(server.seen.length, 1);
});

test('a body whose own source fails does not prove a failed connection: the POST is sent once', async () => {
  // A stream from a database or an upstream fails like this.
  const source = () =>
    new ReadableStream({
      pull(controller) {
        if (this.begun)
          controller.error(
            Object.assign(new Error('connect ECONNREFUSED'), {
              ...REFUSED,
              address: '127.0.0.1',
              port: Number(new URL(server.origin).port),
            }),
          );
        else controller.enqueue(new TextEncoder().encode('first'));
        this.begun = true;
      },
    });
  const bodies = {
    'a function': { body: source },
    'a function that gives a promise': { body: async () => source() },
    'a function that gives a Node stream': { body: () => Readable.fromWeb(source()) },
    'a stream': { body: source(), duplex: 'half' },
  };
  for (const [name, init] of Object.entries(bodies)) {
    for (const redirect of ['follow', 'error']) {
      const path = `/source-${name.length}-${redirect}`;
      const seen = [];
      const inner = async (input, given) => {
        seen.push(input);
        return fetch(input, given);
      };
      await createFetch({ ...QUICK, maxAttempts: 3 }, inner)(`${server.origin}${path}`, {
        method: 'POST',
        redirect,
        ...init,
        ...(name === 'a stream' && { body: source() }),
      }).catch(() => {});
      assert.equal(seen.length, 1, `${name}, ${redirect}`);
    }
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

test('no-cors drops the key, so such a POST is sent once, without one', async () => {
  for (const [options, headers] of [
    [{ idempotencyKey: 'auto' }, {}],
    [{}, { 'idempotency-key': 'mine' }],
  ]) {
    for (const asRequest of [false, true]) {
      const { inner, calls } = statuses(503);
      const init = { method: 'POST', mode: 'no-cors', headers, body: 'x' };
      await createFetch(
        { ...QUICK, maxAttempts: 3, ...options },
        inner,
      )(...(asRequest ? [new Request('http://x/', init)] : ['http://x/', init]));
      assert.equal(calls.length, 1);
      if (options.idempotencyKey) assert.equal(new Headers(calls[0][1]?.headers).has('idempotency-key'), false);
    }
  }
});

test('idempotencyHeader: the key under another name', async () => {
  const { inner, calls } = statuses(503, 503, 200);
  const paypal = createFetch({ ...QUICK, idempotencyKey: 'auto', idempotencyHeader: 'PayPal-Request-Id' }, inner);
  assert.equal((await paypal('http://x/', { method: 'POST', body: 'x' })).status, 200);
  const keys = calls.map(([, init]) => new Headers(init.headers).get('paypal-request-id'));
  assert.match(keys[0], /^[0-9a-f-]{36}$/);
  assert.equal(new Set(keys).size, 1);
  assert.ok(calls.every(([, init]) => !new Headers(init.headers).has('idempotency-key')));
  const own = statuses(503, 200);
  await createFetch({ ...QUICK, idempotencyHeader: 'X-Request-Id' }, own.inner)('http://x/', {
    method: 'POST',
    headers: { 'x-request-id': '1' },
  });
  assert.equal(own.calls.length, 2);
  // The usual name says nothing to a server that reads another.
  const other = statuses(503, 200);
  await createFetch({ ...QUICK, idempotencyHeader: 'X-Request-Id' }, other.inner)('http://x/', {
    method: 'POST',
    headers: { 'idempotency-key': '1' },
  });
  assert.equal(other.calls.length, 1);
  for (const bad of ['', 'a b', 'a:', 5])
    assert.throws(
      () => createFetch({ idempotencyHeader: bad }),
      /rejitter: idempotencyHeader must be the name of a header/,
    );
});

test('a constant key is for one call: createFetch rejects it and does not repeat it', async () => {
  assert.throws(
    () => createFetch({ idempotencyKey: 'order-4711' }),
    (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(
        error.message,
        /^rejitter: idempotencyKey must be 'auto' or a function.*Set a text per call: fetch\(url, \{ retry: \{ idempotencyKey \} \}\)$/,
      );
      assert.doesNotMatch(error.message, /4711/);
      return true;
    },
  );
  const { inner, calls } = statuses(503, 200);
  await createFetch(QUICK, inner)('http://x/', { method: 'POST', retry: { idempotencyKey: 'order-4711' } });
  assert.deepEqual(
    calls.map(([, init]) => init.headers.get('idempotency-key')),
    ['order-4711', 'order-4711'],
  );
});

test('idempotencyKey auto where there is no crypto: rejected before anything is sent, with the remedy', async () => {
  const { stdout, stderr } = await runNode(`
    import { createFetch } from 'rejitter/fetch';
    delete globalThis.crypto;
    let calls = 0;
    const fetch = createFetch({ idempotencyKey: 'auto' }, async () => { calls += 1; return new Response(); });
    const error = await fetch('http://x/', { method: 'POST' }).catch((error) => error);
    console.log(calls, String(error));
    const own = createFetch({ idempotencyKey: () => 'mine' }, async () => { calls += 1; return new Response(); });
    console.log((await own('http://x/', { method: 'POST' })).status, calls);
  `);
  assert.equal(stderr, '');
  assert.match(stdout, /^0 TypeError: rejitter: idempotencyKey 'auto' .*crypto.*function/);
  assert.match(stdout, /\n200 1\n$/);
});

test('an option in the wrong place is an error before anything is sent', async () => {
  for (const [init, name] of [
    [{ maxAttempts: 2 }, 'maxAttempts'],
    [{ totalTimeoutMs: 5 }, 'totalTimeoutMs'],
    [{ retryOn: [1] }, 'retryOn'],
    [{ method: 'POST', idempotencyKey: 'auto' }, 'idempotencyKey'],
  ]) {
    const { inner, calls } = statuses(200);
    await assert.rejects(createFetch({}, inner)('http://x/', init), (error) => {
      assert.ok(error instanceof TypeError);
      assert.ok(
        error.message.startsWith(`rejitter: ${name} `) && error.message.includes(`retry: { ${name} }`),
        error.message,
      );
      return true;
    });
    assert.equal(calls.length, 0);
  }
  // Additions of hosts and other packages are theirs.
  const { inner, calls } = statuses(200);
  const others = {
    next: { revalidate: 1 },
    cf: {},
    dispatcher: {},
    timeout: 5,
    onRequest() {},
    onSuccess() {},
    onRetry() {},
    name: 'x',
    hint: 1,
    seed: 1,
    metrics: 1,
    methods: [],
    baseURL: '/',
    retryDelay: 5,
    retries: 3,
  };
  await createFetch({}, inner)('http://x/', others);
  assert.deepEqual(calls[0][1], others);
  await assert.rejects(fetchWithRetry('http://x/', { maxAttempts: 2 }), /retry: \{ maxAttempts \}/);
});
