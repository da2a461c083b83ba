// Promises of SECURITY.md that no other test holds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { listen } from '../lib/fetching.mjs';
import { cheap, hugeData } from '../lib/huge-data.mjs';
import { importAll } from '../protection/entry.mjs';

const { HttpStatusError, RejectedError, RetryError, TimeoutError, ...api } = await importAll();
const { breaker, createFetch, protect, retry, retryReport } = api;
const { fromData } = await importEntry('data');

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
  for (const made of hugeData()) cheap(() => fromData(made), made);
});
