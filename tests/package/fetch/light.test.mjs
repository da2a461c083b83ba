// rejitter/light/fetch: what rows of tests/vectors/fetch.json, which it runs, cannot say. The requests that it sends
// are compared with those of bare fetch in requests.slow.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry } from '../lib/consumer.mjs';
import { QUICK, failing, serving, statuses } from '../lib/fetching.mjs';

const { TimeoutError, createFetch } = await importEntry('light/fetch');
const { fresh, bodiesOf } = serving(failing(2));
const quick = createFetch(QUICK);

test('nothing is copied for the last attempt; a used request is an error of fetch, unless init has a body', async () => {
  const { inner, calls } = statuses(503);
  const put = { method: 'PUT', body: 'whole' };
  const request = new Request('http://x/', put);
  await createFetch({ ...QUICK, maxAttempts: 3 }, inner)(request);
  assert.deepEqual(
    calls.map(([sent]) => sent === request),
    [false, false, true],
  );
  const used = new Request(fresh(), put);
  await used.text();
  await assert.rejects(quick(used), TypeError);
  assert.equal((await quick(used, { body: 'whole' })).status, 200);
  assert.deepEqual(bodiesOf(used.url), ['whole', 'whole', 'whole']);
  // `undefined` in init leaves a Request's own method as it is.
  const own = new Request(fresh(), { method: 'POST', body: 'item=7' });
  assert.equal((await quick(own, { method: undefined, headers: undefined })).status, 503);
});

test('mistakes are made once, a body that is read is not cancelled, and a timeout is of its own class', async () => {
  for (const args of [['http://'], ['http://x/', { headers: { 'a b': '1' } }], ['http://x/', { body: 'x' }]]) {
    let calls = 0;
    const inner = (...all) => fetch(...all, (calls += 1));
    await assert.rejects(createFetch(QUICK, inner)(...args), TypeError);
    assert.ok(calls <= 1, `${args}`);
  }
  const locked = new Response('x', { status: 503 });
  locked.body.getReader();
  assert.equal((await underClock(() => createFetch({}, statuses(locked, 200).inner)('http://x/'))).value.status, 200);
  const hangs = (_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason)));
  const { error } = await underClock(() => createFetch({ attemptTimeoutMs: 5, maxAttempts: 2 }, hangs)('http://x/'));
  assert.ok(error instanceof TimeoutError);
});
