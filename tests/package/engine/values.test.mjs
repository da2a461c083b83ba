// A callback may return or throw any value, and the caller gets this very value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';
import { underBlockingClock } from '../lib/blocking.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { retry, retrySync, RetryPolicy } = await importPackage();
const light = await importEntry('light');

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
  'an error of another realm': runInContext('new TypeError("foreign")', createContext({})),
  'an error whose message getter throws': Object.defineProperty(new Error(), 'message', { get: fails('read') }),
};

const WAYS = {
  thrown: fails,
  rejected: (value) => () => Promise.reject(value),
  'rejected by a thenable': (value) => () => ({ then: (_, no) => no(value) }),
  'thrown by then': (value) => () => ({ then: fails(value) }),
  'thrown by the getter of then': (value) => () => Object.defineProperty({}, 'then', { get: fails(value) }),
};

for (const [name, value] of Object.entries(ERRORS)) {
  test(`V01 ${name} is retried, then thrown as itself`, async () => {
    // deepEqual would touch the value; everything here compares by identity only.
    const keys = () => (name === 'an Error' ? Reflect.ownKeys(value).length : 0);
    const before = keys();
    for (const [way, make] of Object.entries(WAYS)) {
      const received = [];
      const options = { maxAttempts: 4, retryIf: (error) => received.push(error) > 0 };
      const { rejected, error, calls } = await operate(make(value), options);
      assert.ok(rejected && Object.is(error, value), way);
      assert.equal(calls, 4, way);
      assert.ok(received.length === 4 && received.every((each) => Object.is(each, value)), way);
      const small = await underClock(() => light.retry(make(value), options));
      assert.ok(small.rejected && Object.is(small.error, value), way);
    }
    assert.ok(Object.is(underBlockingClock(() => retrySync(fails(value), { maxAttempts: 4 })).error, value));
    assert.equal(keys(), before, 'the error was written to');
  });
}

test('any result, returned or resolved with, is a success, at the first attempt or later', async () => {
  const results = ['value', undefined, null, false, 0, new Error('a value'), { then: 5 }, () => {}];
  for (const value of results) {
    for (const fn of [() => value, async () => value, () => ({ then: (ok) => ok(value) })])
      for (const attempts of [1, 3]) {
        const given = ({ attempt }) => (attempt < attempts ? fails(0)() : fn());
        const end = await operate(given);
        assert.ok(Object.is(end.value, value), String(value));
        assert.deepEqual([end.rejected, end.calls], [false, attempts]);
        assert.ok(Object.is((await underClock(() => light.retry(given))).value, value), String(value));
      }
    const blocking = underBlockingClock(() => retrySync(() => value));
    assert.ok(!blocking.threw && Object.is(blocking.value, value), String(value));
  }
});

test('promises and thenables of another realm are adopted', async () => {
  const foreign = runInContext(
    `[() => Promise.resolve('foreign'), () => ({ then(ok) { ok('foreign'); } }), async () => 'foreign',
      () => Promise.reject('foreign')]`,
    createContext({}),
  );
  assert.equal(foreign[0]() instanceof Promise, false);
  for (const [i, fn] of foreign.entries())
    for (const attempts of [1, 3]) {
      const once = ({ attempt }) => (attempt < attempts ? fails(0)() : fn());
      for (const run of [retry, light.retry]) {
        const { rejected, value, error } = await underClock(() => run(once, { maxAttempts: attempts }));
        assert.deepEqual([rejected, value ?? error], [i === 3, 'foreign']);
      }
    }
});

test('a native promise with a then of its own: await ignores that, and so does every attempt', async () => {
  const junk = (ok) => {
    ok('from then');
    return 'junk';
  };
  for (const then of [fails(new Error('own then')), junk, () => {}, 5]) {
    for (const settled of [() => Promise.resolve('value'), () => Promise.reject('failure')]) {
      const expected = await settled().catch((error) => error);
      const { signal } = new AbortController();
      for (const options of [{ maxAttempts: 1 }, { maxAttempts: 2 }, { maxAttempts: 2, signal }])
        for (const run of [retry, light.retry]) {
          let promise;
          const { value, error } = await underClock(() => {
            promise = run(() => Object.assign(settled(), { then }), options);
            return promise;
          });
          assert.ok(promise instanceof Promise, String(then));
          assert.equal(value ?? error, expected, String(then));
        }
    }
  }
  // A getter of `constructor` that throws fails the attempt, as it does in await.
  const unreadable = () => Object.defineProperty(Promise.resolve(1), 'constructor', { get: fails('read') });
  const { error, calls } = await operate(unreadable, { maxAttempts: 2 });
  assert.deepEqual([error, calls], ['read', 2]);
});

test('returns a promise of this realm from every function and from a policy', () => {
  const policy = new RetryPolicy();
  for (const promise of [retry(() => 1), policy.run(() => 1), policy.wrap(() => 1)()])
    assert.equal(Object.getPrototypeOf(promise), Promise.prototype);
});
