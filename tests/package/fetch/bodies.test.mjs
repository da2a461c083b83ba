// Bodies: each attempt sends the same bytes, or there is no further attempt. That nothing is left of those that are not
// sent, and of responses that nobody gets, rows of tests/vectors/fetch.json say.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { QUICK, importFetch, serving, statuses } from '../lib/fetching.mjs';
import { form } from './requests/cases.mjs';

const { createFetch } = await importFetch();
const light = await importEntry('light/fetch');
const { retryReport } = await importPackage();
const { server, requestsOf } = serving((_, response) => response.writeHead(308, { location: '/1' }).end());

test('a 308, to which fetch sends no stream, is not asked for again', async () => {
  const url = `${server().origin}/308`;
  const send = createFetch(QUICK)(url, { method: 'PUT', body: () => new Blob(['x']).stream() });
  await assert.rejects(send, /^TypeError: fetch failed/);
  assert.equal(requestsOf(url).length, 1);
});

test('a call that nothing holds up reaches the inner fetch at once, with the arguments that it has', async () => {
  for (const [args, sent = args] of [
    [['http://x/']],
    [['http://x/', {}]],
    [[null]],
    [
      ['http://x/', { method: 'PUT', body: () => 'made' }],
      ['http://x/', { method: 'PUT', body: 'made' }],
    ],
  ]) {
    const { inner, calls } = statuses(200);
    createFetch(QUICK, inner)(...args);
    assert.deepEqual(calls, [sent]);
  }
  const { inner, calls } = statuses(200);
  createFetch({ attemptTimeoutMs: 1000 }, inner)(null);
  assert.equal(calls[0][0], null);
});

test('light: nothing is copied for the last attempt; a used request is an error of fetch, unless init has a body', async () => {
  const sent = [];
  const inner = async (...args) => {
    const request = new Request(...args);
    sent.push(`${args[0] === whole ? 'itself' : 'a copy'}: ${request.method} ${await request.text()}`);
    return new Response(null, { status: 503 });
  };
  const send = light.createFetch({ ...QUICK, maxAttempts: 3 }, inner);
  const whole = new Request('http://x/', { method: 'PUT', body: 'whole' });
  await send(whole);
  await assert.rejects(send(whole), TypeError);
  assert.deepEqual(sent.splice(0), ['a copy: PUT whole', 'a copy: PUT whole', 'itself: PUT whole']);
  await send(whole, { body: 'other' });
  assert.deepEqual(new Set(sent.splice(0)), new Set(['itself: PUT other']));
  // `undefined` in init leaves a Request's own method as it is.
  await send(new Request('http://x/', { method: 'POST', body: 'item' }), { method: undefined, headers: undefined });
  assert.deepEqual(sent, ['a copy: POST item']);
});

test('neither the caller, after the call, nor an inner fetch changes what the next attempt sends', async () => {
  const add = (list) => list.append('t', '2');
  const dispatcher = {};
  for (const [body, change, read] of [
    [new URLSearchParams('a=1'), add, String],
    [form(), add, (b) => [...b.keys()].join()],
    [Uint8Array.of(1, 2, 3), (b) => b.fill(9), String],
  ])
    for (const [headers, rename] of [
      [new Headers({ 'x-a': '1' }), (h) => h.set('x-a', '2')],
      [{ 'x-a': '1' }, (h) => (h['x-a'] = '2')],
    ]) {
      const seen = [];
      const before = ['http://x/', 'PUT', '1', read(body), dispatcher];
      const disturb = (url, init) => {
        url.searchParams.append('t', '2');
        init.method = 'DELETE';
        rename(init.headers);
        // Bytes are not copied for each attempt: no fetch writes to them.
        if (!(seen.length > 0 && init.body instanceof Uint8Array)) change(init.body);
      };
      const inner = async (url, init) => {
        seen.push([url.href, init.method, new Headers(init.headers).get('x-a'), read(init.body), init.dispatcher]);
        disturb(url, init);
        return new Response(null, { status: seen.length < 3 ? 503 : 200 });
      };
      const args = [new URL('http://x/'), { method: 'PUT', body, headers, dispatcher }];
      const call = createFetch(QUICK, inner)(...args);
      disturb(...args);
      await call;
      assert.deepEqual(seen, Array(3).fill(before));
    }
});

const { Response: Whole } = globalThis;
for (const [what, Class] of Object.entries({
  'a Response cannot read its files (WebKitGTK)': class extends Whole {
    blob = () => Promise.reject(new DOMException('Unable to read form data blob', 'InvalidStateError'));
  },
  'a Response does not encode it (whatwg-fetch)': class extends Whole {
    constructor(body, init) {
      super(body instanceof FormData ? '' : body, init);
    }
  },
}))
  test(`a form under a key, where ${what}, is encoded by fetch`, async (t) => {
    t.mock.method(globalThis, 'Response', Class);
    const { inner, calls } = statuses(503, 503, 200);
    const send = createFetch({ ...QUICK, idempotencyKey: () => 'k' }, inner);
    assert.equal((await send('http://x/', { method: 'POST', body: form(), headers: { 'x-a': '1' } })).status, 200);
    for (const [, { body, headers }] of calls) {
      assert.deepEqual([...body.keys()], ['a', 'file']);
      assert.deepEqual(Object.fromEntries(headers), { 'idempotency-key': 'k', 'x-a': '1' });
    }
    assert.equal(new Set(calls.map(([, { body }]) => body)).size, 3);
  });

/** React Native's, by its source. A subclass may ask for other arguments. */
class NativeForm {
  _parts = [];

  constructor(name) {
    this.append('name', name.toUpperCase());
  }

  append(name, value) {
    this._parts.push([name, value]);
  }

  getParts() {
    return this._parts.map(([fieldName, string]) => ({ fieldName, string, headers: {} }));
  }
}

test('a form or a file of React Native is sent again, as it was at the call', async () => {
  for (const idempotencyKey of [undefined, 'auto'])
    for (const make of [() => new NativeForm('n'), () => ({ uri: 'file:///a.jpg', name: 'a.jpg' })]) {
      const { inner, calls } = statuses(503, 503, 200);
      const body = make();
      body.append?.('photo', { uri: 'file:///a.jpg' });
      const before = body.getParts?.() ?? { ...body };
      const method = idempotencyKey ? 'POST' : 'PUT';
      const response = createFetch({ ...QUICK, idempotencyKey }, inner)('http://x/', { method, body });
      body.append?.('late', '1');
      assert.equal((await response).status, 200);
      for (const [, init] of calls) {
        assert.deepEqual(init.body.getParts?.() ?? init.body, before);
        assert.ok(init.body instanceof body.constructor);
      }
    }
});

test('a stream that calls itself FormData, as those of the package form-data do, is sent once', async () => {
  const parts = Object.defineProperty(Readable.from(['part']), Symbol.toStringTag, { value: 'FormData' });
  const { inner, calls } = statuses(503);
  const response = await createFetch(QUICK, inner)('http://x/', { method: 'PUT', body: parts });
  assert.deepEqual([calls.length, calls[0][1].body], [1, parts]);
  assert.equal(retryReport(response).reason, 'bodyNotReplayable');
});

test('B07 a cancel that hangs, rejects or throws, and a locked body, hold nothing up', async () => {
  const no = fails(new Error('no'));
  const response = (source) => new Response(new ReadableStream(source), { status: 503 });
  const locked = response();
  locked.body.getReader();
  const cloned = response({ pull: (c) => c.enqueue(new Uint8Array(10)) });
  cloned.clone();
  const bodies = {
    hangs: response({ cancel: () => new Promise(() => {}) }),
    rejects: response({ cancel: async () => no() }),
    throws: response({ cancel: no }),
    locked,
    cloned,
    odd: { status: 503, body: { cancel: no } },
    'odder still': Object.defineProperty({ status: 503 }, 'body', { get: no }),
    // As of node-fetch.
    'a stream of Node': { status: 503, headers: new Headers(), body: new Readable({ read() {} }) },
  };
  for (const [name, answer] of Object.entries(bodies)) {
    const { inner, calls } = statuses(answer, answer, 200);
    assert.equal((await createFetch(QUICK, inner)('http://x/')).status, 200, name);
    assert.equal(calls.length, 3);
  }
  assert.equal((await light.createFetch(QUICK, statuses(locked, 200).inner)('http://x/')).status, 200);
  assert.ok(bodies['a stream of Node'].body.destroyed);
});

test('an aborted call cancels the stream of its body when fetch does, with its reason', async () => {
  const reason = new Error('mine');
  const signal = AbortSignal.abort(reason);
  const URL_ = 'http://127.0.0.1:9/';
  const post = (body) => ({ method: 'POST', duplex: 'half', body });
  for (const [during, argumentsOf] of [
    [true, (body) => [URL_, { ...post(body), signal }]],
    [false, (body) => [new Request(URL_, { ...post(body), signal })]],
    [false, (body) => [new Request(URL_, post(body)), { signal }]],
  ])
    for (const options of [{ maxAttempts: 1 }, {}, { attemptTimeoutMs: 60_000, totalTimeoutMs: 60_000 }]) {
      const reasons = [];
      const body = new ReadableStream({ cancel: (why) => void reasons.push(why) });
      const running = createFetch(options)(...argumentsOf(body));
      if (during) assert.deepEqual(reasons, [reason], 'during the call');
      assert.equal(await running.catch((error) => error), reason);
      await new Promise((go) => setImmediate(go));
      assert.deepEqual(reasons, [reason], String(argumentsOf));
    }
});
