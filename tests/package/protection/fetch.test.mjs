// Protection in `fetch`: a state per origin, verdicts by status whatever the method, rejections that touch no body.

import assert from 'node:assert/strict';

import { microtasks, turn } from '../lib/clock.mjs';
import { statuses } from '../lib/fetching.mjs';
import { caught } from '../lib/readers.mjs';
import { fails, importAll, timed, watched } from './entry.mjs';

const { RejectedError, RetryPolicy, breaker, budget, cooldown, createFetch, protect, retryReport } = await importAll();

const plain = { backoff: 'fixed', baseMs: 100, jitter: 'none', random: () => 0, maxAttempts: 2 };
const answer = (status, headers) => new Response(status === 204 ? null : 'text', { status, headers });
const failedFetch = () => Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
const POST = { method: 'POST', body: 'x' };
const A = 'https://a.test/';
/** A fetch whose requests all use the state of the root. */
const rooted = (api, options, inner) =>
  createFetch({ ...plain, protection: api, protectionKey: () => null, ...options }, inner);
const numbers = (protection) => {
  const { failures, calls, state } = protection.status().breaker;
  return [failures, calls, state];
};

timed('each origin of the request as given has its state', async () => {
  const api = protect(breaker());
  const seen = [];
  const fetch = createFetch({ ...plain, protection: api }, async (input) => {
    seen.push(input);
    return Object.defineProperty(answer(200), 'url', { value: 'https://elsewhere.test/' });
  });
  await fetch('https://a.test/x?y');
  await fetch(new URL('https://a.test:443/z'));
  await fetch(new Request('https://a.test:8443/'));
  await fetch('http://a.test/');
  assert.deepEqual(api.keys(), ['https://a.test', 'https://a.test:8443', 'http://a.test']);
  assert.equal(api.for('https://a.test').status().breaker.calls, 2);
  assert.equal(api.status().breaker.calls, 0);
  // Without an origin, there is nothing to protect.
  for (const url of ['data:,x', 'blob:nodedata:1', 'file:///x', '/relative', 'not an address'])
    await fetch(url).catch(() => {});
  assert.equal(api.keys().length, 3);
});

timed('protectionKey names the state: a string, or null for the root', async () => {
  const api = protect(breaker());
  const requests = [];
  const protectionKey = (request) => {
    requests.push([request instanceof Request, request.method, request.url, request.body]);
    return request.headers.get('x-tenant');
  };
  const fetch = createFetch({ ...plain, protection: api, protectionKey }, async () => answer(200));
  await fetch(A, { ...POST, headers: { 'x-tenant': 'seven' } });
  await fetch(A);
  assert.deepEqual(requests, [
    [true, 'POST', A, null],
    [true, 'GET', A, null],
  ]);
  assert.deepEqual([api.keys(), api.status().breaker.calls], [['seven'], 1]);
  // Once per call, and not where nothing is protected.
  await fetch(A, { retry: { protection: false } });
  assert.equal(requests.length, 2);
});

timed('a protectionKey that throws or answers otherwise ends the call before its first attempt', async () => {
  const thrown = new Error('of the key');
  const { inner, calls } = statuses(200);
  const reasons = [];
  const onGiveUp = ({ reason }) => reasons.push(reason);
  const call = (protectionKey) =>
    createFetch({ protection: protect(budget()), protectionKey, onGiveUp }, inner)(A).catch((error) => error);
  assert.equal(await call(fails(thrown)), thrown);
  assert.deepEqual([retryReport(thrown).reason, retryReport(thrown).attempts], ['callback', 0]);
  for (const [value, shown] of [
    [5, '5'],
    [undefined, 'undefined'],
    [Promise.resolve('a'), 'a promise'],
  ]) {
    const { message } = await call(() => value);
    assert.equal(message, `rejitter: protectionKey must return a string or null, got ${shown}`);
  }
  assert.deepEqual([reasons, calls], [Array(4).fill('callback'), []]);
  const { message } = caught(() => createFetch({ protectionKey: 'a' }));
  assert.equal(message, 'rejitter: protectionKey must be a function, got "a"');
});

/** Each end of the inner fetch, and the verdict of the breaker. */
const VERDICTS = {
  success: [200, 204, 302, 400, 404, 425, 501, 505, { ok: true }],
  failure: [408, 500, 502, 503, answer(503, { 'retry-after': '1' }), 530, 599, failedFetch()],
  nothing: [429, answer(429, { 'retry-after': '0' }), new TypeError('of the caller')],
};
/** The phase of a half-open circuit after each verdict on a probe. */
const PHASES = { failure: 'open', success: 'closed', nothing: 'half-open' };

for (const [how, init, options] of [
  ['a GET with one attempt', {}, { maxAttempts: 1 }],
  ['a POST, which is not retried', POST, {}],
  ['a GET whose retryOn rejects', {}, { retryOn: () => false }],
  ['a GET whose retryOn rejects later', {}, { retryOn: async () => false }],
  ['a GET with throwOnStatus', {}, { maxAttempts: 1, throwOnStatus: true }],
])
  timed(`what an answer says to the breaker, in ${how}`, async (clock) => {
    for (const [verdict, ends] of Object.entries(VERDICTS))
      for (const end of ends) {
        const api = protect(breaker());
        api.open(1);
        await clock.advance(1);
        await rooted(api, options, statuses(end).inner)(A, init).catch(() => {});
        assert.equal(api.status().breaker.state, PHASES[verdict], `${end.status ?? end}`);
      }
  });

timed('a call whose retry is rejected resolves with its own response, unread', async (clock) => {
  const api = protect(budget({ capacity: 1 }));
  const response = answer(503);
  const first = watched(rooted(api, {}, statuses(503).inner)(A));
  const second = watched(rooted(api, {}, async () => response)(A));
  await microtasks();
  assert.equal(first.state, 'pending');
  assert.ok(Object.is(second.value, response));
  assert.deepEqual([retryReport(response).reason, retryReport(response).attempts], ['budget', 1]);
  assert.equal(await response.text(), 'text');
  await clock.drain();
});

timed('a 429 holds all requests of its origin, whether or not it is retried itself', async (clock) => {
  const api = protect(cooldown());
  const sent = [];
  const fetch = createFetch({ ...plain, protection: api }, async (input) => {
    sent.push([`${input}`, clock.now]);
    return [answer(429, { 'retry-after': '2' }), answer(503)][sent.length - 1] ?? answer(200);
  });
  assert.equal((await fetch('https://a.test/1', POST)).status, 429);
  // The hold's probe, which does not end it.
  assert.equal((await fetch('https://a.test/probe', POST)).status, 503);
  assert.equal(api.for('https://a.test').status().cooldown.remainingMs, 2000);
  const held = watched(fetch('https://a.test/2'));
  await fetch('https://b.test/3');
  await clock.advance(1999);
  assert.equal(held.state, 'pending');
  await clock.advance(1);
  assert.equal(held.value.status, 200);
  assert.deepEqual(sent, [
    ['https://a.test/1', 0],
    ['https://a.test/probe', 0],
    ['https://b.test/3', 0],
    ['https://a.test/2', 2000],
  ]);
});

timed('a success during a hold ends it, but none that asks to wait, whether or not it is retried', async () => {
  for (const [headers, leftMs] of [
    [{}, 0],
    [{ 'retry-after': '1' }, 2000],
  ]) {
    const api = protect(cooldown());
    const responses = [answer(429, { 'retry-after': '2' }), answer(403, headers)];
    const fetch = rooted(api, { maxAttempts: 1 }, async () => responses.shift());
    await fetch(A, POST);
    await fetch(A, POST);
    assert.equal(api.status().cooldown.remainingMs, leftMs);
  }
});

timed('only the hint of a 429 holds attempts, at most for maxRetryAfterMs', async () => {
  const left = async (response, options) => {
    const api = protect(cooldown());
    await createFetch({ ...plain, protection: api, ...options }, async () => response)(A, POST);
    return api.for('https://a.test').status().cooldown.remainingMs;
  };
  assert.equal(await left(answer(503, { 'retry-after': '60' })), 0);
  assert.equal(await left(answer(429)), 0);
  assert.equal(await left(answer(429, { 'retry-after': '7200' })), 60_000);
  assert.equal(await left(answer(429, { 'retry-after': '60' }), { maxRetryAfterMs: 5000 }), 5000);
  assert.equal(await left(answer(429, { 'retry-after': '60' }), { respectRetryAfter: false }), 0);
  assert.equal(await left(answer(429), { hint: () => 700 }), 700);
});

timed('a failing probe opens the circuit for as long as the server asks, up to maxOpenMs', async (clock) => {
  const api = protect(breaker({ consecutiveFailures: 1, openMs: 1000, maxOpenMs: 40_000 }));
  const inner = statuses(500, answer(503, { 'retry-after': '30' }), answer(503, { 'retry-after': '7200' })).inner;
  const fetch = rooted(api, { maxAttempts: 1 }, inner);
  const opened = async () => {
    await fetch(A);
    return api.status().breaker.retryAfterMs;
  };
  assert.equal(await opened(), 500);
  await clock.advance(500);
  assert.equal(await opened(), 30_000);
  await clock.advance(30_000);
  assert.equal(await opened(), 40_000);
});

timed('a rejected call rejects with RejectedError, sends nothing, and leaves the request to the caller', async () => {
  const api = protect(breaker());
  api.open();
  const { inner, calls } = statuses(200);
  const fetch = rooted(api, {}, inner);
  let cancelled = false;
  const stream = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(1));
    },
    cancel() {
      cancelled = true;
    },
  });
  const request = new Request(A, POST);
  for (const [input, init] of [
    [request, undefined],
    [A, { method: 'POST', body: stream, duplex: 'half' }],
  ]) {
    const error = await fetch(input, init).catch((error) => error);
    assert.ok(error instanceof RejectedError);
    assert.deepEqual([error.by, retryReport(error).attempts], ['breaker', 0]);
  }
  assert.equal(calls.length, 0);
  assert.equal(request.bodyUsed, false);
  assert.equal(await request.text(), 'x');
  assert.deepEqual([stream.locked, cancelled], [false, false]);
  // Bare fetch uses one that is aborted.
  const aborted = new Request(A, { ...POST, signal: AbortSignal.abort('now') });
  assert.equal(await fetch(aborted).catch((reason) => reason), 'now');
  assert.equal(aborted.bodyUsed, true);
  // The same with throwOnStatus, and over a policy.
  await assert.rejects(fetch(A, { retry: { throwOnStatus: true } }), RejectedError);
  const policy = new RetryPolicy({ protection: api, metrics: true });
  api.for('https://a.test').open();
  await assert.rejects(createFetch(policy, inner)(A), RejectedError);
  assert.equal(policy.metrics().failures.breaker, 1);
});

timed('a request that is let pass is taken over as without protection', async (clock) => {
  const api = protect(breaker(), cooldown());
  const bodies = [];
  const inner = async (input) => {
    bodies.push(await input.text());
    return answer(bodies.length === 1 ? 503 : 200);
  };
  const fetch = createFetch({ ...plain, protection: api }, inner);
  const request = new Request(A, { method: 'PUT', body: 'text' });
  const seen = watched(fetch(request));
  await microtasks();
  await turn();
  assert.equal(request.bodyUsed, true);
  await clock.drain();
  assert.equal(seen.value.status, 200);
  assert.deepEqual(bodies, ['text', 'text']);
  // One that was used before is an error of the caller's at once.
  const error = await fetch(request).catch((error) => error);
  assert.ok(error instanceof TypeError);
  assert.equal(bodies.length, 2);
});

timed('what only the caller does says nothing: no request, an abort or deadline in retryOn', async (clock) => {
  const controller = new AbortController();
  const retryOn = () => new Promise(() => {});
  for (const [options, init] of [
    [{ prepare: async () => fails(failedFetch())() }],
    [{ prepare: () => 5 }],
    [{ retryOn, totalTimeoutMs: 50 }],
    [{ retryOn }, { signal: controller.signal }],
  ]) {
    const api = protect(breaker({ minimumCalls: 1 }));
    const seen = watched(rooted(api, options, statuses(503).inner)(A, init));
    await microtasks();
    if (init !== undefined) controller.abort();
    await clock.drain();
    assert.equal(seen.state, options.totalTimeoutMs ? 'fulfilled' : 'rejected');
    assert.deepEqual(numbers(api), [0, 0, 'closed']);
  }
});

timed('a protection with a key is rejected: fetch has a state per origin', async () => {
  const api = protect(budget()).for('a');
  const text = 'rejitter: this Protection has a key: call for() on what protect() returned';
  const error = await createFetch({ protection: api }, async () => answer(200))(A).catch((e) => e);
  assert.deepEqual([error.name, error.message], ['TypeError', text]);
  const fetch = createFetch({ protection: api, protectionKey: () => null }, async () => answer(200));
  assert.equal((await fetch(A)).status, 200);
});

timed('headers that throw when they are read change nothing but the hint', async (clock) => {
  for (const status of [200, 404, 429, 503]) {
    const api = protect(budget(), breaker(), cooldown());
    const headers = { get: () => assert.fail('read') };
    const fetch = createFetch({ ...plain, maxAttempts: 2, protection: api }, async () => ({ status, headers }));
    const seen = watched(fetch(A));
    await clock.drain();
    assert.equal(seen.value?.status, status);
  }
});
