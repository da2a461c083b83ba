// Causes of errors that callbacks other than the operation throw, as far as the random schedules (../schedules) do not
// look at them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { retry, retrySync } = await importPackage();
const E = new Error('failing');

/** How an operation ends by retry, and how by retrySync. */
const both = async (fn, options) => [
  await underClock(() => retry(fn, options)),
  underBlockingClock(() => retrySync(fn, options)),
];

test('the failure becomes the cause of what a callback throws, which is not enumerable, as errors have it', async () => {
  for (const name of ['retryIf', 'random', 'backoff', 'beforeRetry']) {
    for (const end of await both(fails(E), { [name]: () => fails(new Error('own'))() })) {
      assert.deepEqual([end.error.message, end.error.cause, Object.keys(end.error)], ['own', E, []], name);
    }
  }
});

test('errors about the values of retryIf, random and backoff have the failure as their cause', async () => {
  for (const [name, value] of Object.entries({ retryIf: undefined, random: 7, backoff: 'soon' })) {
    for (const { error } of await both(fails(E), { [name]: () => value })) {
      assert.match(error.message, new RegExp(`^rejitter: ${name}.* must return .*, got `));
      assert.equal(error.cause, E);
    }
  }
  for (const { error } of await both(() => 'result', { retryOnResult: () => undefined }))
    assert.ok(error instanceof TypeError && !('cause' in error));
});
