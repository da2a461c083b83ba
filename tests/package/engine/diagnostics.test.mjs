// The tracing channel `tracing:rejitter:operation:*`, for observers of a process. processes.test.mjs has hosts without
// it, and the random schedules (../schedules) subscribe to it as well.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importPackage } from '../lib/consumer.mjs';
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
    await body();
  } finally {
    traced.unsubscribe(subscribers);
  }
  return received;
}

const error = new Error('failing');
const later = (attempts) => (attempt) => (attempt.attempt < attempts ? fails(error)() : 'value');
const aborted = { signal: AbortSignal.abort('enough') };
const quick = { baseMs: 0.1, maxAttempts: 3 };
/** A call, its events, and of its context the attempts, the result, the error and the reason of the report. */
const CALLS = {
  'a success': [() => retry(later(1)), 'start end asyncStart asyncEnd', [1, 'value']],
  'a success at the third attempt': [() => retry(later(3), quick), 'start end asyncStart asyncEnd', [3, 'value']],
  'a failure': [() => retry(later(4), quick), 'start end error asyncStart asyncEnd', [3, , error, 'exhausted']],
  'an abort': [() => retry(later(1), aborted), 'start end error asyncStart asyncEnd', [undefined, , 'enough']],
  'bad options': [() => retry(later(1), { baseMs: -1 }), '', []],
  'a blocking call': [() => retrySync(later(2), quick), 'start end', [2, 'value']],
  'a blocking call that fails': [() => retrySync(later(4), quick), 'start error end', [3, , error, 'exhausted']],
};
for (const [name, [call, events, [attempts, result, failure, reason]]] of Object.entries(CALLS))
  test(`${name}: its events, with one context object`, async () => {
    const received = await watched(() => (async () => call())().catch(() => {}));
    assert.equal(received.map((event) => event.name).join(' '), events);
    if (events === '') return;
    const [{ context }] = received;
    assert.ok(received.every((event) => event.context === context));
    const found = [context.attempts, context.result, context.error, context.report?.reason];
    assert.deepEqual(found, [attempts, result, failure, reason]);
    assert.equal(context.report, retryReport(context.error));
  });

test('labels, from the start: the name, and of a fetch its method and origin', async () => {
  const fetchWith = (options) => createFetch(options, async () => new Response('', { status: 503 }));
  const named = { maxAttempts: 1, name: 'load' };
  const received = await watched(async () => {
    await retry(() => 1, named);
    await new RetryPolicy(named).run(() => 1);
    retrySync(() => 1, named);
    await fetchWith(named)('https://me:secret@a.test:8443/path?query#hash', { method: 'put' });
    for (const input of [new Request('https://a.test/path'), 'data:,x']) await fetchWith({ maxAttempts: 1 })(input);
    await retry(() => 1);
  });
  // Not one event more after it has left.
  await retry(() => 1);
  // One object per operation: what it had when it started is read then.
  assert.deepEqual(
    received.filter(({ name }) => name === 'start').map(({ labels }) => labels),
    [
      ...[{ name: 'load' }, { name: 'load' }, { name: 'load' }],
      { name: 'load', method: 'PUT', origin: 'https://a.test:8443' },
      { name: undefined, method: 'GET', origin: 'https://a.test' },
      { name: undefined, method: 'GET', origin: undefined },
      { name: undefined },
    ],
  );
  const { context } = received.findLast(({ context }) => context.origin === 'https://a.test:8443');
  assert.deepEqual([context.attempts, context.report.reason, context.result.status], [1, 'exhausted', 503]);
});

test('a store that is bound to the channel is the context of every attempt', async () => {
  const storage = new AsyncLocalStorage();
  const start = channel('tracing:rejitter:operation:start');
  start.bindStore(storage, () => 'span');
  const seen = [];
  await retry((attempt) => seen.push(storage.getStore()) && later(3)(attempt), quick).finally(() =>
    start.unbindStore(storage),
  );
  assert.deepEqual([...seen, storage.getStore()], ['span', 'span', 'span', undefined]);
});
