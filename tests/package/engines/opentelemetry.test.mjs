// rejitter/otel with the real SDK, Prometheus exporter and undici instrumentation, against a server on loopback.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { context, metrics, trace } from '@opentelemetry/api';
import { ATTR_HTTP_REQUEST_RESEND_COUNT } from '@opentelemetry/semantic-conventions';

import { importEntry, importPackage } from '../lib/consumer.mjs';
import { checkPrograms, importProgram, serve } from '../lib/programs.mjs';
import { freePort } from '../../../www/demo/lib/loopback.mjs';
import { until } from '../../../www/demo/lib/until.mjs';

const { RetryPolicy, permanent } = await importPackage();
const { createFetch } = await importEntry('fetch');
const { telemetry } = await importEntry('otel');
const { breaker, budget, cooldown, hedge, protect } = await importEntry('protection');

/** Answers of the server, one after the other; then 200. */
let answers = [];
const server = await serve(() => answers.shift());
const METRICS_PORT = await freePort();
const app = await importProgram('opentelemetry', { METRICS_PORT });
const { exporter, observed, policy, spans, undici } = app;
after(async () => {
  undici.disable();
  await exporter.shutdown();
  server.close();
});
beforeEach(() => {
  answers = [];
  spans.reset();
});

const busy = { status: 503 };
const finished = () => spans.getFinishedSpans();
const of = (kind) => finished().filter((span) => span.kind === kind);
const operations = () => of(0);
/** Spans of requests, in the order of their start. */
const requests = () => of(2).toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
const idOf = (span) => span.spanContext().spanId;
const resends = () => requests().map(({ attributes }) => attributes[ATTR_HTTP_REQUEST_RESEND_COUNT]);
const events = (span) => span.events.map(({ name }) => name.replace('rejitter.', ''));
const parentOf = (span) => span.parentSpanContext?.spanId;
const links = (span) => span.links.map(({ context }) => context.spanId);
const settled = (n) => until(`${n} requests`, () => requests().length === n);
/** A call that makes so many requests. */
async function get(fetch, n) {
  await (await fetch(server.url)).text();
  await settled(n);
}

/** Lines of the exporter's output, by the metric's name and attributes. */
async function figures() {
  const text = await (await globalThis.fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
  spans.reset();
  const lines = text.split('\n').filter((line) => line.startsWith('rejitter'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, labels, value] = /^(\w+)\{(.*?)\} (\S+)/.exec(line);
      const kept = labels.split(',').filter((label) => /^(rejitter_|le)/.test(label));
      return [`${name}{${kept.sort().join()}}`, Number(value)];
    }),
  );
}
const difference = (before, now) =>
  Object.fromEntries(
    Object.entries(now)
      .map(([name, value]) => [name, value - (before[name] ?? 0)])
      .filter(([name, value]) => value !== 0 && !/bucket|_sum|target_info/.test(name)),
  );

test('the program compiles', () => checkPrograms(['opentelemetry']));

test('fetch: one span for an operation that retries, its requests under it, and exact counts', async () => {
  const before = await figures();
  answers = [busy, busy];
  const startedAt = Date.now();
  await get(app.fetch, 3);
  const [operation, ...others] = operations();
  assert.deepEqual([operation.name, others.length], ['load user', 0]);
  assert.deepEqual(events(operation), ['attempt.failed', 'wait', 'attempt.failed', 'wait']);
  assert.deepEqual([operation.status.code, operation.attributes['rejitter.attempts']], [0, 3]);
  const [first] = requests();
  assert.deepEqual(resends(), [undefined, 1, 2]);
  assert.deepEqual(requests().map(parentOf), [undefined, idOf(operation), idOf(operation)]);
  assert.deepEqual(links(operation), [idOf(first)]);
  const ms = ([s, ns]) => s * 1000 + ns / 1e6;
  // The clocks of both spans differ by some milliseconds.
  const early = ms(first.startTime) - ms(operation.startTime);
  assert.ok(early > -10 && ms(operation.startTime) >= startedAt, 'reaches back to its start');
  assert.deepEqual(difference(before, await figures()), {
    'rejitter_attempts_total{rejitter_attempt_kind="first",rejitter_name="load user"}': 1,
    'rejitter_attempts_total{rejitter_attempt_kind="retry",rejitter_name="load user"}': 2,
    'rejitter_operations_total{rejitter_name="load user",rejitter_outcome="success"}': 1,
    'rejitter_wait_duration_count{rejitter_name="load user"}': 2,
    'rejitter_budget_tokens{rejitter_name="users"}': -1, // two taken, one given back
  });
});

test('a first success has no span of its own, unless always is set', async () => {
  await get(app.fetch, 1);
  assert.deepEqual([operations().length, resends()], [0, [undefined]]);
  spans.reset();
  const always = telemetry({ context, trace }, { always: true });
  await get(always.fetch(createFetch), 1);
  const [operation] = operations();
  assert.deepEqual([operation.name, operation.links.length], ['rejitter', 0]);
  // There is a parent from the start.
  assert.equal(parentOf(requests()[0]), idOf(operation));
});

test('a give-up: status, reason and class, and no message', async () => {
  answers = [busy, busy, busy, busy];
  await get(app.fetch, 4);
  const [{ status, attributes, events: own }] = operations();
  assert.deepEqual(status, { code: 2, message: 'exhausted' });
  assert.equal(attributes['rejitter.reason'], 'exhausted');
  assert.deepEqual(resends(), [undefined, 1, 2, 3]);
  spans.reset();
  const failing = policy.run(({ attempt }) => {
    throw Object.assign(new Error('secret'), { code: `E${attempt}` });
  });
  await assert.rejects(failing, /secret/);
  const [second] = operations();
  assert.deepEqual([second.name, second.attributes['error.type']], ['call users', 'E4']);
  const classes = second.events.map((event) => event.attributes['error.type']);
  assert.equal(classes.filter(Boolean).join(' '), 'E1 E2 E3 E4');
  assert.doesNotMatch(JSON.stringify([second.attributes, second.events, own]), /secret/);
});

test('a policy: the requests of a retry know that they are sent again; wrap and with are observed', async () => {
  const { policy: observe } = observed;
  const named = observe(new RetryPolicy({ baseMs: 20 })).with({ name: 'wrapped' });
  const load = named.wrap(async (path) => {
    const response = await globalThis.fetch(server.url + path);
    await response.text();
    if (!response.ok) throw new Error(`status ${response.status}`);
    return path;
  });
  answers = [busy];
  assert.equal(await load('/x'), '/x');
  assert.deepEqual([named.wrap(get).name, named.wrap(get).length], ['get', 2]);
  await settled(2);
  assert.deepEqual(resends(), [undefined, 1]);
  const [operation] = operations();
  assert.equal(operation.name, 'wrapped');
  assert.equal(parentOf(requests()[1]), idOf(operation));
});

test("the caller's span is the parent, and hooks of the caller and of the policy are called", async () => {
  const seen = [];
  // One that inherits its hooks, too.
  const base = new RetryPolicy({
    baseMs: 1,
    metrics: true,
    onRetry: () => seen.push('policy'),
    onSuccess: () => seen.push('success'),
  }).with({ metrics: true });
  const own = observed.policy(base);
  const parent = trace.getTracer('app').startSpan('parent', { kind: 1 });
  await context.with(trace.setSpan(context.active(), parent), () =>
    own.run(({ attempt }) => assert.ok(attempt > 1), { onAttempt: () => seen.push('call') }),
  );
  parent.end();
  assert.deepEqual(seen, ['call', 'policy', 'call', 'success']);
  assert.equal(own.metrics().operations, 1);
  assert.equal(parentOf(operations()[0]), idOf(parent));
});

test('a hedge: its request links to the first, and is counted as one', async () => {
  const before = await figures();
  const slow = async () => {
    await delay(600);
    return { status: 200 };
  };
  answers = [slow()];
  const hedged = observed.fetch(createFetch, { name: 'hedged', protection: protect(hedge({ delayMs: 50 })) });
  await get(hedged, 2);
  const [first, second] = requests();
  assert.deepEqual(links(second), [idOf(first)]);
  assert.deepEqual(resends(), [undefined, 1]);
  assert.equal(parentOf(second), idOf(operations()[0]));
  const kinds = difference(before, await figures());
  assert.equal(kinds['rejitter_attempts_total{rejitter_attempt_kind="hedge",rejitter_name="hedged"}'], 1);
  assert.equal(kinds['rejitter_attempts_total{rejitter_attempt_kind="first",rejitter_name="hedged"}'], 1);
});

test('a hold is an event of the operation that waits', async () => {
  const always = telemetry({ context, trace }, { always: true });
  const api = protect(cooldown(), { onEvent: always.onEvent });
  const send = always.fetch(createFetch, { protection: api, maxAttempts: 2, baseMs: 1 });
  answers = [{ status: 429, headers: { 'retry-after-ms': '700' } }];
  const one = send(server.url);
  await until('a cooldown', () => api.keys().some((key) => api.for(key).status().cooldown.remainingMs > 0));
  // The second call is the hold's probe.
  await Promise.all([one, send(server.url), send(server.url)].map(async (response) => (await response).text()));
  await settled(4);
  const held = operations().filter((span) => events(span).includes('held'));
  assert.equal(held.length, 1);
  const [{ attributes }] = held[0].events;
  assert.ok(attributes['rejitter.hold_ms'] > 0);
  assert.equal(held[0].attributes['rejitter.attempts'], 1);
});

test('gauges show the worst of all keys, or each', async () => {
  const api = protect(budget({ capacity: 5 }), breaker());
  observed.protection(api, 'worst');
  telemetry({ metrics }, { keys: true }).protection(api, 'each');
  const run = (key) =>
    new RetryPolicy({ maxAttempts: 2, baseMs: 0, protection: api }).run(() => Promise.reject(new Error('x')), { key });
  await run('a').catch(() => {});
  api.for('b').open();
  await run('b').catch(() => {});
  const found = await figures();
  const gauge = (name, labels) => found[`rejitter_${name}{${labels}}`];
  assert.equal(gauge('budget_tokens', 'rejitter_name="worst"'), 4);
  assert.equal(gauge('circuit_state', 'rejitter_name="worst"'), 2);
  assert.equal(gauge('budget_tokens', 'rejitter_key="a",rejitter_name="each"'), 4);
  assert.equal(gauge('circuit_state', 'rejitter_key="a",rejitter_name="each"'), 0);
  assert.equal(gauge('circuit_state', 'rejitter_key="b",rejitter_name="each"'), 2);
});

test('without a context manager and without an API: spans and events without parents, no failure', async () => {
  const lonely = telemetry({ trace });
  answers = [busy];
  await get(lonely.fetch(createFetch, { name: 'alone', baseMs: 1 }), 2);
  const [operation] = operations();
  assert.deepEqual([operation.name, events(operation)], ['alone', ['attempt.failed', 'wait']]);
  assert.deepEqual(resends(), [undefined, undefined]);
  spans.reset();
  const nothing = telemetry({});
  nothing.protection(protect(budget()), 'x');
  assert.equal(await nothing.policy(new RetryPolicy()).run(() => 7), 7);
  assert.deepEqual(finished(), []);
});

test('mistakes have the messages of the policy', async () => {
  await assert.rejects(policy.run(), /the callback must be a function/);
  await assert.rejects(
    policy.run(() => 1, { maxAttempt: 3 }),
    /maxAttempt/,
  );
  assert.throws(() => policy.wrap(5), /the callback must be a function/);
  const failure = permanent(new Error('x'));
  await assert.rejects(
    policy.run(() => Promise.reject(failure)),
    (error) => error === failure.cause,
  );
  assert.deepEqual(operations(), []);
});
