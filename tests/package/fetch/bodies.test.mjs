// Bodies: each attempt sends the same bytes, or there is no further attempt.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { VirtualClock } from '../lib/clock.mjs';
import { QUICK, closedOrigin, failing, serving, statuses } from '../lib/fetching.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
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
const form = () => {
  const f = new FormData();
  f.append('a', '1');
  f.append('file', new Blob([BYTES]), 'b.bin');
  return f;
};
const BODIES = {
  'a string': 'PAYLOAD äöü',
  'an empty string': '',
  URLSearchParams: new URLSearchParams({ a: '1', b: 'ü' }),
  'a Blob': new Blob([BYTES], { type: 'text/x' }),
  'a File': new File([BYTES], 'name.bin'),
  'an ArrayBuffer': BYTES.buffer.slice(0),
  'a Uint8Array that views a part': BYTES.subarray(5, 100),
  'a DataView': new DataView(BYTES.buffer, 3, 10),
  'a Float64Array': new Float64Array([1, 2, 3]),
  'a Buffer': Buffer.from(BYTES),
  'no body': undefined,
  null: null,
};

for (const [name, body] of Object.entries(BODIES)) {
  for (const shape of ['init', 'a Request']) {
    test(`${name} in ${shape} is sent three times alike`, async () => {
      const url = fresh();
      const init = { method: 'PUT', body };
      const response = await (shape === 'init' ? quick(url, init) : quick(new Request(url, init)));
      assert.equal(response.status, 200);
      const expected = Buffer.from(await new Response(body).arrayBuffer());
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), expected);
      const requests = requestsOf(url);
      assert.equal(requests.length, 3);
      for (const { body: sent, headers } of requests) {
        assert.equal(hash(sent), hash(expected));
        // A body whose length is known is sent with it, not in chunks.
        assert.equal(headers['transfer-encoding'], undefined);
        assert.equal(headers['content-type'], requests[0].headers['content-type']);
      }
    });
  }
}

test('encodes FormData again for each attempt, with another boundary', async () => {
  const url = fresh();
  assert.equal((await quick(url, { method: 'PUT', body: form() })).status, 200);
  const requests = requestsOf(url);
  assert.equal(requests.length, 3);
  const boundaries = requests.map(({ headers }) => /boundary=(.+)$/.exec(headers['content-type'])[1]);
  assert.equal(new Set(boundaries).size, 3);
  const contents = requests.map(({ body }, i) => body.toString('latin1').replaceAll(boundaries[i], 'B'));
  assert.equal(new Set(contents).size, 1);
  assert.match(contents[0], /name="file"; filename="b\.bin"/);
});

test('ignores changes that the caller makes after the call', async () => {
  const [bytes, params, data] = [Uint8Array.of(1, 2, 3), new URLSearchParams('a=1'), form()];
  const headers = { 'x-a': '1' };
  const address = new URL(fresh());
  const { href } = address;
  const urls = [fresh(), fresh(), fresh()];
  const calls = [bytes, params, data].map((body, i) => quick(urls[i], { method: 'PUT', body, headers }));
  calls.push(quick(address));
  bytes.fill(9);
  for (const each of [params, data]) each.set('a', '2');
  headers['x-a'] = '2';
  address.pathname = '/elsewhere';
  await Promise.all(calls);
  assert.deepEqual(bodiesOf(urls[0]), Array(3).fill('\x01\x02\x03'));
  assert.deepEqual(bodiesOf(urls[1]), Array(3).fill('a=1'));
  assert.ok(requestsOf(urls[1]).every(({ headers }) => headers['x-a'] === '1'));
  assert.ok(bodiesOf(urls[2]).every((body) => /name="a"\r\n\r\n1\r\n/.test(body)));
  assert.equal(requestsOf(href).length, 3);
});

const STREAMS = {
  'a ReadableStream': () => new Blob([BYTES]).stream(),
  'a Node stream': () => Readable.from([Buffer.from(BYTES)]),
  'an async iterable': () =>
    (async function* () {
      yield BYTES;
    })(),
};

for (const [name, make] of Object.entries(STREAMS)) {
  test(`B03 ${name} is sent once; the report says why it was not sent again`, async () => {
    const url = fresh();
    const response = await quick(url, { method: 'PUT', body: make(), duplex: 'half' });
    assert.equal(response.status, 503);
    assert.equal(retryReport(response).reason, 'bodyNotReplayable');
    assert.equal(retryReport(response).attempts, 1);
    assert.deepEqual(requestsOf(url).map(hashOf), [hash(BYTES)]);
    assert.equal(await response.text(), 'try later');
  });

  test(`${name} made by a function is sent each time, without a duplex option`, async () => {
    const url = fresh();
    let made = 0;
    const response = await quick(url, {
      method: 'PUT',
      body: () => {
        made += 1;
        return made === 2 ? Promise.resolve(make()) : make();
      },
    });
    assert.equal(response.status, 200);
    assert.equal(made, 3);
    assert.deepEqual(requestsOf(url).map(hashOf), Array(3).fill(hash(BYTES)));
  });
}

test('a 308, to which fetch sends no stream, is not asked for again', async () => {
  const url = `${server().origin}/308`;
  const made = [];
  const body = () => made[made.push(new Blob(['x']).stream()) - 1];
  await assert.rejects(quick(url, { method: 'PUT', body }), /^TypeError: fetch failed/);
  assert.equal(requestsOf(url).length, 1);
});

test('B03 a stream is not sent again after a refused connection either, and does not matter in a success', async () => {
  for (const [url, retryOn, reason] of [
    [await closedOrigin(), undefined, 'bodyNotReplayable'],
    [fresh(), [], undefined],
  ]) {
    const init = { method: 'PUT', duplex: 'half', body: new Blob(['x']).stream(), retry: { retryOn } };
    assert.equal(retryReport(await quick(url, init).catch((error) => error))?.reason, reason);
  }
});

test('a function that fails to make a body ends the operation', async () => {
  const boom = new TypeError('fetch failed');
  for (const body of [fails(boom), () => Promise.reject(boom)]) {
    const url = fresh();
    const error = await quick(url, { method: 'PUT', body }).catch((e) => e);
    assert.equal(error, boom);
    assert.equal(retryReport(error).reason, 'callback');
    assert.equal(requestsOf(url).length, 0);
  }
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

test('B01 a Request made of a stream is replayed too: what was read is kept', async () => {
  const url = fresh();
  const response = await quick(new Request(url, { method: 'PUT', body: new Blob([BYTES]).stream(), duplex: 'half' }));
  assert.equal(response.status, 200);
  assert.deepEqual(requestsOf(url).map(hashOf), Array(3).fill(hash(BYTES)));
});

test('a Request and an init: the init wins, as for fetch', async () => {
  const url = fresh();
  const request = new Request(url, { method: 'PUT', body: 'one', headers: { a: '1', b: '1' } });
  await quick(request, { body: 'two', headers: { a: '2' } });
  assert.deepEqual(
    requestsOf(url).map(({ body, headers }) => [String(body), headers.a, headers.b]),
    Array(3).fill(['two', '2', undefined]),
  );
  const keyed = fresh();
  await quick(new Request(keyed, { method: 'POST', body: 'x', headers: { a: '1' } }), {
    retry: { idempotencyKey: 'auto' },
  });
  assert.equal(requestsOf(keyed).length, 3);
  assert.ok(
    requestsOf(keyed).every(
      ({ headers }) =>
        headers.a === '1' && headers['idempotency-key'] && headers['content-type'] === 'text/plain;charset=UTF-8',
    ),
  );
});

test('a Request keeps where it comes from, also when the attempt gets a signal of its own', async () => {
  const own = {
    ...{ referrer: '', referrerPolicy: 'no-referrer', credentials: 'omit', mode: 'cors', cache: 'no-store' },
    ...{ redirect: 'manual', keepalive: true },
  };
  for (const options of [{}, { attemptTimeoutMs: 1000 }]) {
    const { inner, calls } = statuses(503, 503, 200);
    const given = new Request('http://x/', own);
    await createFetch({ ...QUICK, ...options }, inner)(given);
    assert.equal(calls.length, 3);
    for (const [input, init] of calls) {
      const sent = new Request(input, init);
      for (const name of Object.keys(own)) assert.equal(sent[name], given[name], name);
    }
  }
});

test('a subclass of Request, and a Request as init', async () => {
  class Mine extends Request {
    tag = 'mine';
  }
  const url = fresh();
  assert.equal((await quick(new Mine(url, { method: 'PUT', body: 'sub' }))).status, 200);
  assert.deepEqual(bodiesOf(url), ['sub', 'sub', 'sub']);
  const other = fresh();
  assert.equal((await quick(other, new Request(url, { method: 'DELETE', headers: { a: '1' } }))).status, 200);
  assert.ok(requestsOf(other).every(({ method, headers }) => method === 'DELETE' && headers.a === '1'));
  assert.equal(requestsOf(other).length, 3);
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

test('every member of init reaches each attempt, and what hosts add too', async () => {
  const { inner, calls } = statuses(503, 503, 200);
  const init = {
    method: 'PUT',
    keepalive: true,
    credentials: 'include',
    cache: 'no-store',
    redirect: 'error',
    mode: 'cors',
    referrer: '',
    referrerPolicy: 'no-referrer',
    integrity: '',
    priority: 'high',
    duplex: 'half',
    window: null,
    next: { revalidate: 1 },
    dispatcher: {},
    body: 'x',
    headers: { a: '1' },
  };
  await createFetch(QUICK, inner)('http://x/', init);
  const given = calls.map(([, each]) => each);
  assert.equal(given.length, 3);
  // From the second attempt on there is always a signal: React answers a GET without one from memory.
  for (const [i, { signal, ...seen }] of given.entries()) {
    assert.deepEqual(seen, init);
    assert.equal(seen.dispatcher, init.dispatcher);
    assert.equal(signal?.aborted, i === 0 ? undefined : false);
  }
  assert.equal(new Set(given).size, 3, 'a fresh object each time');
  assert.equal(new Set(given.map(({ headers }) => headers)).size, 3);
  const plain = statuses(503, 503, 200);
  await createFetch(QUICK, plain.inner)('http://x/');
  assert.deepEqual(
    plain.calls.map(([, init]) => init && Object.keys(init)),
    [undefined, ['signal'], ['signal']],
  );
});

const PAIRS = [
  ['x-a', '1'],
  ['x-b', '2'],
];
/** Headers of kinds that fetch takes and that can be read only once, or changed afterwards. */
const HEADERS = {
  'an iterator': () => new Map(PAIRS).entries(),
  'a generator': () =>
    (function* () {
      yield* PAIRS;
    })(),
  'a Map': () => new Map(PAIRS),
  'a Set of pairs': () => new Set(PAIRS),
  Headers: () => new Headers(PAIRS),
  pairs: () => structuredClone(PAIRS),
};

for (const [name, make] of Object.entries(HEADERS)) {
  test(`headers as ${name}: each attempt has them all, as they were at the call`, async () => {
    for (const retry of [{}, { idempotencyKey: 'auto' }, { prepare() {} }]) {
      const url = fresh();
      const headers = make();
      const pending = quick(url, { method: retry.idempotencyKey ? 'POST' : 'PUT', body: 'x', headers, retry });
      if (headers instanceof Map || headers instanceof Headers) headers.set('x-a', 'changed');
      assert.equal((await pending).status, 200);
      assert.deepEqual(
        requestsOf(url).map(({ headers }) => [headers['x-a'], headers['x-b']]),
        Array(3).fill(['1', '2']),
        JSON.stringify(retry),
      );
    }
  });
}

test("hides an inner fetch's changes to its arguments from the next attempt", async () => {
  const form = new FormData();
  form.append('a', '1');
  for (const [body, add, read] of [
    [new URLSearchParams('a=1'), (b) => b.append('t', '2'), String],
    [form, (b) => b.append('t', '2'), (b) => [...b.keys()].join()],
  ]) {
    const seen = [];
    const inner = async (url, init) => {
      seen.push([url.href, init.method, init.headers.a, read(init.body)]);
      url.searchParams.append('t', '2');
      add(init.body);
      init.method = 'DELETE';
      init.headers.a = '2';
      return new Response(null, { status: seen.length < 3 ? 503 : 200 });
    };
    await createFetch(QUICK, inner)(new URL('http://x/'), { method: 'PUT', body, headers: { a: '1' } });
    assert.deepEqual(seen, Array(3).fill(['http://x/', 'PUT', '1', read(body)]));
  }
});

test('a body that is not sent is cancelled, whatever ends the call, and with that reason', async () => {
  const reason = new Error('enough');
  const cancelled = [];
  const { inner, calls } = statuses(200);
  const ended = async (options, input, init) => {
    cancelled.length = 0;
    const error = await createFetch({ ...QUICK, ...options }, inner)(input, init).catch((e) => e);
    const name = inspect([options, init]);
    await until(name, () => cancelled.length > 0);
    assert.equal(cancelled.length, 1, name);
    return error;
  };
  const aborted = { signal: AbortSignal.abort(reason) };
  const streams = {
    web: () => new ReadableStream({ cancel: (why) => void cancelled.push(why) }),
    Node: () =>
      new Readable({
        read() {},
        destroy(_, done) {
          cancelled.push('destroyed');
          done();
        },
      }),
  };
  for (const [kind, make] of Object.entries(streams)) {
    for (const init of [
      aborted,
      { retry: { prepare: fails(reason) } },
      { retry: { maxAttempts: 0 } },
      { signal: 5 },
      { maxAttempts: 5 },
    ]) {
      const error = await ended({}, 'http://x/', { method: 'PUT', body: make(), duplex: 'half', ...init });
      if (kind === 'web') assert.equal(cancelled[0], error);
    }
    for (const prepare of [fails(reason), () => 5])
      await ended({ prepare }, 'http://x/', { method: 'PUT', body: make });
    const controller = new AbortController();
    const later = async () => {
      controller.abort(reason);
      await undefined;
      return make();
    };
    await ended({}, 'http://x/', { method: 'PUT', body: later, signal: controller.signal });
  }
  // A Request is taken over by the call, as by fetch.
  await ended({}, new Request('http://x/', { method: 'POST', body: streams.web(), duplex: 'half', ...aborted }));
  assert.equal(calls.length, 0);
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
      beforeRetry: maybe(
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
  const INPUTS = {
    'a stream in init': (body, signal) => ['http://127.0.0.1:9/', { method: 'POST', duplex: 'half', body, signal }],
    'a Request': (body, signal) => [
      new Request('http://127.0.0.1:9/', { method: 'POST', duplex: 'half', body, signal }),
    ],
    'a Request, and a signal in init': (body, signal) => [
      new Request('http://127.0.0.1:9/', { method: 'POST', duplex: 'half', body }),
      { signal },
    ],
  };
  const seen = async (call, argumentsOf) => {
    const log = [];
    let during = true;
    const body = new ReadableStream({ cancel: (why) => void log.push([during, why]) });
    const running = call(...argumentsOf(body, AbortSignal.abort(reason)));
    during = false;
    log.push(await running.catch((error) => error));
    await new Promise((go) => setImmediate(go));
    return log;
  };
  const timeouts = { attemptTimeoutMs: 60_000, totalTimeoutMs: 60_000 };
  for (const [name, argumentsOf] of Object.entries(INPUTS)) {
    const [[atOnce, why], ...rest] = (await seen(fetch, argumentsOf)).toSorted(
      (a, b) => Array.isArray(b) - Array.isArray(a),
    );
    assert.deepEqual([why, rest], [reason, [reason]], name);
    for (const options of [{ maxAttempts: 1 }, {}, timeouts]) {
      const log = await seen(createFetch(options), argumentsOf);
      const cancelled = log.find(Array.isArray);
      assert.equal(cancelled?.[1], reason, name);
      // Sooner is as good.
      assert.ok(cancelled[0] || !atOnce, name);
      assert.deepEqual([log.length, log.find((each) => !Array.isArray(each))], [2, reason], name);
    }
  }
});
