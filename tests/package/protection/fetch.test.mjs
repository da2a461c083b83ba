// Protection in `fetch`: what the key's function gets, and a rejection that touches no request. What is sent, held and
// counted are rows of tests/vectors/fetch.json.

import assert from 'node:assert/strict';

import { statuses } from '../lib/fetching.mjs';
import { importAll, plain, timed, watched } from './entry.mjs';

const { RejectedError, breaker, budget, cooldown, createFetch, protect, retryReport } = await importAll();

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
