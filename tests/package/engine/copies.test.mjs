// Two copies of the package in one process, of an app and of a library that it uses: each takes what the other makes.

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { underClock } from '../lib/clock.mjs';
import { installed, project, runThread } from '../lib/consumer.mjs';

const code = `export * from 'rejitter';
export * from 'rejitter/engines';
export * from 'rejitter/fetch';
export * from 'rejitter/protection';
export * as light from 'rejitter/light';`;
const translated = await import(pathToFileURL(join(installed, 'index.js')).href);
const dir = project('copies', { 'main.mjs': code, 'library/main.mjs': code });
cpSync(installed, join(dir, 'library/node_modules/rejitter'), { recursive: true });
const [app, library] = await Promise.all(
  ['main.mjs', 'library/main.mjs'].map((path) => import(pathToFileURL(join(dir, path)).href)),
);
const { RetryPolicy, createFetch, permanent, retry, retryReport } = app;
const refused = () => Promise.reject(new TypeError('fetch failed'));
const OPTIONS = { maxAttempts: 2, jitter: 'none', baseMs: 20, metrics: true };
const POLICIES = {
  'another copy': new library.RetryPolicy(OPTIONS),
  'the form of other hosts': new translated.RetryPolicy(OPTIONS),
  'a Proxy': new Proxy(new RetryPolicy(OPTIONS), {}),
};

for (const [name, policy] of Object.entries(POLICIES))
  test(`a policy of ${name} works wherever one is taken`, async () => {
    assert.notEqual(library.RetryPolicy, RetryPolicy);
    for (const call of [() => createFetch(policy, refused)('http://localhost/'), () => policy.run(refused)])
      assert.deepEqual((await underClock(call)).clock.delays, [20]);
    assert.equal(policy.metrics().attempts, 4);
    assert.throws(() => new RetryPolicy(policy), /got a RetryPolicy or a copy of one: use policy\.run\(fn\)/);
  });

test('marks and reports cross copies', async () => {
  const error = new Error('gone');
  const { error: slip } = await underClock(() => retry(async () => library.permanent(error)));
  assert.equal(slip.message, 'rejitter: a PermanentError was returned; throw it');
  assert.equal(slip.cause, error);
  await underClock(() => library.retry(() => Promise.reject(permanent(error))));
  assert.equal(retryReport(error).reason, 'permanent');
  assert.equal(retryReport(error), library.retryReport(error));
});

test("a TimeoutError's cause is of the past, and marks below it too, for any reader in any copy", async () => {
  const cause = permanent(new Error('before'));
  const error = Object.assign(new library.TimeoutError('late'), { cause });
  const policy = new RetryPolicy(OPTIONS);
  const { metrics, ...options } = OPTIONS;
  for (const run of [(fn) => policy.run(fn), (fn) => app.light.retry(fn, options)]) {
    const { clock, error: thrown } = await underClock(() => run(() => Promise.reject(error)));
    assert.deepEqual([clock.delays, thrown], [[20], error]);
  }
  assert.equal(app.nextDelay(policy, { attempt: 1, error }), 20);
  // The name is anybody's.
  const foreign = Object.assign(new Error('late'), { name: 'TimeoutError', cause });
  assert.deepEqual([error, foreign].map(app.isPermanent), [false, true]);
});

test('a Proxy of a protection works', () => {
  const protection = new Proxy(app.protect(app.breaker()), {});
  protection.open();
  assert.equal(protection.status().breaker.state, 'open');
  protection.close();
  protection.for('a').close();
  assert.equal(protection.for('a').status().breaker.state, 'closed');
  assert.deepEqual(protection.keys(), ['a']);
});

test('a wait that one copy finds in an error is followed by the others, as modules, CommonJS and queues', async () => {
  const { retry: required } = createRequire(join(dir, 'main.cjs'))('rejitter');
  const error = () => Object.assign(new Error('busy'), { status: 429, headers: { 'retry-after': '1' } });
  const { isTransientError } = library;
  const options = { jitter: 'none', baseMs: 1, random: () => 0, maxAttempts: 2, retryIf: isTransientError };
  const fails = () => Promise.reject(error());
  for (const run of [retry, library.retry, translated.retry, required])
    assert.deepEqual((await underClock(() => run(fails, options).catch(() => {}))).clock.delays, [1000]);
  const policy = new RetryPolicy(options);
  for (const { nextDelay } of [app, library]) assert.equal(nextDelay(policy, { attempt: 1, error: error() }), 1000);
});

test('where the global object is frozen, waits are noted in each copy', async () => {
  const code = `import { isTransientError, retry } from 'rejitter';
    Object.freeze(globalThis);
    const error = Object.freeze(Object.assign(new Error('busy'), { status: 429, headers: { 'retry-after-ms': '40' } }));
    const from = performance.now();
    const fn = () => Promise.reject(error);
    await retry(fn, { baseMs: 0, maxAttempts: 2, retryIf: isTransientError }).catch(() => {});
    console.log(performance.now() - from >= 39);`;
  const folder = project('frozen', { 'main.mjs': code });
  const { stdout, stderr } = await runThread(join(folder, 'main.mjs'));
  assert.deepEqual([stdout, stderr], ['true\n', '']);
});
