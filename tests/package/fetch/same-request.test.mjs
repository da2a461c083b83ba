// The request that is sent is the request that was given: each attempt gets what bare fetch would get.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { QUICK, serving, statuses } from '../lib/fetching.mjs';
import { printed } from '../lib/consumer.mjs';
import { importAll } from '../protection/entry.mjs';

const { budget, createFetch, hedge, protect, retryReport } = await importAll();

const MEMBERS = [
  'method',
  'url',
  'referrer',
  'referrerPolicy',
  'mode',
  'credentials',
  'cache',
  'redirect',
  'integrity',
];
MEMBERS.push('keepalive', 'duplex');

/** Returns what a fetch sends that gets these arguments. */
async function sentBy(input, init, ...rest) {
  const request = new Request(input, init);
  const extras = Object.entries(init ?? {}).filter(([name]) => ['next', 'cf'].includes(name));
  const headers = Object.fromEntries(request.headers);
  const bytes = Buffer.from(await request.arrayBuffer()).toString('latin1');
  const [, boundary] = /^--(-+\S+)\r\n/.exec(bytes) ?? [];
  return {
    ...Object.fromEntries(MEMBERS.map((name) => [name, request[name]])),
    headers,
    bytes,
    boundary,
    extras,
    rest,
  };
}

/** Without what may differ: the headers that options add, and the boundary of a form. */
function compared({ headers, bytes, boundary, ...rest }) {
  const { 'idempotency-key': _, 'x-prepared': __, ...others } = headers;
  if (boundary === undefined) return { headers: others, bytes, ...rest };
  const same = (text) => text.replaceAll(boundary, 'BOUNDARY');
  return { headers: { ...others, 'content-type': same(others['content-type'] ?? '') }, bytes: same(bytes), ...rest };
}

const URL_ = 'http://x.test/path?a=1#part';
const BYTES = Uint8Array.from({ length: 300 }, (_, i) => (i * 31) & 255);
const form = () => {
  const made = new FormData();
  made.append('a', '1');
  made.append('file', new File([BYTES], 'ü.bin', { type: 'x/y' }));
  return made;
};
const INITS = {
  'no init': () => undefined,
  'an empty init': () => ({}),
  'referrer empty': () => ({ referrer: '' }),
  'referrer about:client': () => ({ referrer: 'about:client' }),
  'a referrer': () => ({ referrer: 'http://x.test/page' }),
  'referrerPolicy no-referrer': () => ({ referrerPolicy: 'no-referrer' }),
  'referrerPolicy and referrer': () => ({ referrerPolicy: 'unsafe-url', referrer: 'http://x.test/page' }),
  'credentials omit': () => ({ credentials: 'omit' }),
  'credentials include': () => ({ credentials: 'include' }),
  'mode same-origin': () => ({ mode: 'same-origin' }),
  'mode no-cors': () => ({ mode: 'no-cors', headers: { accept: 'x/y', 'x-a': '1' } }),
  'cache no-store': () => ({ cache: 'no-store' }),
  'redirect manual': () => ({ redirect: 'manual', referrer: '' }),
  integrity: () => ({ integrity: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' }),
  keepalive: () => ({ keepalive: true }),
  headers: () => ({ headers: { accept: 'x/y', cookie: 'a=1', 'x-a': 'ä' } }),
  'pairs of headers': () => ({
    headers: [
      ['x-a', '1'],
      ['x-a', '2'],
    ],
  }), // prettier-ignore
  'a method in small letters': () => ({ method: 'post' }),
  'a method of their own': () => ({ method: 'Purge' }),
  DELETE: () => ({ method: 'DELETE', referrerPolicy: 'origin' }),
  'extras of hosts': () => ({ next: { revalidate: 1 }, cf: { ttl: 5 } }),
  'extras and a referrer': () => ({ next: { revalidate: 1 }, referrer: '' }),
  ...Object.fromEntries(
    Object.entries({
      'a string': () => 'PAYLOAD äöü',
      'an empty string': () => '',
      parameters: () => new URLSearchParams({ a: '1', b: 'ü' }),
      'a Blob': () => new Blob([BYTES], { type: 'Text/X' }),
      'a File': () => new File([BYTES], 'name.bin'),
      'a buffer': () => BYTES.buffer.slice(5),
      'a view': () => BYTES.subarray(5, 100),
      'a form': form,
      'a function that makes a string': () => () => 'made',
      'a function that makes a stream': () => () => new Blob([BYTES]).stream(),
      'a function that makes a form': () => () => form(),
    }).flatMap(([name, make]) =>
      ['PUT', 'POST'].map((method) => [`${method}, ${name}`, () => ({ method, body: make(), referrer: '' })]),
    ),
  ),
  'a form under a key': () => ({ method: 'POST', body: form(), headers: { 'Idempotency-Key': 'k', 'x-a': '1' } }),
  'a form with another type': () => ({ method: 'PUT', body: form(), headers: { 'content-type': 'x/y' } }),
};

/** What a Request cannot have, bare fetch does not take either. */
const isForRequest = (init) => typeof init?.body !== 'function';

/** Name → what makes the arguments: an address or a Request, and an init. */
const GIVEN = {};
for (const [name, make] of Object.entries(INITS)) {
  GIVEN[`an address, ${name}`] = () => [URL_, make()];
  if (isForRequest(make())) {
    GIVEN[`a Request of ${name}`] = () => [new Request(URL_, make())];
    GIVEN[`a Request of ${name}, an empty init`] = () => [new Request(URL_, make()), {}];
    GIVEN[`a Request of ${name}, extras`] = () => [new Request(URL_, make()), { next: { revalidate: 1 } }];
    GIVEN[`a Request of ${name}, headers`] = () => [new Request(URL_, make()), { headers: { 'x-b': '1' } }];
  }
  const init = make() ?? {};
  if (init.mode !== 'no-cors')
    GIVEN[`a Request with everything, ${name}`] = () => [
      new Request(URL_, {
        ...{ method: 'PUT', body: 'replaced', referrer: 'http://x.test/page', referrerPolicy: 'origin' },
        ...{ credentials: 'omit', cache: 'reload', redirect: 'error', headers: { 'x-a': '3' } },
      }),
      { method: 'PUT', ...make() },
    ];
}
GIVEN['a URL'] = () => [new URL(URL_), { referrer: '' }];
GIVEN['a Request as init'] = () => [
  URL_,
  new Request('http://y.test/', { method: 'DELETE', referrerPolicy: 'origin' }),
];
GIVEN['further arguments'] = () => [URL_, { method: 'PUT', body: 'x' }, { DB: 1 }, 'last'];
GIVEN['further arguments without an init'] = () => [URL_, undefined, { DB: 1 }];

const PREPARE = [{}, { prepare() {} }, { prepare: (request) => request.headers.set('x-prepared', '1') }];
const KEYS = [{}, { idempotencyKey: 'auto' }, { idempotencyKey: () => 'own' }];
const LIMITS = [{}, { attemptTimeoutMs: 60_000 }, { signal: new AbortController().signal, totalTimeoutMs: 600_000 }];
const PROTECTION = [
  () => ({}),
  () => ({ protection: protect(budget()), protectionKey: (request) => request.method }),
  () => ({ protection: protect(hedge({ delayMs: 60_000 })) }),
];
/** Of four lists of three, every pair is in one of these nine. */
const NINE = Array.from({ length: 9 }, (_, i) => [Math.floor(i / 3), i % 3]);
const OPTIONS = NINE.map(([a, b]) => () => ({
  ...{ ...PREPARE[a], ...KEYS[b] },
  ...{ ...LIMITS[(a + b) % 3], ...PROTECTION[(a + 2 * b) % 3]() },
}));

const copy = new Request(new Request(URL_, { referrer: '', referrerPolicy: 'origin' }));
const COPIES_LOSE = copy.referrer !== '' || copy.referrerPolicy !== 'origin';

/**
 * Returns the members that an attempt may have instead of bare fetch's: undici 7 loses them in each copy of a Request,
 * of which bare fetch makes one.
 */
function whereCopiesLose({ referrer, referrerPolicy }, [input, init]) {
  if (!COPIES_LOSE) return {};
  const given = input instanceof Request ? input : new Request(input, { ...init, body: undefined });
  return {
    ...([given.referrer, 'about:client'].includes(referrer) && { referrer }),
    ...([given.referrerPolicy, ''].includes(referrerPolicy) && { referrerPolicy }),
  };
}

for (const [name, make] of Object.entries(GIVEN)) {
  test(`${name}: each attempt sends what bare fetch sends`, async () => {
    const bare = compared(await sentBy(...(await madeFor(make()))));
    for (const optionsOf of OPTIONS) {
      const options = optionsOf();
      const calls = [];
      const inner = async (...args) => {
        calls.push(await sentBy(...args));
        return new Response(null, { status: calls.length < 3 ? 503 : 200 });
      };
      await createFetch({ ...QUICK, ...options }, inner)(...make());
      const isKeyed = calls[0].headers['idempotency-key'] !== undefined;
      assert.equal(calls.length, isKeyed || !/^(POST|Purge)$/.test(bare.method) ? 3 : 1);
      const { prepare } = options;
      for (const [i, sent] of calls.entries()) {
        const where = `attempt ${i + 1} with ${JSON.stringify(Object.keys(options))}`;
        const expected = { ...bare, ...whereCopiesLose(sent, make()) };
        assert.deepEqual(compared(sent), expected, where);
        assert.equal(sent.headers['x-prepared'], /x-p/.test(prepare) ? '1' : undefined, where);
        if (isKeyed && !/makes a form/.test(name)) assert.equal(sent.bytes, calls[0].bytes, where);
      }
    }
  });
}

/** Calls the function that makes a body, which bare fetch has not. */
async function madeFor([input, init, ...rest]) {
  if (isForRequest(init)) return [input, init, ...rest];
  const body = await init.body();
  return [input, { ...init, body, ...(body instanceof ReadableStream && { duplex: 'half' }) }, ...rest];
}

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
