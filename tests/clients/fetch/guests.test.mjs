// Over and under other people's code: fetches that wrap ours, or that ours wraps, polyfills, and options of others.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';

import { createFetch as betterFetch } from '@better-fetch/fetch';
import fetchRetry from 'fetch-retry';
import * as undici from 'undici';
import { up } from 'up-fetch';

import { onLoopback } from '../../package/lib/loopback.mjs';
import { importPackage } from '../../package/lib/consumer.mjs';
import { QUICK, failing, importFetch, serving, statuses } from '../../package/lib/fetching.mjs';

const { createFetch } = await importFetch();
const { retryReport } = await importPackage();
const { fresh, requestsOf, bodiesOf } = serving(failing(2));

/** Runs `fn`, and returns what it printed as warnings. */
async function warnings(t, fn) {
  const warn = t.mock.method(console, 'warn', () => {});
  await fn();
  warn.mock.restore();
  return warn.mock.calls.map(({ arguments: [text] }) => text);
}

const ok = () => Response.json({ name: 'Ada' });
const busy = () => new Response('busy', { status: 503 });

test('a retry that is not an object belongs to another package: ofetch passes its own on', async () => {
  for (const retry of [0, 1, false, true, 'x', null, () => {}]) {
    const { inner, calls } = statuses(503, 200);
    assert.equal((await createFetch(QUICK, inner)('http://x/', { retry, retryDelay: 5 })).status, 200, String(retry));
    assert.deepEqual([calls.length, calls[0][1].retryDelay], [2, 5]);
  }
});

test('up-fetch passes its defaults on with each call, better-fetch its retry: that is said once', async (t) => {
  const { inner, calls } = statuses(busy(), busy(), ok(), busy(), ok());
  const get = up(createFetch(QUICK, inner));
  const said = await warnings(t, async () => {
    for (const retry of [undefined, { attempts: 2, delay: 5 }])
      assert.deepEqual(await get('http://x.example/', retry && { retry }), { name: 'Ada' });
    for (const retry of [{ type: 'linear', attempts: 2, delay: 1 }, 2, undefined]) {
      const customFetchImpl = createFetch(QUICK, statuses(busy(), ok()).inner);
      const { data } = await betterFetch({ customFetchImpl, retry })('http://x.example/');
      assert.deepEqual(data, { name: 'Ada' });
    }
  });
  assert.equal(calls.length, 5);
  assert.deepEqual(said, ['rejitter: init.retry is ignored, as an option of another package']);
});

test('fetch-retry passes its retryOn on: that is said once', async (t) => {
  const { inner, calls } = statuses(busy(), busy(), ok(), ok());
  const get = fetchRetry(createFetch({ ...QUICK, maxAttempts: 2 }, inner));
  const said = await warnings(t, async () => {
    for (const retryOn of [[503], (attempt, _, response) => attempt < 3 && response?.status === 503]) {
      const response = await get('http://x.example/', { retryOn, retries: 3, retryDelay: 1 });
      assert.deepEqual(await response.json(), { name: 'Ada' });
    }
  });
  assert.equal(calls.length, 4);
  assert.deepEqual(said, ['rejitter: init.retryOn is ignored, as an option of another package']);
});

test('a retry of ours is not ignored, nor any init that fetch takes; others are rows of tests/vectors/mistakes.json', async (t) => {
  const { inner, calls } = statuses(200);
  const fetch = createFetch({}, inner);
  const said = await warnings(t, async () => {
    for (const retry of [{}, { maxAttempts: undefined }, { seed: 5 }]) await fetch('http://x.example/', { retry });
    for (const init of [null, undefined, {}, { signal: null }, () => {}]) await fetch('http://x.example/', init);
  });
  assert.deepEqual([calls.length, said, fetch.length], [8, [], 1], 'of one parameter, as the standard has it');
  const names =
    'next cf dispatcher timeout onRequest onSuccess onRetry name hint seed metrics methods baseURL retryDelay retries';
  const others = Object.fromEntries(names.split(' ').map((name) => [name, { own: name }]));
  await fetch('http://x/', others);
  assert.deepEqual(calls.at(-1)[1], others);
});

/** A Request like whatwg-fetch's: no tag, no `body`, and a body that can be read once. */
class Polyfilled {
  constructor(input, init = {}) {
    const { url = String(input), method, headers, signal, content } = input;
    if (input.bodyUsed) throw new TypeError('Already read');
    if (!init.body && content !== undefined) input.bodyUsed = true;
    this.url = url;
    this.method = init.method ?? method ?? 'GET';
    this.headers = new Headers(init.headers ?? headers);
    this.signal = init.signal ?? signal ?? new AbortController().signal;
    this.content = init.body ?? content;
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
  const inner = async (...args) => {
    const { url, method, content } = new Polyfilled(...args);
    seen.push([url, method, content]);
    return new Response(null, { status: 503 });
  };
  for (const [method, count] of [
    ['POST', 1],
    ['PUT', 3],
  ]) {
    seen.length = 0;
    await createFetch({ ...QUICK, maxAttempts: 3 }, inner)(new Polyfilled('http://x/', { method, body: 'order' }));
    assert.deepEqual(seen, Array(count).fill(['http://x/', method, 'order']));
  }
  // In the wait, which nothing else would end.
  const controller = new AbortController();
  const reason = new Error('enough');
  const waits = { baseMs: 1e9, capMs: 1e9, minMs: 1e8, onRetry: () => controller.abort(reason) };
  const waiting = createFetch(waits, inner)(new Polyfilled('http://x/', { signal: controller.signal }));
  assert.equal(await waiting.catch((error) => error), reason);
});

test("undici's fetch: its responses, its requests, its forms, and a connect timeout of its own", async () => {
  const form = new undici.FormData();
  form.append('a', '1');
  const fetch = createFetch(QUICK, undici.fetch);
  for (const [body, sent] of [
    ['text', /^text$/],
    [form, /name="a"/],
  ]) {
    const url = fresh();
    assert.ok((await fetch(url, { method: 'PUT', body })) instanceof undici.Response);
    assert.equal(bodiesOf(url).filter((each) => sent.test(each)).length, 3);
  }
  const url = fresh();
  const headers = { 'idempotency-key': 'k' };
  const request = new undici.Request(url, { method: 'POST', body: 'by a Request', headers });
  assert.equal(await (await fetch(request)).text(), 'by a Request');
  assert.deepEqual([request.bodyUsed, requestsOf(url).length], [true, 3]);

  // Nothing answers the handshake here: undici gives up before the attempt's own time, and nothing was processed.
  const dispatcher = new undici.Agent({ connect: { timeout: 200 } });
  const mute = await onLoopback(createServer((socket) => socket.resume()));
  const options = { ...QUICK, maxAttempts: 2, attemptTimeoutMs: 30_000 };
  const error = await createFetch(options, (input, init) => undici.fetch(input, { ...init, dispatcher }))(
    mute.origin.replace('http', 'https'),
    { method: 'POST', body: 'x' },
  ).catch((error) => error);
  assert.equal(retryReport(error).attempts, 2, 'a POST is sent again');
  await Promise.all([dispatcher.close(), mute.close()]);
});
