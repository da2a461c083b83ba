// The tracing channel `tracing:rejitter:operation:*`, for observers of a process.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importPackage, printed } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';

const { RetryPolicy, retry, retryReport, retrySync } = await importPackage();
const { createFetch } = await importFetch();
const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

/** Runs `body` with subscribers; returns the events that they received. */
async function watched(body) {
  const received = [];
  const note = (name) => (context) => received.push({ ...context, name, context, labels: { ...context } });
  const subscribers = Object.fromEntries(EVENTS.map((name) => [name, note(name)]));
  const traced = tracingChannel('rejitter:operation');
  traced.subscribe(subscribers);
  try {
    await body(received);
  } finally {
    traced.unsubscribe(subscribers);
  }
  return received;
}

const namesOf = (received) => received.map(({ name }) => name).join(' ');

test('a success: start and end around the call, asyncStart and asyncEnd around its settlement', async () => {
  for (const attempts of [1, 3]) {
    const received = await watched(async (received) => {
      const promise = retry(({ attempt }) => (attempt < attempts ? fails(0)() : 'value'), { baseMs: 1 });
      assert.equal(namesOf(received), 'start end');
      assert.equal(await promise, 'value');
    });
    assert.equal(namesOf(received), 'start end asyncStart asyncEnd');
    assert.equal(new Set(received.map(({ context }) => context)).size, 1, 'one context object per operation');
    const { attempts: counted, result, report } = received.at(-1);
    assert.deepEqual([counted, result, report], [attempts, 'value', undefined]);
  }
});

test('labels, from the start: the name, and of a fetch its method and origin', async () => {
  const inner = async () => new Response('', { status: 503 });
  const once = { maxAttempts: 1, name: 'load' };
  const secret = 'https://me:secret@a.test:8443/path?query#hash';
  const received = await watched(async () => {
    await retry(() => 1, once);
    await new RetryPolicy(once).run(() => 1);
    retrySync(() => 1, { maxAttempts: 1, name: 'load' });
    await createFetch(once, inner)(secret, { method: 'put' });
    await createFetch({ maxAttempts: 1 }, inner)(new Request('https://a.test/path'));
    await createFetch({ maxAttempts: 1 }, inner)('data:,x');
    await retry(() => 1);
  });
  // One object per operation: what it had when it started is read then.
  assert.deepEqual(
    received.filter(({ name }) => name === 'start').map(({ labels }) => labels),
    [
      { name: 'load' },
      { name: 'load' },
      { name: 'load' },
      { name: 'load', method: 'PUT', origin: 'https://a.test:8443' },
      { name: undefined, method: 'GET', origin: 'https://a.test' },
      { name: undefined, method: 'GET', origin: undefined },
      { name: undefined },
    ],
  );
  const { context } = received.findLast(({ context }) => context.origin === 'https://a.test:8443');
  assert.deepEqual([context.attempts, context.report.reason, context.result.status], [1, 'exhausted', 503]);
});

test('a failure, an abort, a blocking call: the events have the error and the report; bad options none', async () => {
  const error = new Error('failing');
  const ended = (promise) => promise.catch(() => {});
  const received = await watched(() => ended(retry(fails(error), { baseMs: 1, maxAttempts: 3 })));
  assert.equal(namesOf(received), 'start end error asyncStart asyncEnd');
  const { context } = received[2];
  assert.deepEqual([context.error, context.attempts, context.report.reason], [error, 3, 'exhausted']);
  assert.equal(context.report, retryReport(error));
  const others = await watched(async () => {
    await ended(retry(() => 1, { signal: AbortSignal.abort('enough') }));
    await ended(retry(() => 1, { baseMs: -1 }));
  });
  assert.equal(namesOf(others), 'start end error asyncStart asyncEnd');
  assert.equal(others[2].error, 'enough');
  const blocking = await watched(() => {
    retrySync(({ attempt }) => attempt > 1 || fails(0)(), { baseMs: 1 });
    assert.throws(() => retrySync(fails(error), { maxAttempts: 1 }), error);
  });
  assert.equal(namesOf(blocking), 'start end start error end');
  assert.deepEqual([blocking[1].attempts, blocking[3].report.reason], [2, 'exhausted']);
});

test('a store that is bound to the channel is the context of every attempt', async () => {
  const storage = new AsyncLocalStorage();
  const start = channel('tracing:rejitter:operation:start');
  start.bindStore(storage, () => 'span');
  try {
    const seen = [];
    await retry(
      ({ attempt }) => {
        seen.push(storage.getStore());
        if (attempt < 3) throw 0;
      },
      { baseMs: 1 },
    );
    assert.deepEqual(seen, ['span', 'span', 'span']);
    assert.equal(storage.getStore(), undefined);
  } finally {
    start.unbindStore(storage);
  }
});

test('subscribers that come and go between operations', async () => {
  const received = await watched(() => retry(() => 1));
  assert.equal(received.length, 4);
  await retry(() => 1);
  assert.equal(received.length, 4, 'no event after it has left');
});

test('a process: the channel is loaded by its first operation; a subscriber that throws changes no outcome', async () => {
  const stdout = await printed(`
    import { tracingChannel } from 'node:diagnostics_channel';
    const { getBuiltinModule } = process;
    let loads = 0;
    process.getBuiltinModule = (name) => { loads += 1; return getBuiltinModule(name); };
    const thrown = [];
    // Node reports it like an exception in a timer.
    process.on('uncaughtException', (error) => thrown.push(error.message));
    const spoil = () => { throw new Error('subscriber'); };
    // Before the package is loaded.
    tracingChannel('rejitter:operation').subscribe({ start: spoil, end: spoil, asyncStart: spoil, asyncEnd: spoil,
      error: spoil });
    const { retry } = await import('rejitter');
    await import('rejitter/fetch');
    const atImport = loads;
    const fn = ({ attempt }) => { if (attempt < 2) throw 0; return 'value'; };
    for (let i = 0; i < 3; i += 1) console.log(await retry(fn, { baseMs: 1 }));
    await new Promise((go) => setTimeout(go, 5));
    console.log(atImport, loads, thrown.length);
  `);
  assert.equal(stdout, 'value\nvalue\nvalue\n0 1 12\n');
});

for (const [what, change] of Object.entries({
  'process.getBuiltinModule that throws, as Next.js has in edge routes':
    "process.getBuiltinModule = () => { looks += 1; throw new Error('not supported in the Edge Runtime'); };",
  'no process.getBuiltinModule, as in Node before 20.16 and other hosts':
    "Object.defineProperty(process, 'getBuiltinModule', { get() { looks += 1; } });",
  'a getter of getBuiltinModule that throws':
    "Object.defineProperty(process, 'getBuiltinModule', { get() { looks += 1; throw new Error('read'); } });",
  'a getter of process that throws':
    "Object.defineProperty(globalThis, 'process', { configurable: true, get() { looks += 1; throw new " +
    "Error('read'); } });",
  'channels without tracing':
    "process.getBuiltinModule = () => { looks += 1; return { get tracingChannel() { throw new Error('read'); } }; };",
})) {
  // The second draw of a process asks for its host, too.
  const most = what.startsWith('a getter of process') ? 2 : 1;
  test(`${what}: it is called once, and every function works`, async () => {
    const stdout = await printed(`
      const { RetryPolicy, retry, retrySync } = await import('rejitter');
      let looks = 0;
      ${change}
      const seen = [retrySync(() => 1)];
      const fn = ({ attempt }) => { if (attempt < 2) throw 0; return 'value'; };
      for (const call of [() => retry(() => 1), () => retry(fn, { baseMs: 0 }),
        () => new RetryPolicy({ baseMs: 0 }).run(fn), () => new RetryPolicy().wrap(() => 2)()]) {
        const promise = call();
        seen.push(await promise);
      }
      const reads = looks;
      ${change.includes("globalThis, 'process'") ? 'delete globalThis.process;' : ''}
      console.log(seen.join(), reads);
    `);
    assert.equal(stdout, `1,1,value,value,2 ${most}\n`);
  });
}
