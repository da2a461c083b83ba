// The request that is sent is the request that was given.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { QUICK, serving, statuses } from '../lib/fetching.mjs';
import { printed } from '../lib/consumer.mjs';
import { importAll } from '../protection/entry.mjs';

const { budget, createFetch, protect, retryReport } = await importAll();

const BYTES = Uint8Array.from({ length: 300 }, (_, i) => (i * 31) & 255);
const form = () => {
  const made = new FormData();
  made.append('a', '1');
  made.append('file', new File([BYTES], 'ü.bin', { type: 'x/y' }));
  return made;
};
const { fresh, requestsOf } = serving((request, response, nth) => response.writeHead(nth < 3 ? 503 : 200).end());

test('a form under a key is the same bytes, of known length, on each attempt', async () => {
  for (const options of [{ idempotencyKey: 'auto' }, { idempotencyKey: 'auto', prepare() {} }]) {
    const url = fresh();
    await createFetch({ ...QUICK, ...options })(url, { method: 'POST', body: form() });
    const requests = requestsOf(url);
    assert.equal(requests.length, 3);
    assert.equal(new Set(requests.map(({ body }) => body.toString('latin1'))).size, 1);
    assert.equal(new Set(requests.map(({ headers }) => headers['content-type'])).size, 1);
    for (const { headers, body } of requests) {
      assert.equal(headers['content-length'], String(body.length));
      const parsed = await new Response(body, { headers: { 'content-type': headers['content-type'] } }).formData();
      assert.deepEqual(Buffer.from(await parsed.get('file').arrayBuffer()), Buffer.from(BYTES));
    }
  }
});

test('a form that Response does not encode goes to the inner fetch as it is, under a key too', async (t) => {
  const { Response } = globalThis;
  // As whatwg-fetch's.
  t.mock.method(
    globalThis,
    'Response',
    class extends Response {
      constructor(body, init) {
        super(body instanceof FormData ? '' : body, init);
      }
    },
  );
  const { inner, calls } = statuses(503, 503, 200);
  await createFetch({ ...QUICK, idempotencyKey: 'auto' }, inner)('http://x/', { method: 'POST', body: form() });
  assert.equal(calls.length, 3);
  for (const [, { body }] of calls) assert.equal(body.get('a'), '1');
});

/** React Native's, by its source. */
class NativeForm {
  _parts = [];

  append(name, value) {
    this._parts.push([name, value]);
  }

  getParts() {
    return this._parts.map(([fieldName, string]) => ({ fieldName, string, headers: {} }));
  }
}

test('a form or a file of React Native is sent again, as it was at the call', async () => {
  class Named extends NativeForm {
    constructor(name) {
      super();
      this.append('name', name.toUpperCase());
    }
  }
  for (const idempotencyKey of [undefined, 'auto'])
    for (const make of [
      () => new NativeForm(),
      () => new Named('n'),
      () => ({ uri: 'file:///a.jpg', name: 'a.jpg' }),
    ]) {
      const { inner, calls } = statuses(503, 503, 200);
      const body = make();
      body.append?.('photo', { uri: 'file:///a.jpg' });
      const before = body.getParts?.() ?? { ...body };
      const method = idempotencyKey ? 'POST' : 'PUT';
      const response = createFetch({ ...QUICK, idempotencyKey }, inner)('http://x/', { method, body });
      body.append?.('late', '1');
      assert.equal((await response).status, 200);
      assert.equal(calls.length, 3);
      for (const [, init] of calls) {
        assert.deepEqual(init.body.getParts?.() ?? init.body, before);
        assert.ok(init.body instanceof body.constructor);
      }
    }
});

test('further arguments, such as the bindings that Hono takes, reach each attempt', async () => {
  for (const args of [
    ['http://x/', { method: 'PUT', body: 'x' }, { DB: 1 }, 'last'],
    ['http://x/', undefined, { DB: 1 }],
  ])
    for (const options of [{}, { prepare() {} }]) {
      const { inner, calls } = statuses(503, 503, 200);
      await createFetch({ ...QUICK, ...options }, inner)(...args);
      assert.deepEqual(
        calls.map((call) => call.slice(2)),
        Array(3).fill(args.slice(2)),
      );
    }
});

test("a framework's relative address: the option that needs an absolute one is named", async () => {
  for (const [options, name] of [
    [{}],
    [{ attemptTimeoutMs: 1000 }],
    [{ idempotencyKey: 'auto' }],
    [{ protection: protect(budget()) }],
    [{ prepare() {} }, 'prepare'],
    [{ idempotencyKey: () => 'k' }, 'idempotencyKey'],
    [{ protection: protect(budget()), protectionKey: () => 'k' }, 'protectionKey'],
  ]) {
    const { inner, calls } = statuses(503, 200);
    const method = options.idempotencyKey ? 'POST' : 'GET';
    const outcome = await createFetch({ ...QUICK, ...options }, inner)('/api/x', { method }).catch((error) => error);
    if (name === undefined) assert.deepEqual([outcome.status, calls.map(([url]) => url)], [200, ['/api/x', '/api/x']]);
    else {
      assert.ok(outcome instanceof TypeError);
      assert.match(outcome.message, new RegExp(`^rejitter: ${name} needs an absolute URL`));
      assert.equal(calls.length, 0);
    }
  }
  // Another mistake keeps its own words.
  for (const prepare of [undefined, () => {}])
    await assert.rejects(createFetch({ prepare })('http://x/', { method: 'a b' }), /a b/);
});

const BAD = {
  'a URL': ['http://'],
  'credentials in the URL': ['http://user:secret@x.test/'],
  'a method': ['http://x.test/', { method: 'TRACE' }],
  'a mode': ['http://x.test/', { mode: 'navigate' }],
  'a cache': ['http://x.test/', { cache: 'only-if-cached' }],
  'a redirect': ['http://x.test/', { redirect: 'never' }],
  'a referrer': ['http://x.test/', { referrer: 'http://:80' }],
  'a header': ['http://x.test/', { headers: { 'a b': '1' } }],
  'a body with GET': ['http://x.test/', { body: 'x' }],
  'an init next to a Request': [new Request('http://x.test/', { method: 'POST' }), { method: 'a b' }],
};

for (const [name, [input, init]] of Object.entries(BAD)) {
  test(`bare fetch rejects ${name}, and so does an aborted call, with the same kind of error`, async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const bare = await fetch(input, { ...init, signal }).catch((error) => error);
    assert.ok(bare instanceof TypeError, String(bare));
    for (const options of [{}, { attemptTimeoutMs: 1000 }, { protection: protect(budget()) }, { signal }]) {
      const more = options.signal ? {} : { signal };
      const error = await createFetch({ ...QUICK, ...options })(input, { ...init, ...more }).catch((e) => e);
      assert.ok(error instanceof TypeError, String(error));
      assert.equal(retryReport(error), undefined);
    }
  });
}

test('an aborted call of a good request rejects with the reason; an inner fetch has rules of its own', async () => {
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  for (const init of [
    {},
    { method: 'POST', body: 'x' },
    { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' },
  ])
    assert.equal(await createFetch()('http://x.test/', { ...init, signal }).catch((error) => error), reason);
  const { inner, calls } = statuses(200);
  for (const [url, init] of [['/api/x'], ['http://user:secret@x.test/'], ['http://x.test/', { mode: 'own' }]])
    assert.equal(await createFetch({}, inner)(url, { ...init, signal }).catch((error) => error), reason);
  assert.equal(calls.length, 0);
  // Nor does a mock in the place of the global fetch.
  const stdout = await printed(`
    import { createFetch } from 'rejitter/fetch';
    globalThis.fetch = async () => new Response();
    console.log(String(await createFetch()('/api', { signal: AbortSignal.abort('enough') }).catch(String)));`);
  assert.equal(stdout, 'enough\n');
});

test('an aborted request is used as by bare fetch, whatever the options are', async () => {
  for (const options of [{}, { attemptTimeoutMs: 1000 }, { protection: protect(budget()) }]) {
    const request = new Request('http://x.test/', { method: 'POST', body: 'x', signal: AbortSignal.abort() });
    await assert.rejects(createFetch(options)(request), { name: 'AbortError' });
    assert.equal(request.bodyUsed, true);
  }
});
