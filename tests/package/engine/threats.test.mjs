// Promises of SECURITY.md that no other test holds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, printed } from '../lib/consumer.mjs';
import { listen } from '../lib/fetching.mjs';
import { importAll } from '../protection/entry.mjs';

const { HttpStatusError, RetryError, RetryPolicy, TimeoutError, breaker, createFetch, protect, retry, retryReport } =
  await importAll();
const { fromData } = await importEntry('data');
const { explain, plan } = await importEntry('lab');

const outcome = (promise) =>
  promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );

test('sends another origin, after a redirect, the headers that fetch alone would send, and the key', async () => {
  const target = await listen((_, response) => response.writeHead(target.seen.length % 2 ? 200 : 503).end());
  const server = await listen((_, response) => response.writeHead(307, { location: target.origin }).end());
  const init = {
    method: 'POST',
    body: 'text',
    headers: { authorization: 'Bearer s3cret', cookie: 'id=s3cret', 'x-api-key': 'own' },
  };
  try {
    await fetch(server.origin, init);
    await createFetch({ baseMs: 0, idempotencyKey: 'auto' })(server.origin, init);
    // Connections differ, requests must not.
    const [bare, ...others] = target.seen.map(({ headers: { connection, host, ...headers } }) => headers);
    assert.deepEqual([bare.authorization, bare.cookie, bare['x-api-key']], [undefined, undefined, 'own']);
    assert.equal(others.length, 2);
    for (const { 'idempotency-key': key, ...headers } of others) {
      assert.deepEqual(headers, bare);
      assert.match(key, /^[\da-f-]{36}$/);
    }
  } finally {
    await Promise.all([server.close(), target.close()]);
  }
});

test('logs of our errors contain no address, header, body or result', async () => {
  const secret = 'S3CRET';
  const response = () => new Response(`{"password":"${secret}"}`, { status: 500, headers: { 'set-cookie': secret } });
  const ask = (options, answer) =>
    createFetch({ baseMs: 0, ...options }, answer)(`http://user.example/${secret}?key=${secret}`, {
      method: 'PUT',
      body: secret,
      headers: { authorization: secret },
    });
  const hang = (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const personal = { password: secret };
  const protection = protect(breaker());
  protection.for('http://user.example').open();
  const errors = {
    rejected: await outcome(ask({ protection }, response)),
    status: await outcome(ask({ throwOnStatus: true }, response)),
    timeout: await outcome(ask({ attemptTimeoutMs: 1, maxAttempts: 1 }, hang)),
    deadline: await outcome(ask({ totalTimeoutMs: 1 }, hang)),
    result: await outcome(retry(() => personal, { baseMs: 0, retryOnResult: () => true, finalResult: 'reject' })),
    predicate: await outcome(retry(() => personal, { retryOnResult: () => personal })),
  };
  assert.ok(
    errors.status.error instanceof HttpStatusError &&
      errors.rejected.error.by === 'breaker' &&
      errors.timeout.error instanceof TimeoutError &&
      errors.deadline.error instanceof TimeoutError,
  );
  assert.ok(errors.result.error instanceof RetryError && errors.predicate.error instanceof TypeError);
  for (const [name, { error }] of Object.entries(errors)) {
    for (const text of [
      error.message,
      String(error),
      error.stack,
      JSON.stringify(error),
      inspect(error, { depth: 10 }),
    ]) {
      assert.ok(!text.includes(secret), `${name}: ${text}`);
    }
  }
  // The wrapper's causes are the caller's own errors: loggers that follow causes show them, JSON does not.
  const down = Object.assign(new Error('down'), { config: personal });
  errors.wrapped = await outcome(retry(fails(down), { baseMs: 0, finalError: 'wrap' }));
  assert.ok(!JSON.stringify(errors.wrapped.error).includes(secret));
  for (const { error } of Object.values(errors))
    assert.deepEqual(
      Object.keys(error).filter(
        (name) => !['name', 'reason', 'status', 'by', 'key', 'retryAfterMs', 'method', 'origin'].includes(name),
      ),
      [],
    );
});

test('operations that one signal ends do not share their reports', async () => {
  const controller = new AbortController();
  const reports = [];
  const options = { signal: controller.signal, onGiveUp: ({ report }) => reports.push(report) };
  const ended = ['one', 'two'].map((tenant) => outcome(retry(fails(new Error(tenant)), options)));
  controller.abort();
  for (const { error } of await Promise.all(ended)) {
    assert.equal(error, controller.signal.reason);
    assert.equal(retryReport(error), undefined);
  }
  assert.deepEqual(
    reports.map(({ records }) => records[0].error.message),
    ['one', 'two'],
  );
});

/** Time of the processor, which other processes do not lengthen, in ms. */
function cpuMs(body) {
  const before = process.cpuUsage();
  body();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('data of a megabyte, whatever they are, cost little time and memory', () => {
  const text = 'x'.repeat(1_000_000);
  const nested = (wrap) => {
    let value = 1;
    for (let i = 0; i < 5_000; i += 1) value = wrap(value);
    return value;
  };
  const names = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'pollyV2', 'slotted'];
  const jitters = [...names, { type: 'proportional', ratio: 1 }, { type: 'additive', ratio: 1000 }];
  const data = [
    { backoff: Array(500_000).fill(1) },
    { backoff: Array(1_000).fill(5e-324) },
    { backoff: Array(200_000).fill('x') },
    { seed: text },
    { name: text },
    { [text]: 1 },
    { jitter: text },
    { jitter: nested((inner) => ({ type: inner })) },
    { backoff: nested((inner) => [inner]) },
    Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`unknown${i}`, i])),
    { backoff: 'exponential', factor: 1 + 2 ** -52, baseMs: 5e-324, maxAttempts: 2 ** 53 - 1 },
    { backoff: 'fibonacci', baseMs: 5e-324, maxAttempts: 1e15 },
    ...jitters.map((jitter) => ({ jitter, maxAttempts: 2 ** 53 - 1, capMs: 'Infinity' })),
  ];
  // Loaded and compiled.
  for (const jitter of jitters) explain(new RetryPolicy({ jitter }));
  const used = () => process.memoryUsage().external + process.memoryUsage().arrayBuffers;
  const before = used();
  const slow = [];
  for (const given of data) {
    const made = { version: 1, ...given };
    const name = inspect(given, { depth: 1 }).slice(0, 80);
    for (const [step, body] of [
      ['fromData', () => fromData(made)],
      ['explain', () => explain({ toJSON: () => made })],
      ['plan', () => plan({ toJSON: () => made }, 200)],
    ]) {
      const ms = cpuMs(() => {
        try {
          body();
        } catch (error) {
          assert.match(error.message, /^rejitter: /);
        }
      });
      // Far above what it takes: a bound for accidents.
      if (ms > 1000) slow.push(`${step} of ${name}: ${ms} ms`);
    }
  }
  assert.deepEqual(slow, []);
  assert.ok(used() - before < 10_000_000);
});

test('data that are nested deeper than a stack leave the lab working', async () => {
  const stdout = await printed(`
    const { explain, plan } = await import('rejitter/lab');
    const wanted = JSON.stringify(plan({}, 3));
    // Deeper than the stack of a wasm instance is long.
    let deep = {};
    for (let i = 0; i < 20_000; i += 1) deep = { a: deep };
    const faults = [];
    for (const field of ['jitter', 'backoff', 'seed']) {
      try { explain({ toJSON: () => ({ version: 1, [field]: deep }) }); } catch (error) { faults.push(error.name); }
      if (JSON.stringify(plan({}, 3)) !== wanted) console.log('another plan');
    }
    console.log(faults.length);
  `);
  assert.equal(stdout, '3\n');
});
