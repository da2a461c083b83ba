// Retry-After and its relatives: what each value asks for. What is made of it are rows of tests/vectors/fetch.json.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry, vectors } from '../lib/consumer.mjs';
import { importFetch, statuses } from '../lib/fetching.mjs';
import { wordsFrom } from '../lib/words.mjs';

const { rateLimitHint, retryAfterMs } = await importFetch();
const light = await importEntry('light/fetch');
const { now, cases, random: expectedDigest } = vectors('retry-after');

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

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec';
const DAYS = 'Sun Mon Tue Wed Thu Fri Sat';
const WHOLE = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday';

/** Texts of all forms, some of which are damaged: tests/common/http.rs makes the same ones. */
function randomHeaders(seed) {
  const { below } = wordsFrom(seed);
  const digits = (count) => Array.from({ length: count }, () => below(10)).join('');
  const oneOf = (words) => words.split(' ')[below(words.split(' ').length)];
  const two = (limit) => String(below(limit + 1)).padStart(2, '0');
  const time = () => `${two(23)}:${two(60)}:${two(60)}`;
  const forms = [
    () => digits(1 + below(25)),
    () => `${digits(1 + below(5))}.${digits(below(20))}`,
    () => `${oneOf(DAYS)}, ${two(31)} ${oneOf(MONTHS)} ${digits(4)} ${time()} GMT`,
    () => `${oneOf(WHOLE)}, ${two(31)}-${oneOf(MONTHS)}-${digits(2)} ${time()} GMT`,
    () => `${oneOf(DAYS)} ${oneOf(MONTHS)} ${String(below(32)).padStart(2)} ${time()} ${digits(4)}`,
    () => `Tue, 14 Nov 2023 ${time()} GMT`,
    () => ` ${below(1000)}\t`,
    () => '',
  ];
  const text = () => {
    const whole = forms[below(8)]();
    if (below(4) !== 0 || whole === '') return whole;
    const at = below(whole.length);
    const keep = below(2);
    return whole.slice(0, at) + oneOf('0 9 . : - + , S G a').repeat(keep) + whole.slice(at + 1);
  };
  return () => {
    const [precise, retryAfter, date] = [text(), text(), text()];
    return { 'retry-after-ms': below(2) === 0 ? '' : precise, 'retry-after': retryAfter, date };
  };
}

/** FNV-1a of a number's bytes. */
function digestOf(numbers) {
  const view = new DataView(new ArrayBuffer(8));
  let digest = 0x811c9dc5;
  for (const number of numbers) {
    view.setFloat64(0, number);
    for (let i = 0; i < 8; i += 1) digest = Math.imul(digest ^ view.getUint8(i), 0x01000193) >>> 0;
  }
  return digest;
}

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
