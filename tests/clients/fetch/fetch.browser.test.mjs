// fetch in real browsers: each attempt is the request of bare fetch, in a page and in a service worker; and outcomes at
// a server of the page's own origin and of another.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { BROWSERS, html, inBrowsers, js, serve } from '../lib/browsers.mjs';
import { bundled } from '../../package/lib/bundle.mjs';
import { here, project } from '../../package/lib/consumer.mjs';
import { closedOrigin } from '../../package/lib/fetching.mjs';
import { INITS, SHAPES } from '../../package/fetch/requests/cases.mjs';
import { Echo } from '../../package/fetch/requests/server.mjs';

const FETCHES = `
import { createFetch } from 'rejitter/fetch';
import { createFetch as light } from 'rejitter/light/fetch';
import { budget, hedge, protect } from 'rejitter/protection';
import { fetchesOf } from './cases.mjs';
export const fetches = fetchesOf({ createFetch, budget, hedge, light, protect });
`;

const REQUESTS = `
import { sendAll } from './cases.mjs';
import { fetches } from './fetches.mjs';
document.cookie = 'c=1';
const names = Object.keys(fetches);
globalThis.results = sendAll('', names, (name, args) => fetches[name](...args)).then(() => names);
`;

/** A service worker that answers its page's navigations and requests by these fetches, or hands failures on. */
const WORKER = `
import { fetches } from './fetches.mjs';
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { pathname, searchParams } = new URL(event.request.url);
  if (pathname === '/echo') event.respondWith(fetches[searchParams.get('fetch')](event.request));
  if (pathname === '/failing') event.respondWith(Response.error());
  if (pathname === '/refused') event.respondWith(fetch(searchParams.get('at')));
});
`;

const WORKER_PAGE = `
import { retryReport } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { SHAPES, sendAll } from './cases.mjs';
import { fetches } from './fetches.mjs';
const names = Object.keys(fetches);
globalThis.results = (async () => {
  document.cookie = 'c=1';
  await navigator.serviceWorker.register('/worker.js', { type: 'module' });
  await navigator.serviceWorker.ready;
  while (!navigator.serviceWorker.controller) await new Promise((go) => setTimeout(go, 10));
  // Whatever the page asks with, a worker gets a Request.
  const { 'an address': byAddress } = SHAPES;
  await sendAll('', names, (name, args) => fetch(...args), { 'an address': byAddress });
  const loaded = (frame, start) => new Promise((done) => {
    frame.onload = () => done(frame.contentDocument.body.textContent);
    start();
  });
  const texts = [];
  for (const name of names) {
    const frame = document.createElement('iframe');
    frame.name = 'f';
    const query = (id) => '/echo?' + new URLSearchParams({ id, fetch: name });
    texts.push(await loaded(frame, () => {
      frame.src = query('navigation');
      document.body.append(frame);
    }));
    const form = document.createElement('form');
    Object.assign(form, { method: 'POST', action: query('form'), target: 'f', innerHTML: '<input name=a value=1>' });
    document.body.append(form);
    texts.push(await loaded(frame, () => form.submit()));
    form.remove();
    frame.remove();
  }
  const { refused } = await (await fetch('/where.json')).json();
  const failed = [];
  for (const path of ['/failing', '/refused?at=' + refused]) {
    const error = await createFetch({ baseMs: 1, capMs: 2, maxAttempts: 3 })(path).catch((error) => error);
    failed.push([retryReport(error).attempts, retryReport(error).reason]);
  }
  return { names, texts, failed };
})();
`;

/** Runs in the page, and returns what happened. It checks nothing. */
const OUTCOMES_PAGE = `
import { createFetch } from 'rejitter/fetch';
import { createFetch as lightFetch } from 'rejitter/light/fetch';

let ids = Math.random() * 1e9 | 0;

/** How each request ended, how many attempts were made and seen by the server, and which waits it asked for. */
async function outcomes(origin, paths) {
  const out = {};
  for (const path of paths) {
    const id = '&id=' + ids++;
    const hints = [];
    let attempts = 0;
    const hooks = { onAttempt: () => attempts++, onRetry: ({ hintMs }) => hints.push(hintMs ?? null) };
    const { status } = await createFetch({ baseMs: 1, capMs: 2, maxAttempts: 3, ...hooks })(origin + path + id);
    out[path] = { status, attempts, hints, seen: await (await fetch(origin + '/seen?' + id)).json() };
  }
  return out;
}

/** Whether an abort ends a body that stalls, with and without timeouts; the engine decides with which error. */
async function aborts() {
  const ended = [];
  for (const limits of [{}, { attemptTimeoutMs: 60_000 }]) {
    const controller = new AbortController();
    const { body } = await createFetch(limits)('/stall?id=' + ids++, { signal: controller.signal });
    const reader = body.getReader();
    await reader.read();
    const rest = reader.read().then(() => 'read', () => 'aborted');
    controller.abort(new Error('enough'));
    ended.push(await rest);
  }
  return ended;
}

/** The errors of a body that is aborted, and of one that breaks off, by what sent the request: first bare fetch. */
async function bodies() {
  const [limits, again] = [{ attemptTimeoutMs: 60_000 }, { baseMs: 1, capMs: 2 }];
  const ends = {};
  for (const [sender, send, query = ''] of [
    ['bare fetch', (...args) => fetch(...args)],
    ['attemptTimeoutMs', createFetch(limits)],
    ['totalTimeoutMs', createFetch({ totalTimeoutMs: 60_000 })],
    ['a second attempt', createFetch(again), '&fail=1'],
    ['two signals', createFetch({ signal: new AbortController().signal })],
    ['light', lightFetch(limits)],
    ['light, a second attempt', lightFetch({ ...again, ...limits }), '&fail=1'],
  ]) {
    ends[sender] = {};
    for (const path of ['/stall', '/half']) {
      const controller = new AbortController();
      const response = await send(path + '?id=' + ids++ + query, { signal: controller.signal });
      const text = response.text();
      if (path === '/stall') controller.abort();
      ends[sender][path] = await text.then(() => 'no error', ({ name, message }) => name + ', ' + message);
    }
  }
  return ends;
}

globalThis.results = (async () => {
  const { other, paths } = await (await fetch('/where.json')).json();
  return { own: await outcomes(location.origin, paths), crossed: await outcomes(other, paths), aborts: await aborts(),
    bodies: await bodies() };
})();
`;

const TWICE = { status: 200, attempts: 2, seen: 2 };
/**
 * Path → what a page of the same origin sees, and one of another. tests/clients/hosts has what is alike on all hosts.
 */
const OUTCOMES = {
  // On a reused connection, Chromium sends it again itself.
  '/answer?fail=1&status=408': [{ status: 200, seen: 2 }],
  // Without Access-Control-Expose-Headers a page of another origin cannot read it.
  '/answer?fail=1&retryAfter=1': [
    { ...TWICE, hints: [1000] },
    { ...TWICE, hints: [null] },
  ],
  '/answer?fail=1&retryAfter=1&expose=1': [{ ...TWICE, hints: [1000] }],
  '/redirect?fail=1': [{ ...TWICE, hints: [null] }],
  // Chromium sends such a request again itself.
  '/reset?fail=1': [{ status: 200 }],
};

/** How often the server of the outcomes, of pages of another origin as well, got each request. */
const seen = {};
function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://loopback');
  const cors = {
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    ...(searchParams.has('expose') && { 'access-control-expose-headers': 'Retry-After, Date' }),
  };
  const send = (status, headers, text) => response.writeHead(status, { ...cors, ...headers }).end(text);
  const id = searchParams.get('id');
  if (pathname === '/seen') return send(200, {}, JSON.stringify(seen[id]));
  if (pathname !== '/redirected') seen[id] = (seen[id] ?? 0) + 1;
  const failing = seen[id] <= Number(searchParams.get('fail'));
  const retryAfter = searchParams.get('retryAfter');
  if (pathname === '/reset' && failing) request.socket.resetAndDestroy();
  else if (pathname === '/redirect') send(302, { location: `/redirected?${searchParams}` });
  else if (failing) send(searchParams.get('status') ?? 503, retryAfter && { 'retry-after': retryAfter }, 'failed');
  else if (pathname === '/stall') response.writeHead(200, cors).write('x'.repeat(2000));
  else if (pathname === '/half') {
    response.writeHead(200, { ...cors, 'content-length': 9 }).write('half');
    setTimeout(() => request.socket.resetAndDestroy(), 20);
  } else send(200, { 'content-type': 'text/plain' }, 'ok');
}
const ANSWERED = /^\/(seen|answer|reset|redirect|redirected|stall|half)$/;

let echo;
let server;
let other;

before(async () => {
  const file = (path) => readFileSync(join(here, path), 'utf8');
  const dir = project('fetch-browser', {
    'cases.mjs': file('fetch/requests/cases.mjs'),
    ...{ 'fetches.mjs': FETCHES, 'requests.mjs': REQUESTS, 'worker.mjs': WORKER, 'worker-page.mjs': WORKER_PAGE },
    'outcomes.mjs': OUTCOMES_PAGE,
  });
  other = await serve((path) => (ANSWERED.test(path) ? answer : undefined));
  const where = { other: other.origin, refused: `${await closedOrigin()}/`, paths: Object.keys(OUTCOMES) };
  const routes = {
    '/where.json': { type: 'application/json', body: JSON.stringify(where) },
    '/echo': (...args) => echo.answer(...args),
  };
  for (const name of ['requests', 'outcomes', 'worker', 'worker-page']) {
    routes[`/${name}.js`] = js(await bundled(dir, { entry: `${name}.mjs` }));
    routes[`/${name}`] = html(`<script type="module" src="/${name}.js"></script>`);
  }
  server = await serve((path) => (ANSWERED.test(path) ? answer : routes[path]));
});
after(async () => {
  await server.close();
  await other.close();
});

inBrowsers((open) => {
  async function visit(path) {
    echo = new Echo();
    const { results, errors } = await open(server.origin + path);
    // Firefox reports as errors of the page requests that CORS blocks, such as those to the port without a listener,
    // a wrong integrity, and what a service worker fails to answer.
    const known =
      /^Cross-Origin Request Blocked|^None of the .* in the integrity|^Failed to load .* ServiceWorker passed/;
    assert.deepEqual(
      errors.filter((text) => !known.test(text)),
      [],
    );
    return results;
  }
  const COUNT = Object.keys(INITS).length;

  test('a page: each attempt sends what bare fetch sends, with the same referrer', async () => {
    const names = await visit('/requests');
    // WebKitGTK reads no files of a form.
    echo.check(names, COUNT * Object.keys(SHAPES).length, !BROWSERS.WebKit);
    const referrers = (what) =>
      Object.values(echo.seen.get(`an address: ${what}`)).flatMap((all) => all.map(({ sent }) => sent.headers.referer));
    assert.deepEqual(referrers('referrerPolicy no-referrer'), Array(13).fill(undefined));
    assert.deepEqual(referrers('no init'), Array(13).fill(`${server.origin}/requests`));
  });

  test('outcomes of the same origin and of another, aborts, and bodies', async () => {
    const { own, crossed, aborts, bodies } = await visit('/outcomes');
    for (const [path, [expected, elsewhere = expected]] of Object.entries(OUTCOMES))
      for (const [found, wanted] of [
        [own[path], expected],
        [crossed[path], elsewhere],
      ])
        assert.deepEqual({ ...found, ...wanted }, found, path);
    assert.deepEqual(aborts, ['aborted', 'aborted']);
    // WebKit wraps the errors of a body that was looked at.
    for (const [sender, ends] of Object.entries(bodies)) assert.deepEqual(ends, bodies['bare fetch'], sender);
  });

  // Last: the worker stays.
  test('a service worker: its page reaches the server as through bare fetch; what fails behind it is retried', async () => {
    const { names, texts, failed } = await visit('/worker-page');
    echo.check(names, COUNT + 2, !BROWSERS.WebKit);
    assert.deepEqual(new Set(texts), new Set(['answer']));
    assert.deepEqual(failed, Array(2).fill([3, 'exhausted']));
  });
});
