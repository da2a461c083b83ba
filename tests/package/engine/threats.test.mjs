// Promises of SECURITY.md that no other test holds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, printed } from '../lib/consumer.mjs';
import { listen } from '../lib/fetching.mjs';
import { importAll } from '../protection/entry.mjs';
import { kindsOf } from '../schedules/waits.mjs';

const { HttpStatusError, RejectedError, RetryError, TimeoutError, ...api } = await importAll();
const { RetryPolicy, breaker, createFetch, protect, retry, retryReport } = api;
const { fromData } = await importEntry('data');
const { explain, plan } = await importEntry('lab');

/** The error of a promise that rejects. */
const errorOf = (promise) => promise.then(assert.fail, (error) => error);

test('sends another origin, after a redirect, the headers that fetch alone would send, and the key', async () => {
  const target = await listen((_, response) => response.writeHead(target.seen.length % 2 ? 200 : 503).end());
  const server = await listen((_, response) => response.writeHead(307, { location: target.origin }).end());
  const headers = { authorization: 'Bearer s3cret', cookie: 'id=s3cret', 'x-api-key': 'own' };
  const init = { method: 'POST', body: 'text', headers };
  try {
    await fetch(server.origin, init);
    await createFetch({ baseMs: 0, idempotencyKey: 'auto' })(server.origin, init);
  } finally {
    await Promise.all([server.close(), target.close()]);
  }
  // Connections differ, requests must not.
  const [bare, ...others] = target.seen.map(({ headers: { connection, host, ...rest } }) => rest);
  assert.ok(!('authorization' in bare || 'cookie' in bare) && bare['x-api-key'] === 'own' && others.length === 2);
  for (const { 'idempotency-key': key, ...rest } of others) {
    assert.deepEqual(rest, bare);
    assert.match(key, /^[\da-f-]{36}$/);
  }
});

test('logs of our errors contain no address, header, body or result', async () => {
  const secret = 'S3CRET';
  const response = () => new Response(`{"password":"${secret}"}`, { status: 500, headers: { 'set-cookie': secret } });
  const init = { method: 'PUT', body: secret, headers: { authorization: secret } };
  const ask = (options, answer) =>
    createFetch({ baseMs: 0, ...options }, answer)(`http://user.example/${secret}?key=${secret}`, init);
  const hang = (_, { signal }) =>
    new Promise((_, reject) => void signal.addEventListener('abort', () => reject(signal.reason)));
  const personal = { password: secret };
  const protection = protect(breaker());
  protection.for('http://user.example').open();
  const down = Object.assign(new Error('down'), { config: personal });
  const all = [
    [RejectedError, () => ask({ protection }, response)],
    [HttpStatusError, () => ask({ throwOnStatus: true }, response)],
    [TimeoutError, () => ask({ attemptTimeoutMs: 1, maxAttempts: 1 }, hang)],
    [TimeoutError, () => ask({ totalTimeoutMs: 1 }, hang)],
    [RetryError, () => retry(() => personal, { baseMs: 0, retryOnResult: () => true, finalResult: 'reject' })],
    [TypeError, () => retry(() => personal, { retryOnResult: () => personal })],
    // Its cause is the caller's own error: loggers that follow causes show that, JSON does not.
    [RetryError, () => retry(fails(down), { baseMs: 0, finalError: 'wrap' })],
  ];
  const shown = ['name', 'reason', 'status', 'by', 'key', 'retryAfterMs', 'method', 'origin'];
  for (const [kind, call] of all) {
    const error = await errorOf(call());
    assert.ok(error instanceof kind, String(error));
    const texts = [error.message, String(error), error.stack, JSON.stringify(error)];
    for (const text of error.cause === down ? texts : [...texts, inspect(error, { depth: 10 })])
      assert.ok(!text.includes(secret), `${kind.name}: ${text}`);
    for (const name of Object.keys(error)) assert.ok(shown.includes(name), name);
  }
});

test('operations that one signal ends do not share their reports', async () => {
  const controller = new AbortController();
  const seen = [];
  const onGiveUp = ({ report }) => seen.push(report.records[0].error.message);
  const ended = ['one', 'two'].map((tenant) =>
    errorOf(retry(fails(new Error(tenant)), { signal: controller.signal, onGiveUp })),
  );
  controller.abort();
  const { reason } = controller.signal;
  assert.deepEqual([...(await Promise.all(ended)), ...seen], [reason, reason, 'one', 'two']);
  assert.equal(retryReport(reason), undefined);
});

test('data of a megabyte, whatever they are, cost little time and memory', () => {
  const text = 'x'.repeat(1_000_000);
  const nested = (wrap) => {
    let value = 1;
    for (let i = 0; i < 5_000; i += 1) value = wrap(value);
    return value;
  };
  const jitters = [...kindsOf('jitter'), { type: 'proportional', ratio: 1 }, { type: 'additive', ratio: 1000 }];
  const most = 2 ** 53 - 1;
  const data = [
    ...[Array(500_000).fill(1), Array(1_000).fill(5e-324), Array(200_000).fill('x')].map((backoff) => ({ backoff })),
    ...[{ seed: text }, { name: text }, { [text]: 1 }, { jitter: text }],
    ...[{ jitter: nested((inner) => ({ type: inner })) }, { backoff: nested((inner) => [inner]) }],
    Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`unknown${i}`, i])),
    { backoff: 'exponential', factor: 1 + 2 ** -52, baseMs: 5e-324, maxAttempts: most },
    { backoff: 'fibonacci', baseMs: 5e-324, maxAttempts: 1e15 },
    ...jitters.map((jitter) => ({ jitter, maxAttempts: most, capMs: 'Infinity' })),
  ];
  // Loaded and compiled.
  for (const jitter of jitters) explain(new RetryPolicy({ jitter }));
  const used = () => process.memoryUsage().external + process.memoryUsage().arrayBuffers;
  const before = used();
  for (const given of data) {
    const made = { version: 1, ...given };
    const policy = { toJSON: () => made };
    for (const step of [() => fromData(made), () => explain(policy), () => plan(policy, 200)]) {
      // Time of the processor: other processes do not lengthen it.
      const from = process.cpuUsage();
      try {
        step();
      } catch (error) {
        assert.match(error.message, /^rejitter: /);
      }
      const { user, system } = process.cpuUsage(from);
      // Far above what it takes: a bound for accidents.
      assert.ok(user + system < 1e6, `${step} of ${inspect(given, { depth: 1 }).slice(0, 80)}: ${user + system} µs`);
    }
  }
  assert.ok(used() - before < 10_000_000);
});

test('data that are nested deeper than a stack leave the lab working', async () => {
  const stdout = await printed(`
    const { explain, plan } = await import('rejitter/lab');
    const seen = [JSON.stringify(plan({}, 3))];
    // Deeper than the stack of a wasm instance is long.
    let deep = {};
    for (let i = 0; i < 20_000; i += 1) deep = { a: deep };
    for (const field of ['jitter', 'backoff', 'seed']) {
      try { explain({ toJSON: () => ({ version: 1, [field]: deep }) }); } catch { seen.push(JSON.stringify(plan({}, 3))); }
    }
    console.log(seen.length, new Set(seen).size);
  `);
  assert.equal(stdout, '4 1\n');
});
