// A program of exceptions.test.mjs: takes ordinary ways through the package, and prints which of its functions throw on
// each of them. A debugger in another thread counts.

import { Worker } from 'node:worker_threads';
import { RetryPolicy, isTransientError, retry } from 'rejitter';
import { createFetch, rateLimitHint } from 'rejitter/fetch';
import * as light from 'rejitter/light';
import * as lightFetch from 'rejitter/light/fetch';
import { breaker, budget, cooldown, protect } from 'rejitter/protection';

const DEBUGGER = `
  const { Session } = require('node:inspector');
  const { parentPort } = require('node:worker_threads');
  const session = new Session();
  const thrown = [];
  const urls = new Map();
  session.connectToMainThread();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  session.on('Debugger.paused', ({ params: { reason, callFrames } }) => {
    const [{ location, functionName }] = callFrames;
    if (reason === 'exception' && urls.get(location.scriptId)?.includes('/rejitter/')) thrown.push(functionName);
    session.post('Debugger.resume');
  });
  session.post('Debugger.enable');
  session.post('Debugger.setPauseOnExceptions', { state: 'all' }, () => parentPort.postMessage('ready'));
  parentPort.on('message', () => parentPort.postMessage(thrown.splice(0)));
`;

const ADDRESS = 'http://a.test/';
const QUICK = { baseMs: 0, maxAttempts: 3 };
const withStatus = (status, headers) => () => new Response(null, { status, headers });
const good = withStatus(200);
const fails = (error) => () => {
  throw error;
};
/** Ends in these ways, one after the other. */
const ending = (...ends) => {
  let calls = 0;
  return async () => ends[calls++]();
};
const sending = (options, init, ...ends) => createFetch({ ...QUICK, ...options }, ending(...ends))(ADDRESS, init);
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const date = (ms) => new Date(Date.now() + ms).toUTCString();
const parts = () => protect(budget(), breaker(), cooldown());

const WAYS = {
  'a fetch, 200': () => sending({}, undefined, good),
  'a fetch, 404': () => sending({}, undefined, withStatus(404)),
  'a fetch, 503 and 200': () => sending({}, undefined, withStatus(503), good),
  'a fetch, the network and 200': () => sending({}, undefined, fails(new TypeError('fetch failed')), good),
  'a fetch, Retry-After in seconds': () => sending({}, undefined, withStatus(429, { 'retry-after': '0' }), good),
  'a fetch, Retry-After as a date': () =>
    sending({}, undefined, withStatus(503, { 'retry-after': date(0), date: date(0) }), good),
  'a fetch, a limit that is announced': () =>
    sending({ hint: rateLimitHint }, undefined, withStatus(429, { 'ratelimit-reset': '0' }), good),
  'a fetch with timeouts and a signal': () =>
    sending(
      { attemptTimeoutMs: 9000, totalTimeoutMs: 9000 },
      { signal: new AbortController().signal },
      withStatus(503),
      good,
    ),
  'a fetch with a key': () =>
    sending({ idempotencyKey: 'auto' }, { method: 'POST', body: '{}' }, withStatus(503), good),
  'a fetch that is protected': () =>
    sending({ protection: parts() }, undefined, withStatus(500), withStatus(503), good),
  'a fetch of a Request': () => createFetch(QUICK, ending(withStatus(503), good))(new Request(ADDRESS)),
  'a fetch that is given up': () => sending({ maxAttempts: 2 }, undefined, withStatus(503), withStatus(503)),
  'an operation': () =>
    retry(
      ending(() => 1),
      QUICK,
    ),
  'an operation, a failure and a success': () =>
    retry(
      ending(fails(new Error('once')), () => 1),
      QUICK,
    ),
  'an operation with a predicate': () =>
    retry(
      ending(fails(refused), () => 1),
      { ...QUICK, retryIf: isTransientError },
    ),
  'an operation whose result is nothing': () =>
    retry(
      ending(
        () => {},
        () => 1,
      ),
      { ...QUICK, retryOnResult: (result) => !result, protection: parts() },
    ),
  'a policy with timeouts and hooks': () =>
    new RetryPolicy({ ...QUICK, attemptTimeoutMs: 9000, totalTimeoutMs: 9000, onRetry() {} }).run(
      ending(fails(refused), () => 1),
    ),
  'light, a failure and a success': () =>
    light.retry(
      ending(fails(new Error('once')), () => 1),
      QUICK,
    ),
  'a fetch of light': () => lightFetch.createFetch(QUICK, ending(good))(ADDRESS),
  'a mistake': () => retry(1).catch(() => {}),
};

const inspector = new Worker(DEBUGGER, { eval: true });
const answer = () => new Promise((done) => inspector.once('message', done));
await answer();
const thrown = {};
for (const [name, way] of Object.entries(WAYS)) {
  await way();
  inspector.postMessage('how many?');
  const found = await answer();
  if (found.length > 0) thrown[name] = found;
}
await inspector.terminate();
console.log(JSON.stringify(thrown));
