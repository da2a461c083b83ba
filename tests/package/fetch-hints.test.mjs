// Retry-After and retry-after-ms: what each value asks for, and what is made of it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { underClock } from './lib/clock.mjs';
import { importPackage, repo, runNode } from './lib/consumer.mjs';
import { QUICK, importFetch, listen } from './lib/fetching.mjs';

const { createFetch } = await importFetch();
const { retryReport } = await importPackage();
const { now, cases } = JSON.parse(readFileSync(join(repo, 'tests', 'vectors', 'retry-after.json'), 'utf8'));

const HEADERS = { retryAfterMs: 'retry-after-ms', retryAfter: 'retry-after', date: 'date' };
const headersOf = (entry) => Object.entries(HEADERS).filter(([name]) => name in entry).map(([name, header]) => [header, entry[name]]);

/** An inner fetch whose first answer is a 503 with these headers. */
const once = (headers) => {
  let calls = 0;
  return async () => {
    calls += 1;
    return calls === 1 ? { status: 503, headers: { get: (name) => new Map(headers).get(name) ?? null }, body: null } : new Response('ok');
  };
};

/** What the wrapper makes of the headers: the hint, NaN for none. */
async function hintOf(headers) {
  const event = await new Promise((seen, failed) => {
    createFetch({ ...QUICK, maxRetryAfterMs: 0, longRetryAfter: 'cap', onRetry: seen }, once(headers))('http://x/').catch(failed);
  });
  return event.hintMs ?? null;
}

test('R01 R03 R09 C03 the table: each value, with the clock at its time', async (t) => {
  t.mock.method(Date, 'now', () => now);
  assert.ok(cases.filter(({ ms }) => ms === null).length >= 60);
  for (const entry of cases) assert.equal(await hintOf(headersOf(entry)), entry.ms, JSON.stringify(entry));
});

test('R03 the time zone changes nothing', async () => {
  const { stdout, stderr } = await runNode(`
    import { createFetch } from 'rejitter/fetch';
    Date.now = () => ${now};
    const hints = [];
    for (const value of ['Tue, 14 Nov 2023 22:14:20 GMT', 'Tuesday, 14-Nov-23 22:14:20 GMT', 'Tue Nov 14 22:14:20 2023']) {
      let calls = 0;
      const inner = async () => (++calls === 1 ? new Response(null, { status: 503, headers: { 'retry-after': value } }) : new Response());
      await createFetch({ baseMs: 0, maxRetryAfterMs: 0, longRetryAfter: 'cap', onRetry: (event) => hints.push(event.hintMs) }, inner)('http://x/');
    }
    console.log(JSON.stringify({ hints, zone: new Date(0).getTimezoneOffset() }));
  `, { env: { TZ: 'America/New_York' } });
  assert.equal(stderr, '');
  assert.deepEqual(JSON.parse(stdout), { hints: [60_000, 60_000, 60_000], zone: 300 });
});

test('R05 a hint above maxRetryAfterMs: the response at once, and the report says how long', async () => {
  for (const [value, hintMs] of [['99999999', 99_999_999_000], ['2147484', 2_147_484_000], [`1${'0'.repeat(30)}`, 2 ** 53 - 1]]) {
    const { clock, value: response } = await underClock(() => createFetch({}, once([['retry-after', value]]))('http://x/'));
    assert.equal(response.status, 503);
    assert.equal(clock.now, 1000, 'nothing waits');
    const report = retryReport(response);
    assert.equal(report.reason, 'hint');
    assert.equal(report.hintMs, hintMs);
  }
});

test('R05 with longRetryAfter cap it comes back earlier than asked, and says so in the event', async () => {
  let event;
  const { clock } = await underClock(() => createFetch({ longRetryAfter: 'cap', random: () => 0, onRetry: (e) => { event = e; } }, once([['retry-after', '99999999']]))('http://x/'));
  assert.deepEqual(clock.delays, [60_000]);
  assert.equal(event.hintMs, 99_999_999_000);
});

test('R05 with maxRetryAfterMs Infinity the wait is as long as asked, in timers that do not overflow', async () => {
  const { clock } = await underClock(() => createFetch({ maxRetryAfterMs: Infinity, random: () => 0 }, once([['retry-after', '2147484']]))('http://x/'));
  assert.deepEqual(clock.delays, [2 ** 31 - 1, 2_147_484_000 - (2 ** 31 - 1)]);
});

test('the wait is h + r·max(base, h/2): never less than asked', async () => {
  for (const [seconds, r, wait] of [['4', 0, 4000], ['4', 0.5, 5000], ['4', 0.999, 5998], ['1', 0.5, 3500]]) {
    const { clock } = await underClock(() => createFetch({ baseMs: seconds === '1' ? 5000 : 100, random: () => r }, once([['retry-after', seconds]]))('http://x/'));
    assert.deepEqual(clock.delays, [wait]);
  }
});

test('h = 0 and a past date are no hint: the wait is the formula\'s', async () => {
  for (const value of ['0', 'Sun, 06 Nov 1994 08:49:37 GMT']) {
    const { clock } = await underClock(() => createFetch({ jitter: 'none' }, once([['retry-after', value]]))('http://x/'));
    assert.deepEqual(clock.delays, [100]);
  }
});

test('respectRetryAfter: false', async () => {
  const { clock } = await underClock(() => createFetch({ jitter: 'none', respectRetryAfter: false }, once([['retry-after', '5']]))('http://x/'));
  assert.deepEqual(clock.delays, [100]);
});

test('R07 a predicate that always asks for the same wait is bounded by the attempts', async () => {
  for (const answer of [{ afterMs: 1 }, Promise.resolve({ afterMs: 0 }), true]) {
    let calls = 0;
    const inner = async () => { calls += 1; return new Response('x', { status: 503 }); };
    const { value } = await underClock(() => createFetch({ maxAttempts: 3, retryOn: () => answer }, inner)('http://x/'));
    assert.equal(calls, 3);
    assert.equal(retryReport(value).reason, 'exhausted');
  }
  for (const answer of [{ afterMs: NaN }, { afterMs: -1 }, undefined, 1, 'yes']) {
    let calls = 0;
    const inner = async () => { calls += 1; return new Response('x', { status: 503 }); };
    const { error } = await underClock(() => createFetch({ retryOn: () => answer }, inner)('http://x/'));
    assert.ok(error instanceof TypeError || error instanceof RangeError);
    assert.equal(calls, 1);
    assert.equal(retryReport(error).reason, 'callback');
  }
});

test('R07 a hint and a deadline: what cannot end before it is not begun', async () => {
  const { clock, value } = await underClock(() => createFetch({ totalTimeoutMs: 3000 }, once([['retry-after', '5']]))('http://x/'));
  assert.equal(value.status, 503);
  assert.equal(retryReport(value).reason, 'deadline');
  assert.ok(!clock.delays.some((ms) => ms >= 5000));
});

// Last: the engine's sockets have timers, which the virtual clock above would see.
test('over the wire, with headers as the server writes them', async () => {
  const values = ['1', ' 1 ', '0', 'soon', '-3', '1.5', '99999999', new Date(Date.now() + 30_000).toUTCString()];
  const server = await listen((request, response, nth) => {
    const value = values[Number(request.url.slice(1))];
    if (nth === 1) response.writeHead(429, { 'retry-after': value }).end();
    else response.end('ok');
  });
  try {
    for (const [i, value] of values.entries()) {
      let event;
      const response = await createFetch({ ...QUICK, maxRetryAfterMs: 0, longRetryAfter: 'cap', onRetry: (e) => { event = e; } })(`${server.origin}/${i}`);
      assert.equal(await response.text(), 'ok');
      assert.equal(event.status, 429);
      const expected = [1000, 1000, 0, undefined, undefined, undefined, 99_999_999_000][i];
      if (i < 7) assert.equal(event.hintMs, expected, value);
      else assert.ok(event.hintMs >= 28_000 && event.hintMs <= 31_000, `${event.hintMs} ms`);
    }
  } finally {
    await server.close();
  }
});

test('R09 a header that came twice is joined, and is then no number', async () => {
  const server = await listen((request, response, nth) => {
    if (nth === 1) response.writeHead(503, [['Retry-After', '10'], ['Retry-After', '20']].flat()).end();
    else response.end('ok');
  });
  try {
    let event;
    await (await createFetch({ ...QUICK, onRetry: (e) => { event = e; } })(server.origin)).text();
    assert.equal(event.hintMs, undefined);
    assert.ok(event.delayMs <= 2);
  } finally {
    await server.close();
  }
});
