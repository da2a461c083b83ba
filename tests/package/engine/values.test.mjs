// A callback may return or throw any value, and the caller gets this very value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { underBlockingClock } from '../lib/blocking.mjs';
import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { RetryError, RetryPolicy, isPermanent, permanent, retry, retryAfter, retrySync } = await importPackage();
const RUNS = [retry, (await importEntry('light')).retry];
const inRealm = (code) => runInContext(code, createContext({}));
const TRAPS = ['get', 'set', 'defineProperty', 'getPrototypeOf', 'has', 'ownKeys'];
const hostile = new Proxy(
  new Error('hidden'),
  Object.fromEntries(TRAPS.map((trap) => [trap, fails(new Error(`${trap} was called`))])),
);
const ERRORS = {
  'an Error': new Error('plain'),
  'a string': 'str',
  'an empty string': '',
  'the number 0': 0,
  'minus zero': -0,
  NaN,
  null: null,
  undefined,
  false: false,
  'a bigint': 0n,
  'a symbol': Symbol('s'),
  'a frozen error': Object.freeze(new Error('frozen')),
  'a sealed object': Object.seal({}),
  'an object without a prototype': Object.create(null),
  'a function': () => {},
  'a proxy that throws on every access': hostile,
  'an error of another realm': inRealm('new TypeError("foreign")'),
  'an error whose message getter throws': Object.defineProperty(new Error(), 'message', { get: fails('read') }),
  'an error whose message is no text': Object.assign(new Error(), { message: Symbol('no text') }),
};
const WAYS = {
  thrown: fails,
  rejected: (value) => () => Promise.reject(value),
  'rejected by a thenable': (value) => () => ({ then: (_, no) => no(value) }),
  'thrown by then': (value) => () => ({ then: fails(value) }),
  'thrown by the getter of then': (value) => () => Object.defineProperty({}, 'then', { get: fails(value) }),
};

for (const [name, value] of Object.entries(ERRORS))
  test(`V01 ${name} is retried, then thrown as itself, also out of the package's marks`, async () => {
    // deepEqual would touch the value; everything here compares by identity only.
    const same = (each) => Object.is(each, value);
    const keys = () => (name === 'an Error' ? Reflect.ownKeys(value).length : 0);
    const before = keys();
    for (const [way, make] of Object.entries(WAYS))
      for (const run of RUNS) {
        const received = [];
        const options = { maxAttempts: 4, retryIf: (error) => received.push(error) > 0 };
        const { rejected, error } = await underClock(() => run(make(value), options));
        assert.ok(rejected && same(error), way);
        assert.ok(received.length === 4 && received.every(same), way);
      }
    assert.ok(same(underBlockingClock(() => retrySync(fails(value), { maxAttempts: 4 })).error));
    assert.ok(isPermanent(permanent(value)));
    for (const marked of [permanent(value), retryAfter(5, value)])
      assert.ok(same((await underClock(() => retry(fails(marked), { maxAttempts: 2 }))).error));
    assert.equal(keys(), before, 'the error was written to');
    const { error } = await underClock(() => retry(fails(value), { maxAttempts: 2, finalError: 'wrap' }));
    assert.ok(error instanceof RetryError && same(error.cause));
    assert.match(error.message, /^rejitter: gave up after 2 attempts \(exhausted\)/);
  });

test('any result, returned or resolved with, is a success, at the first attempt or later', async () => {
  const results = ['value', undefined, null, false, 0, new Error('a value'), { then: 5 }, () => {}];
  // Promises and thenables of another realm are adopted.
  const foreign = inRealm(
    `[() => Promise.resolve('foreign'), () => ({ then(ok) { ok('foreign'); } }), async () => 'foreign']`,
  );
  assert.equal(foreign[0]() instanceof Promise, false);
  for (const [fn, value] of [
    ...results.flatMap((value) =>
      [() => value, async () => value, () => ({ then: (ok) => ok(value) })].map((fn) => [fn, value]),
    ),
    ...foreign.map((fn) => [fn, 'foreign']),
  ])
    for (const attempts of [1, 3])
      for (const run of RUNS) {
        const last = [];
        const given = function (...args) {
          // No receiver, and the attempt alone; light passes undefined as well.
          assert.deepEqual([this, args.length], [undefined, run === retry ? 1 : 2]);
          return last.unshift(args[0].attempt) < attempts ? fails(0)() : fn();
        };
        const end = await underClock(() => run(given));
        assert.ok(!end.rejected && Object.is(end.value, value) && last[0] === attempts, String(value));
      }
  for (const value of results) {
    const blocking = underBlockingClock(() => retrySync(() => value));
    assert.ok(!blocking.threw && Object.is(blocking.value, value), String(value));
  }
});

test('a native promise with a then of its own: await ignores that, and so does every attempt', async () => {
  const { signal } = new AbortController();
  for (const then of [fails(new Error('own then')), (ok) => ok('from then') ?? 'junk', () => {}, 5])
    for (const settled of [() => Promise.resolve('value'), () => Promise.reject('failure')])
      for (const options of [{ maxAttempts: 1 }, { maxAttempts: 2 }, { maxAttempts: 2, signal }])
        for (const run of RUNS) {
          const { value, error } = await underClock(() => run(() => Object.assign(settled(), { then }), options));
          assert.equal(value ?? error, await settled().catch((reason) => reason), String(then));
        }
  // A getter of `constructor` that throws fails the attempt, as it does in await.
  const unreadable = () => Object.defineProperty(Promise.resolve(1), 'constructor', { get: fails('read') });
  assert.equal((await underClock(() => retry(unreadable, { maxAttempts: 2 }))).error, 'read');
  // A promise of this realm comes back from every function and from a policy.
  const policy = new RetryPolicy();
  for (const promise of [...RUNS.map((run) => run(() => 1)), policy.run(() => 1), policy.wrap(() => 1)()])
    assert.equal(Object.getPrototypeOf(promise), Promise.prototype);
});
