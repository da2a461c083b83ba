// Keys: a state for each destination, at most 1,000 of them, and which are forgotten.

import assert from 'node:assert/strict';

import { down, fails, importAll, timed, watched } from './entry.mjs';

const { RetryPolicy, breaker, budget, cooldown, permanent, protect, retry, retryAfter } = await importAll();

const once = { maxAttempts: 1 };
/** An operation that changes no number: its end says nothing. */
const use = (protection, key) =>
  retry(fails(permanent(new Error('own'))), { ...once, protection: protection.for(key) }).catch(() => {});
const spend = (protection) => retry(down, { maxAttempts: 2, baseMs: 0, protection }).catch(() => {});

timed('only keys that operations have used are kept, and the root names them', async () => {
  const api = protect(budget({ capacity: 2 }), breaker());
  await use(api, 'a');
  // To read the numbers of a key keeps none.
  assert.equal(api.for('b').status().budget.tokens, 2);
  assert.deepEqual(api.keys(), ['a']);
  assert.deepEqual(api.status().keys, ['a']);
  assert.ok(Object.isFrozen(api.status().keys) && !('keys' in api.for('a').status()));
  assert.deepEqual(api.for('a').keys(), []);
});

timed('run(fn, { key }) uses the state of that key', async (clock) => {
  const api = protect(budget({ capacity: 2 }));
  const policy = new RetryPolicy({ maxAttempts: 2, baseMs: 0, protection: api });
  const seen = watched(policy.run(down, { key: 'a' }));
  await clock.drain();
  assert.equal(seen.state, 'rejected');
  assert.deepEqual([api.for('a').status().budget.tokens, api.status().budget.tokens], [1, 2]);
  assert.equal(await policy.run(() => 1, { key: undefined }), 1);
  assert.equal(await policy.run(() => 1, { key: 'constructor' }), 1);
  assert.deepEqual(api.keys(), ['a', 'constructor']);
  // Turned off, the key says nothing; so it does where there is no protection.
  assert.equal(await policy.run(() => 1, { key: 'c', protection: false }), 1);
  assert.equal(await new RetryPolicy().run(() => 1, { key: 'c' }), 1);
  assert.deepEqual(api.keys(), ['a', 'constructor']);
});

/** The number of the keys that are kept, and whether these are. */
const kept = (protection, ...keys) => [protection.keys().length, ...keys.map((key) => protection.keys().includes(key))];

timed('5,000 keys leave 1,000', async () => {
  const api = protect(budget(), breaker(), cooldown());
  const policy = new RetryPolicy({ maxAttempts: 1, protection: api });
  for (let i = 0; i < 5000; i++) policy.run(i % 3 === 0 ? down : () => i, { key: `k${i}` }).catch(() => {});
  assert.equal(api.keys().length, 1000);
  assert.equal(api.keys().at(-1), 'k4999');
});

timed('above the limit, the least recently used state that is as good as new goes first', async (clock) => {
  const api = protect(budget({ capacity: 1 }));
  spend(api.for('spent'));
  await clock.drain();
  for (let i = 1; i < 1000; i++) await use(api, `k${i}`);
  // Used again, the first is no more the oldest.
  await retry(() => 1, { protection: api.for('k1') });
  await use(api, 'new');
  assert.deepEqual(kept(api, 'spent', 'k1', 'k2'), [1000, true, true, false]);
});

timed('if none is as good as new, the oldest one goes whose circuit is not open', async () => {
  const api = protect(breaker({ consecutiveFailures: 1, minimumCalls: Infinity }));
  const fail = (key) => retry(down, { ...once, protection: api.for(key) }).catch(() => {});
  const work = (key) => retry(() => 1, { ...once, protection: api.for(key) });
  for (let i = 0; i < 10; i++) await fail(`open${i}`);
  for (let i = 0; i < 990; i++) await work(`busy${i}`);
  await work('new');
  assert.deepEqual(kept(api, 'open0', 'busy0', 'busy1'), [1000, true, false, true]);
  for (let i = 1; i < 990; i++) await fail(`busy${i}`);
  await fail('new');
  assert.ok(api.keys().every((key) => api.for(key).status().breaker.state === 'open'));
  // All are open: the limit holds all the same.
  await use(api, 'one more');
  assert.deepEqual(kept(api, 'open0', 'open1'), [1000, false, true]);
});

timed('a cooldown that runs, and a breaker with calls, are not forgotten for new keys', async (clock) => {
  const api = protect(cooldown(), breaker({ windowMs: 1000 }));
  await retry(fails(retryAfter(5000)), { ...once, protection: api.for('limited') }).catch(() => {});
  await retry(() => 1, { ...once, protection: api.for('used') });
  for (let i = 0; i < 1500; i++) await use(api, `k${i}`);
  assert.ok(api.keys().includes('limited') && api.keys().includes('used'));
  await clock.advance(4000);
  for (let i = 0; i < 1500; i++) await use(api, `l${i}`);
  assert.ok(api.keys().includes('limited') && !api.keys().includes('used'));
  await clock.advance(5000);
  for (let i = 0; i < 1500; i++) await use(api, `m${i}`);
  assert.ok(!api.keys().includes('limited'));
});

timed('an operation keeps the state that it began with, and a forgotten protection comes back', async (clock) => {
  const api = protect(budget({ capacity: 1 }));
  const held = api.for('held');
  const running = watched(retry(down, { maxAttempts: 2, jitter: 'none', baseMs: 100, protection: held }));
  assert.equal(held.status().budget.tokens, 0);
  for (let i = 0; i < 2000; i++) spend(api.for(`k${i}`));
  assert.ok(!api.keys().includes('held'));
  await clock.advance(200);
  assert.equal(running.state, 'rejected');
  await retry(() => 1, { protection: held });
  assert.ok(api.keys().includes('held'));
  assert.equal(api.for('held').status().budget.tokens, held.status().budget.tokens);
});
