// Which request it was: method and origin in events and errors, and the name of an operation in its deadline's error.

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';

import { OBSERVERS } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';

const { HttpStatusError, createFetch } = await importFetch();
const { RetryPolicy, TimeoutError, retry, retryReport } = await importPackage();

const SECRET = 'https://user:password@api.example:8443/secret/path?token=secret#secret';
const ORIGIN = 'https://api.example:8443';

/** An inner fetch without an answer, whose attempts end by their signals. */
const hangs = (input, init) =>
  new Promise((_, reject) => {
    const signal = init?.signal ?? input.signal;
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** Requests to the same address, as a text, a URL and a Request. */
const forms = (method) => [
  [SECRET, { method }],
  [new URL(SECRET), { method }],
  // A Request takes no credentials in its address.
  [new Request(SECRET.replace('user:password@', ''), { method }), undefined],
];

test('each event of a fetch has method and origin, and nothing else of the address', async () => {
  for (const [input, init] of forms('DELETE')) {
    const events = [];
    const hooks = Object.fromEntries(OBSERVERS.map((name) => [name, (event) => events.push([name, event])]));
    await createFetch({ ...QUICK, ...hooks }, statuses(503, new TypeError('fetch failed'), 200).inner)(input, init);
    await createFetch({ ...QUICK, ...hooks, maxAttempts: 1 }, statuses(503).inner)(input, init);
    assert.deepEqual([...new Set(events.map(([name]) => name))].sort(), [...OBSERVERS].sort());
    for (const [name, { method, origin, ...event }] of events) {
      assert.deepEqual([method, origin], ['DELETE', ORIGIN], name);
      assert.doesNotMatch(inspect(event, { depth: 9, showHidden: true }), /secret|password/, name);
    }
  }
});

test('a policy over hedges, its metrics and an address without origin: the labels are there, too', async () => {
  const events = [];
  const policy = new RetryPolicy({ ...QUICK, maxAttempts: 1, onGiveUp: (event) => events.push(event) });
  await createFetch(policy, statuses(503).inner)('data:,secret');
  await createFetch(policy, statuses(503).inner)('https://a.example/secret', { method: 'put' });
  assert.deepEqual(
    events.map(({ method, origin }) => [method, origin]),
    [
      ['GET', undefined],
      ['PUT', 'https://a.example'],
    ],
  );
});

test('HttpStatusError has method and origin, as members and at the end of its message', async () => {
  const busy = () => new Response(null, { status: 404, statusText: 'Not Found' });
  for (const [input, init] of forms('HEAD')) {
    const fetch = createFetch({ ...QUICK, throwOnStatus: true, maxAttempts: 2 }, async () => busy());
    const error = await fetch(input, init).catch((e) => e);
    assert.ok(error instanceof HttpStatusError);
    assert.equal(error.message, `rejitter: HTTP 404 Not Found (HEAD ${ORIGIN})`);
    assert.deepEqual({ ...error }, { name: 'HttpStatusError', status: 404, method: 'HEAD', origin: ORIGIN });
    assert.doesNotMatch(inspect(error), /secret|password/);
  }
  for (const finalError of ['last', 'wrap']) {
    const fetch = createFetch({ ...QUICK, throwOnStatus: true, maxAttempts: 2, finalError }, statuses(503).inner);
    const { message } = await fetch('https://a.example/secret').catch((e) => e);
    assert.ok(message.endsWith('HTTP 503 (GET https://a.example)'), message);
  }
  const accepted = createFetch({ throwOnStatus: true, maxAttempts: 1, retryOn: [202] }, statuses(202).inner);
  const { message } = await accepted('data:,secret').catch((e) => e);
  assert.equal(message, 'rejitter: HTTP 202 (GET)');
});

test('the TimeoutError of an attempt and of a deadline name the request', async () => {
  for (const [input, init] of forms('PUT')) {
    const slow = createFetch({ ...QUICK, attemptTimeoutMs: 20, maxAttempts: 2 }, hangs);
    const { error } = await underClock(() => slow(input, init));
    assert.equal(error.message, `rejitter: attempt 2 timed out after 20 ms (attemptTimeoutMs) (PUT ${ORIGIN})`);
    const late = createFetch({ ...QUICK, totalTimeoutMs: 20, name: 'save' }, hangs);
    const { error: deadline } = await underClock(() => late(input, init));
    assert.equal(
      deadline.message,
      `rejitter: save timed out after 20 ms (totalTimeoutMs), during attempt 1 (PUT ${ORIGIN})`,
    );
    for (const each of [error, retryReport(error).records[0].error, deadline]) {
      assert.ok(each instanceof TimeoutError);
      assert.deepEqual({ ...each }, { name: 'TimeoutError', method: 'PUT', origin: ORIGIN });
      assert.doesNotMatch(inspect(each), /secret|password/);
    }
  }
  // The deadline during a later attempt: the cause is the response before.
  const { inner } = statuses(503);
  let calls = 0;
  const then = (...args) => ((calls += 1) === 1 ? inner(...args) : hangs(...args));
  const { error } = await underClock(() =>
    createFetch({ ...QUICK, totalTimeoutMs: 50, jitter: 'none' }, then)('https://a.example/secret'),
  );
  assert.ok(error.message.endsWith(', during attempt 2 (GET https://a.example)'), error.message);
  assert.equal(error.cause.message, 'rejitter: HTTP 503 (GET https://a.example)');
});

test('the message of a deadline has the name of the operation, in all functions', async () => {
  const options = { totalTimeoutMs: 20, name: 'charge card' };
  const expected = 'rejitter: charge card timed out after 20 ms (totalTimeoutMs), during attempt 1';
  const never = () => new Promise(() => {});
  for (const run of [() => retry(never, options), () => new RetryPolicy(options).run(never)]) {
    const { error } = await underClock(run);
    assert.equal(error.message, expected);
    assert.deepEqual(Object.keys(error), ['name']);
  }
  const { error } = await underClock(() => retry(never, { ...options, name: '' }));
  assert.equal(error.message, expected.replace('charge card', 'the operation'));
});
