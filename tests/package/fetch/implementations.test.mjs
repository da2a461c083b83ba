// fetch over other fetches: undici's own, a Vitest mock.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';

import * as undici from 'undici';

import { importPackage } from '../lib/consumer.mjs';
import { QUICK, failing, importFetch, listen, serving } from '../lib/fetching.mjs';
import { until } from '../../../www/demo/lib/until.mjs';
import { inFramework } from '../lib/frameworks.mjs';
import { onLoopback } from '../../../www/demo/lib/loopback.mjs';

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
