// The options of a fetch, of a RetryPolicy under it and of a call: predicates, prepare, presets, and what is rejected.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { QUICK, failing, importFetch, serving, statuses } from '../lib/fetching.mjs';
import { caught, declarations } from '../lib/readers.mjs';

const { createFetch } = await importFetch();
const presets = await importEntry('presets');
const { RetryPolicy, retryReport } = await importPackage();

const { fresh, requestsOf, bodiesOf } = serving(failing(2));

/** How often a fetch with these options calls the inner one, which answers so. */
async function attempts(options, ...answers) {
  const { inner, calls } = statuses(...answers);
  await createFetch(options, inner)('http://x/').catch(() => {});
  return calls.length;
}

test('retryOn: a predicate that receives everything; what it throws ends the call', async () => {
  const outcomes = [];
  const failure = new TypeError('Failed to fetch');
  const retryOn = (outcome) => {
    outcomes.push(outcome);
    return outcome.retryable || outcome.response.status === 409;
  };
  assert.equal(await attempts({ ...QUICK, retryOn }, failure, 409, 500, 200), 4);
  assert.deepEqual(
    outcomes.map(({ attempt, method, retryable, error, response }) => [
      attempt,
      method,
      retryable,
      error,
      response?.status,
    ]),
    [
      [1, 'GET', true, failure, undefined],
      [2, 'GET', false, undefined, 409],
      [3, 'GET', true, undefined, 500],
      [4, 'GET', false, undefined, 200],
    ],
  );
  assert.ok(outcomes.every(Object.isFrozen));
  const boom = new Error('boom');
  const retryOnThrows = createFetch({ ...QUICK, retryOn: () => Promise.reject(boom) }, statuses(503).inner);
  await assert.rejects(retryOnThrows('http://x/'), (error) => error === boom);
});

test("prepare: sees each attempt's own request, may change it, return another, and take its time", async () => {
  const url = fresh();
  const attempts = [];
  const signed = createFetch({
    ...QUICK,
    prepare: async (request, { attempt }) => {
      attempts.push([request.method, request.headers.get('x-signature')]);
      request.headers.set('x-signature', `s${attempt}`);
    },
  });
  const response = await signed(url, { method: 'PUT', body: 'payload', headers: { a: 'b' } });
  assert.equal(await response.text(), 'payload');
  assert.deepEqual(
    requestsOf(url).map(({ headers, body }) => [headers['x-signature'], headers.a, String(body)]),
    [1, 2, 3].map((n) => [`s${n}`, 'b', 'payload']),
  );
  assert.deepEqual(attempts, Array(3).fill(['PUT', null]));
  const other = fresh();
  await (
    await createFetch({ ...QUICK, prepare: (request) => new Request(other, request) })(
      new Request(fresh(), { method: 'PUT', body: 'moved' }),
    )
  ).text();
  assert.deepEqual(bodiesOf(other), ['moved', 'moved', 'moved']);
  const boom = new TypeError('fetch failed');
  const { inner, calls } = statuses(200);
  const error = await createFetch({ ...QUICK, prepare: fails(boom) }, inner)('http://x/').catch((e) => e);
  assert.equal(error, boom);
  assert.equal(retryReport(error).reason, 'callback');
  assert.equal(calls.length, 0);
  await assert.rejects(
    createFetch({ ...QUICK, prepare: () => 5 }, inner)('http://x/'),
    /^TypeError: rejitter: prepare must return .*, got 5$/,
  );
});

test('a callback that outlives the time of its attempt has sent nothing: another attempt follows', async () => {
  const slow = {
    prepare: {
      method: 'POST',
      body: 'x',
      retry: { prepare: (_, { attempt }) => (attempt > 1 ? undefined : new Promise(() => {})) },
    },
    body: {
      method: 'POST',
      body: (
        (n) => () =>
          n++ === 0 ? new Promise(() => {}) : 'x'
      )(0),
    },
  };
  for (const [name, init] of Object.entries(slow)) {
    const { inner, calls } = statuses(200);
    const fetch = createFetch({ ...QUICK, attemptTimeoutMs: 50 }, inner);
    const { value } = await underClock(() => fetch('http://x/', init));
    assert.deepEqual([value.status, calls.length], [200, 1], name);
  }
});

test('what a callback brings after the time of its attempt changes nothing of the next one', async () => {
  const sent = [];
  let finish;
  const prepare = (request, { attempt }) =>
    attempt === 1
      ? new Promise((done) => (finish = () => done(new Request('http://late/', { method: 'DELETE' }))))
      : void request.headers.set('x-attempt', String(attempt));
  const inner = async (request) => {
    sent.push([request.url, request.method, request.headers.get('x-attempt')]);
    finish();
    await new Promise((done) => setImmediate(done));
    return new Response(null, { status: sent.length < 2 ? 503 : 204 });
  };
  const response = await createFetch({ ...QUICK, attemptTimeoutMs: 20, prepare }, inner)('http://x/', {
    method: 'PUT',
  });
  assert.equal(response.status, 204);
  assert.deepEqual(sent, [
    ['http://x/', 'PUT', '2'],
    ['http://x/', 'PUT', '3'],
  ]);
  let bring;
  const cancelled = new Promise((cancel) => {
    bring = (done) => done(new ReadableStream({ cancel }));
  });
  const bodies = [new Promise((done) => (finish = () => bring(done))), Promise.resolve('x')];
  const init = { method: 'PUT', body: () => bodies.shift() };
  await createFetch({ ...QUICK, attemptTimeoutMs: 20 }, statuses(200).inner)('http://x/', init);
  finish();
  await cancelled;
});

test('prepare is not called after the end, however long the body took', async () => {
  const controller = new AbortController();
  let made;
  const body = () => new Promise((done) => (made = done));
  let prepared = false;
  const prepare = () => (prepared = true);
  const init = { method: 'PUT', signal: controller.signal, body, retry: { prepare } };
  const ended = createFetch(QUICK, assert.fail)('http://x/', init);
  const turned = () => new Promise((done) => setImmediate(done));
  await turned();
  controller.abort('enough');
  await assert.rejects(ended, (reason) => reason === 'enough');
  made('late');
  await turned();
  assert.equal(prepared, false);
});

test('go-retryablehttp: its waits, its statuses, its failures', async () => {
  const preset = { ...presets.goRetryableHttp, retryOn: presets.goRetryableHttpRetryOn };
  const quick = { ...preset, baseMs: 1, capMs: 1 };
  const failed = (message) => Object.assign(new TypeError('fetch failed'), { cause: new Error(message) });
  // An opaque response hides its status; it is not a failure.
  const retried = [429, 500, 505, 599, { status: 0, type: 'error' }, failed('fetch failed')];
  const opaque = { status: 0, type: 'opaque' };
  const ends = [501, 408, 425, 404, 302, opaque, failed('redirect count exceeded'), failed('unknown scheme')];
  for (const answer of retried) assert.equal(await attempts(quick, answer), 5, `${answer}`);
  for (const answer of ends) assert.equal(await attempts(quick, answer), 1, `${answer}`);
  const delays = [];
  await attempts({ ...preset, baseMs: 2, capMs: 6, onRetry: ({ delayMs }) => delays.push(delayMs) }, 500);
  assert.deepEqual(delays, [2, 4, 6, 6]);
});

test('options: all problems at once, with the remedies', () => {
  const messageOf = (...args) => {
    const error = caught(() => createFetch(...args));
    assert.ok(error instanceof TypeError);
    return error.message;
  };
  for (const [options, ...parts] of [
    [
      { retryOn: [1], maxAtempts: 2, baseMs: -1, retryIf: () => true, methods: 'GET', preset: 'grpc' },
      /retryOn must be .*, got an array/,
      /Did you mean maxAttempts/,
      /baseMs must be .*, got -1/,
      /retryIf must be omitted \(got a function\): use retryOn/,
      /methods must be .*, got "GET"/,
      /unknown option "preset"/,
    ],
    [
      { throwOnStatus: 1, respectRetryAfter: 'no', prepare: {}, idempotencyKey: '' },
      /throwOnStatus must be .*, got 1.*respectRetryAfter must be .*, got "no"/,
      /prepare must be .*, got an object.*idempotencyKey must be .*, got a string of length 0/,
    ],
    [{ metrics: true }, /^rejitter: metrics must be omitted \(got .*\): use createFetch\(new RetryPolicy\(/],
    [{ finalResult: 'reject' }, /^rejitter: finalResult must be omitted \(got .*\): use throwOnStatus/],
    [{ retryOnResult: () => true }, /^rejitter: retryOnResult must be omitted \(got .*\): use retryOn/],
    // Names in ky, got and ofetch.
    [{ shouldRetry: () => true }, /^rejitter: shouldRetry must be omitted \(got .*\): use retryOn/],
    [{ statusCodes: [503] }, /^rejitter: statusCodes must be omitted \(got .*\): use retryOn/],
    [{ retryStatusCodes: [503] }, /^rejitter: retryStatusCodes must be omitted \(got .*\): use retryOn/],
    [{ throwHttpErrors: false }, /^rejitter: throwHttpErrors must be omitted \(got .*\): use throwOnStatus/],
    [{ fetch }, /^rejitter: fetch must be omitted \(got .*\): use createFetch\(options, fetch\)/],
    [{ limit: 2 }, /Did you mean maxAttempts/],
    [null, /options must be/],
    [new Map(), /^rejitter: options must be an object of options/],
    [fetch, /^rejitter: options must be an object; fetch is the second argument, got a function$/],
    [
      new RetryPolicy({ finalResult: 'reject' }),
      /^rejitter: finalResult must be omitted \(got "reject"\): use throwOnStatus$/,
    ],
  ]) {
    const message = messageOf(options);
    for (const part of parts) assert.match(message, part);
  }
  assert.match(messageOf({}, 5), /fetch must be .*, got 5/);
  assert.doesNotThrow(() => createFetch(new RetryPolicy({ finalResult: 'resolve' })));
  const many = messageOf(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown${i}`, 1])));
  assert.ok(many.split('; ').length <= 11 && many.length < 2000);
  // A rejected option is not suggested.
  const known = messageOf({ nonsense: 1 }).split('Known options: ')[1].split(', ');
  const rejected = ['metrics', 'retryIf', 'retryOnResult', 'finalResult'];
  assert.deepEqual(
    known.filter((name) => rejected.includes(name)),
    [],
  );
  for (const name of ['retryOn', 'hint', 'idempotencyHeader', 'beforeRetry', 'name', 'baseMs'])
    assert.ok(known.includes(name), name);
  // The declarations have every option that only fetch has, and no other.
  const general = caught(() => new RetryPolicy({ nonsense: 1 }))
    .message.split('Known options: ')[1]
    .split(', ');
  const declared = declarations('fetch.d.ts').split('interface FetchOnlyOptions {')[1].split('\n}\n')[0];
  const names = [...declared.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  assert.deepEqual(
    // Hooks are general, but their events are not.
    names.filter((name) => !/^(on[A-Z]|beforeRetry)/.test(name)).sort(),
    known.filter((name) => !general.includes(name)).sort(),
  );
});

test('a seed: each call is the next operation, also one with options of its own', async () => {
  const options = { ...QUICK, maxAttempts: 2, seed: 'a fetch' };
  const waits = [];
  const fetch = createFetch({ ...options, onRetry: ({ delayMs }) => waits.push(delayMs) }, statuses(503).inner);
  for (const retry of [{}, undefined, { throwOnStatus: false }, undefined, { respectRetryAfter: false }])
    await fetch('http://x/', { retry });
  const delays = new RetryPolicy(options).delays();
  const expected = waits.map(() => {
    const [wait] = delays;
    delays.reset();
    return wait;
  });
  assert.deepEqual(waits, expected);
  assert.equal(new Set(waits).size, 5);
  await fetch('http://x/', { retry: { seed: 'another' } });
  assert.equal(waits.at(-1), new RetryPolicy({ ...options, seed: 'another' }).delays().next().value);
});

test('a policy gives the waits, the limits, the hooks and the metrics, and options of a call replace its own', async () => {
  const gaveUp = [];
  const onGiveUp = ({ status, reason }) => gaveUp.push([status, reason]);
  const policy = new RetryPolicy({
    baseMs: 7,
    jitter: 'none',
    maxAttempts: 3,
    metrics: true,
    name: 'orders',
    onGiveUp,
  });
  const { inner, calls } = statuses(503);
  const fetch = createFetch(policy, inner);
  const { clock, value: response } = await underClock(() => fetch('http://x/'));
  assert.deepEqual([response.status, calls.length, clock.delays], [503, 3, [7, 14]]);
  assert.deepEqual(gaveUp, [[503, 'exhausted']]);
  assert.equal(retryReport(response).attempts, 3);
  await createFetch(policy, statuses(200).inner)('http://x/');
  const { operations, attempts, retries, failures, totalWaitMs, inFlight, firstAttemptSuccesses } = policy.metrics();
  assert.deepEqual([operations, attempts, retries, failures.exhausted, totalWaitMs], [2, 4, 2, 1, 21]);
  assert.deepEqual([inFlight, firstAttemptSuccesses], [0, 1]);

  const retry = { maxAttempts: 2, idempotencyKey: 'auto' };
  const post = await underClock(() => fetch('http://x/', { method: 'POST', retry }));
  assert.deepEqual(post.clock.delays, [7]);
  assert.equal(policy.metrics().attempts, 6);
  // The inner fetch does not see them.
  assert.ok(calls.every(([, init]) => init === undefined || !('retry' in init)));
  const slow = await underClock(() => fetch('http://x/', { retry: { baseMs: 50 } }));
  assert.deepEqual(slow.clock.delays, [50, 100]);
  await assert.rejects(fetch('http://x/', { retry: { maxAttempts: 0 } }), RangeError);
  await assert.rejects(fetch('http://x/', { retry: [] }), TypeError);
});

test('a seeded policy: its operations are counted over both of its uses', async () => {
  const options = { ...QUICK, seed: 5, maxAttempts: 2 };
  const waits = async (...uses) => {
    const found = [];
    const policy = new RetryPolicy({ ...options, onRetry: ({ delayMs }) => found.push(delayMs) });
    const fetch = createFetch(policy, statuses(503).inner);
    for (const use of uses)
      await (use === 'fetch' ? fetch('http://x/') : policy.run(fails(new Error('x'))).catch(() => {}));
    return found;
  };
  const expected = await waits('run', 'run', 'run');
  assert.equal(new Set(expected).size, 3);
  assert.deepEqual(await waits('fetch', 'run', 'fetch'), expected);
});

test('retryIf and retryOnResult of a policy decide instead of the rules for fetch', async () => {
  const network = new TypeError('Failed to fetch');
  const received = [];
  const policy = new RetryPolicy({
    ...QUICK,
    retryIf: (error, { attempt }) => {
      received.push([error, attempt]);
      return error !== network;
    },
    retryOnResult: async (response, { attempt }) => {
      received.push([response.status, attempt]);
      return response.status === 404;
    },
  });
  const own = new Error('of the inner fetch');
  assert.equal(await attempts(policy, own, network), 2);
  assert.equal(await attempts(policy, 404, 503), 2);
  assert.deepEqual(received, [
    [own, 1],
    [network, 2],
    [404, 1],
    [503, 2],
  ]);
  // A POST is not sent twice.
  const { inner, calls } = statuses(404);
  await createFetch(policy, inner)('http://x/', { method: 'POST' });
  assert.equal(calls.length, 1);
  // retryOn of a call replaces both.
  const listed = statuses(503, 404);
  await createFetch(policy, listed.inner)('http://x/', { retry: { retryOn: [503] } });
  assert.equal(listed.calls.length, 2);
  const invalid = new RetryPolicy({ ...QUICK, retryOnResult: () => 'yes' });
  await assert.rejects(
    createFetch(invalid, statuses(503).inner)('http://x/'),
    /^TypeError: rejitter: retryOnResult must return/,
  );
});

test('options of a call are read once, and again when they have changed', async () => {
  const read = [];
  const { inner, calls } = statuses(503);
  const fetch = createFetch(QUICK, inner);
  const attempts = async (retry) => {
    calls.length = 0;
    await fetch('http://x/', { retry });
    return calls.length;
  };
  const retry = { maxAttempts: 2 };
  assert.equal(await attempts(retry), 2);
  assert.equal(await attempts(retry), 2);
  retry.maxAttempts = 3;
  assert.equal(await attempts(retry), 3);
  retry.retryOn = [429];
  assert.equal(await attempts(retry), 1);
  retry.retryOn.push(503);
  assert.equal(await attempts(retry), 3, 'a list that changed');
  delete retry.retryOn;
  delete retry.maxAttempts;
  assert.equal(await attempts(retry), 6);
  assert.equal(await attempts({ maxAttempts: 2 }), 2);
  assert.equal(await attempts({ throwOnStatus: false }), 6);
  assert.equal(await attempts({ maxAttempts: undefined }), 6);
  const getter = {
    enumerable: true,
    get() {
      read.push('maxAttempts');
      return 2;
    },
  };
  assert.equal(await attempts(Object.defineProperty({}, 'maxAttempts', getter)), 2);
  assert.deepEqual(read, ['maxAttempts']);
  await assert.rejects(attempts({ maxAttempts: '2' }), TypeError);
  await assert.rejects(attempts({ maxAttempts: '2' }), TypeError);
  await assert.rejects(attempts({ retryAfter: 2, maxAttempts: 2 }), /unknown option "retryAfter"/);
});

test('options of a call that replace the backoff or the jitter drop what belonged to it', async () => {
  const linear = { backoff: 'linear', stepMs: 5 };
  const proportional = { type: 'proportional', ratio: 0.5 };
  for (const [expected, options, retry] of [
    [[10, 10, 10], { ...linear, jitter: 'none' }, { backoff: 'fixed' }],
    [[10, 11, 12], { factor: 3, jitter: 'none' }, { backoff: 'linear', stepMs: 1 }],
    [[10, 15, 20], { ...linear, random: () => 0 }, { jitter: 'none' }],
    [[10, 10, 10], { jitter: proportional }, { jitter: 'none', backoff: 'fixed' }],
    [[10, 10, 10], { factor: 3, random: () => 0 }, { jitter: 'decorrelated' }],
    [[1000, 2000], { minMs: 0 }, { ...presets.pRetry, maxAttempts: 3 }],
  ]) {
    const fetch = createFetch({ baseMs: 10, maxAttempts: 4, ...options }, statuses(503).inner);
    assert.deepEqual((await underClock(() => fetch('http://x/', { retry }))).clock.delays, expected);
  }
});
