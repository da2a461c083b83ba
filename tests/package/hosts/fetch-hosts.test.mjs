// fetch over other fetches and in other hosts: undici's own, a Vitest mock, workerd.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';

import * as undici from 'undici';

import { bundleOf } from '../lib/bundle.mjs';
import { importPackage, inlinedText, project } from '../lib/consumer.mjs';
import { onEdge } from '../lib/edge.mjs';
import { QUICK, closedOrigin, failing, importFetch, listen, serving } from '../lib/fetching.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { inFramework } from '../lib/frameworks.mjs';
import { onLoopback } from '../../../www/demo/lib/loopback.mjs';
import { onWorkerd } from '../lib/workerd.mjs';

const { createFetch } = await importFetch();
const { retryReport } = await importPackage();

const { fresh, requestsOf, bodiesOf } = serving(failing(2));

test("undici's fetch: its responses, its requests, its forms", async () => {
  const fetch = createFetch(QUICK, undici.fetch);
  const url = fresh();
  const response = await fetch(url, { method: 'PUT', body: 'x' });
  assert.ok(response instanceof undici.Response);
  assert.equal(await response.text(), 'x');
  assert.equal(requestsOf(url).length, 3);

  const other = fresh();
  const request = new undici.Request(other, { method: 'PUT', body: 'by a Request' });
  assert.equal(await (await fetch(request)).text(), 'by a Request');
  assert.deepEqual(bodiesOf(other), Array(3).fill('by a Request'));
  assert.equal(request.bodyUsed, true);

  const form = new undici.FormData();
  form.append('a', '1');
  const third = fresh();
  assert.equal((await fetch(third, { method: 'PUT', body: form })).status, 200);
  assert.ok(bodiesOf(third).every((body) => /name="a"/.test(body)));

  const keyed = fresh();
  assert.equal((await fetch(keyed, { method: 'POST', body: 'x', retry: { idempotencyKey: 'auto' } })).status, 200);
  assert.equal(new Set(requestsOf(keyed).map(({ headers }) => headers['idempotency-key'])).size, 1);
});

test("undici's fetch: an abort in its body, and a dispatcher with a connect timeout of its own", async () => {
  const agent = new undici.Agent({ connect: { timeout: 200 } });
  const mute = await onLoopback(createServer((socket) => socket.resume()));
  const stalling = await listen((request, response) => response.writeHead(200).write('begin'));
  try {
    const fetch = createFetch({ ...QUICK, maxAttempts: 2, attemptTimeoutMs: 30_000 }, (input, init) =>
      undici.fetch(input, { ...init, dispatcher: agent }),
    );
    const controller = new AbortController();
    const response = await fetch(stalling.origin, { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    assert.equal(await response.text().catch((error) => error), reason);
    await until('the server sees the close', () => stalling.seen[0].closed);
    // Nothing answers the handshake here: undici gives up, and so do we, in less than the attempt's own time.
    const error = await fetch(mute.origin.replace('http', 'https'), { method: 'POST', body: 'x' }).catch((e) => e);
    assert.ok(error instanceof TypeError);
    assert.equal(retryReport(error).attempts, 2, 'nothing was processed, so a POST is sent again');
  } finally {
    await agent.close().catch(() => {});
    await Promise.all([stalling.close(), mute.close()]);
  }
});

const VITEST = `
import { createFetch, fetchWithRetry } from 'rejitter/fetch';
test('a mock, with fake timers', async () => {
  vi.useFakeTimers();
  const mock = vi.fn()
    .mockResolvedValueOnce(new Response('later', { status: 503, headers: { 'retry-after': '30' } }))
    .mockRejectedValueOnce(new TypeError('fetch failed'))
    .mockResolvedValue(new Response('done'));
  vi.stubGlobal('fetch', mock);
  const headers = { accept: 'text/plain' };
  const promise = fetchWithRetry('https://example.com/data', { method: 'PUT', body: 'x', headers });
  expect(mock).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(mock).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await (await promise).text()).toBe('done');
  expect(mock).toHaveBeenCalledTimes(3);
  expect(mock).toHaveBeenNthCalledWith(1, 'https://example.com/data', { method: 'PUT', body: 'x', headers });
  expect(mock).toHaveBeenNthCalledWith(3, 'https://example.com/data', { signal: expect.any(AbortSignal), method: 'PUT',
    body: 'x', headers });
  expect(vi.getTimerCount()).toBe(0);
  vi.unstubAllGlobals();
  vi.useRealTimers();
  const given = vi.fn(async () => ({ status: 200, json: async () => ({ ok: 1 }) }));
  const response = await createFetch({}, given)('/relative');
  expect(await response.json()).toEqual({ ok: 1 });
  expect(given).toHaveBeenCalledWith('/relative');
});
`;

test('Vitest: a mock of fetch sees what fetch would, and fake timers drive the waits', async () => {
  const { passes, output } = await inFramework('Vitest', VITEST, 1);
  assert.ok(passes, output);
  const late = await inFramework('Vitest', VITEST.replace('29_999', '50_000'), 1);
  assert.equal(late.passes, false, 'control: sees a wait that has ended');
});

/** The program of the workers' hosts, which responds with its observations. */
const JOB = `
import { createFetch } from 'rejitter/fetch';
import { retryReport } from 'rejitter';
export async function job(target, closed) {
  const events = [];
  const fetch = createFetch({ baseMs: 1, maxAttempts: 3, attemptTimeoutMs: 20000, onRetry: ({ status, hintMs }) =>
    events.push([status, hintMs]) });
  const got = await fetch(target + '/get', { signal: new AbortController().signal });
  const put = await fetch(new Request(target + '/put', { method: 'PUT', body: 'from a worker' }));
  const post = await fetch(target + '/post', { method: 'POST', body: 'keyed', retry: { idempotencyKey: 'auto' } });
  const refused = await fetch(closed).catch((error) => error);
  return JSON.stringify([got.status, await put.text(), await post.text(), events, refused.message,
    retryReport(refused)?.attempts]);
}
`;
const WORKER = `
import { job } from './job.mjs';
export default { async fetch(request) {
  try {
    const { searchParams } = new URL(request.url);
    return new Response(await job(searchParams.get('target'), searchParams.get('closed')));
  } catch (error) { return new Response(String(error.stack), { status: 500 }); }
} };
`;

/** `use` runs the job against a server that fails twice for each path, and a port without a listener. */
async function checkJob(use) {
  const closed = await closedOrigin();
  const target = await listen((request, response, nth) => {
    if (nth < 3) response.writeHead(503, { 'retry-after-ms': '2' }).end('later');
    else response.end(request.body.length > 0 ? request.body : 'ok');
  });
  try {
    const [got, put, post, events, message, attempts] = JSON.parse(await use(target.origin, closed));
    assert.deepEqual([got, put, post], [200, 'from a worker', 'keyed']);
    assert.deepEqual(events.slice(0, 6), Array(6).fill([503, 2]));
    assert.equal(attempts, 3, message);
    assert.equal(
      new Set(target.seen.filter(({ path }) => path === '/post').map(({ headers }) => headers['idempotency-key'])).size,
      1,
    );
  } finally {
    await target.close();
  }
}

test('edge-light: retries against a real server from the edge runtime, which rejects compiling bytes', async () => {
  const { exported, vm, imports } = await onEdge(project('edge-fetch', { 'main.mjs': JOB }));
  assert.deepEqual(imports, [], 'no wasm file is imported');
  assert.throws(
    () => vm.evaluate('new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))'),
    /disallowed/,
  );
  await checkJob((target, closed) => exported.job(target, closed));
});

for (const date of ['2025-01-01', '2026-01-01'])
  test(`W07 workerd, as of ${date}: retries against a real server`, () =>
    checkJob((target, closed) =>
      onWorkerd({ 'job.mjs': JOB, 'worker.mjs': WORKER }, { query: { target, closed }, date }),
    ));

const BOTH = "export { retry, retryReport } from 'rejitter';\nexport { fetchWithRetry } from 'rejitter/fetch';\n";

test('one instance: a bundle of both entries has the driver and the core once', async () => {
  const text = await bundleOf(BOTH, { platform: 'neutral', conditions: ['module'] });
  for (const part of [inlinedText('index.js'), 'rejitter:operation']) assert.equal(text.split(part).length - 1, 1);
});

test('where WebAssembly cannot be compiled, a bundle has no inlined core', async () => {
  const has = async (conditions, platform = 'neutral') =>
    (await bundleOf(BOTH, { conditions, platform })).includes(inlinedText('index.js'));
  assert.equal(await has([], 'browser'), false);
  assert.equal(await has(['module']), true);
  for (const condition of ['workerd', 'edge-light', 'react-native', 'browser'])
    assert.equal(await has([condition]), false, condition);
});

test('the main entry alone has nothing of fetch', async () => {
  const text = (await bundleOf("export * from 'rejitter';\n")).toLowerCase();
  // isTransientError reads whether an error's headers ask to wait, and no more of them.
  for (const part of ['idempotency', 'ratelimit', 'econnrefused']) assert.ok(!text.includes(part), part);
});
