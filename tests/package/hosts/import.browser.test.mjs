// The package in real browsers: bundled, as native modules, in a worker, under a Content-Security-Policy.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { html, inBrowsers, js, packageFile, serve } from '../lib/browsers.mjs';
import { bundled } from '../lib/bundle.mjs';
import { importPackage, project, repo } from '../lib/consumer.mjs';

const { RetryPolicy } = await importPackage();
const VECTORS = readFileSync(join(repo, 'tests', 'vectors', 'delays.json'), 'utf8');

/** Program for each kind of page and for the worker. It prints nothing: the test checks its results. */
const JOB = `
import { RetryPolicy, retry, retryWithEqualJitter, retryWithFixedDelay, retryWithFullJitter } from 'rejitter';

const flaky = (failures) => {
  let calls = 0;
  return () => { calls += 1; if (calls <= failures) throw new Error('flaky'); return calls; };
};
const settledInMicrotasks = async (promise) => {
  let state;
  promise.then((value) => { state = { value }; }, (error) => { state = { error }; });
  for (let i = 0; i < 64; i += 1) await undefined;
  return state;
};
const sleep = (ms) => new Promise((go) => { setTimeout(go, ms); });

export async function job() {
  const out = {};
  out.value = await retryWithFullJitter(flaky(3), { baseMs: 2 });
  out.parallel = (await Promise.all(Array.from({ length: 50 }, (_, i) => retryWithEqualJitter(flaky(i % 4),
    { baseMs: 1 })))).join('');

  const began = performance.now();
  await retryWithFixedDelay(flaky(2), { baseMs: 40 });
  out.waited = performance.now() - began;

  const controller = new AbortController();
  const reason = { why: 'enough' };
  let calls = 0;
  const waiting = retry(() => { calls += 1; throw new Error('flaky'); }, { baseMs: 60000, capMs: 60000, jitter: 'none',
    signal: controller.signal });
  waiting.catch(() => {});
  await sleep(20);
  controller.abort(reason);
  const state = await settledInMicrotasks(waiting);
  out.abort = { atOnce: state !== undefined, same: state?.error === reason, calls };

  out.undefined = await retry(() => Promise.reject(undefined), { baseMs: 0, maxAttempts: 3 }).then(() => 'resolved',
    (error) => String(error));
  const refused = await retry(() => 1, { baseMs: -1, maxAtempts: 2 }).catch((error) => error);
  out.refused = { type: refused instanceof TypeError, message: refused.message };

  let served = 0;
  out.fetched = await retryWithFullJitter(async ({ signal }) => {
    served += 1;
    const response = await fetch('/flaky?' + served, { signal });
    if (!response.ok) throw new Error('status ' + response.status);
    return response.text();
  }, { baseMs: 1 });

  // A loop that starves timers never ends.
  const stop = new AbortController();
  setTimeout(() => stop.abort('enough'));
  out.zero = await retry(() => { throw 0; }, { baseMs: 0, maxAttempts: Infinity,
    signal: stop.signal }).catch((error) => error);

  out.unseeded = new Set(Array.from({ length: 100 }, () => new RetryPolicy().delays().next().value)).size;
  const vectors = await (await fetch('/vectors.json')).json();
  out.delays = vectors.map(({ options, seed }) => {
    const revived = Object.fromEntries(Object.entries(options).map(([k, v]) => [k, v === 'Infinity' ? Infinity : v]));
    return [...new RetryPolicy(revived).delays({ seed })];
  });
  return out;
}
`;

/** Only where there is a document. */
const FRAME = `
import { retry } from 'rejitter';
export async function frameSignal() {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const { AbortController: Foreign, AbortSignal: ForeignSignal } = frame.contentWindow;
  const controller = new Foreign();
  const promise = retry(() => { throw 0; }, { baseMs: 60000, capMs: 60000, signal: controller.signal });
  setTimeout(() => controller.abort('from the frame'), 5);
  const error = await promise.catch((e) => e);
  const before = await retry(() => 1, { signal: ForeignSignal.abort('before') }).catch((e) => e);
  frame.remove();
  return { foreign: !(controller.signal instanceof AbortSignal), error, before };
}
`;

const PAGE = `
import { job } from './job.mjs';
import { frameSignal } from './frame.mjs';
globalThis.finished = job().then(async (out) => ({ ...out, frame: await frameSignal() }));
`;
const WORKER = `
import { job } from './job.mjs';
job().then((out) => postMessage({ out }), (error) => postMessage({ failed: String(error.stack) }));
`;
const WORKER_PAGE = `
const worker = new Worker('/worker.js', { type: 'module' });
globalThis.finished = new Promise((done, failed) => {
  worker.onmessage = ({ data }) => (data.out ? done(data.out) : failed(new Error(data.failed)));
  worker.onerror = (event) => failed(new Error(event.message));
});
`;
/** Under a policy that forbids wasm. */
const CSP_PAGE = `
import { RetryPolicy, retry, retryReport } from 'rejitter';
globalThis.finished = (async () => {
  const success = await retry(() => 'value');
  const warnings = [];
  console.warn = (...args) => warnings.push(args.join(' '));
  let calls = 0;
  const mine = new Error('flaky');
  const ends = [];
  for (let i = 0; i < 2; i += 1) {
    const error = await retry(() => { calls += 1; throw mine; }, { baseMs: 0, maxAttempts: 3 }).catch((e) => e);
    ends.push({ calls, own: error === mine, reason: retryReport(error).reason });
  }
  let delays = 'none';
  try { new RetryPolicy().delays().next(); } catch (error) { delays = error.message; }
  return { success, ends, warnings, delays };
})();
`;

const CSP = "default-src 'none'; connect-src 'self'; img-src data:; script-src 'self'";

let server;

before(async () => {
  const dir = project('browser', {
    'job.mjs': JOB,
    'frame.mjs': FRAME,
    'page.mjs': PAGE,
    'worker.mjs': WORKER,
    'csp.mjs': CSP_PAGE,
  });
  const [page, worker, csp] = await Promise.all(
    ['page', 'worker', 'csp'].map((name) => bundled(dir, { entry: `${name}.mjs` })),
  );
  const routes = {
    '/bundled': html('<script type="module" src="/bundle.js"></script>'),
    '/bundle.js': js(page),
    '/native': html(
      '<script type="importmap">{ "imports": { "rejitter": "/rejitter/index.js" } }</script><script type="module" ' +
        'src="/src/page.mjs"></script>',
    ),
    '/src/page.mjs': js(PAGE),
    '/src/job.mjs': js(JOB),
    '/src/frame.mjs': js(FRAME),
    '/worker': html('<script type="module" src="/worker-page.js"></script>'),
    '/worker-page.js': js(WORKER_PAGE),
    '/worker.js': js(worker),
    '/csp.js': js(csp),
    '/forbidden': html('<script type="module" src="/csp.js"></script>', { 'content-security-policy': CSP }),
    '/allowed': html('<script type="module" src="/csp.js"></script>', {
      'content-security-policy': `${CSP} 'wasm-unsafe-eval'`,
    }),
    '/unbundled': html('<script type="module" src="/src/csp.mjs"></script>', { 'content-security-policy': CSP }),
    '/src/csp.mjs': js(CSP_PAGE.replaceAll("'rejitter'", "'/rejitter/index.js'")),
    '/complaining': html(
      '<script>console.error("complaint"); setTimeout(() => { globalThis.finished = 1; }, 50); throw new ' +
        'Error("uncaught");</script>',
    ),
    '/vectors.json': { type: 'application/json', body: VECTORS },
  };
  let requested = 0;
  server = await serve((path) => {
    if (path === '/flaky') {
      // Two error responses, then a success.
      return (request, response) => {
        requested = request.url.endsWith('?1') ? 1 : requested + 1;
        if (requested < 3) response.writeHead(503).end();
        else response.writeHead(200, { 'content-type': 'text/plain' }).end('served');
      };
    }
    return routes[path] ?? packageFile(path);
  });
});
after(() => server.close());

const expectedDelays = JSON.parse(VECTORS).map(({ options, seed }) => {
  const revived = Object.fromEntries(Object.entries(options).map(([k, v]) => [k, v === 'Infinity' ? Infinity : v]));
  return [...new RetryPolicy(revived).delays({ seed })];
});

function check({ waited, delays, refused, frame, ...rest }, texts) {
  assert.deepEqual(rest, {
    value: 4,
    parallel: Array.from({ length: 50 }, (_, i) => 1 + (i % 4)).join(''),
    abort: { atOnce: true, same: true, calls: 1 },
    undefined: 'undefined',
    fetched: 'served',
    zero: 'enough',
    unseeded: 100,
  });
  // Two waits of 40 ms; clocks of browsers step by up to 1 ms.
  assert.ok(waited >= 78, `${waited} ms`);
  assert.ok(refused.type);
  assert.match(refused.message, texts);
  assert.equal(delays.length, expectedDelays.length);
  for (const [i, list] of delays.entries())
    assert.deepEqual(list, expectedDelays[i], `vector ${i + 1}: not Node's bits`);
}

inBrowsers((open) => {
  /** A 503 is written to the console by the browser itself: the job's two are known. */
  async function visit(path) {
    const missedBefore = server.missed.length;
    const { result, complaints } = await open(server.origin + path);
    assert.deepEqual(server.missed.slice(missedBefore), []);
    return { result, complaints: complaints.filter((text) => !/status of 503/.test(text)) };
  }

  // Production bundles have no long texts.
  const short = /^rejitter: baseMs: invalid -1; unknown option "maxAtempts"$/;
  for (const [name, path, texts] of [
    ['a minified bundle', '/bundled', short],
    ['native modules, by an import map', '/native', /baseMs must be .*-1.*maxAtempts.*maxAttempts/s],
    ['a module worker', '/worker', short],
  ])
    test(name, async () => {
      const { result, complaints } = await visit(path);
      check(result, texts);
      assert.deepEqual(complaints, []);
      // A13: a signal of an iframe.
      if (path === '/bundled')
        assert.deepEqual(result.frame, { foreign: true, error: 'from the frame', before: 'before' });
    });

  for (const [name, path] of [
    ['a bundle', '/forbidden'],
    ["a bundle for a policy with 'wasm-unsafe-eval'", '/allowed'],
  ])
    test(`a Content-Security-Policy: retries, and says nothing: ${name}`, async () => {
      const { result, complaints } = await visit(path);
      assert.deepEqual(result, {
        success: 'value',
        ends: [
          { calls: 3, own: true, reason: 'exhausted' },
          { calls: 6, own: true, reason: 'exhausted' },
        ],
        warnings: [],
        delays: 'none',
      });
      assert.deepEqual(complaints, []);
    });

  test('without a bundler, under a policy that refuses the wasm: retries, and only the browser speaks of it', async () => {
    const { result } = await visit('/unbundled');
    assert.deepEqual([result.ends.map(({ calls }) => calls), result.warnings], [[3, 6], []]);
  });

  test('control: a complaint of a page is seen', async () => {
    const { complaints } = await visit('/complaining');
    assert.equal(complaints.length, 2, complaints.join());
  });
});
