// Options of other packages, which pass their own init on to the fetch that they are given.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createFetch as betterFetch } from '@better-fetch/fetch';
import fetchRetry from 'fetch-retry';
import { up } from 'up-fetch';

import { importPackage } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';

const { createFetch } = await importFetch();
const { RetryPolicy } = await importPackage();

/** Runs `fn`, and returns what it printed as warnings. */
async function warnings(t, fn) {
  const warn = t.mock.method(console, 'warn', () => {});
  await fn();
  warn.mock.restore();
  return warn.mock.calls.map(({ arguments: [text] }) => text);
}

const ok = () => Response.json({ name: 'Ada' });
const busy = () => new Response('busy', { status: 503 });

test('up-fetch passes its defaults on with each call: that is said once', async (t) => {
  const { inner, calls } = statuses(busy(), busy(), ok(), busy(), ok());
  const get = up(createFetch(QUICK, inner));
  const said = await warnings(t, async () => {
    assert.deepEqual(await get('http://x.example/'), { name: 'Ada' });
    assert.deepEqual(await get('http://x.example/', { retry: { attempts: 2, delay: 5 } }), { name: 'Ada' });
  });
  assert.equal(calls.length, 5);
  assert.deepEqual(said, ['rejitter: init.retry is ignored, as an option of another package']);
});

test('better-fetch passes its own retry on', async (t) => {
  for (const retry of [{ type: 'linear', attempts: 2, delay: 1 }, 2, undefined]) {
    const { inner, calls } = statuses(busy(), ok());
    const get = betterFetch({ customFetchImpl: createFetch(QUICK, inner), retry });
    await warnings(t, async () => assert.deepEqual((await get('http://x.example/')).data, { name: 'Ada' }));
    assert.equal(calls.length, 2);
  }
});

test('fetch-retry passes its retryOn on: that is said once', async (t) => {
  const { inner, calls } = statuses(busy(), busy(), ok(), ok());
  const get = fetchRetry(createFetch({ ...QUICK, maxAttempts: 2 }, inner));
  const said = await warnings(t, async () => {
    for (const retryOn of [[503], (attempt, _, response) => attempt < 3 && response?.status === 503]) {
      const response = await get('http://x.example/', { retryOn, retries: 3, retryDelay: 1 });
      assert.deepEqual(await response.json(), { name: 'Ada' });
    }
  });
  assert.equal(calls.length, 4);
  assert.deepEqual(said, ['rejitter: init.retryOn is ignored, as an option of another package']);
});

test('with one name of ours, or none at all, a retry is ours', async (t) => {
  const { inner, calls } = statuses(200);
  const fetch = createFetch({}, inner);
  const said = await warnings(t, async () => {
    for (const [retry, problem] of [
      [{ attempts: 2, maxAttempts: 2 }, /unknown option "attempts"/],
      [{ when: () => true, retryIf: () => true }, /unknown option "when"/],
      [{ maxAttempts: 0, delay: 5 }, /maxAttempts must be/],
      [new RetryPolicy(), /got a RetryPolicy/],
      [{ ...new RetryPolicy() }, /got a RetryPolicy/],
      [new AbortController().signal, /got an AbortSignal/],
      [[503], /options must be an object/],
    ])
      await assert.rejects(fetch('http://x.example/', { retry }), problem);
    assert.equal(calls.length, 0);
    for (const retry of [{}, { maxAttempts: undefined }, { seed: 5 }]) await fetch('http://x.example/', { retry });
  });
  assert.deepEqual([calls.length, said], [3, []]);
});
