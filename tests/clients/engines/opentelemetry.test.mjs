// rejitter/otel with the real SDK, Prometheus exporter and undici instrumentation, against a server on loopback.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { context, metrics, trace } from '@opentelemetry/api';
import { ATTR_HTTP_REQUEST_RESEND_COUNT } from '@opentelemetry/semantic-conventions';

import { fails } from '../../package/lib/callbacks.mjs';
import { importEntry, importPackage, installed, printed } from '../../package/lib/consumer.mjs';
import { pasted } from '../lib/pasted.mjs';
import { importProgram, serve } from '../lib/programs.mjs';
import { freePort } from '../../package/lib/loopback.mjs';
import { until } from '../../package/lib/until.mjs';

const { RetryPolicy, permanent } = await importPackage();
const { createFetch } = await importEntry('fetch');
const { telemetry } = await importEntry('otel');
const { breaker, budget, cooldown, hedge, limiter, protect } = await importEntry('protection');

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
const ms = ({ startTime: [s, ns] }) => s * 1000 + ns / 1e6;
const of = (kind) => spans.getFinishedSpans().filter((span) => span.kind === kind);
const operations = () => of(0);
const requests = () => of(2).toSorted((a, b) => ms(a) - ms(b));

/** An event, with the type of a failure. */
const eventOf = ({ name, attributes }) =>
  [name.replace('rejitter.', ''), attributes['error.type']].filter(Boolean).join(' ');

/** All spans in words, and none that is left out: operations, then requests in the order of their start. */
function traced() {
  const sent = requests();
  const named = [
    ...sent.map((span, i) => [span, `request ${i + 1}`]),
    ...[...operations(), ...of(1)].map((s) => [s, s.name]),
  ];
  const names = new Map(named.map(([span, name]) => [span.spanContext().spanId, name]));
  const told = [...operations(), ...sent].map((span) => {
    const { name, status, attributes, links, parentSpanContext: parent } = span;
    const resent = attributes[ATTR_HTTP_REQUEST_RESEND_COUNT];
    const [reason, type] = [attributes['rejitter.reason'], attributes['error.type']];
    const said = span.kind === 0 ? [`${attributes['rejitter.attempts']} attempts`, ...span.events.map(eventOf)] : [];
    if (resent !== undefined) said.push(`sent again ${resent}`);
    if (span.kind === 0 && status.code === 2) said.push(`${reason} (${status.message}) ${type}`);
    if (parent) said.push(`in ${names.get(parent.spanId)}`);
    said.push(...links.map(({ context }) => `after ${names.get(context.spanId)}`));
    return [span.kind === 0 ? name : names.get(span.spanContext().spanId), ...said].join(', ');
  });
  spans.reset();
  return told;
}

const down = (type, n) => Array(n).fill(`attempt.failed ${type}`).join(', wait, ');
/** Calls, reads the response, and waits for the spans of so many requests. */
async function get(fetch, n) {
  await (await fetch(server.url)).text();
  await until(`${n} requests`, () => requests().length === n);
}

/** Lines of the exporter's output, by the metric's name and attributes, without the common prefix. */
async function figures() {
  const text = await (await globalThis.fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
  spans.reset();
  const lines = text.matchAll(/^rejitter_(\w+)\{(.*?)\} (\S+)/gm);
  return Object.fromEntries(
    Array.from(lines, ([, name, labels, value]) => {
      const kept = labels.split(',').filter((label) => /^(rejitter_|le)/.test(label));
      return [`${name}{${kept.sort().join().replaceAll('rejitter_', '')}}`, Number(value)];
    }),
  );
}
const difference = (before, now) =>
  Object.fromEntries(
    Object.entries(now)
      .map(([name, value]) => [name, value - (before[name] ?? 0)])
      .filter(([name, value]) => value !== 0 && !/bucket|_sum|target_info/.test(name)),
  );

test('fetch: one span for an operation that retries, its requests under it, and exact counts', async () => {
  const before = await figures();
  answers = [busy, busy];
  const startedAt = Date.now();
  await get(app.api, 3);
  // The clocks of both spans differ by some milliseconds.
  const early = ms(requests()[0]) - ms(operations()[0]);
  assert.ok(early > -10 && ms(operations()[0]) >= startedAt, 'reaches back to its start');
  assert.deepEqual(traced(), [
    'load user, 3 attempts, attempt.failed 503, wait, attempt.failed 503, wait, after request 1',
    'request 1',
    'request 2, sent again 1, in load user',
    'request 3, sent again 2, in load user',
  ]);
  const now = await figures();
  assert.ok(now['wait_duration_sum{name="load user"}'] < 60, 'in seconds');
  assert.deepEqual(difference(before, now), {
    'attempts_total{attempt_kind="first",name="load user"}': 1,
    'attempts_total{attempt_kind="retry",name="load user"}': 2,
    'operations_total{name="load user",outcome="success"}': 1,
    'wait_duration_count{name="load user"}': 2,
    'budget_tokens{name="users"}': -1, // two taken, one given back
  });
});

test('a first success has no span of its own, unless always is set, and then it is the parent from the start', async () => {
  await get(app.api, 1);
  assert.deepEqual(traced(), ['request 1']);
  await get(telemetry({ context, trace }, { always: true }).fetch(createFetch), 1);
  assert.deepEqual(traced(), ['rejitter, 1 attempts', 'request 1, in rejitter']);
});

test('a give-up: status, reason and class, and no message; one outcome, also with a result', async () => {
  const before = await figures();
  answers = Array(4).fill(busy);
  await get(app.api, 4);
  const secret = spans.getFinishedSpans().map(({ attributes, events }) => [attributes, events]);
  // A response is no error, and its status says the same.
  assert.equal(traced()[0], `load user, 4 attempts, ${down(503, 4)}, exhausted (exhausted) 503, after request 1`);
  await assert.rejects(policy.run(fails(Object.assign(new Error('secret'), { code: 'E1' }))), /secret/);
  secret.push(...operations().map(({ attributes, events }) => [attributes, events]));
  assert.deepEqual(traced(), [`call users, 4 attempts, ${down('E1', 4)}, exhausted (exhausted) E1`]);
  assert.doesNotMatch(JSON.stringify(secret), /secret/);
  const outcomes = Object.entries(difference(before, await figures())).filter(([name]) => /^operations/.test(name));
  assert.deepEqual(Object.fromEntries(outcomes), {
    'operations_total{name="call users",outcome="failure",reason="exhausted"}': 1,
    'operations_total{name="load user",outcome="failure",reason="exhausted"}': 1,
  });
});

test('a failure whose attempt has progressed or is committed says so', async () => {
  const quick = new RetryPolicy({ name: 'told', baseMs: 1 });
  const calls = observed.policy(quick).run(async ({ attempt, commit, progress }) => {
    if (attempt === 2) progress();
    if (attempt === 3) commit();
    throw new Error('down');
  });
  await assert.rejects(calls, /down/);
  const [{ attributes, events }] = operations();
  const failures = events.filter(({ name }) => name === 'rejitter.attempt.failed').map((event) => event.attributes);
  const told = failures.map((each) => [each['rejitter.progressed'], each['rejitter.committed']]);
  assert.deepEqual(told, [
    [undefined, undefined],
    [true, undefined],
    [undefined, true],
  ]);
  assert.equal(attributes['rejitter.reason'], 'committed');
});

test('the type of a failure: status, code or class, never a legacy number or nothing', async () => {
  const unreadable = Object.defineProperty({}, 'status', { get: fails(new Error('unreadable')) });
  for (const [error, name, options] of [
    [Object.assign(new Error('x'), { status: 429, code: 'E' }), '429'],
    [Object.assign(new Error('x'), { code: 14 }), '14'],
    [Object.assign(new TypeError('x'), { code: '', status: '' }), 'TypeError'],
    [new DOMException('x', 'NetworkError'), 'NetworkError'],
    [new DOMException('x', 'AbortError'), 'AbortError'],
    [Object.assign(new Error('x'), { status: {}, code: null, name: '' }), '_OTHER'],
    ['a text', '_OTHER'],
    [undefined, '_OTHER'],
    [unreadable, '_OTHER'],
    [{ status: 202 }, '202', { retryOnResult: () => true }],
    ['pending', '_OTHER', { retryOnResult: () => true }],
  ]) {
    const run = () => (options ? error : Promise.reject(error));
    await policy.run(run, { maxAttempts: 2, baseMs: 0, jitter: 'none', ...options }).catch(() => {});
    const [types] = traced();
    assert.ok(types.startsWith(`call users, 2 attempts, ${down(name, 2)}, exhausted`), types);
    if (!options) assert.ok(types.endsWith(` (exhausted) ${name}`), types);
  }
});

test('a policy: the requests of a retry know that they are sent again; wrap and with are observed', async () => {
  const named = observed.policy(new RetryPolicy({ baseMs: 20 })).with({ name: 'wrapped' });
  const load = named.wrap(async (path) => {
    const response = await globalThis.fetch(server.url + path);
    await response.text();
    if (!response.ok) throw new Error(`status ${response.status}`);
    return path;
  });
  answers = [busy];
  assert.equal(await load('/x'), '/x');
  assert.deepEqual([named.wrap(get).name, named.wrap(get).length], ['get', 2]);
  await until('two requests', () => requests().length === 2);
  const [operation, , second] = traced();
  assert.match(operation, /^wrapped, 2 attempts, attempt.failed Error, wait/);
  assert.equal(second, 'request 2, sent again 1, in wrapped');
});

test("the caller's span is the parent, and hooks of the caller and of the policy are called", async () => {
  const seen = [];
  const note = (name) => () => seen.push(name);
  // One that inherits its hooks, too.
  const base = new RetryPolicy({ baseMs: 1, onRetry: note('policy'), onSuccess: note('success') }).with({
    metrics: true,
  });
  const own = observed.policy(base);
  const parent = trace.getTracer('app').startSpan('parent', { kind: 1 });
  await context.with(trace.setSpan(context.active(), parent), () =>
    own.run(({ attempt }) => assert.ok(attempt > 1), { onAttempt: note('call') }),
  );
  parent.end();
  assert.deepEqual(seen, ['call', 'policy', 'call', 'success']);
  assert.equal(own.metrics().operations, 1);
  assert.match(traced()[0], /, in parent$/);
});

test('a hedge: its request links to the first, and is counted as one', async () => {
  const before = await figures();
  answers = [delay(600, { status: 200 })];
  const hedged = observed.fetch(createFetch, { name: 'hedged', protection: protect(hedge({ delayMs: 50 })) });
  await get(hedged, 2);
  const [operation, , second] = traced();
  assert.match(operation, /^hedged, 2 attempts/);
  assert.equal(second, 'request 2, sent again 1, in hedged, after request 1');
  const kinds = difference(before, await figures());
  for (const kind of ['hedge', 'first']) assert.equal(kinds[`attempts_total{attempt_kind="${kind}",name="hedged"}`], 1);
});

test('a span has the number of attempts, whichever won', async () => {
  let start;
  const started = new Promise((resolve) => (start = resolve));
  const run = ({ attempt }) => (attempt === 1 ? started : new Promise(() => start('first')));
  assert.equal(await policy.with({ protection: protect(hedge({ delayMs: 5 })) }).run(run), 'first');
  assert.match(traced()[0], /^call users, 2 attempts/);
});

test('a hold is seen in the operation that waits, without a retry, and in the metrics', async () => {
  const before = await figures();
  const api = protect(cooldown(), { onEvent: observed.onEvent });
  const options = { name: 'held', protection: api, maxAttempts: 2, baseMs: 1 };
  let onRetry;
  const cooling = new Promise((resolve) => (onRetry = resolve));
  const fetched = observed.fetch(createFetch, { ...options, onRetry });
  const held = observed.policy(new RetryPolicy({ ...options, protection: api.for(server.url) }));
  answers = [{ status: 429, headers: { 'retry-after-ms': '700' } }];
  const one = fetched(server.url);
  // At once: a test that looked for the hold from time to time might find that it is over.
  await cooling;
  // The second call is the hold's probe.
  const call = async (response) => (await response).text();
  await Promise.all([call(one), call(fetched(server.url)), call(fetched(server.url)), held.run(() => 1)]);
  await until('four requests', () => requests().length === 4);
  for (const { events } of operations().filter((span) => span.events[0].name === 'rejitter.held'))
    assert.ok(events[0].attributes['rejitter.hold_ms'] > 0);
  const found = traced().filter((told) => told.includes('held, 1'));
  assert.deepEqual([found.length, found.every((told) => told.startsWith('held, 1 attempts, held'))], [2, true]);
  assert.equal(difference(before, await figures())['hold_duration_count{name="held"}'], 2);
});

test('gauges show the worst of all keys, or each; too many keys count as others', async () => {
  const api = protect(budget({ capacity: 5 }), breaker(), limiter({ concurrency: 2 }));
  const counted = telemetry({ metrics }, { keys: true });
  observed.protection(api, 'worst');
  counted.protection(api, 'each');
  const retried = new RetryPolicy({ maxAttempts: 2, baseMs: 0, protection: api });
  const run = (key) => retried.run(() => Promise.reject(new Error('x')), { key }).catch(() => {});
  await run('a');
  api.for('b').open();
  await run('b');
  // They hang for good: two run, one waits.
  for (let i = 0; i < 3; i++) void retried.run(() => new Promise(() => {}), { key: 'c' });
  // Operations of a policy count by their key, of a fetch by their origin.
  const keyed = { name: 'keyed', protection: protect(budget()) };
  await counted.policy(new RetryPolicy(keyed)).run(() => 1, { key: 'k' });
  await (await counted.fetch(createFetch, { name: 'keyed' })(new URL('/x', server.url))).text();
  const apart = { getMeter: (...args) => metrics.getMeter(...args) };
  const many = telemetry({ metrics: apart }, { keys: true }).policy(new RetryPolicy({ protection: protect(budget()) }));
  for (let i = 0; i < 603; i++) await many.run(() => 1, { key: `${i}` });
  const found = await figures();
  for (const [line, value] of Object.entries({
    'budget_tokens{name="worst"}': 4,
    'circuit_state{name="worst"}': 2,
    'limiter_queued{name="worst"}': 1,
    'limiter_queued{key="c",name="each"}': 1,
    'limiter_queued{key="a",name="each"}': 0,
    'budget_tokens{key="a",name="each"}': 4,
    'circuit_state{key="a",name="each"}': 0,
    'circuit_state{key="b",name="each"}': 2,
    'operations_total{key="k",name="keyed",outcome="success"}': 1,
    [`operations_total{key="${server.url}",name="keyed",outcome="success"}`]: 1,
    'operations_total{key="599",outcome="success"}': 1,
    'operations_total{outcome="success"}': 3,
  }))
    assert.equal(found[line], value, line);
});

test('without a context manager and without an API: spans and events without parents, no failure', async () => {
  answers = [busy];
  await get(telemetry({ trace }).fetch(createFetch, { name: 'alone', baseMs: 1 }), 2);
  assert.deepEqual(traced(), ['alone, 2 attempts, attempt.failed 503, wait', 'request 1', 'request 2']);
  const nothing = telemetry({});
  nothing.protection(protect(budget()), 'x');
  assert.equal(await nothing.policy(new RetryPolicy()).run(() => 7), 7);
  assert.deepEqual(traced(), []);
});

test('a tracer and a meter that throw cost an operation nothing, and no hook', async (t) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  const broken = new Proxy({}, { get: () => fails(new Error('SDK')) });
  const throwing = { getTracer: () => broken, getMeter: () => broken };
  const ORDER = ['onAttempt', 'onFailure', 'onRetry', 'onAttempt', 'onSuccess'];
  for (const options of [{}, { always: true }]) {
    const seen = [];
    const hooks = Object.fromEntries([...ORDER, 'onGiveUp'].map((name) => [name, () => seen.push(name)]));
    const { policy: observe, fetch } = telemetry({ trace: throwing, metrics: throwing }, options);
    const failing = observe(new RetryPolicy({ baseMs: 0, ...hooks }));
    assert.equal(await failing.run(({ attempt }) => attempt > 1 || Promise.reject(new Error('x'))), true);
    assert.deepEqual(seen, ORDER);
    answers = [busy];
    assert.equal((await fetch(createFetch, { baseMs: 1 })(server.url)).status, 200);
  }
  assert.ok(mock.callCount() > 0);
});

test('operations are those of the policy: seeds, metrics, signals, and hooks of the call', async () => {
  const waits = async (policy) => {
    const seen = [];
    const onRetry = ({ delayMs }) => seen.push(delayMs);
    for (const options of [{ onRetry }, { onRetry, seed: 5 }, { onRetry, name: 'x' }])
      await policy.run(() => Promise.reject(new Error('x')), options).catch(() => {});
    return [...seen, policy.metrics()];
  };
  const options = { seed: 3, baseMs: 0.01, maxAttempts: 3, metrics: true };
  assert.deepEqual(await waits(observed.policy(new RetryPolicy(options))), await waits(new RetryPolicy(options)));
  const reason = new Error('stop');
  const ends = (run, signal, error) => assert.rejects(policy.run(run, { signal }), error);
  await ends(() => new Promise(() => {}), AbortSignal.timeout(5), /timeout/);
  await ends(() => 1, AbortSignal.abort(reason), reason);
});

/** A process whose SDK is registered after everything else. */
const LATE = `
import { metrics } from '@opentelemetry/api';
import { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { RetryPolicy } from 'rejitter';
import { telemetry } from 'rejitter/otel';
import { budget, protect } from 'rejitter/protection';
const observed = telemetry({ metrics });
observed.protection(protect(budget({ capacity: 7 })), 'api');
const policy = observed.policy(new RetryPolicy({ name: 'early', baseMs: 1 }));
await policy.run(() => 1);
const exporter = new InMemoryMetricExporter(1); // cumulative
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
metrics.setGlobalMeterProvider(provider);
await policy.run(({ attempt }) => attempt > 1 || Promise.reject(new Error('x')));
await provider.forceFlush();
const [{ scope, metrics: found }] = exporter.getMetrics().at(-1).scopeMetrics;
const point = ({ value, attributes }) => [value.count ?? value, ...Object.values(attributes)];
const points = found.map(({ descriptor: { name, unit }, dataPoints }) => [name, [unit, ...dataPoints.map(point)]]);
console.log(JSON.stringify([scope, Object.fromEntries(points)]));
await provider.shutdown();
`;

test('an SDK that is registered later loses no count; scope and units', async () => {
  const [scope, points] = JSON.parse(await printed(`await import(${JSON.stringify(join(pasted(LATE), 'main.mjs'))});`));
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual([scope.name, scope.version], ['rejitter', version]);
  assert.deepEqual(points, {
    'rejitter.wait.duration': ['s', [1, 'early']],
    'rejitter.operations': ['{operation}', [2, 'early', 'success']],
    'rejitter.attempts': ['{attempt}', [2, 'early', 'first'], [1, 'early', 'retry']],
    'rejitter.budget.tokens': ['{token}', [7, 'api']],
  });
});

test('an error that permanent marks is the own one, and leaves no span', async () => {
  const cause = new Error('x');
  await assert.rejects(policy.run(fails(permanent(cause))), (error) => error === cause);
  assert.deepEqual(traced(), []);
});
