// rejitter/light/fetch: what it may never do, at real servers. Its rules are rows of tests/vectors/fetch.json, and each
// request that it sends is compared with that of bare fetch in requests.slow.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry, printed, vectors } from '../lib/consumer.mjs';
import { QUICK, failing, importFetch, serving, statuses } from '../lib/fetching.mjs';

const { TimeoutError, createFetch, fetchWithRetry } = await importEntry('light/fetch');
const large = await importFetch();

const { fresh, bodiesOf } = serving(failing(2));
const quick = createFetch(QUICK);

test('there is one TimeoutError, in ES modules and in CommonJS', async () => {
  const use = `
    const fetch = createFetch({ attemptTimeoutMs: 5, maxAttempts: 1 }, (_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason))));
    fetch('http://x/').catch((error) => console.log(error instanceof light.TimeoutError, light.TimeoutError === TimeoutError));`;
  for (const [code, options] of [
    [`import * as light from 'rejitter/light'; import { TimeoutError, createFetch } from 'rejitter/light/fetch';`, {}],
    [
      `const light = require('rejitter/light'); const { TimeoutError, createFetch } = require('rejitter/light/fetch');`,
      { ext: 'cjs', flags: ['--no-experimental-require-module'] },
    ],
  ])
    assert.equal(await printed(code + use, options), 'true true\n');
});

test('options: those of rejitter/fetch with their defaults, and no others', async () => {
  for (const name of ['signal', 'retryIf', 'hint', 'methods', 'toString'])
    assert.throws(() => createFetch({ [name]: 1 }), { name: 'TypeError', message: /^rejitter: unknown option "/ });
  assert.throws(() => createFetch({ maxRetryAfterMs: 0 }), RangeError);
  assert.throws(() => createFetch({}, null), TypeError);
  await assert.rejects(fetchWithRetry('http://x/', { retry: { baseMs: -1 } }), RangeError);
  for (const [status, headers] of [
    [503, {}],
    [503, { 'retry-after': '60' }],
    [503, { 'retry-after': '60.001' }],
  ]) {
    const waits = [];
    for (const entry of [large, { createFetch }]) {
      const { inner } = statuses(new Response(null, { status, headers }));
      const { clock } = await underClock(() => entry.createFetch({ random: () => 0.7 }, inner)('http://x/'));
      waits.push(clock.delays);
    }
    assert.deepEqual(waits[1], waits[0]);
  }
});

test('never waits less than a server asks, nor more but for known values: the table of hints', async (t) => {
  const { now, cases } = vectors('retry-after');
  t.mock.method(Date, 'now', () => now);
  const names = { ms: 'retry-after-ms', retryAfterMs: 'retry-after-ms', xMsRetryAfterMs: 'x-ms-retry-after-ms' };
  const all = { ...names, xAmzRetryAfter: 'x-amz-retry-after', retryAfter: 'retry-after', date: 'date' };
  const ends = { same: 0, ignored: 0, longer: 0 };
  const maxRetryAfterMs = 1e10;
  for (const { ms, note, ...entry } of cases) {
    const headers = new Map(Object.entries(entry).map(([name, value]) => [all[name], `${value}`]));
    const answer = { status: 503, headers: { get: (name) => headers.get(name) ?? null }, body: null };
    const options = { random: () => 0, jitter: 'none', baseMs: 0, maxRetryAfterMs };
    const { clock, value } = await underClock(() => createFetch(options, statuses(answer, 200).inner)('http://x/'));
    const waited = value === answer ? Infinity : clock.delays.reduce((sum, each) => sum + each, 0);
    const expected = Math.ceil(ms ?? 0);
    if (waited < expected) {
      // The two forms of dates that servers may no longer send, white space that Headers remove, a leap second.
      assert.match(entry.retryAfter ?? '', /^\s|\s$|day, |\d{4}$|:60 GMT$/, `${JSON.stringify(entry)}: ${waited}`);
      ends.ignored += 1;
    } else if (waited > expected) {
      // More than the limit, a point in time that is taken for a duration, and a date whose weekday nobody checks.
      const isKnown = ms > maxRetryAfterMs || /^(\d{10,}(\.\d)?|(tue|Xyz), 01 .*)$/.test(entry.retryAfter);
      assert.ok(isKnown, `${JSON.stringify(entry)}: ${waited}`);
      ends.longer += 1;
    } else ends.same += 1;
  }
  assert.ok(ends.same > 130, JSON.stringify(ends));
});

test('bodies are sent again whole, of an address and of a Request, and nothing is copied for the last attempt', async () => {
  const put = { method: 'PUT', body: 'whole' };
  for (const args of [(url) => [url, put], (url) => [new Request(url, put)]]) {
    const url = fresh();
    assert.equal((await quick(...args(url))).status, 200);
    assert.deepEqual(bodiesOf(url), ['whole', 'whole', 'whole']);
  }
  // `undefined` in init leaves a Request's own method as it is.
  const own = new Request(fresh(), { method: 'POST', body: 'item=7' });
  assert.equal((await quick(own, { method: undefined, headers: undefined })).status, 503);
  assert.deepEqual(bodiesOf(own.url), ['item=7']);
  const { inner, calls } = statuses(503);
  const request = new Request('http://x/', put);
  await createFetch({ ...QUICK, maxAttempts: 3 }, inner)(request);
  assert.deepEqual(
    calls.map(([sent]) => sent === request),
    [false, false, true],
  );
  // A request whose own body was used before is fetch's to refuse, and sends a body of init.
  const used = new Request(fresh(), put);
  await used.text();
  await assert.rejects(quick(used), TypeError);
  assert.equal((await quick(used, { body: 'whole' })).status, 200);
});

test('mistakes are made once, a body that is read is not cancelled, and a timeout is of its own class', async () => {
  for (const thrown of [undefined, null, 'text'])
    await createFetch({}, () => Promise.reject(thrown))('http://x/').then(assert.fail, (error) =>
      assert.equal(error, thrown),
    );
  for (const args of [['http://'], ['http://x/', { headers: { 'a b': '1' } }], ['http://x/', { body: 'x' }]]) {
    let calls = 0;
    const inner = (...all) => {
      calls += 1;
      return fetch(...all);
    };
    await assert.rejects(createFetch(QUICK, inner)(...args), TypeError);
    assert.ok(calls <= 1, `${args}`);
  }
  const locked = new Response('x', { status: 503 });
  locked.body.getReader();
  assert.equal((await underClock(() => createFetch({}, statuses(locked, 200).inner)('http://x/'))).value.status, 200);
  const hangs = (_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason)));
  const { error } = await underClock(() => createFetch({ attemptTimeoutMs: 5, maxAttempts: 2 }, hangs)('http://x/'));
  assert.ok(error instanceof TimeoutError);
});

test('as the global fetch it sends by the one that it replaced, under mocks and wrappers as well', async (t) => {
  const { fetch: native } = globalThis;
  t.after(() => (globalThis.fetch = native));
  const { inner, calls } = statuses(200);
  globalThis.fetch = inner;
  const first = (globalThis.fetch = createFetch());
  const second = (globalThis.fetch = createFetch());
  await Promise.resolve();
  globalThis.fetch = (...args) => second(...args);
  const mocked = createFetch();
  for (const each of [first, second, globalThis.fetch]) assert.equal((await each('http://x/')).status, 200);
  assert.equal(calls.length, 3);
  const mock = statuses(204);
  globalThis.fetch = mock.inner;
  assert.equal((await mocked('http://x/')).status, 204);
  assert.equal((await fetchWithRetry('http://x/')).status, 204);
});
