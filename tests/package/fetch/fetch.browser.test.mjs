// fetch in real browsers: the same table of hints as in Node, the same cases against a server on loopback,
// of the page's own origin and of another, and in a service worker.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { html, inBrowsers, js, serve } from '../lib/browsers.mjs';
import { bundled } from '../lib/bundle.mjs';
import { project, repo, vectors } from '../lib/consumer.mjs';
import { closedOrigin } from '../lib/fetching.mjs';

const TABLE = readFileSync(join(repo, 'tests', 'vectors', 'retry-after.json'), 'utf8');
const { real, made } = vectors('failures');
const FAILURES = [...real, ...made];

/** Runs in the page and in Node, and returns the outcome of each case. It checks nothing. */
const JOB = `
import { isTransientError, retryReport } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { misjudged, sendsAgain } from './rows.mjs';

const QUICK = { baseMs: 1, capMs: 2 };

export async function hints({ now, cases }) {
  const real = Date.now;
  Date.now = () => now;
  try {
    const out = [];
    for (const entry of cases) {
      // retryAfterMs is the value of retry-after-ms, and so on.
      const headers = new Map(Object.entries(entry).map(([name, value]) =>
        [name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase()), value]));
      let calls = 0;
      const inner = async () => (++calls > 1 ? new Response('ok') : { status: 503, body: null,
        headers: { get: (name) => headers.get(name) ?? null } });
      await createFetch({ ...QUICK, maxRetryAfterMs: 0, longRetryAfter: 'cap', onRetry: (event) =>
        out.push(event.hintMs ?? null) }, inner)('http://x/');
    }
    return out;
  } finally {
    Date.now = real;
  }
}

let ids = 0;

/** Stands for an attempt's timeout: a timer of this length is not armed, and the test fires it. */
const HELD_MS = 1500;
const { setTimeout: start } = globalThis;
const held = [];
globalThis.setTimeout = (callback, ms, ...rest) => ms === HELD_MS ? -held.push(callback) : start(callback, ms, ...rest);

/** Lets the first attempt time out once the server has the request; the next one may take as long as it needs. */
async function expire(origin, id) {
  for (;;) {
    const { attempts } = await (await globalThis.fetch(origin + '/seen?id=' + id)).json();
    if (attempts > 0) return held[0]();
    await new Promise((go) => start(go, 20));
  }
}

async function one(origin, path, init = {}, options = {}) {
  const id = Math.random().toString(36).slice(2) + (ids += 1);
  if (options.attemptTimeoutMs === HELD_MS) {
    held.length = 0;
    expire(origin, id);
  }
  const url = origin + path + (path.includes('?') ? '&' : '?') + 'id=' + id;
  const hints = [];
  const fetch = createFetch({ ...QUICK, maxAttempts: 3, ...options, onRetry: (event) =>
    hints.push(event.hintMs ?? null) });
  let outcome;
  let report;
  try {
    const response = await fetch(init.asRequest ? new Request(url, init) : url, init.asRequest ? undefined : init);
    report = retryReport(response);
    outcome = [response.status, await response.text().catch((error) => error.name)];
  } catch (error) {
    report = retryReport(error);
    outcome = [error.name];
  }
  const seen = await (await globalThis.fetch(origin + '/seen?id=' + id)).json();
  return { outcome, reason: report?.reason ?? null, hints, attempts: seen.attempts, bodies: seen.bodies,
    keys: seen.keys.length };
}

export async function cases(origin, refused) {
  const out = {};
  for (const status of [200, 404, 408, 425, 429, 500, 501, 502, 503, 504,
    505]) out['status ' + status] = await one(origin, '/status?status=' + status + '&fail=1');
  out['runs out'] = await one(origin, '/status?status=503&fail=9');
  out['retry-after'] = await one(origin, '/status?status=503&fail=1&retryAfter=1', {}, { respectRetryAfter: true });
  out['retry-after, exposed'] = await one(origin, '/status?status=503&fail=1&retryAfter=1&expose=1');
  out['a long retry-after, exposed'] = await one(origin, '/status?status=503&fail=1&retryAfter=99999&expose=1');
  out['POST without key'] = await one(origin, '/status?status=503&fail=1', { method: 'POST', body: 'order' });
  out['POST with key'] = await one(origin, '/status?status=503&fail=1', { method: 'POST', body: 'order' },
    { idempotencyKey: 'auto' });
  out['PUT with a string'] = await one(origin, '/status?status=503&fail=2', { method: 'PUT', body: 'string' });
  out['PUT with a Blob'] = await one(origin, '/status?status=503&fail=2', { method: 'PUT', body: new Blob(['blob']) });
  out['PUT with a buffer'] = await one(origin, '/status?status=503&fail=2',
    { method: 'PUT', body: new TextEncoder().encode('buffer') });
  out['PUT with parameters'] = await one(origin, '/status?status=503&fail=2',
    { method: 'PUT', body: new URLSearchParams({ a: '1' }) });
  out['PUT by a Request'] = await one(origin, '/status?status=503&fail=2', { method: 'PUT', body: 'request',
    asRequest: true });
  out['PUT by a function'] = await one(origin, '/status?status=503&fail=2', { method: 'PUT', body: () => 'made' });
  out['reset before headers'] = await one(origin, '/reset?fail=1');
  out['headers never come'] = await one(origin, '/hang?fail=1', {}, { attemptTimeoutMs: HELD_MS });
  out['redirect'] = await one(origin, '/redirect?fail=1');

  const form = new FormData();
  form.append('a', '1');
  const sent = await one(origin, '/status?status=503&fail=2', { method: 'PUT', body: form });
  out['PUT with FormData'] = { ...sent, outcome: sent.outcome[0], bodies: sent.bodies.length };

  let calls = 0;
  const error = await createFetch({ ...QUICK, maxAttempts: 3, onAttempt: () => { calls += 1;
    } })(refused).catch((error) => error);
  out.refused = [error instanceof TypeError, calls, retryReport(error).reason];
  calls = 0;
  const bad = await createFetch({ ...QUICK, onAttempt: () => { calls += 1; } })('http://').catch((error) => error);
  out['a bad URL'] = [bad instanceof TypeError, calls];
  const used = new Request(origin + '/status', { method: 'POST', body: 'x' });
  await used.text();
  calls = 0;
  const spent = await createFetch({ ...QUICK, onAttempt: () => { calls += 1; } })(used).catch((error) => error);
  out['a used Request'] = [spent instanceof TypeError, calls];

  const reason = new Error('enough');
  for (const [name, path, options] of [['headers', '/hang?fail=9', {}], ['the wait', '/status?status=503&fail=9',
    { baseMs: 60000, capMs: 60000, minMs: 30000 }]]) {
    for (const timeouts of [{}, { attemptTimeoutMs: 60000 }]) {
      const controller = new AbortController();
      const promise = createFetch({ ...options, ...timeouts })(origin + path + '&id=' + Math.random(),
        { signal: controller.signal });
      promise.catch(() => {});
      await new Promise((go) => setTimeout(go, 150));
      controller.abort(reason);
      out['abort in ' + name + Object.keys(timeouts).join()] = (await promise.catch((error) => error)) === reason;
    }
  }
  for (const timeouts of [{}, { attemptTimeoutMs: 60000 }]) {
    const controller = new AbortController();
    const response = await createFetch(timeouts)(origin + '/stall?id=' + Math.random(), { signal: controller.signal });
    const reader = response.body.getReader();
    await reader.read();
    setTimeout(() => controller.abort(reason), 20);
    out['abort in the body' + Object.keys(timeouts).join()] = (await reader.read().catch(() =>
      'aborted')) === 'aborted';
  }
  const slow = await createFetch({ attemptTimeoutMs: 1000 })(origin + '/slow?id=' + Math.random());
  out['a slow body under an attempt timeout'] = await slow.text();
  return out;
}

/** Whether each failure that a page can cause may pass, as createFetch and as isTransientError says. */
export async function failures(origin, refused, rows) {
  const text = async (...args) => (await globalThis.fetch(...args)).text();
  const at = (path) => origin + path + '&id=' + Math.random();
  const get = at('/status?status=200&fail=0');
  const used = new Request(get, { method: 'POST', body: 'x' });
  await used.text();
  const out = {};
  for (const [what, fail] of Object.entries({
    refused: () => text(refused),
    'closed before an answer': () => text(at('/reset?fail=99')),
    'closed within a body': () => text(at('/half?fail=9')),
    'a timeout': () => text(at('/hang?fail=9'), { signal: AbortSignal.timeout(20) }),
    'redirects without end': () => text(at('/loop?fail=9')),
    'an unknown scheme': () => text('none://x'),
    'a wrong integrity': () => text(get, { integrity: 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }),
    'an abort': () => text(get, { signal: AbortSignal.abort() }),
    'an invalid URL': () => text('http://:'),
    'an invalid method': () => text(get, { method: 'a b' }),
    'an invalid header': () => text(get, { headers: { 'a b': 'c' } }),
    'a GET with a body': () => text(get, { body: 'x' }),
    'a used body': () => text(used),
    'no JSON': async () => JSON.parse(await text(get)),
  })) {
    const error = await fail().then(() => undefined, (thrown) => thrown);
    if (error) out[what] = [await sendsAgain(createFetch, error), isTransientError(error), String(error)];
  }
  return [out, await misjudged({ createFetch, isTransientError }, rows)];
}
`;

const PAGE = `
import { cases, failures, hints } from './job.mjs';
globalThis.finished = (async () => {
  const { other, refused } = await (await fetch('/where.json')).json();
  return { hints: await hints(await (await fetch('/table.json')).json()), same: await cases(location.origin, refused),
    other: await cases(other, refused),
    failures: await failures(location.origin, refused, await (await fetch('/failures.json')).json()) };
})();
`;

/** A service worker that answers its page's navigations and requests through the wrapper, or hands failures on. */
const WORKER = `
import { createFetch } from 'rejitter/fetch';
const retrying = createFetch({ baseMs: 1, capMs: 2, attemptTimeoutMs: 60000 });
const plain = createFetch({ baseMs: 1, capMs: 2 });
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { searchParams } = new URL(event.request.url);
  if (searchParams.get('worker') === 'failing') event.respondWith(Response.error());
  else if (searchParams.get('worker') === 'refused') event.respondWith(fetch(searchParams.get('refused')));
  else if (searchParams.has('worker'))
      event.respondWith((searchParams.get('worker') === 'timed' ? retrying : plain)(event.request));
});
`;
const WORKER_PAGE = `
import { retryReport } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
globalThis.finished = (async () => {
  await navigator.serviceWorker.register('/worker.js', { type: 'module' });
  await navigator.serviceWorker.ready;
  while (!navigator.serviceWorker.controller) await new Promise((go) => setTimeout(go, 10));
  const out = {};
  for (const kind of ['timed', 'plain']) {
    const get = await fetch('/status?status=503&fail=2&id=get-' + kind + '&worker=' + kind);
    const put = await fetch('/status?status=503&fail=2&id=put-' + kind + '&worker=' + kind,
      { method: 'PUT', body: 'through the worker' });
    const frame = document.createElement('iframe');
    frame.src = '/frame?fail=2&id=frame-' + kind + '&worker=' + kind;
    await new Promise((done) => { frame.onload = done; document.body.append(frame); });
    out[kind] = [get.status, put.status, await put.text(), frame.contentDocument.body.textContent];
  }
  const { refused } = await (await fetch('/where.json')).json();
  for (const kind of ['failing', 'refused']) {
    const error = await createFetch({ baseMs: 1, capMs: 2,
      maxAttempts: 3 })('/status?worker=' + kind + '&refused=' + refused).catch((error) => error);
    const { attempts, reason } = retryReport(error);
    out[kind] = [attempts, reason];
  }
  return out;
})();
`;

/** The server's side of the cases; `cors` as for pages of another origin. */
function answers(seen) {
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://loopback');
    const id = searchParams.get('id');
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*, idempotency-key, content-type',
      'access-control-allow-methods': '*',
      'access-control-max-age': '60',
      'cache-control': 'no-store',
      ...(searchParams.has('expose') && { 'access-control-expose-headers': 'Retry-After, Date' }),
    };
    if (request.method === 'OPTIONS') return void response.writeHead(204, cors).end();
    if (!seen.has(id)) seen.set(id, { attempts: 0, bodies: new Set(), keys: new Set() });
    const entry = seen.get(id);
    if (pathname === '/seen')
      return void response
        .writeHead(200, cors)
        .end(JSON.stringify({ attempts: entry.attempts, bodies: [...entry.bodies], keys: [...entry.keys] }));
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (pathname !== '/redirected') entry.attempts += 1;
      entry.bodies.add(body);
      if (request.headers['idempotency-key']) entry.keys.add(request.headers['idempotency-key']);
      const failing = entry.attempts <= Number(searchParams.get('fail'));
      if (pathname === '/reset' && failing) request.socket.resetAndDestroy();
      else if (pathname === '/hang' && failing) return;
      else if (pathname === '/redirect')
        response.writeHead(302, { ...cors, location: `/redirected?${searchParams}` }).end();
      else if (pathname === '/half') {
        response.writeHead(200, { ...cors, 'content-length': 9 }).write('half');
        setTimeout(() => request.socket.resetAndDestroy(), 20);
      } else if (pathname === '/loop') response.writeHead(302, { ...cors, location: request.url }).end();
      else if (pathname === '/stall') response.writeHead(200, cors).write('x'.repeat(2000));
      else if (pathname === '/slow') {
        response.writeHead(200, cors).write('a');
        setTimeout(() => response.end('b'), 1300);
      } else if (failing)
        response
          .writeHead(Number(searchParams.get('status') ?? 503), {
            ...cors,
            ...(searchParams.has('retryAfter') && { 'retry-after': searchParams.get('retryAfter') }),
          })
          .end('failed');
      else
        response
          .writeHead(200, { ...cors, 'content-type': 'text/plain' })
          .end(pathname === '/frame' ? 'framed' : body || 'ok');
    });
  };
}

const PATHS = [
  '/seen',
  '/status',
  '/reset',
  '/hang',
  '/redirect',
  '/redirected',
  '/stall',
  '/slow',
  '/frame',
  '/half',
  '/loop',
];
let server;
let other;
let inNode;
const seen = new Map();

before(async () => {
  const dir = project('fetch-browser', {
    'job.mjs': JOB,
    'rows.mjs': readFileSync(join(repo, 'tests', 'package', 'engine', 'failures', 'rows.mjs'), 'utf8'),
    'page.mjs': PAGE,
    'worker.mjs': WORKER,
    'worker-page.mjs': WORKER_PAGE,
  });
  const [page, worker, workerPage] = await Promise.all(
    ['page', 'worker', 'worker-page'].map((name) => bundled(dir, { entry: `${name}.mjs` })),
  );
  const answer = answers(seen);
  other = await serve((path) => (PATHS.includes(path) ? answer : undefined));
  const refused = `${await closedOrigin()}/`;
  const routes = {
    '/page': html('<script type="module" src="/page.js"></script>'),
    '/page.js': js(page),
    '/worker': html('<script type="module" src="/worker-page.js"></script>'),
    '/worker-page.js': js(workerPage),
    '/worker.js': js(worker),
    '/table.json': { type: 'application/json', body: TABLE },
    '/failures.json': { type: 'application/json', body: JSON.stringify(FAILURES) },
    '/where.json': { type: 'application/json', body: JSON.stringify({ other: other.origin, refused }) },
  };
  server = await serve((path) => (PATHS.includes(path) ? answer : routes[path]));
  const job = await import(join(dir, 'job.mjs'));
  inNode = { hints: await job.hints(JSON.parse(TABLE)), cases: await job.cases(server.origin, refused) };
});
after(async () => {
  await server.close();
  await other.close();
});

/** The outcome of a case, in words that hold in every host. */
const TRIES = 3;
function expected({ browser, crossOrigin }) {
  const settled = (
    status,
    attempts,
    {
      body = 'ok',
      reason = attempts > 1 ? 'success' : null,
      hints = Array(attempts - 1).fill(null),
      bodies = [''],
      keys = 0,
    } = {},
  ) => ({ outcome: [status, body], reason, hints, attempts, bodies, keys });
  const out = {};
  for (const status of [200, 404, 408, 425, 429, 500, 501, 502, 503, 504, 505]) {
    const retried = [425, 429, 500, 502, 503, 504].includes(status) || (status === 408 && !browser);
    out[`status ${status}`] = retried ? settled(200, 2) : settled(status, 1, { body: 'failed' });
  }
  out['runs out'] = settled(503, TRIES, { body: 'failed', reason: 'exhausted' });
  // Without Access-Control-Expose-Headers a page of another origin cannot read it.
  out['retry-after'] = settled(200, 2, { hints: [browser && crossOrigin ? null : 1000] });
  out['retry-after, exposed'] = settled(200, 2, { hints: [1000] });
  out['a long retry-after, exposed'] = settled(503, 1, { body: 'failed', reason: 'hint' });
  out['POST without key'] = settled(503, 1, { body: 'failed', bodies: ['order'] });
  out['POST with key'] = settled(200, 2, { body: 'order', bodies: ['order'], keys: 1 });
  for (const [name, body] of [
    ['with a string', 'string'],
    ['with a Blob', 'blob'],
    ['with a buffer', 'buffer'],
    ['with parameters', 'a=1'],
    ['by a Request', 'request'],
    ['by a function', 'made'],
  ])
    out[`PUT ${name}`] = settled(200, 3, { body, bodies: [body] });
  out['reset before headers'] = settled(200, 2);
  out['headers never come'] = settled(200, 2);
  out.redirect = settled(200, 2);
  out['PUT with FormData'] = { outcome: 200, reason: 'success', hints: [null, null], attempts: 3, bodies: 3, keys: 0 };
  out.refused = [true, 3, 'exhausted'];
  out['a bad URL'] = [true, 1];
  out['a used Request'] = [true, 0];
  for (const where of ['headers', 'the wait', 'the body'])
    for (const timeout of ['', 'attemptTimeoutMs']) out[`abort in ${where}${timeout}`] = true;
  out['a slow body under an attempt timeout'] = 'ab';
  return out;
}

const hintsOfTable = JSON.parse(TABLE).cases.map(({ ms }) => ms);

test('Node: the table and the cases', () => {
  assert.deepEqual(inNode.hints, hintsOfTable);
  assert.deepEqual(inNode.cases, expected({ browser: false, crossOrigin: false }));
});

inBrowsers((open) => {
  async function visit(path) {
    // Another try must not find the attempts of a browser that crashed.
    seen.clear();
    const { result, errors } = await open(server.origin + path);
    // Firefox reports as errors of the page requests that CORS blocks, such as those to the port without a listener,
    // a wrong integrity, and what a service worker fails to answer.
    const known =
      /^Cross-Origin Request Blocked|^None of the .* in the integrity|^Failed to load .* ServiceWorker passed/;
    assert.deepEqual(
      errors.filter((text) => !known.test(text)),
      [],
    );
    return result;
  }

  test('R01 the tables give the same as in Node; the cases too, of the same origin and of another', async () => {
    const { hints, same, other: crossed, failures: judged } = await visit('/page');
    assert.deepEqual(hints, inNode.hints);
    const [made, misjudged] = judged;
    assert.deepEqual(misjudged, []);
    // Pages are not told why a fetch failed, so some that would fail again look like failures of the network. Firefox
    // says of a body that broke off that it was aborted, WebKitGTK of a timeout.
    const passing = ['refused', 'closed before an answer', 'a timeout'];
    const hidden = ['redirects without end', 'an unknown scheme', 'a wrong integrity', 'closed within a body'];
    for (const [what, [...verdicts]] of Object.entries(made)) {
      const text = verdicts.pop();
      const expected = hidden.includes(what) ? verdicts[0] : passing.includes(what) && !/^AbortError/.test(text);
      assert.deepEqual(verdicts, [expected, expected], `${what}: ${text}`);
    }
    // Chromium resends some requests itself (408, a connection that was reset): then the server saw more
    // than we sent, and what we did shows in the events.
    const strict = (cases) =>
      Object.fromEntries(
        Object.entries(cases).map(([label, entry]) =>
          ['status 408', 'reset before headers'].includes(label)
            ? [label, { ...entry, attempts: undefined, outcome: entry.outcome[0] === 200 || entry.outcome[0] }]
            : [label, entry],
        ),
      );
    const relaxed = (cases) => {
      const { 'reset before headers': reset, 'status 408': timeout, ...rest } = strict(cases);
      return { rest, reset: reset.outcome, timeout: timeout.reason };
    };
    assert.deepEqual(relaxed(same), relaxed(expected({ browser: true, crossOrigin: false })));
    assert.deepEqual(relaxed(crossed), relaxed(expected({ browser: true, crossOrigin: true })));
  });

  test('a service worker answers requests and navigations through it; what fails behind one is retried', async () => {
    const result = await visit('/worker');
    for (const kind of ['timed', 'plain']) {
      assert.deepEqual(result[kind], [200, 200, 'through the worker', 'framed']);
      for (const what of ['get', 'put', 'frame']) {
        assert.equal(seen.get(`${what}-${kind}`).attempts, 3);
      }
    }
    assert.deepEqual(
      [result.failing, result.refused],
      [
        [3, 'exhausted'],
        [3, 'exhausted'],
      ],
    );
  });
});
