// rejitter/otel with the real SDK, Prometheus exporter and undici instrumentation, against a server on loopback.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { context, metrics, trace } from '@opentelemetry/api';
import { ATTR_HTTP_REQUEST_RESEND_COUNT } from '@opentelemetry/semantic-conventions';

import { importEntry, importPackage, installed, run } from '../lib/consumer.mjs';
import { pasted } from '../lib/pasted.mjs';
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
/** Types of the failed attempts. */
const types = (found) => found.map(({ attributes }) => attributes['error.type']).filter(Boolean);
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
  // A response is no error, and its status says the same.
  assert.equal(attributes['error.type'], '503');
  assert.deepEqual(types(own), ['503', '503', '503', '503']);
  assert.deepEqual(resends(), [undefined, 1, 2, 3]);
  spans.reset();
  const failing = policy.run(({ attempt }) => {
    throw Object.assign(new Error('secret'), { code: `E${attempt}` });
  });
  await assert.rejects(failing, /secret/);
  const [second] = operations();
  assert.deepEqual([second.name, second.attributes['error.type']], ['call users', 'E4']);
  assert.deepEqual(types(second.events), ['E1', 'E2', 'E3', 'E4']);
  assert.doesNotMatch(JSON.stringify([second.attributes, second.events, own]), /secret/);
});

test('the type of a failure: status, code or class, never a legacy number or nothing', async () => {
  const circular = {
    get status() {
      throw new Error('unreadable');
    },
  }; // prettier-ignore
  for (const [error, type] of [
    [Object.assign(new Error('x'), { status: 429, code: 'E' }), '429'],
    [Object.assign(new Error('x'), { code: 14 }), '14'],
    [Object.assign(new TypeError('x'), { code: '', status: '' }), 'TypeError'],
    [new DOMException('x', 'NetworkError'), 'NetworkError'],
    [new DOMException('x', 'AbortError'), 'AbortError'],
    [Object.assign(new Error('x'), { status: {}, code: null, name: '' }), '_OTHER'],
    ['a text', '_OTHER'],
    [undefined, '_OTHER'],
    [circular, '_OTHER'],
  ]) {
    spans.reset();
    await policy.run(() => Promise.reject(error), { maxAttempts: 2, baseMs: 0, jitter: 'none' }).catch(() => {});
    const [{ attributes, events: own }] = operations();
    assert.deepEqual([attributes['error.type'], ...types(own)], [type, type, type]);
  }
  for (const [result, type] of [
    [{ status: 202 }, '202'],
    ['pending', '_OTHER'],
  ]) {
    spans.reset();
    await policy.run(() => result, { maxAttempts: 2, baseMs: 0, retryOnResult: () => true });
    assert.deepEqual(types(operations()[0].events), [type, type]);
    assert.equal(operations()[0].status.code, 2);
  }
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

test('a span has the number of attempts, whichever won', async () => {
  const options = { protection: protect(hedge({ delayMs: 5 })) };
  let start;
  const started = new Promise((resolve) => (start = resolve));
  const second = () => new Promise(() => start('first'));
  assert.equal(await policy.with(options).run(({ attempt }) => (attempt === 1 ? started : second())), 'first');
  assert.equal(operations()[0].attributes['rejitter.attempts'], 2);
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
  await settled(4);
  const found = operations().filter((span) => events(span).includes('held'));
  assert.deepEqual(
    found.map((span) => [span.name, span.attributes['rejitter.attempts'], span.status.code]),
    [
      ['held', 1, 0],
      ['held', 1, 0],
    ],
  );
  for (const { events } of found) assert.ok(events[0].attributes['rejitter.hold_ms'] > 0);
  assert.equal(difference(before, await figures())['rejitter_hold_duration_count{rejitter_name="held"}'], 2);
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

test('a tracer and a meter that throw cost an operation nothing, and no hook', async (t) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  const broken = new Proxy(
    {},
    {
      get: () => () => {
        throw new Error('SDK');
      },
    },
  ); // prettier-ignore
  const throwing = { getTracer: () => broken, getMeter: () => broken };
  for (const options of [{}, { always: true }]) {
    const seen = [];
    const hooks = Object.fromEntries(
      ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'].map((name) => [name, () => seen.push(name)]),
    );
    const { policy: observe, fetch } = telemetry({ trace: throwing, metrics: throwing }, options);
    const failing = observe(new RetryPolicy({ baseMs: 0, ...hooks }));
    assert.equal(await failing.run(({ attempt }) => attempt > 1 || Promise.reject(new Error('x'))), true);
    assert.deepEqual(seen, ['onAttempt', 'onFailure', 'onRetry', 'onAttempt', 'onSuccess']);
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
  await assert.rejects(
    policy.run(() => new Promise(() => {}), { signal: AbortSignal.timeout(5) }),
    /timeout/,
  );
  await assert.rejects(
    policy.run(() => 1, { signal: AbortSignal.abort(reason) }),
    reason,
  );
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
const points = found.map(({ descriptor: { name, unit }, dataPoints }) => [name, unit, ...dataPoints.map(point)]);
console.log(JSON.stringify([scope, points]));
await provider.shutdown();
`;

test('an SDK that is registered later loses no count; scope and units', async () => {
  const { stdout, stderr } = await run(process.execPath, [join(pasted(LATE), 'main.mjs')]);
  assert.equal(stderr, '');
  const [scope, points] = JSON.parse(stdout);
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual([scope.name, scope.version], ['rejitter', version]);
  assert.deepEqual(Object.fromEntries(points.map(([name, ...rest]) => [name, rest])), {
    'rejitter.wait.duration': ['s', [1, 'early']],
    'rejitter.operations': ['{operation}', [2, 'early', 'success']],
    'rejitter.attempts': ['{attempt}', [2, 'early', 'first'], [1, 'early', 'retry']],
    'rejitter.budget.tokens': ['{token}', [7, 'api']],
  });
});

test('keys: operations of a policy by their key, of a fetch by their origin; too many count as others', async () => {
  const counted = telemetry({ metrics }, { keys: true });
  const { origin } = new URL(server.url);
  await counted.policy(new RetryPolicy({ name: 'keyed', protection: protect(budget()) })).run(() => 1, { key: 'k' });
  await (await counted.fetch(createFetch, { name: 'keyed' })(new URL('/x', server.url))).text();
  const apart = { getMeter: (...args) => metrics.getMeter(...args) };
  const many = telemetry({ metrics: apart }, { keys: true }).policy(new RetryPolicy({ protection: protect(budget()) }));
  for (let i = 0; i < 603; i++) await many.run(() => 1, { key: `${i}` });
  const found = await figures();
  const count = (labels) => found[`rejitter_operations_total{${labels}}`];
  assert.equal(count('rejitter_key="k",rejitter_name="keyed",rejitter_outcome="success"'), 1);
  assert.equal(count(`rejitter_key="${origin}",rejitter_name="keyed",rejitter_outcome="success"`), 1);
  assert.equal(count('rejitter_key="599",rejitter_outcome="success"'), 1);
  assert.equal(count('rejitter_outcome="success"'), 3);
});

test('mistakes have the messages of the policy', async () => {
  await assert.rejects(policy.run(), /the callback must be a function/);
  await assert.rejects(
    policy.run(() => 1, { maxAttempt: 3 }),
    /maxAttempt/,
  );
  assert.throws(() => policy.wrap(5), /the callback must be a function/);
  for (const wrong of [null, 5, () => 1])
    await assert.rejects(
      policy.run(() => 1, wrong),
      /must be an object/,
    );
  await assert.rejects(
    policy.run(() => 1, { onRetry: 5 }),
    /onRetry must be a function/,
  );
  assert.throws(
    () => telemetry(),
    /^TypeError: .*telemetry must be called with the @opentelemetry\/api, got undefined/,
  );
  assert.throws(() => telemetry({}, { alwyas: true }), /^TypeError: .*be always and keys, each .*got alwyas: true/);
  assert.throws(() => telemetry({}, { always: 1 }), /^TypeError: .*true or false, got always: 1/);
  const failure = permanent(new Error('x'));
  await assert.rejects(
    policy.run(() => Promise.reject(failure)),
    (error) => error === failure.cause,
  );
  assert.deepEqual(operations(), []);
});
