// Which request it was: method and origin in events and errors, and nothing else of its address. The texts are rows of
// tests/vectors/fetch.json.

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';

import { OBSERVERS } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';

const { HttpStatusError, createFetch } = await importFetch();
const { RetryPolicy, TimeoutError, retry, retryReport } = await importPackage();

const SECRET = 'https://user:password@api.example:8443/secret/path?token=secret#secret';
const ORIGIN = 'https://api.example:8443';

/** An inner fetch without an answer, whose attempts end by their signals. */
const hangs = (input, init) =>
  new Promise((_, reject) => {
    const signal = init?.signal ?? input.signal;
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** Requests to the same address, as a text, a URL and a Request. */
const forms = (method) => [
  [SECRET, { method }],
  [new URL(SECRET), { method }],
  // A Request takes no credentials in its address.
  [new Request(SECRET.replace('user:password@', ''), { method }), undefined],
];

test('each event of a fetch, and each error of ours, has method and origin, and nothing else of the address', async () => {
  for (const method of ['DELETE', 'HEAD'])
    for (const args of forms(method)) {
      const events = [];
      const hooks = Object.fromEntries(OBSERVERS.map((name) => [name, (event) => events.push([name, event])]));
      const send = (options, inner) =>
        underClock(() => createFetch({ ...QUICK, ...hooks, maxAttempts: 3, ...options }, inner)(...args));
      await send({}, statuses(503, new TypeError('fetch failed'), 200).inner);
      await send({ maxAttempts: 1 }, statuses(503).inner);
      const { error: thrown } = await send({ throwOnStatus: true }, statuses(503).inner);
      const { error: late } = await send({ attemptTimeoutMs: 20 }, hangs);
      const { error: deadline } = await send({ totalTimeoutMs: 20 }, hangs);
      assert.deepEqual([...new Set(events.map(([name]) => name))].sort(), [...OBSERVERS].sort());
      for (const [name, { method: of, origin, ...event }] of events) {
        assert.deepEqual([of, origin], [method, ORIGIN], name);
        assert.doesNotMatch(inspect(event, { depth: 9, showHidden: true }), /secret|password/, name);
      }
      for (const error of [thrown, late, retryReport(late).records[0].error, deadline]) {
        assert.ok(error instanceof (error === thrown ? HttpStatusError : TimeoutError));
        const { name, status, ...labels } = error;
        assert.deepEqual([labels, status], [{ method, origin: ORIGIN }, error === thrown ? 503 : undefined], name);
        assert.ok(error.message.endsWith(` (${method} ${ORIGIN})`), error.message);
        assert.doesNotMatch(inspect(error), /secret|password/);
      }
    }
});

test('the labels over a policy, and of an address without origin', async () => {
  const events = [];
  const policy = new RetryPolicy({ maxAttempts: 1, onGiveUp: ({ method, origin }) => events.push([method, origin]) });
  await createFetch(policy, statuses(503).inner)('data:,secret');
  await createFetch(policy, statuses(503).inner)('https://a.example/secret', { method: 'put' });
  assert.deepEqual(events, [
    ['GET', undefined],
    ['PUT', 'https://a.example'],
  ]);
});

test("a deadline's message has the name of the operation, in all functions", async () => {
  const never = () => new Promise(() => {});
  for (const name of ['charge card', '']) {
    const options = { totalTimeoutMs: 20, name };
    for (const run of [() => retry(never, options), () => new RetryPolicy(options).run(never)]) {
      const { error } = await underClock(run);
      const who = name || 'the operation';
      assert.equal(error.message, `rejitter: ${who} timed out after 20 ms (totalTimeoutMs), during attempt 1`);
      assert.deepEqual(Object.keys(error), ['name']);
    }
  }
});
