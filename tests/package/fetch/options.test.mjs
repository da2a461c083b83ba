// The options of a fetch, of a RetryPolicy under it and of a call: what is rejected, seeds, and when they are read.
// What they do are rows of tests/vectors/fetch.json.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OBSERVERS, fails } from '../lib/callbacks.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';
import { caught, declarations } from '../lib/readers.mjs';

const { createFetch } = await importFetch();
const { RetryPolicy } = await importPackage();

test('options: all problems at once, with the remedies', () => {
  const messageOf = (...args) => {
    const error = caught(() => createFetch(...args));
    assert.ok(error instanceof TypeError);
    return error.message;
  };
  // The rest are rows of tests/vectors/parts.json.
  for (const [options, problem] of [
    [{ retryIf: () => true }, /^rejitter: retryIf must be omitted \(got a function\): use retryOn/],
    [new Map(), /^rejitter: options must be an object of options/],
    [fetch, /^rejitter: options must be an object; fetch is the second argument, got a function$/],
    [
      new RetryPolicy({ finalResult: 'reject' }),
      /^rejitter: finalResult must be omitted \(got "reject"\): use throwOn/,
    ],
  ])
    assert.match(messageOf(options), problem);
  assert.match(messageOf({}, 5), /fetch must be .*, got 5/);
  assert.doesNotThrow(() => createFetch(new RetryPolicy({ finalResult: 'resolve' })));
  const many = messageOf(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown${i}`, 1])));
  assert.ok(many.split('; ').length <= 11 && many.length < 2000);
  // A rejected option is not suggested.
  const known = messageOf({ nonsense: 1 }).split('Known options: ')[1].split(', ');
  const rejected = ['metrics', 'retryIf', 'retryOnResult', 'finalResult'];
  assert.deepEqual(
    known.filter((name) => rejected.includes(name)),
    [],
  );
  for (const name of ['retryOn', 'hint', 'idempotencyHeader', 'name', 'baseMs']) assert.ok(known.includes(name), name);
  // The declarations have every option that only fetch has, and no other.
  const general = caught(() => new RetryPolicy({ nonsense: 1 }))
    .message.split('Known options: ')[1]
    .split(', ');
  const declared = declarations('fetch.d.ts').split('interface FetchOnlyOptions {')[1].split('\n}\n')[0];
  const names = [...declared.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  assert.deepEqual(
    // Hooks are general, but their events are not.
    names.filter((name) => !OBSERVERS.includes(name)).sort(),
    known.filter((name) => !general.includes(name)).sort(),
  );
});

test('a seed: each call is the next operation, also one with options of its own', async () => {
  const options = { ...QUICK, maxAttempts: 2, seed: 'a fetch' };
  const waits = [];
  const fetch = createFetch({ ...options, onRetry: ({ delayMs }) => waits.push(delayMs) }, statuses(503).inner);
  for (const retry of [{}, undefined, { throwOnStatus: false }, undefined, { respectRetryAfter: false }])
    await fetch('http://x/', { retry });
  const delays = new RetryPolicy(options).delays();
  const expected = waits.map(() => {
    const [wait] = delays;
    delays.reset();
    return wait;
  });
  assert.deepEqual(waits, expected);
  assert.equal(new Set(waits).size, 5);
  await fetch('http://x/', { retry: { seed: 'another' } });
  assert.equal(waits.at(-1), new RetryPolicy({ ...options, seed: 'another' }).delays().next().value);
});

test('a seeded policy: its operations are counted over both of its uses', async () => {
  const options = { ...QUICK, seed: 5, maxAttempts: 2 };
  const waits = async (...uses) => {
    const found = [];
    const policy = new RetryPolicy({ ...options, onRetry: ({ delayMs }) => found.push(delayMs) });
    const fetch = createFetch(policy, statuses(503).inner);
    for (const use of uses)
      await (use === 'fetch' ? fetch('http://x/') : policy.run(fails(new Error('x'))).catch(() => {}));
    return found;
  };
  const expected = await waits('run', 'run', 'run');
  assert.equal(new Set(expected).size, 3);
  assert.deepEqual(await waits('fetch', 'run', 'fetch'), expected);
});

test('options of a call are read once, and again when they have changed', async () => {
  const read = [];
  const { inner, calls } = statuses(503);
  const fetch = createFetch(QUICK, inner);
  const attempts = async (retry) => {
    calls.length = 0;
    await fetch('http://x/', { retry });
    return calls.length;
  };
  const retry = { maxAttempts: 2 };
  assert.equal(await attempts(retry), 2);
  assert.equal(await attempts(retry), 2);
  retry.maxAttempts = 3;
  assert.equal(await attempts(retry), 3);
  retry.retryOn = [429];
  assert.equal(await attempts(retry), 1);
  retry.retryOn.push(503);
  assert.equal(await attempts(retry), 3, 'a list that changed');
  delete retry.retryOn;
  delete retry.maxAttempts;
  assert.equal(await attempts(retry), 6);
  assert.equal(await attempts({ maxAttempts: 2 }), 2);
  assert.equal(await attempts({ throwOnStatus: false }), 6);
  assert.equal(await attempts({ maxAttempts: undefined }), 6);
  const getter = {
    enumerable: true,
    get() {
      read.push('maxAttempts');
      return 2;
    },
  };
  assert.equal(await attempts(Object.defineProperty({}, 'maxAttempts', getter)), 2);
  assert.deepEqual(read, ['maxAttempts']);
  await assert.rejects(attempts({ maxAttempts: '2' }), TypeError);
  await assert.rejects(attempts({ maxAttempts: '2' }), TypeError);
  await assert.rejects(attempts({ retryAfter: 2, maxAttempts: 2 }), /unknown option "retryAfter"/);
});
