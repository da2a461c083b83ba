// Bodies: each attempt sends the same bytes, or there is no further attempt.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { AWAITED } from '../lib/callbacks.mjs';
import { VirtualClock } from '../lib/clock.mjs';
import { QUICK, failing, serving, statuses } from '../lib/fetching.mjs';
import { fails, importAll } from '../protection/entry.mjs';
import { wordsFrom } from '../lib/words.mjs';

const { breaker, createFetch, hedge, protect, retryReport } = await importAll();
const quick = createFetch(QUICK);

const answer = failing(2);
const { server, fresh, requestsOf, bodiesOf } = serving((request, response, nth) =>
  request.url === '/308' ? response.writeHead(308, { location: '/1' }).end() : answer(request, response, nth),
);
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
const hashOf = ({ body }) => hash(body);

const BYTES = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) & 255);
const HASH = hash(BYTES);
const form = () => {
  const f = new FormData();
  f.append('a', '1');
  f.append('file', new Blob([BYTES]), 'b.bin');
  return f;
};

const STREAMS = {
  'a ReadableStream': () => new Blob([BYTES]).stream(),
  'a Node stream': () => Readable.from([Buffer.from(BYTES)]),
  'an async iterable': () =>
    (async function* () {
      yield BYTES;
    })(),
};

for (const [name, make] of Object.entries(STREAMS))
  test(`B03 ${name} is sent once; one made by a function each time, without a duplex option`, async () => {
    const [once, each] = [fresh(), fresh()];
    assert.equal((await quick(once, { method: 'PUT', body: make(), duplex: 'half' })).status, 503);
    let made = 0;
    const body = () => ((made += 1) === 2 ? Promise.resolve(make()) : make());
    assert.equal((await quick(each, { method: 'PUT', body })).status, 200);
    assert.deepEqual(
      [once, each].map((url) => requestsOf(url).map(hashOf)),
      [[HASH], [HASH, HASH, HASH]],
    );
  });

test('a 308, to which fetch sends no stream, is not asked for again', async () => {
  const url = `${server().origin}/308`;
  const made = [];
  const body = () => made[made.push(new Blob(['x']).stream()) - 1];
  await assert.rejects(quick(url, { method: 'PUT', body }), /^TypeError: fetch failed/);
  assert.equal(requestsOf(url).length, 1);
});

test('B01 a Request with a body: sent three times, and used afterwards as by fetch', async () => {
  const url = fresh();
  const request = new Request(url, { method: 'POST', body: 'PAYLOAD', headers: { 'idempotency-key': 'k' } });
  const promise = quick(request);
  assert.equal(request.bodyUsed, true, 'at once');
  assert.equal((await promise).status, 200);
  assert.deepEqual(bodiesOf(url), ['PAYLOAD', 'PAYLOAD', 'PAYLOAD']);
  const again = await quick(request).catch((e) => e);
  const theirs = await fetch(request).catch((e) => e);
  assert.ok(again instanceof TypeError && theirs instanceof TypeError);
  assert.equal(requestsOf(url).length, 3);
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

test('each attempt gets an init of its own, with what hosts add, and from the second one on a signal', async () => {
  for (const given of [
    undefined,
    { method: 'PUT', headers: { a: '1' }, priority: 'high', window: null, dispatcher: {} },
  ]) {
    const { inner, calls } = statuses(503, 503, 200);
    await createFetch(QUICK, inner)('http://x/', given);
    const inits = calls.map(([, init]) => init);
    assert.equal(new Set(inits).size, 3, 'a fresh object each time');
    // React answers a GET without a signal from memory.
    for (const [i, { signal, ...init } = {}] of inits.entries()) {
      assert.deepEqual(init, given ?? {});
      assert.equal(init.dispatcher, given?.dispatcher);
      assert.equal(signal?.aborted, i === 0 ? undefined : false);
    }
    if (given) assert.equal(new Set(inits.map(({ headers }) => headers)).size, 3);
    else assert.equal(inits[0], undefined);
  }
});

test('neither the caller, after the call, nor an inner fetch changes what the next attempt sends', async () => {
  const form = new FormData();
  form.append('a', '1');
  const add = (list) => list.append('t', '2');
  for (const [body, change, read] of [
    [new URLSearchParams('a=1'), add, String],
    [form, add, (b) => [...b.keys()].join()],
    [Uint8Array.of(1, 2, 3), (b) => b.fill(9), String],
  ])
    for (const [headers, rename] of [
      [new Headers({ 'x-a': '1' }), (h) => h.set('x-a', '2')],
      [{ 'x-a': '1' }, (h) => (h['x-a'] = '2')],
    ]) {
      const seen = [];
      const before = ['http://x/', 'PUT', '1', read(body)];
      const disturb = (url, init) => {
        url.searchParams.append('t', '2');
        init.method = 'DELETE';
        rename(init.headers);
        // Bytes are not copied for each attempt: no fetch writes to them.
        if (!(seen.length > 0 && init.body instanceof Uint8Array)) change(init.body);
      };
      const inner = async (url, init) => {
        seen.push([url.href, init.method, new Headers(init.headers).get('x-a'), read(init.body)]);
        disturb(url, init);
        return new Response(null, { status: seen.length < 3 ? 503 : 200 });
      };
      const args = [new URL('http://x/'), { method: 'PUT', body, headers }];
      const call = createFetch(QUICK, inner)(...args);
      disturb(...args);
      await call;
      assert.deepEqual(seen, Array(3).fill(before));
    }
});

test('a form under a key, where a Response cannot read its files (WebKitGTK), is encoded by fetch', async (t) => {
  const unread = new DOMException('Unable to read form data blob', 'InvalidStateError');
  t.mock.method(Response.prototype, 'blob', () => Promise.reject(unread));
  const { inner, calls } = statuses(503, 503, 200);
  const send = createFetch({ ...QUICK, idempotencyKey: () => 'k' }, inner);
  assert.equal((await send('http://x/', { method: 'POST', body: form(), headers: { 'x-a': '1' } })).status, 200);
  for (const [, { body, headers }] of calls) {
    assert.deepEqual([...body.keys()], ['a', 'file']);
    assert.deepEqual(Object.fromEntries(headers), { 'idempotency-key': 'k', 'x-a': '1' });
  }
  assert.equal(new Set(calls.map(([, { body }]) => body)).size, 3);
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
  assert.ok(bodies['a stream of Node'].body.destroyed);
});

test('the caller gets responses that are unread, up to the next request; each other one is cancelled', async (t) => {
  const { unit: random } = wordsFrom(7);
  const maybe = (share, make) => (random() < share ? make() : undefined);
  const ms = (most) => Math.floor(random() * most);
  const counts = {};
  for (let run = 0; run < 600; run++) {
    const responses = [];
    let requests = 0;
    /** Answers after a while, with or without regard to the signal. */
    const inner = (_, init) =>
      new Promise((resolve, reject) => {
        requests++;
        const kind = random();
        const answer = () => {
          if (kind < 0.15) return reject(new TypeError('fetch failed'));
          const made = { cancelled: false };
          const body = new ReadableStream(
            { pull() {}, cancel: () => void (made.cancelled = true) },
            { highWaterMark: 0 },
          );
          made.requests = requests;
          made.response = new Response(body, { status: kind < 0.75 ? 503 : 200 });
          responses.push(made);
          resolve(made.response);
        };
        const timer = setTimeout(answer, kind < 0.3 ? 400 : ms(60));
        const hears = random() < 0.5;
        init?.signal?.addEventListener('abort', () => {
          if (!hears) return;
          clearTimeout(timer);
          reject(init.signal.reason);
        });
      });
    const controller = new AbortController();
    const options = {
      jitter: 'none',
      maxAttempts: 1 + ms(4),
      baseMs: 1 + ms(40),
      totalTimeoutMs: maybe(0.6, () => 20 + ms(200)),
      attemptTimeoutMs: maybe(0.3, () => 30 + ms(30)),
      throwOnStatus: random() < 0.4,
      finalError: maybe(0.2, () => 'wrap'),
      [AWAITED]: maybe(
        0.3,
        () => () =>
          maybe(0.3, () => new Promise((go) => void setTimeout(go, 150))) ?? maybe(0.2, () => assert.fail('no')),
      ),
      retryOn: maybe(0.1, () => () => maybe(0.8, () => true) ?? assert.fail('predicate')),
      protection: maybe(0.4, () => protect(hedge({ delayMs: 20, maxRatio: 1 }), breaker({ minimumCalls: 2 }))),
    };
    const clock = new VirtualClock().install();
    if (random() < 0.1) setTimeout(() => controller.abort(), ms(200));
    const call = createFetch(options, inner)('http://x/', { signal: controller.signal }).catch((error) => error);
    await clock.advance(5000);
    clock.uninstall();
    const outcome = await call;
    const given = new Set([outcome]);
    const history = new Set();
    for (let error = outcome, at = given; error instanceof Error; error = error.cause) {
      at.add(error.response);
      // The timeout of an attempt replaces the outcome before it.
      if (/^rejitter: attempt/.test(error.message)) at = history;
    }
    const name = `run ${run}: ${outcome}, ${JSON.stringify(options)}`;
    for (const made of responses.filter((each) => !history.has(each.response))) {
      const { response, cancelled } = made;
      const unread = given.has(response) && made.requests === requests;
      assert.deepEqual([response.bodyUsed, cancelled], [!unread, !unread], name);
      assert.notEqual(response, unread ? undefined : outcome, name);
    }
    const kind = outcome instanceof Response ? outcome.status : outcome.name;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  t.diagnostic(JSON.stringify(counts));
  for (const kind of [200, 503, 'HttpStatusError', 'TimeoutError', 'AssertionError', 'AbortError', 'RetryError'])
    assert.ok(counts[kind] > 0, `${kind} took place`);
});

test('an aborted call cancels the stream of its body as fetch does: when, and with which reason', async () => {
  const reason = new Error('mine');
  const post = (body, signal) => ({ method: 'POST', duplex: 'half', body, signal });
  const URL_ = 'http://127.0.0.1:9/';
  const INPUTS = {
    'a stream in init': (body, signal) => [URL_, post(body, signal)],
    'a Request': (body, signal) => [new Request(URL_, post(body, signal))],
    'a Request, and a signal in init': (body, signal) => [new Request(URL_, post(body)), { signal }],
  };
  /** Whether the stream is cancelled during the call; the reason is that of both. */
  const atOnce = async (call, argumentsOf) => {
    const cancelled = [];
    let during = true;
    const body = new ReadableStream({ cancel: (why) => void cancelled.push([during, why]) });
    const running = call(...argumentsOf(body, AbortSignal.abort(reason)));
    during = false;
    assert.equal(await running.catch((error) => error), reason);
    await new Promise((go) => setImmediate(go));
    assert.deepEqual(
      cancelled.map(([, why]) => why),
      [reason],
    );
    return cancelled[0][0];
  };
  for (const [name, argumentsOf] of Object.entries(INPUTS)) {
    const byFetch = await atOnce(fetch, argumentsOf);
    // Sooner is as good.
    for (const options of [{ maxAttempts: 1 }, {}, { attemptTimeoutMs: 60_000, totalTimeoutMs: 60_000 }])
      assert.ok((await atOnce(createFetch(options), argumentsOf)) || !byFetch, name);
  }
});
