// Over and under other people's code: fetches that are replaced, wrapped or polyfilled, classes that are extended.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importPackage, printed } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';

const { createFetch, HttpStatusError } = await importFetch();
const { retryReport } = await importPackage();

test('the first thing a program does may be to replace the global fetch', async () => {
  const stdout = await printed(`
    import { fetchWithRetry } from 'rejitter/fetch';
    globalThis.fetch = fetchWithRetry;
    console.log(await (await fetch('data:,hello')).text());
  `);
  assert.equal(stdout, 'hello\n');
});

test('without a global fetch the error says what to do', async () => {
  const stdout = await printed(`
    delete globalThis.fetch;
    const { createFetch, fetchWithRetry } = await import('rejitter/fetch');
    console.log(String(await fetchWithRetry('http://x/').catch((error) => error)));
    console.log((await createFetch({}, async () => ({ status: 200 }))('http://x/')).status);
  `);
  assert.equal(stdout, 'TypeError: rejitter: no global fetch; pass one to createFetch(options, fetch)\n200\n');
});

test('React answers a GET from memory unless init has a signal: each attempt reaches the server', async () => {
  for (const asRequest of [false, true]) {
    for (const signal of [undefined, new AbortController().signal]) {
      let requested = 0;
      /** @type {Map<string, Promise<Response>>} */
      const memory = new Map();
      // In react-server's fetch a signal opts out, and only that of the second argument.
      const react = async (input, init) => {
        const ask = async () => new Response(null, { status: ++requested < 3 ? 503 : 200 });
        if (init?.signal) return ask();
        const { url } = new Request(input);
        if (!memory.has(url)) memory.set(url, ask());
        return (await memory.get(url)).clone();
      };
      const response = await createFetch(
        QUICK,
        react,
      )(...(asRequest ? [new Request('http://x/', { signal })] : ['http://x/', signal && { signal }]));
      assert.equal(response.status, 200);
      assert.equal(requested, 3);
    }
  }
});

test('a retry that is not an object belongs to another package: ofetch passes its own on', async () => {
  for (const retry of [0, 1, false, true, 'x', null, () => {}]) {
    const { inner, calls } = statuses(503, 200);
    assert.equal((await createFetch(QUICK, inner)('http://x/', { retry, retryDelay: 5 })).status, 200, String(retry));
    assert.equal(calls.length, 2);
    assert.equal(calls[0][1].retryDelay, 5);
  }
});

test('subclasses of forms, parameters, headers and URLs are sent as they are, not rebuilt', async () => {
  class Form extends FormData {
    constructor(token) {
      super();
      if (token === undefined) throw new Error('no token');
      this.append('csrf', token);
    }
  }
  class Params extends URLSearchParams {
    constructor(init) {
      super(init);
      this.append('sig', 'S');
    }
  }
  class AppHeaders extends Headers {
    constructor(environment, headers) {
      super(headers);
      this.append('x-env', environment);
    }
  }
  class Address extends URL {
    constructor(path) {
      super(path, 'http://x/base/');
    }
  }
  for (const [body, text] of [
    [new Form('T'), 'csrf,T'],
    [new Params('a=1'), 'a,1,sig,S'],
  ]) {
    const { inner, calls } = statuses(503, 503, 200);
    await createFetch(QUICK, inner)(new Address('path'), { method: 'PUT', headers: new AppHeaders('prod'), body });
    assert.equal(calls.length, 3);
    for (const [url, { headers, body }] of calls)
      assert.deepEqual([String(url), headers.get('x-env'), [...body].join()], ['http://x/base/path', 'prod', text]);
  }
});

/** A Request like whatwg-fetch's: no tag, no `body`, and a body that can be read once. */
class Polyfilled {
  constructor(input, init = {}) {
    if (input instanceof Polyfilled) {
      if (input.bodyUsed) throw new TypeError('Already read');
      Object.assign(this, input);
      if (!init.body && input.content !== undefined) {
        this.content = input.content;
        input.bodyUsed = true;
      }
    } else {
      this.url = String(input);
    }
    this.method = init.method ?? this.method ?? 'GET';
    this.headers = new Headers(init.headers ?? this.headers);
    this.signal = init.signal ?? this.signal ?? new AbortController().signal;
    this.content = init.body ?? this.content;
    this.bodyUsed = false;
  }

  clone() {
    return new Polyfilled(this, { body: this.content });
  }
}

test('a polyfilled Request is one: its method, its body and its signal', async (t) => {
  t.mock.method(globalThis, 'Request');
  globalThis.Request = Polyfilled;
  const seen = [];
  const inner = (status) => async (input, init) => {
    const request = new Polyfilled(input, init);
    if (request.bodyUsed) throw new TypeError('Already read');
    seen.push([request.url, request.method, request.content]);
    return new Response(null, { status });
  };
  const once = await createFetch(
    { ...QUICK, maxAttempts: 3 },
    inner(503),
  )(new Polyfilled('http://x/', { method: 'POST', body: 'order' }));
  assert.equal(once.status, 503);
  assert.deepEqual(seen, [['http://x/', 'POST', 'order']]);
  seen.length = 0;
  await createFetch(
    { ...QUICK, maxAttempts: 3 },
    inner(503),
  )(new Polyfilled('http://x/', { method: 'PUT', body: 'text' }));
  assert.deepEqual(seen, Array(3).fill(['http://x/', 'PUT', 'text']));
  // In the wait, which nothing else would end.
  const controller = new AbortController();
  const reason = new Error('enough');
  const waiting = createFetch(
    { baseMs: 1e9, capMs: 1e9, minMs: 1e8, onRetry: () => controller.abort(reason) },
    inner(503),
  )(new Polyfilled('http://x/', { signal: controller.signal }));
  assert.equal(await waiting.catch((error) => error), reason);
});

test('happy-dom rejects with a DOMException: it is the network', async () => {
  const { inner, calls } = statuses(
    new DOMException('Fetch failed: connect ECONNREFUSED 127.0.0.1:1', 'NetworkError'),
    200,
  );
  assert.equal((await createFetch(QUICK, inner)('http://x/')).status, 200);
  assert.equal(calls.length, 2);
  const aborted = statuses(new DOMException('aborted', 'AbortError'), 200);
  await assert.rejects(createFetch(QUICK, aborted.inner)('http://x/'), { name: 'AbortError' });
  assert.equal(aborted.calls.length, 1);
});

test('a wrong signal and a wrong init are rejected, with and without timeouts', async () => {
  for (const options of [{}, { attemptTimeoutMs: 1000 }, { totalTimeoutMs: 1000 }]) {
    const { inner, calls } = statuses(200);
    const fetch = createFetch({ ...QUICK, ...options }, inner);
    for (const signal of [new AbortController(), {}, 5, 'x', true])
      await assert.rejects(
        fetch('http://x/', { signal }),
        /^TypeError: rejitter: signal must be an AbortSignal, such as controller\.signal, got/,
      );
    for (const init of [5, 'x', true, 1n, Symbol('s')])
      await assert.rejects(fetch('http://x/', init), /^TypeError: rejitter: init must be an object, got/);
    assert.equal(calls.length, 0);
    for (const init of [null, undefined, {}, { signal: null }, () => {}])
      assert.equal((await fetch('http://x/', init)).status, 200);
    assert.equal(fetch.length, 1, 'as the standard has it');
  }
});

test('throwOnStatus under a frozen Error.prototype', async () => {
  const stdout = await printed(`
    import { createFetch } from 'rejitter/fetch';
    Object.freeze(Error.prototype);
    const inner = async () => new Response('why', { status: 404 });
    const error = await createFetch({ throwOnStatus: true }, inner)('http://x/').catch((error) => error);
    console.log(error.name, error.status, await error.response.text(), Object.keys(error).join());
  `);
  assert.equal(stdout, 'HttpStatusError 404 why name,status,method,origin\n');
});

test('a status text from the server cannot forge a log line', async () => {
  const odd = (statusText) => async () => ({ status: 404, statusText, headers: new Headers(), body: null });
  const messageOf = async (statusText) =>
    (await createFetch({ throwOnStatus: true }, odd(statusText))('http://x/?token=secret').catch((e) => e)).message;
  assert.equal(await messageOf('Not Found'), 'rejitter: HTTP 404 Not Found (GET http://x)');
  assert.equal(await messageOf(''), 'rejitter: HTTP 404 (GET http://x)');
  assert.equal(await messageOf(undefined), 'rejitter: HTTP 404 (GET http://x)');
  assert.equal(
    await messageOf('x\u001b[31mred\r\nforged\u202e\u0085'),
    'rejitter: HTTP 404 x [31mred forged (GET http://x)',
  );
  const long = await messageOf('y'.repeat(10_000));
  assert.equal(long, `rejitter: HTTP 404 ${'y'.repeat(100)} (GET http://x)`);
  const error = new HttpStatusError({ status: 500, statusText: 'x' });
  assert.equal(retryReport(error), undefined);
});
