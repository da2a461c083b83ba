// The engine's options: jitter objects, backoff functions and lists, other libraries' names. What goes together, and the
// messages about it, are rows of tests/vectors/refusals.json.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';
import { OPTIONS } from '../lib/badvalues.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';
import { importFetch } from '../lib/fetching.mjs';
import { caught } from '../lib/readers.mjs';

const { RetryPolicy, retry, retrySync, retryWithFullJitter } = await importPackage();
const { fromData } = await importEntry('data');

const KNOWN = /Known options: (.*)$/.exec(caught(() => new RetryPolicy({ zzzzzzzz: 1 })).message)[1].split(', ');

/** The error that all ways in give for these options; the callback is not called. */
async function errorFor(options) {
  const error = caught(() => new RetryPolicy(options));
  assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
  const fn = () => assert.fail('called');
  const rejected = await retry(fn, options).catch((e) => e);
  const thrown = caught(() => retrySync(fn, options));
  // Only the names at the end differ: a function does not list the names that it rejects.
  const [text] = error.message.split(' Known options');
  assert.ok(rejected.message.startsWith(text), rejected.message);
  assert.ok(thrown.message.startsWith(text.split(' Did you mean')[0]), thrown.message);
  return error;
}

test('the table of bad values covers every option', () => {
  assert.deepEqual(Object.keys(OPTIONS).sort(), KNOWN.sort());
});

const someRatio = (ratio) => ({ type: 'proportional', ratio });

test('jitter objects: odd ones are rejected', async () => {
  // What JSON can say is in tests/vectors/refusals.json.
  for (const jitter of [
    Object.create(someRatio(0.5)),
    Object.defineProperty({}, 'type', { enumerable: true, get: fails(new Error('read')) }),
    Object.defineProperty({ type: 'proportional' }, 'ratio', { enumerable: true, get: fails(new Error('read')) }),
  ])
    await errorFor({ jitter });
});

test('a jitter object is read once, whatever its prototype', () => {
  let reads = 0;
  const jitter = {
    __proto__: null,
    type: 'proportional',
    get ratio() {
      reads += 1;
      return 0.5;
    },
  };
  const policy = new RetryPolicy({ jitter });
  jitter.type = 'additive';
  assert.deepEqual(
    [...policy.delays({ seed: 1 })],
    [...new RetryPolicy({ jitter: Object.freeze(someRatio(0.5)) }).delays({ seed: 1 })],
  );
  assert.equal(reads, 1);
});

test('backoff lists: holes, what is not a number, and array-like objects are rejected', async () => {
  const { proxy, revoke } = Proxy.revocable([5], {});
  revoke();
  const unreadable = new Proxy([5], { get: fails(new Error('read')) });
  for (const backoff of [
    [,],
    [5, , 7],
    [5n],
    [[5]],
    [-Infinity],
    { 0: 5, length: 1 },
    new Float64Array([5]),
    new Set([5]),
    proxy,
    unreadable,
  ])
    assert.match(
      (await errorFor({ backoff })).message,
      /^rejitter: backoff(\.length|\[\d\]| must be one of .* or a list of 1 to 1,000 such values, got an (object|array)$)/,
    );
});

test('backoff lists: copied, the last repeats, the cap and the floor hold', () => {
  const list = [5, 0, 20.5, Infinity, 7];
  const policy = new RetryPolicy({ backoff: list, jitter: 'none', minMs: 3, capMs: 100, maxAttempts: 9, baseMs: 1 });
  list.length = 0;
  assert.deepEqual([...policy.delays()], [5, 3, 20.5, 100, 7, 7, 7, 7]);
  assert.deepEqual([...new RetryPolicy({ backoff: Object.freeze([1]), jitter: 'none' }).delays()], [1, 1, 1, 1, 1]);
});

test('calls backoff functions with 1, 2, …, once per wait; invalid values end the operation', async () => {
  const received = [];
  const backoff = (...args) => {
    received.push(args);
    return 4 ** args[0];
  };
  assert.deepEqual([...new RetryPolicy({ backoff, random: () => 0.5, capMs: 100 }).delays()], [2, 8, 32, 50, 50]);
  assert.deepEqual(received, [[1], [2], [3], [4], [5]]);
  for (const bad of [-1, NaN, '5', undefined, null, 5n, Promise.resolve(5), {}]) {
    const { error } = await operate(fails(0), { backoff: (k) => (k < 2 ? 5 : bad), jitter: 'none' });
    assert.match(
      `${error}`,
      /^RangeError: rejitter: backoff\(2\) must return a non-negative number of milliseconds, got /,
    );
  }
});

test('metrics: only a policy suggests them, or lists them', async () => {
  assert.match(caught(() => new RetryPolicy({ metric: true })).message, /Did you mean metrics\? .*, metrics$/);
  for (const { message } of [
    await retry(() => {}, { metric: true }).catch((e) => e),
    caught(() => retrySync(() => {}, { metric: true })),
  ])
    assert.doesNotMatch(message, /metrics/);
});

test('names that a function rejects are neither suggested nor listed', async () => {
  const { message } = await retryWithFullJitter(() => {}, { jiter: 'full' }).catch((e) => e);
  assert.match(message, /^rejitter: unknown option "jiter"\. Known options: /);
  assert.doesNotMatch(message, /jitter,/);
  assert.doesNotMatch(caught(() => retrySync(() => {}, { unreff: true })).message, /unref,|attemptTimeoutMs/);
});

test('swapped arguments, a promise, a controller: the error names what belongs there', async () => {
  const { message: swapped } = await retry({ maxAttempts: 3 }, () => {}).catch((e) => e);
  assert.equal(
    swapped,
    'rejitter: the callback must be a function and the first argument, as in retry(() => fetch(url), options), ' +
      'got an object',
  );
  assert.match(
    (await retry(Promise.resolve(1)).catch((e) => e)).message,
    /as in retry\(\(\) => fetch\(url\), options\), got a promise$/,
  );
  assert.equal(
    (await errorFor({ signal: new AbortController() })).message,
    'rejitter: signal must be an AbortSignal, such as controller.signal, got an object',
  );
  assert.match(
    caught(() => fromData('{}')).message,
    /^rejitter: the policy must be an object made by toJSON\(\) \(JSON\.parse it first\), got "\{\}"$/,
  );
});

test('an error is bounded: ten problems, a hundred characters of a value, and no time is lost', async () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknownOption${i}`, 1]));
  const { message } = await errorFor(many);
  assert.equal(message.split('unknown option').length - 1, 10);
  assert.match(message, /; and more\. Known options: /);
  assert.match((await errorFor({ seed: 1n << 10_000_000n })).message, /, got a long bigint$/);
  assert.match((await errorFor({ seed: 1n << 64n })).message, /, got 18446744073709551616n$/);
  for (const text of ['x'.repeat(10_000_000), '\u0001'.repeat(1000), '\u009b31m\u007f'.repeat(50)]) {
    const shown = /, got (.*)$/s.exec((await errorFor({ baseMs: text })).message)[1];
    assert.ok(shown.length <= 100, `${shown.length}`);
    assert.doesNotMatch(shown, /[\0-\x1f\x7f-\x9f]/);
  }
  assert.ok((await errorFor({ ['n'.repeat(10_000_000)]: 1 })).message.length < 1000);
});

test('rejects an object whose options are all inherited, and one without any', async () => {
  const { createFetch } = await importFetch();
  const policy = new RetryPolicy({ maxAttempts: 2 });
  class Getters {
    get maxAttempts() {
      return 2;
    }
  }
  const nothing = 'an object without own properties';
  const inheriting = [new Map([['maxAttempts', 2]]), new Date(), new Getters(), Object.create({ maxAttempts: 2 })];
  const fn = () => assert.fail('called');
  for (const [options, what] of [
    [policy, 'a RetryPolicy or a copy of one: use policy.run(fn)'],
    [new AbortController().signal, 'an AbortSignal: pass { signal }'],
    ...inheriting.map((each) => [each, nothing]),
  ])
    for (const refused of [
      () => new RetryPolicy(options),
      () => policy.with(options),
      () => policy.delays(options),
      () => retrySync(fn, options),
      // A fetch takes a policy.
      ...(options === policy ? [] : [() => createFetch(options)]),
      () => retry(fn, options),
      () => policy.run(fn, options),
    ])
      await assert.rejects(async () => refused(), {
        name: 'TypeError',
        message: `rejitter: options must be an object of options, got ${what}`,
      });
  class Fields {
    maxAttempts = 2;
  }
  const own = Object.assign(new Map(), { maxAttempts: 2 });
  for (const options of [{}, Object.create(null), runInNewContext('({})'), new Fields(), own])
    assert.equal(await retry(() => 'fine', options), 'fine');
});

test('several unknown options: each with its meaning, and the names of all options once, at the end', async () => {
  const [, list] = (await errorFor({ zzzzzzzz: 1 })).message.split('Known options: ');
  const { message } = await errorFor({ retries: 3, minTimeout: 100, baseMs: -1, maxTimeout: 1000 });
  assert.equal(
    message,
    [
      'rejitter: unknown option "retries". Did you mean maxAttempts (retries + 1)?',
      'unknown option "minTimeout". Did you mean baseMs?',
      'baseMs must be a number of milliseconds between 0 and 2^53 - 1, got -1',
      `unknown option "maxTimeout". Did you mean capMs? Known options: ${list}`,
    ].join('; '),
  );
  assert.match(
    (await errorFor({ retries: 3, baseMs: -1 })).message,
    / \+ 1\)\?; baseMs must be [^;]*, got -1\. Known options: [^:]*$/,
  );
});

test('reports an option that the function’s name fixes once, whatever its value', async () => {
  const refused = retryWithFullJitter(() => 1, { jitter: 'fully' });
  await assert.rejects(refused, {
    name: 'TypeError',
    message: 'rejitter: jitter must be omitted (got "fully"): the function\'s name determines it',
  });
});

test('every option as undefined is the same as none (T11)', async () => {
  const seen = async (options) => (await operate(fails(0), { ...options, seed: 4 })).delays;
  const plain = await seen({});
  assert.equal(plain.length, 5);
  assert.deepEqual(await seen(Object.fromEntries(KNOWN.map((name) => [name, undefined]))), plain);
  for (const name of KNOWN) assert.deepEqual(await seen({ [name]: undefined, seed: 4 }), plain, name);
});
