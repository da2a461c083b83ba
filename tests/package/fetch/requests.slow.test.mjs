// The request that is sent is the request that was given: each attempt gets what bare fetch would get. The arguments of
// the inner fetch show all members of a request; what servers see of them, pages show (fetch.browser.test.mjs).

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { QUICK, statuses } from '../lib/fetching.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { importAll } from '../protection/entry.mjs';
import { INITS, LIGHT, SHAPES, form, optionsOf, threeOf } from './requests/cases.mjs';
import { comparable } from './requests/server.mjs';

const rejitter = await importAll();
const { budget, createFetch, protect, retryReport } = rejitter;
const { createFetch: light } = await importEntry('light/fetch');
const WITHOUT_LIMITS = { ...LIGHT, attemptTimeoutMs: undefined };

const MEMBERS = 'method url referrer referrerPolicy mode credentials cache redirect integrity keepalive duplex'.split(
  ' ',
);

/** Returns what a fetch sends that gets these arguments. */
async function sentBy(input, init, ...rest) {
  const request = new Request(input, init);
  const extras = Object.entries(init ?? {}).filter(([name]) => ['next', 'cf'].includes(name));
  const headers = Object.fromEntries(request.headers);
  const bytes = Buffer.from(await request.arrayBuffer()).toString('latin1');
  return { ...Object.fromEntries(MEMBERS.map((name) => [name, request[name]])), headers, bytes, extras, rest };
}

/** Without what may differ: the headers that options add, and the boundary of a form. */
function compared(sent) {
  const { 'idempotency-key': _, 'x-prepared': __, ...headers } = sent.headers;
  return comparable({ ...sent, headers });
}

const URL_ = 'http://x.test/path?a=1#part';
const stream = () => new Blob(['PAYLOAD']).stream();
const everything = () =>
  new Request(URL_, {
    ...{ method: 'PUT', body: 'replaced', referrer: 'http://x.test/page', referrerPolicy: 'origin' },
    ...{ credentials: 'omit', cache: 'reload', redirect: 'error', headers: { 'x-a': '3' } },
  });
/**
 * Cases that light does not know: it takes no further arguments and no functions, loses what an init inherits, and lets
 * the extras of a server's host reset the referrer, which pages alone have.
 */
const NOT_OF_LIGHT = /^further arguments|a function that makes|a Request as init|a Request and extras/;
class Mine extends Request {}
class Address extends URL {
  constructor(path) {
    super(path, URL_);
  }
}
class OwnHeaders extends Headers {
  constructor(environment, headers) {
    super(headers);
    this.append('x-a', environment);
  }
}
/** Subclasses that ask for other arguments, or add entries of their own. */
const [Params, Form] = [URLSearchParams, FormData].map(
  (List) =>
    class extends List {
      constructor(token) {
        super();
        this.append('token', token.toUpperCase());
      }
    },
);

/** Name → what makes the arguments of a call. */
const GIVEN = {
  'a URL': () => [new URL(URL_), { referrer: '' }],
  'an empty init': () => [URL_, {}],
  'a method whose case is kept': () => [URL_, { method: 'Purge' }],
  integrity: () => [URL_, { integrity: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' }],
  // Firefox sends it past a service worker.
  keepalive: () => [URL_, { keepalive: true }],
  'extras of hosts': () => [URL_, { next: { revalidate: 1 }, cf: { ttl: 5 } }],
  'a Request as init': () => [URL_, new Request('http://y.test/', { method: 'DELETE', referrerPolicy: 'origin' })],
  'a Request of a stream': () => [new Request(URL_, { method: 'PUT', body: stream(), duplex: 'half' })],
  'subclasses of a URL, of Headers and of parameters': () => [
    new Address('other'),
    { method: 'PUT', headers: new OwnHeaders('prod', { 'x-b': '1' }), body: new Params('t') },
  ],
  'a subclass of a form': () => [URL_, { method: 'PUT', body: new Form('t') }],
  'a subclass of Request': () => [new Mine(URL_, { method: 'PUT', body: 'sub' })],
  'further arguments, as the bindings that Hono takes': () => [URL_, { method: 'PUT', body: 'x' }, { DB: 1 }, 'last'],
  'further arguments without an init': () => [URL_, undefined, { DB: 1 }],
};
for (const [name, make] of Object.entries(INITS)) {
  for (const [shape, given] of Object.entries(SHAPES)) GIVEN[`${shape}, ${name}`] = () => given(URL_, make);
  GIVEN[`a Request and extras, ${name}`] = () => [new Request(URL_, make()), { next: { revalidate: 1 } }];
  if (make()?.mode !== 'no-cors')
    GIVEN[`a Request with everything, ${name}`] = () => [everything(), { method: 'PUT', ...make() }];
}
const MADE = {
  ...{ 'a string': () => 'made', 'a stream': stream, 'a form': form, 'a Node stream': () => Readable.from(['made']) },
  'an async iterable': () =>
    (async function* () {
      yield new TextEncoder().encode('made');
    })(),
};
for (const [name, body] of Object.entries(MADE))
  for (const method of ['PUT', 'POST'])
    GIVEN[`${method}, a function that makes ${name}`] = () => [URL_, { method, body }];

/** Calls the function that makes a body, which bare fetch has not. */
function bareOf([input, init, ...rest]) {
  if (typeof init?.body !== 'function') return [input, init, ...rest];
  const body = init.body();
  return [input, { ...init, body, ...(body?.[Symbol.asyncIterator] && { duplex: 'half' }) }, ...rest];
}

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

test('to the inner fetch: each attempt of each case is the request of bare fetch', async () => {
  const sets = optionsOf(rejitter).map((each) => [createFetch, each]);
  for (const [n, [name, make]] of Object.entries(GIVEN).entries()) {
    const bare = compared(await sentBy(...bareOf(make())));
    for (const [create, options] of [...threeOf(sets, n), [light, LIGHT], [light, WITHOUT_LIMITS]]) {
      if (create === light && NOT_OF_LIGHT.test(name)) continue;
      const calls = [];
      const inner = async (...args) => {
        calls.push(await sentBy(...args));
        return new Response(null, { status: calls.length < 3 ? 503 : 200 });
      };
      const args = make();
      const sending = create(options, inner)(...args);
      const where = `${create === light ? 'light, ' : ''}${name}, with ${Object.keys(options)}`;
      // A Request is used at once, as by fetch, and cannot be sent again.
      const isUsed = create === createFetch && args[0].body && args[1]?.body === undefined;
      if (isUsed) assert.equal(args[0].bodyUsed, true, where);
      await sending;
      const isKeyed = calls[0].headers['idempotency-key'] !== undefined;
      assert.equal(calls.length, isKeyed || !/^(POST|PURGE)$/i.test(bare.method) ? 3 : 1, where);
      for (const sent of calls) {
        assert.deepEqual(compared(sent), { ...bare, ...whereCopiesLose(sent, make()) }, where);
        assert.equal(sent.headers['x-prepared'], /x-p/.test(options.prepare) ? '1' : undefined, where);
        // A form that a function makes, and each in rejitter/light/fetch, is encoded by fetch.
        if (isKeyed && !(create === light ? /a form/ : /makes a form/).test(name))
          assert.equal(sent.bytes, calls[0].bytes, where);
      }
      if (isUsed) await assert.rejects(create(options, inner)(...args), TypeError, where);
    }
  }
});

test("a framework's relative address reaches the inner fetch", async () => {
  const more = [{}, { attemptTimeoutMs: 1000 }, { idempotencyKey: 'auto' }, { protection: protect(budget()) }];
  for (const options of more) {
    const { inner, calls } = statuses(503, 200);
    const method = options.idempotencyKey ? 'POST' : 'GET';
    const { status } = await createFetch({ ...QUICK, ...options }, inner)('/api/x', { method });
    assert.deepEqual([status, calls.map(([url]) => url)], [200, ['/api/x', '/api/x']]);
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

test('what bare fetch rejects, an aborted call rejects as well, with the same kind of error', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  for (const [name, [input, init]] of Object.entries(BAD)) {
    assert.ok((await fetch(input, { ...init, signal }).catch((error) => error)) instanceof TypeError, name);
    for (const options of [{}, { attemptTimeoutMs: 1000 }, { protection: protect(budget()) }, { signal }]) {
      const more = options.signal ? {} : { signal };
      const error = await createFetch({ ...QUICK, ...options })(input, { ...init, ...more }).catch((e) => e);
      assert.ok(error instanceof TypeError, `${name}: ${error}`);
      assert.equal(retryReport(error), undefined);
    }
  }
});

test('an aborted call of a good request rejects with the reason; an inner fetch has rules of its own', async () => {
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  for (const init of [{}, { method: 'POST', body: 'x' }, { method: 'POST', body: stream(), duplex: 'half' }])
    assert.equal(await createFetch()('http://x.test/', { ...init, signal }).catch((error) => error), reason);
  const { inner, calls } = statuses(200);
  for (const [url, init] of [['/api/x'], ['http://user:secret@x.test/'], ['http://x.test/', { mode: 'own' }]])
    assert.equal(await createFetch({}, inner)(url, { ...init, signal }).catch((error) => error), reason);
  assert.equal(calls.length, 0);
  // It is used as by bare fetch, whatever the options are.
  for (const options of [{}, { attemptTimeoutMs: 1000 }, { protection: protect(budget()) }]) {
    const request = new Request('http://x.test/', { method: 'POST', body: 'x', signal });
    assert.equal(await createFetch(options)(request).catch((error) => error), reason);
    assert.equal(request.bodyUsed, true);
  }
});
