// Retry-After and its relatives: what each value asks for, and what is made of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importPackage, printed, vectors } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';
import { digestOf, headersOf as randomHeaders } from '../lib/random-headers.mjs';

const { createFetch, rateLimitHint, retryAfterMs } = await importFetch();
const { retryReport } = await importPackage();
const { now, cases, random: expectedDigest } = vectors('retry-after');

const HEADERS = {
  retryAfterMs: 'retry-after-ms',
  xMsRetryAfterMs: 'x-ms-retry-after-ms',
  xAmzRetryAfter: 'x-amz-retry-after',
  retryAfter: 'retry-after',
  date: 'date',
};
const headersOf = (entry) =>
  Object.entries(HEADERS)
    .filter(([name]) => name in entry)
    .map(([name, header]) => [header, entry[name]]);

/** An inner fetch whose first answer is a failure with these headers. */
const once = (headers, status = 503) => {
  const get = (name) => new Map(headers).get(name) ?? null;
  return statuses({ status, headers: { get }, body: null }, 200).inner;
};

/** The hint that the wrapper reads from the headers, NaN without one. */
async function hintOf(headers) {
  const event = await new Promise((seen, failed) => {
    createFetch({ ...QUICK, maxRetryAfterMs: 0, onFailure: seen }, once(headers))('http://x/').catch(failed);
  });
  return event.hintMs ?? null;
}

test('R01 R03 R09 C03 the table: each value, with the clock at its time', async (t) => {
  t.mock.method(Date, 'now', () => now);
  assert.ok(cases.filter(({ ms }) => ms === null).length >= 60);
  for (const entry of cases) assert.equal(await hintOf(headersOf(entry)), entry.ms, JSON.stringify(entry));
});

test('retryAfterMs reads the table as the wrapper does: from a response, headers, an object, a value', (t) => {
  t.mock.method(Date, 'now', () => now);
  for (const entry of cases) {
    const headers = headersOf(entry);
    const expected = entry.ms ?? undefined;
    const get = (name) => new Map(headers).get(name) ?? null;
    for (const source of [
      { headers: { get } },
      { get },
      { headers: Object.fromEntries(headers) },
      Object.fromEntries(headers),
    ])
      assert.equal(retryAfterMs(source), expected, JSON.stringify(entry));
    if (Object.keys(entry).every((name) => ['note', 'retryAfter', 'ms'].includes(name)))
      assert.equal(retryAfterMs(entry.retryAfter), expected, entry.retryAfter);
  }
  assert.equal(retryAfterMs(new Response(null, { headers: { 'retry-after': '7' } })), 7000);
  assert.equal(retryAfterMs(new Headers({ 'retry-after-ms': '7' })), 7);
  // R09: one that came twice is no number.
  const twice = new Headers(['10', '20'].map((value) => ['retry-after', value]));
  assert.equal(retryAfterMs(new Response(null, { headers: twice })), undefined);
  const odd = [{}, new Response(), Symbol('x'), { headers: null }, { get: () => 5 }];
  for (const nothing of [undefined, null, 5, '', 'soon', ...odd]) assert.equal(retryAfterMs(nothing), undefined);
});

test('100,000 random headers are read as in Rust', (t) => {
  t.mock.method(Date, 'now', () => now);
  const next = randomHeaders(1);
  const waits = Array.from({ length: 100_000 }, () => retryAfterMs(next()) ?? -1);
  assert.ok(waits.filter((ms) => ms >= 0).length > 50_000);
  assert.equal(digestOf(waits), expectedDigest);
  waits[77_777] += 1;
  assert.notEqual(digestOf(waits), expectedDigest, 'control: one ms is seen');
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

test('R03 the time zone changes nothing', async () => {
  const stdout = await printed(
    `
    import { retryAfterMs } from 'rejitter/fetch';
    Date.now = () => ${now};
    const dates = ['Tue, 14 Nov 2023 22:14:20 GMT', 'Tuesday, 14-Nov-23 22:14:20 GMT', 'Tue Nov 14 22:14:20 2023'];
    console.log(new Date(0).getTimezoneOffset(), ...dates.map(retryAfterMs));
  `,
    { env: { TZ: 'America/New_York' } },
  );
  assert.equal(stdout, '300 60000 60000 60000\n');
});

test('hint gets each failed response and its attempt, and undefined leaves the headers', async () => {
  const seen = [];
  const hint = (response, attempt) => void seen.push([response.status, attempt.attempt]);
  const send = createFetch({ random: () => 0, hint }, once([['retry-after', '7']]));
  assert.deepEqual((await underClock(() => send('http://x/'))).clock.delays, [7000]);
  assert.deepEqual(seen, [[503, 1]], 'not called for a success');
});

test('a hint that returns an invalid value or throws is reported and costs nothing', async (t) => {
  const boom = new Error('boom');
  for (const [answer, problem] of [
    [() => NaN, RangeError],
    [() => -1, RangeError],
    [() => '5', TypeError],
    [() => null, TypeError],
    [async () => '5', TypeError],
    [async () => assert.fail(boom), boom],
    [() => assert.fail(boom), boom],
  ]) {
    const reported = t.mock.method(console, 'error', () => {});
    const { inner, calls } = statuses(503);
    const response = await createFetch({ ...QUICK, maxAttempts: 2, hint: answer }, inner)('http://x/');
    assert.deepEqual([response.status, response.bodyUsed, calls.length], [503, false, 2]);
    assert.equal(retryReport(response).reason, 'exhausted');
    const [[error]] = reported.mock.calls.map((call) => call.arguments);
    assert.ok(error === problem || error instanceof problem, String(error));
    if (error !== boom) assert.match(error.message, /^rejitter: hint must return a non-negative number/);
    // Once for each response that may be followed by another attempt; the response's own headers count.
    assert.ok(reported.mock.calls.length <= 2);
    reported.mock.restore();
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
