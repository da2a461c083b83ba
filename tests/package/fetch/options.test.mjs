// The options of a fetch, of a RetryPolicy under it and of a call: their names, seeds, and when they are read. What they
// do are rows of tests/vectors/fetch.json, what is rejected of mistakes.json.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OBSERVERS, fails } from '../lib/callbacks.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { QUICK, importFetch, statuses } from '../lib/fetching.mjs';
import { caught, declarations } from '../lib/readers.mjs';

const { createFetch } = await importFetch();
const { RetryPolicy } = await importPackage();

test('the options that are known are those that are declared; a message lists at most ten problems', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown${i}`, 1]));
  const { message } = caught(() => createFetch(many));
  assert.ok(message.split('; ').length <= 11 && message.length < 2000);
  const knownBy = (make) => caught(make).message.split('Known options: ')[1].split(', ');
  const known = knownBy(() => createFetch({ nonsense: 1 }));
  const general = knownBy(() => new RetryPolicy({ nonsense: 1 }));
  const declared = declarations('fetch.d.ts').split('interface FetchOnlyOptions {')[1].split('\n}\n')[0];
  const names = [...declared.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  assert.deepEqual(
    // Hooks are general, but their events are not.
    names.filter((name) => !OBSERVERS.includes(name)).sort(),
    known.filter((name) => !general.includes(name)).sort(),
  );
  // A rejected option is not suggested.
  for (const name of ['metrics', 'retryIf', 'retryOnResult', 'finalResult']) assert.ok(!known.includes(name), name);
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
  const options = { ...QUICK, seed: 5, maxAttempts: 2, finalResult: 'resolve' };
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

test('options of a call are read once, and at each call', async () => {
  const { inner, calls } = statuses(503);
  const fetch = createFetch(QUICK, inner);
  let reads = 0;
  const retry = {
    get maxAttempts() {
      return (reads += 1);
    },
    retryOn: [429],
  };
  await fetch('http://x/', { retry });
  retry.retryOn.push(503);
  await fetch('http://x/', { retry });
  assert.deepEqual([reads, calls.length], [2, 3]);
});
