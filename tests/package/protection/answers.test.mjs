// What the end of an attempt says about the destination: answers, statuses, and what the caller says; and what a fetch
// does with protection. The rows that all languages share are in tests/vectors/protection.json and statuses.json, those
// of fetch in fetch.json.

import assert from 'node:assert/strict';

import { vectors } from '../lib/consumer.mjs';
import { statuses } from '../lib/fetching.mjs';
import { fails, importAll, plain, timed, watched } from './entry.mjs';

const all = await importAll();
const { RejectedError, breaker, budget, cooldown, createFetch, protect } = all;
const { isTransientError, permanent, retry, retryAfter, retryReport } = all;

const numbers = (api) => {
  const { state, failures, calls } = api.status().breaker;
  return [state, failures, calls];
};
const withStatus = (status) => Object.assign(new Error('own'), { status });
const no = () => false;

timed('each status says the same on an error and on a refused result, with or without a response', async () => {
  const shapes = [
    (status) => ({ status }),
    (status) => ({ statusCode: status }),
    (status) => ({ response: { status } }),
    (status) => ({ response: { statusCode: status } }),
    (status) => ({ $metadata: { httpStatusCode: status } }),
  ];
  const verdicts = { failure: [1, 1], success: [0, 1], nothing: [0, 0] };
  for (const { from, to, verdict } of vectors('statuses'))
    for (let status = from; status <= to; status++) {
      const outcome = shapes[status % 5](status);
      for (const fn of [fails(Object.assign(new Error('own'), outcome)), fails(outcome), () => outcome]) {
        const api = protect(breaker());
        const options = { ...plain, maxAttempts: 1, retryIf: no, retryOnResult: () => true, protection: api };
        await retry(fn, options).catch(() => {});
        assert.deepEqual(numbers(api).slice(1), verdicts[verdict], `${status} of ${fn}`);
      }
    }
});

const failed = (cause) => Object.assign(new Error(cause.message, { cause }), { name: 'HttpError', status: 500 });
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
/** As @octokit/request 10 makes them, which gives a status of its own to what no server answered. */
const MADE_UP = [
  Object.assign(new DOMException('This operation was aborted', 'AbortError'), { status: 500 }),
  failed(new TypeError('x is not a function')),
  failed(new TypeError('fetch failed', { cause: refused })),
  failed(new Error('outer', { cause: refused })),
];
/** An error that a server has caused keeps its status, whatever it is called, and whatever code its cause has. */
const CAUSED = [
  Object.assign(new TypeError('own'), { status: 503, response: { status: 503 } }),
  ...['ERR_JWT_EXPIRED', 'ER_DUP_ENTRY', 'ENOENT', 'EBADCSRFTOKEN'].map((code) =>
    Object.assign(new Error('outer', { cause: Object.assign(new Error('inner'), { code }) }), { status: 503 }),
  ),
  ...['EHttpError', 'EConnectorError', 'ETimedOut'].map((name) => Object.assign(withStatus(503), { name })),
];
CAUSED.push(Object.assign(new Error('outer', { cause: CAUSED[0] }), { status: 503 }));

timed('a status opens a circuit, unless a client made it up, and nothing else does', async () => {
  const opens = async (outcome, retryIf) => {
    const api = protect(breaker({ consecutiveFailures: 1 }));
    await retry(fails(outcome), { ...plain, maxAttempts: 1, retryIf, protection: api }).catch(() => {});
    return api.status().breaker.state === 'open';
  };
  for (const outcome of CAUSED) assert.ok(await opens(outcome, no), outcome.message);
  // By themselves they are failures.
  for (const outcome of MADE_UP) assert.ok(await opens(outcome), outcome.message);
  assert.ok(CAUSED.every(isTransientError));
  assert.deepEqual(MADE_UP.slice(0, 3).map(isTransientError), [false, false, true]);
  for (const outcome of [
    ...[{ code: 503 }, { status: '503' }, { status: 'down' }, { status: 503.5 }, { status: 99 }, { status: 600 }],
    // The first that is there counts.
    { status: 404, statusCode: 503 },
    Object.defineProperty({}, 'status', { get: () => assert.fail('read') }),
    ...[undefined, null, 'down', permanent(withStatus(503)), retryAfter(0, withStatus(503)), ...MADE_UP],
  ])
    assert.ok(!(await opens(outcome, no)));
});

timed('a status is read once, isFailure included', async () => {
  const left = [503];
  const counted = Object.defineProperty(new Error('own'), 'status', { get: () => left.pop() });
  const api = protect(breaker({ consecutiveFailures: 1 }), { isFailure: ({ status }) => status === 503 });
  await retry(fails(counted), { ...plain, retryIf: no, protection: api }).catch(() => {});
  assert.equal(api.status().breaker.state, 'open');
});

timed('an asynchronous isFailure is a mistake: both errors are reported, and neither counts', async (clock) => {
  const reported = [];
  const { reportError } = globalThis;
  globalThis.reportError = (error) => void reported.push(error.message);
  try {
    const isFailure = async () => {
      throw new Error('too late');
    };
    const api = protect(breaker(), { isFailure });
    watched(retry(fails(withStatus(503)), { ...plain, maxAttempts: 1, protection: api }));
    await clock.drain();
    assert.deepEqual(numbers(api), ['closed', 1, 1]);
  } finally {
    globalThis.reportError = reportError;
  }
  assert.match(reported[0], /isFailure must return true, false, 'ignore' or undefined/);
  assert.deepEqual(reported.slice(1), ['too late']);
});

const POST = { method: 'POST', body: 'x' };
const A = 'https://a.test/';

timed('protectionKey gets the request without its body; a relative address has no key', async () => {
  const api = protect(breaker());
  const requests = [];
  const protectionKey = (request) => {
    requests.push([request instanceof Request, request.method, request.url, request.body]);
    return null;
  };
  const { inner } = statuses(200);
  await createFetch({ ...plain, protection: api, protectionKey }, inner)(A, POST);
  assert.deepEqual(requests, [[true, 'POST', A, null]]);
  await createFetch({ ...plain, protection: api }, inner)('/relative');
  assert.deepEqual([api.keys(), api.status().breaker.calls], [[], 1]);
});

timed(
  'a rejected call leaves the request to the caller; one that is let pass takes it over as bare fetch',
  async () => {
    const api = protect(breaker());
    api.open();
    const { inner, calls } = statuses(200);
    const fetch = createFetch({ ...plain, protection: api, protectionKey: () => null }, inner);
    let cancelled = false;
    const stream = new ReadableStream({ cancel: () => void (cancelled = true) });
    const request = new Request(A, POST);
    for (const args of [[request], [A, { method: 'POST', body: stream, duplex: 'half' }]]) {
      const error = await fetch(...args).catch((error) => error);
      assert.ok(error instanceof RejectedError);
      assert.deepEqual([error.by, retryReport(error).attempts], ['breaker', 0]);
    }
    assert.deepEqual([calls.length, request.bodyUsed, stream.locked, cancelled], [0, false, false, false]);
    // So is one that is aborted.
    const aborted = new Request(A, { ...POST, signal: AbortSignal.abort('now') });
    assert.equal(await fetch(aborted).catch((reason) => reason), 'now');
    api.close();
    assert.equal((await fetch(request)).status, 200);
    assert.deepEqual([aborted.bodyUsed, request.bodyUsed], [true, true]);
    // One that was used before is an error of the caller's at once.
    await assert.rejects(fetch(request), TypeError);
    assert.equal(calls.length, 1);
  },
);

timed('headers that throw when they are read change nothing but the hint', async (clock) => {
  for (const status of [200, 404, 429, 503]) {
    const headers = { get: () => assert.fail('read') };
    const options = { ...plain, maxAttempts: 2, protection: protect(budget(), breaker(), cooldown()) };
    const seen = watched(createFetch(options, statuses({ status, headers }).inner)(A));
    await clock.drain();
    assert.equal(seen.value?.status, status);
  }
});

timed('a 429 that requests no wait holds nobody, unless `hint` gives it one', async (clock) => {
  /** 40 calls of a server that is limited for 250 ms: the requests, and the calls that end with 429. */
  async function burst(hint) {
    const openAt = clock.now + 250;
    let requests = 0;
    const inner = async () => {
      requests += 1;
      return new Response(null, { status: clock.now < openAt ? 429 : 200 });
    };
    const fetch = createFetch({ ...plain, baseMs: 20, maxAttempts: 3, protection: protect(cooldown()), hint }, inner);
    const all = Promise.all(Array.from({ length: 40 }, () => fetch(A).then(({ status }) => status)));
    await clock.drain();
    return [requests, (await all).filter((status) => status === 429).length];
  }
  assert.deepEqual(await burst(), [120, 40]);
  const [requests, failed] = await burst((response) => (response.status === 429 ? 300 : undefined));
  assert.ok(requests <= 80 && failed === 0, `${requests} requests, ${failed} failed`);
});
