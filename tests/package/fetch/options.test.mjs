// The options of a fetch: predicates, hooks, prepare, presets, and what is rejected.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { importEntry, importPackage, runNode } from '../lib/consumer.mjs';
import { QUICK, failing, importFetch, listen, statuses } from '../lib/fetching.mjs';
import { declarations } from '../lib/readers.mjs';

const { createFetch } = await importFetch();
const presets = await importEntry('presets');
const { RetryPolicy, retryReport } = await importPackage();

let server;
before(async () => {
  server = await listen(failing(2));
});
after(() => server.close());
let paths = 0;
const fresh = () => `${server.origin}/${(paths += 1)}`;
const requestsOf = (url) => server.seen.filter(({ path }) => url.endsWith(path));

test('retryOn: a list, or a predicate that receives everything', async () => {
  const listed = statuses(404, 503, 200);
  assert.equal((await createFetch({ ...QUICK, retryOn: [404] }, listed.inner)('http://x/')).status, 503);
  const outcomes = [];
  const failure = new TypeError('Failed to fetch');
  const classified = statuses(failure, 409, 500, 200);
  const response = await createFetch(
    {
      ...QUICK,
      retryOn: (outcome) => {
        outcomes.push(outcome);
        return outcome.retryable || outcome.response.status === 409;
      },
    },
    classified.inner,
  )('http://x/');
  assert.equal(response.status, 200);
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
  for (const outcome of [503, failure]) {
    const post = statuses(outcome, 200);
    const retryOn = ({ retryable }) => outcomes.push(retryable) > 0;
    await createFetch({ ...QUICK, retryOn }, post.inner)('http://x/', { method: 'POST' }).catch(() => {});
    assert.equal(post.calls.length, 1, 'what may not be sent twice is not');
    assert.equal(outcomes.pop(), false);
  }
  const boom = new Error('boom');
  await assert.rejects(
    createFetch(
      {
        ...QUICK,
        retryOn: async () => {
          throw boom;
        },
      },
      statuses(503).inner,
    )('http://x/'),
    (e) => e === boom,
  );
});

test('retryOn that returns an invalid value: the error has its name, for a response and for a failure', async () => {
  for (const outcome of [503, 200, new TypeError('Failed to fetch')]) {
    for (const answer of [undefined, 'yes', 1, null, { afterMs: '5' }, Promise.resolve(undefined)]) {
      const { inner, calls } = statuses(outcome);
      const error = await createFetch({ ...QUICK, retryOn: () => answer }, inner)('http://x/').catch((e) => e);
      assert.ok(error instanceof TypeError);
      assert.match(error.message, /^rejitter: retryOn must return true, false, \{ afterMs \} .*, got /);
      assert.equal(retryReport(error).reason, 'callback');
      assert.equal(calls.length, 1);
    }
  }
});

test('events of hooks have the status and the hint', async () => {
  const events = [];
  const hook = (name) => (event) => {
    events.push([name, event.status, event.hintMs]);
    assert.ok(Object.isFrozen(event));
  };
  const hooks = Object.fromEntries(
    ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'].map((name) => [name, hook(name)]),
  );
  const hinted = () => new Response('x', { status: 429, headers: { 'retry-after-ms': '1.5' } });
  await createFetch(
    { ...QUICK, ...hooks },
    statuses(hinted(), new TypeError('Failed to fetch'), 200).inner,
  )('http://x/');
  assert.deepEqual(events, [
    ['onAttempt', undefined, undefined],
    ['onFailure', 429, 1.5],
    ['onRetry', 429, 1.5],
    ['onAttempt', undefined, undefined],
    ['onFailure', undefined, undefined],
    ['onRetry', undefined, undefined],
    ['onAttempt', undefined, undefined],
    ['onSuccess', 200, undefined],
  ]);
  events.length = 0;
  await createFetch({ ...QUICK, ...hooks, maxAttempts: 1 }, statuses(hinted()).inner)('http://x/');
  assert.deepEqual(events.at(-1), ['onGiveUp', 429, 1.5]);
});

test('H05 a hook gets an object of its own and shares nothing with the next', async () => {
  const seen = new Set();
  await createFetch(
    {
      ...QUICK,
      onRetry: (event) => {
        seen.add(event);
        assert.throws(() => {
          event.status = 1;
        });
      },
    },
    statuses(503, 503, 200).inner,
  )('http://x/');
  assert.equal(seen.size, 2);
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
  assert.deepEqual(
    requestsOf(other).map(({ body }) => String(body)),
    ['moved', 'moved', 'moved'],
  );
  const boom = new TypeError('fetch failed');
  const { inner, calls } = statuses(200);
  const error = await createFetch(
    {
      ...QUICK,
      prepare: () => {
        throw boom;
      },
    },
    inner,
  )('http://x/').catch((e) => e);
  assert.equal(error, boom);
  assert.equal(retryReport(error).reason, 'callback');
  assert.equal(calls.length, 0);
  await assert.rejects(
    createFetch({ ...QUICK, prepare: () => 5 }, inner)('http://x/'),
    /^TypeError: rejitter: prepare must return .*, got 5$/,
  );
});

test('go-retryablehttp: its waits, its statuses, its failures', async () => {
  const { goRetryableHttp, goRetryableHttpRetryOn: retryOn } = presets;
  const go = (inner) => createFetch({ ...goRetryableHttp, retryOn, baseMs: 1, capMs: 1 }, inner);
  for (const [status, calls] of [
    [429, 5],
    [500, 5],
    [501, 1],
    [505, 5],
    [599, 5],
    [408, 1],
    [425, 1],
    [404, 1],
    [302, 1],
  ]) {
    const fake = statuses(status);
    await go(fake.inner)('http://x/');
    assert.equal(fake.calls.length, calls, String(status));
  }
  const zero = statuses({ status: 0, type: 'error' });
  await go(zero.inner)('http://x/');
  assert.equal(zero.calls.length, 5);
  const opaque = statuses({ status: 0, type: 'opaque' });
  await go(opaque.inner)('http://x/');
  assert.equal(opaque.calls.length, 1, 'an opaque response hides its status; it is not a failure');
  for (const [message, calls] of [
    ['fetch failed', 5],
    ['redirect count exceeded', 1],
    ['unknown scheme', 1],
  ]) {
    const fake = statuses(Object.assign(new TypeError('fetch failed'), { cause: new Error(message) }));
    await go(fake.inner)('http://x/').catch(() => {});
    assert.equal(fake.calls.length, calls, message);
  }
  const delays = [];
  const { inner } = statuses(500);
  await createFetch(
    { ...goRetryableHttp, retryOn, baseMs: 2, capMs: 6, onRetry: ({ delayMs }) => delays.push(delayMs) },
    inner,
  )('http://x/');
  assert.deepEqual(delays, [2, 4, 6, 6]);
});

test('options: all problems at once; per call they replace the shared ones', async () => {
  assert.throws(
    () => createFetch({ retryOn: [1], maxAtempts: 2, baseMs: -1, retryIf: () => true, methods: 'GET', preset: 'grpc' }),
    (error) => {
      assert.ok(error instanceof TypeError);
      for (const part of [
        /retryOn must be .*, got an array/,
        /Did you mean maxAttempts/,
        /baseMs must be .*, got -1/,
        /retryIf must be omitted \(got a function\): use retryOn/,
        /methods must be .*, got "GET"/,
        /unknown option "preset"/,
      ])
        assert.match(error.message, part);
      return true;
    },
  );
  assert.throws(
    () => createFetch({ throwOnStatus: 1, respectRetryAfter: 'no', prepare: {}, idempotencyKey: '' }),
    /throwOnStatus must be .*, got 1.*respectRetryAfter must be .*, got "no".*prepare must be .*, got an object.*idempotencyKey must be .*, got a string of length 0/,
  );
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown${i}`, 1]));
  assert.throws(
    () => createFetch(many),
    (error) => error.message.split('; ').length <= 11 && error.message.length < 2000,
  );
  for (const [option, remedy] of [
    [{ metrics: true }, 'pass a RetryPolicy'],
    [{ finalResult: 'reject' }, 'use throwOnStatus'],
    [{ retryOnResult: () => true }, 'use retryOn'],
    // Names in ky, got and ofetch.
    [{ shouldRetry: () => true }, 'use retryOn'],
    [{ statusCodes: [503] }, 'use retryOn'],
    [{ retryStatusCodes: [503] }, 'use retryOn'],
    [{ throwHttpErrors: false }, 'use throwOnStatus'],
    [{ fetch }, 'use createFetch(options, fetch)'],
  ]) {
    assert.throws(
      () => createFetch(option),
      (error) =>
        error.message.startsWith(`rejitter: ${Object.keys(option)[0]} must be omitted (got `) &&
        error.message.includes(`): ${remedy}`),
    );
  }
  assert.throws(
    () => createFetch({ nonsense: 1 }),
    (error) => {
      const known = error.message.split('Known options: ')[1].split(', ');
      assert.deepEqual(
        known.filter((name) => ['metrics', 'retryIf', 'retryOnResult', 'finalResult'].includes(name)),
        [],
        'a rejected option is not suggested',
      );
      for (const name of ['retryOn', 'hint', 'idempotencyHeader', 'beforeRetry', 'name', 'baseMs'])
        assert.ok(known.includes(name), name);
      return true;
    },
  );
  assert.throws(() => createFetch({}, 5), /fetch must be .*, got 5/);
  assert.throws(() => createFetch({ limit: 2 }), /Did you mean maxAttempts/);
  assert.throws(() => createFetch(null), TypeError);
  assert.throws(
    () => createFetch(fetch),
    /^TypeError: rejitter: options must be an object; fetch is the second argument, got a function$/,
  );
  const { inner, calls } = statuses(503);
  const shared = createFetch({ ...QUICK, maxAttempts: 4 }, inner);
  await shared('http://x/', { retry: { maxAttempts: 2 } });
  assert.equal(calls.length, 2);
  assert.ok(
    calls.every(([, init]) => init === undefined || !('retry' in init)),
    'the inner fetch does not see our options',
  );
  await shared('http://x/', { retry: undefined });
  assert.equal(calls.length, 6);
  await assert.rejects(shared('http://x/', { retry: { maxAttempts: 0 } }), RangeError);
  await assert.rejects(shared('http://x/', { retry: [] }), TypeError);
  assert.equal(calls.length, 6);
});

test('the declarations have every option that only fetch has, and no other', () => {
  const known = (create) => {
    try {
      return create({ nonsense: 1 });
    } catch ({ message }) {
      return message.split('Known options: ')[1].split(', ');
    }
  };
  const general = known((options) => new RetryPolicy(options));
  const own = known(createFetch).filter((name) => !general.includes(name));
  const declared = declarations('fetch.d.ts').split('interface FetchOnlyOptions {')[1].split('\n}\n')[0];
  const names = [...declared.matchAll(/^ {2}(\w+)\?:/gm)]
    .map(([, name]) => name)
    .filter((name) => !/^on[A-Z]/.test(name));
  assert.deepEqual(names.sort(), own.sort());
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

test('O01 options are own properties', async () => {
  const { code, stdout, stderr } = await runNode(`
    import { createFetch } from 'rejitter/fetch';
    for (const [name, value] of Object.entries({ retry: { maxAttempts: 1 }, maxAttempts: 1, retryOn: [200],
      methods: [], throwOnStatus: true, prepare: 5,
      idempotencyKey: 'evil' })) Object.prototype[name] = value;
    let calls = 0;
    const response = await createFetch({ baseMs: 1 }, async () => new Response('x',
      { status: ++calls < 3 ? 503 : 404 }))('http://x/', {});
    console.log(response.status, calls);
  `);
  assert.equal(stderr, '');
  assert.equal(stdout, '404 3\n');
  assert.equal(code, 0);
});
