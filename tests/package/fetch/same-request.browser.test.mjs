// What servers get from fetch in real browsers: each attempt is the request that bare fetch sends, with the referrer
// and the Sec-Fetch headers that only the browser sets, in a page and in a service worker.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { html, inBrowsers, js, serve } from '../lib/browsers.mjs';
import { bundled } from '../lib/bundle.mjs';
import { project } from '../lib/consumer.mjs';

/** The fetches to compare: in a worker, the page names one in the address. */
const FETCHES = `
import { createFetch } from 'rejitter/fetch';
import { budget, hedge, protect } from 'rejitter/protection';

const QUICK = { baseMs: 1, capMs: 2, maxAttempts: 3 };
const prepare = (request) => request.headers.set('x-prepared', '1');
const hedged = () => ({ protection: protect(hedge({ delayMs: 60000 })) });
const OPTIONS = {
  plain: {},
  timed: { attemptTimeoutMs: 60000 },
  keyed: { idempotencyKey: 'auto' },
  prepared: { prepare },
  'prepared and timed': { prepare, totalTimeoutMs: 60000, idempotencyKey: 'auto' },
  hedged: hedged(),
  'prepared and hedged': { prepare, ...hedged() },
  'with a key for protection': { protection: protect(budget()), protectionKey: (request) => request.method },
};
export const fetches = { bare: fetch.bind(globalThis) };
for (const name of Object.keys(OPTIONS)) fetches[name] = createFetch({ ...QUICK, ...OPTIONS[name] });
`;

const CASES = `
const form = () => {
  const made = new FormData();
  made.append('a', '1');
  made.append('file', new File(['file'], 'name.txt', { type: 'x/y' }));
  return made;
};
const INITS = {
  'no init': () => undefined,
  'referrerPolicy no-referrer': () => ({ referrerPolicy: 'no-referrer' }),
  'referrerPolicy origin': () => ({ referrerPolicy: 'origin' }),
  'referrer empty': () => ({ referrer: '' }),
  'another referrer': () => ({ referrer: '/elsewhere' }),
  'credentials omit': () => ({ credentials: 'omit' }),
  'mode same-origin': () => ({ mode: 'same-origin', referrer: '' }),
  'mode no-cors': () => ({ mode: 'no-cors', referrerPolicy: 'no-referrer', headers: { accept: 'x/y' } }),
  'cache no-store': () => ({ cache: 'no-store' }),
  headers: () => ({ headers: { accept: 'x/y', 'x-a': '1' } }),
  'PUT of a string': () => ({ method: 'PUT', body: 'text', referrerPolicy: 'no-referrer' }),
  'PUT of a Blob': () => ({ method: 'PUT', body: new Blob(['blob'], { type: 'x/y' }) }),
  'PUT of parameters': () => ({ method: 'PUT', body: new URLSearchParams('a=1') }),
  'PUT of a form': () => ({ method: 'PUT', body: form() }),
  'POST of a string': () => ({ method: 'POST', body: 'text', referrerPolicy: 'no-referrer' }),
  'POST of a form': () => ({ method: 'POST', body: form(), referrer: '' }),
  'POST of a form under a key': () => ({ method: 'POST', body: form(), headers: { 'idempotency-key': 'k' } }),
};
export const CASES = {};
for (const [name, make] of Object.entries(INITS)) {
  CASES[name] = (url) => [url, make()];
  CASES['a Request: ' + name] = (url) => [new Request(url, make())];
  CASES['a Request and headers: ' + name] = (url) => [new Request(url, make()), { headers: { 'x-b': '1' } }];
}

/** Sends each case through each of these, 503 twice; the server notes what it got. */
export async function sendAll(origin, names, send) {
  for (const [what, make] of Object.entries(CASES))
    await Promise.all(names.map(async (name) => {
      const query = new URLSearchParams({ id: [origin, what].join(), fetch: name });
      await send(name, make(origin + '/echo?' + query));
    }));
}
`;

const PAGE = `
import { fetches } from './fetches.mjs';
import { sendAll } from './cases.mjs';
globalThis.finished = (async () => {
  document.cookie = 'c=1';
  await sendAll('', Object.keys(fetches), (name, args) => fetches[name](...args));
  return Object.keys(fetches);
})();
`;

const WORKER = `
import { fetches } from './fetches.mjs';
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { pathname, searchParams } = new URL(event.request.url);
  if (pathname === '/echo') event.respondWith(fetches[searchParams.get('fetch')](event.request));
});
`;

const WORKER_PAGE = `
import { fetches } from './fetches.mjs';
import { sendAll } from './cases.mjs';
globalThis.finished = (async () => {
  document.cookie = 'c=1';
  await navigator.serviceWorker.register('/worker.js', { type: 'module' });
  await navigator.serviceWorker.ready;
  while (!navigator.serviceWorker.controller) await new Promise((go) => setTimeout(go, 10));
  await sendAll('', Object.keys(fetches), (name, args) => fetch(...args));
  const loaded = (frame, start) => new Promise((done) => {
    frame.onload = () => done(frame.contentDocument.body.textContent);
    start();
  });
  const texts = [];
  for (const name of Object.keys(fetches)) {
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
  return [Object.keys(fetches), texts];
})();
`;

/** Headers that must be the same; further ones are the connection's and the browser's business. */
const HEADERS =
  'referer origin cookie accept content-type content-length cache-control pragma x-a x-b upgrade-insecure-requests ' +
  'sec-fetch-mode sec-fetch-dest sec-fetch-site sec-fetch-user';

/** What the server got: case → fetch → attempts. @type {Map<string, Record<string, any[]>>} */
const seen = new Map();

function echo(request, response) {
  const { searchParams } = new URL(request.url, 'http://loopback');
  const [id, name] = [searchParams.get('id'), searchParams.get('fetch')];
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const bytes = Buffer.concat(chunks).toString('latin1');
    const headers = Object.fromEntries(HEADERS.split(' ').map((each) => [each, request.headers[each]]));
    const entry = seen.get(id) ?? seen.set(id, {}).get(id);
    const attempts = (entry[name] ??= []);
    const { 'idempotency-key': key, 'x-prepared': prepared } = request.headers;
    attempts.push({ sent: { method: request.method, bytes, headers }, key, prepared });
    const busy = name !== 'bare' && attempts.length < 3;
    response.writeHead(busy ? 503 : 200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('answer');
  });
}

/** Without the boundary of a form, which has another length in some engines. */
function compared({ method, bytes, headers }) {
  const [, boundary] = /^--(-+\S+)\r\n/.exec(bytes) ?? [];
  if (boundary === undefined) return { method, bytes, headers };
  assert.equal(headers['content-length'], String(bytes.length));
  const same = (text) => text?.replaceAll(boundary, 'BOUNDARY');
  const others = { ...headers, 'content-length': '', 'content-type': same(headers['content-type']) };
  return { method, bytes: same(bytes), headers: others };
}

/** Compares the attempts of each case with the request of bare fetch. */
function check(names) {
  for (const [id, entry] of seen) {
    assert.equal(entry.bare.length, 1, id);
    const bare = compared(entry.bare[0].sent);
    for (const name of names) {
      const attempts = entry[name];
      const where = `${id}, ${name}`;
      const isKeyed = attempts[0].key !== undefined;
      if (name !== 'bare') assert.equal(attempts.length, isKeyed || bare.method !== 'POST' ? 3 : 1, where);
      for (const [i, { sent, key, prepared }] of attempts.entries()) {
        assert.deepEqual(compared(sent), bare, `${where}, attempt ${i + 1}`);
        assert.equal(prepared, /prepared/.test(name) && !/no-cors/.test(id) ? '1' : undefined, where);
        assert.equal(key, attempts[0].key, where);
        if (isKeyed) assert.equal(sent.bytes, attempts[0].sent.bytes, where);
      }
    }
  }
}

let server;

before(async () => {
  const dir = project('fetch-browser-same', {
    ...{ 'fetches.mjs': FETCHES, 'cases.mjs': CASES },
    ...{ 'page.mjs': PAGE, 'worker.mjs': WORKER, 'worker-page.mjs': WORKER_PAGE },
  });
  const [page, worker, workerPage] = await Promise.all(
    ['page', 'worker', 'worker-page'].map((name) => bundled(dir, { entry: `${name}.mjs` })),
  );
  const routes = {
    '/page': html('<script type="module" src="/page.js"></script>'),
    '/page.js': js(page),
    '/worker': html('<script type="module" src="/worker-page.js"></script>'),
    '/worker-page.js': js(workerPage),
    '/worker.js': js(worker),
    '/echo': echo,
  };
  server = await serve((path) => routes[path]);
});
after(() => server.close());

inBrowsers((open) => {
  async function visit(path) {
    seen.clear();
    const { result, errors } = await open(server.origin + path);
    assert.deepEqual(errors, []);
    return result;
  }

  test('a page: each attempt sends what bare fetch sends, with the same referrer', async () => {
    const names = await visit('/page');
    assert.equal(seen.size, 51);
    check(names);
    const referrers = (id) => seen.get(`,${id}`).prepared.map(({ sent }) => sent.headers.referer);
    assert.deepEqual(referrers('referrerPolicy no-referrer'), Array(3).fill(undefined));
    assert.deepEqual(referrers('no init'), Array(3).fill(`${server.origin}/page`));
  });

  test('a service worker: requests and navigations of its page reach the server as through bare fetch', async () => {
    const [names, texts] = await visit('/worker');
    assert.equal(seen.size, 53);
    check(names);
    assert.ok(texts.every((text) => text === 'answer'));
  });
});
