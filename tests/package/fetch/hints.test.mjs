// Retry-After and its relatives: what each value asks for. What is made of it are rows of tests/vectors/fetch.json;
// random values are compared with native Rust (engine/tapes.cargo.test.mjs).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry, vectors } from '../lib/consumer.mjs';
import { importFetch, statuses } from '../lib/fetching.mjs';

const { createFetch, rateLimitHint, retryAfterMs } = await importFetch();
const { breaker, cooldown, protect } = await importEntry('protection');
const light = await importEntry('light/fetch');
const { now, cases } = vectors('retry-after');

test('R01 R03 R09 C03 the table: each value of a response, of headers or by itself, with the clock at its time', (t) => {
  t.mock.method(Date, 'now', () => now);
  assert.ok(cases.filter(({ ms }) => ms === null).length >= 60);
  for (const { ms, note, ...headers } of cases) {
    const get = (name) => headers[name] ?? null;
    const sources = [{ headers: { get } }, { get }, { headers }, headers];
    if (Object.keys(headers).join() === 'retry-after') sources.push(headers['retry-after']);
    for (const source of sources) assert.equal(retryAfterMs(source), ms ?? undefined, JSON.stringify(headers));
  }
  assert.equal(retryAfterMs(new Response(null, { headers: { 'retry-after': '7' } })), 7000);
  assert.equal(retryAfterMs(new Headers({ 'retry-after-ms': '7' })), 7);
  // R09: one that came twice is no number.
  const twice = new Headers(['10', '20'].map((value) => ['retry-after', value]));
  assert.equal(retryAfterMs(new Response(null, { headers: twice })), undefined);
  const odd = [{}, new Response(), Symbol('x'), { headers: null }, { get: () => 5 }];
  for (const nothing of [undefined, null, 5, '', 'soon', ...odd]) assert.equal(retryAfterMs(nothing), undefined);
});

test('light never waits less than a server asks, nor more but for known values', async (t) => {
  t.mock.method(Date, 'now', () => now);
  const ends = { same: 0, ignored: 0, longer: 0 };
  const maxRetryAfterMs = 1e10;
  for (const { ms, note, ...headers } of cases) {
    const get = (name) => headers[name] ?? null;
    const { inner } = statuses({ status: 503, headers: { get }, body: null }, 200);
    const send = light.createFetch({ random: () => 0, jitter: 'none', baseMs: 0, maxRetryAfterMs }, inner);
    const { clock, value } = await underClock(() => send('http://x/'));
    const waited = value.status === 503 ? Infinity : clock.delays.reduce((sum, each) => sum + each, 0);
    const expected = Math.ceil(ms ?? 0);
    const text = headers['retry-after'];
    const about = `${JSON.stringify(headers)}: ${waited}`;
    if (waited < expected) {
      // The two forms of dates that servers may no longer send, white space that Headers remove, a leap second.
      assert.match(text ?? '', /^\s|\s$|day, |\d{4}$|:60 GMT$/, about);
      ends.ignored += 1;
    } else if (waited > expected) {
      // More than the limit, a point in time that is taken for a duration, and a date whose weekday nobody checks.
      assert.ok(ms > maxRetryAfterMs || /^(\d{10,}(\.\d)?|(tue|Xyz), 01 .*)$/.test(text), about);
      ends.longer += 1;
    } else ends.same += 1;
  }
  assert.ok(ends.same > 130, JSON.stringify(ends));
});

test('a hostile header costs no time', () => {
  for (const text of [
    `5${' '.repeat(200_000)}x`,
    `${' '.repeat(200_000)}x`,
    '9'.repeat(200_000),
    `${'9'.repeat(200_000)}.`,
    `Tue,${' '.repeat(200_000)}`,
  ]) {
    // Time of the processor: that of the wall depends on what else the machine does.
    const before = process.cpuUsage();
    for (const headers of [
      { 'retry-after': text },
      { 'retry-after-ms': text },
      { 'retry-after': 'Tue, 14 Nov 2023 22:14:20 GMT', date: text },
    ])
      retryAfterMs(headers);
    for (const name of ['ratelimit', 'x-ratelimit-reset', 'x-ratelimit-reset-tokens'])
      rateLimitHint({ status: 429, headers: { [name]: text } });
    const { user } = process.cpuUsage(before);
    assert.ok(user < 1e6, `${user} µs`);
  }
});

test('rateLimitHint reads the headers of the services', (t) => {
  t.mock.method(Date, 'now', () => now);
  for (const { note, status, ms, ...headers } of vectors('rate-limits')) {
    // A wait that a header of its own announces is not the end of a window.
    assert.equal(rateLimitHint(new Response(null, { status, headers })), ms, JSON.stringify({ status, headers }));
    for (const wait of ['retry-after', 'retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after']) {
      const hint = (value) => rateLimitHint(new Response(null, { status, headers: { ...headers, [wait]: value } }));
      assert.equal(hint('1.5'), undefined);
      assert.equal(hint('0'), ms);
      assert.equal(hint('soon'), ms);
    }
  }
  for (const nothing of [undefined, null, 5, {}, { status: 429 }, { status: 429, headers: null }])
    assert.equal(rateLimitHint(nothing), undefined);
});

test('a limit that GraphQL answers with 200 is waited for', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2' };
  const limited = () => Response.json({ errors: [{ type: 'RATE_LIMITED' }] }, { headers });
  const { inner, calls } = statuses(limited(), Response.json({ data: 'Ada' }));
  const retryOn = async ({ response, retryable }) => retryable || 'errors' in (await response.clone().json());
  const send = createFetch({ methods: ['POST'], hint: rateLimitHint, retryOn, random: () => 0 }, inner);
  const { clock, value } = await underClock(() => send('http://x/graphql', { method: 'POST' }));
  assert.deepEqual([await value.json(), calls.length, clock.now], [{ data: 'Ada' }, 2, 3000]);
});

const SPENT = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '30' };

/**
 * Sends a request that gets this answer, then another one. Returns when that is sent, and how much of a hold is left.
 */
async function afterwards(answer, options, parts = [cooldown()]) {
  const protection = protect(...parts);
  const { inner } = statuses(answer, 200, 200);
  const starts = [];
  const send = createFetch({ hint: rateLimitHint, protection, random: () => 0, ...options }, (...args) => {
    starts.push(performance.now() - 1000);
    return inner(...args);
  });
  const { value } = await underClock(async () => {
    await send('http://192.0.2.1/');
    const { cooldown } = protection.for('http://192.0.2.1').status();
    await send('http://192.0.2.1/');
    return cooldown?.remainingMs;
  });
  return [starts[1], value];
}

const success = (headers, status = 200) => ({ status, headers: new Headers(headers), body: null });

test('a success that was the last one which a limit allows holds everyone until its window ends', async () => {
  assert.deepEqual(await afterwards(success(SPENT)), [30_000, 30_000]);
  assert.deepEqual(await afterwards(success(SPENT, 304)), [30_000, 30_000]);
  // Composed, and later.
  const later = async (response) => rateLimitHint(response);
  assert.deepEqual(await afterwards(success(SPENT), { hint: later }), [30_000, 30_000]);
  assert.deepEqual(await afterwards(success({ ...SPENT, 'x-ratelimit-reset-after': '90' })), [60_000, 60_000]);
  for (const [answer, options, parts] of [
    [success({ ...SPENT, 'x-ratelimit-remaining': '1' })],
    [success({ 'x-ratelimit-reset-after': '30' })],
    [success({ ...SPENT, 'x-ratelimit-reset-after': '0' })],
    // Only what is noted, not what is returned: the request needs no wait.
    [success({}), { hint: () => 5000 }],
    [success(SPENT), { hint: undefined }],
    [success(SPENT), {}, [breaker()]],
  ])
    assert.equal((await afterwards(answer, options, parts))[0], 0, JSON.stringify(options));
});

test('it is no failure, needs no probe, and ends no hold that is running', async () => {
  const protection = protect(cooldown(), breaker());
  const at = 'http://192.0.2.1';
  const answers = [
    { status: 429, headers: new Headers({ 'retry-after': '60' }), body: null },
    success(SPENT),
    200,
    200,
  ];
  const { inner } = statuses(...answers);
  const send = createFetch({ hint: rateLimitHint, protection, random: () => 0, maxAttempts: 1 }, inner);
  const { value } = await underClock(async (clock) => {
    await send(at);
    // The probe of the hold.
    await send(at);
    const { cooldown, breaker } = protection.for(at).status();
    await Promise.all([send(at), send(at)]);
    return [cooldown.remainingMs, breaker.failures, clock.now - 1000];
  });
  assert.deepEqual(value, [60_000, 0, 60_000]);
});
