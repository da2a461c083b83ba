// A callback may return or throw any value, and the caller gets this very value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { underClock } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { retry, RetryPolicy } = await importPackage();

const hostile = (target) =>
  new Proxy(target, {
    get(_, name) {
      throw new Error(`read ${String(name)}`);
    },
    set() {
      throw new Error('written');
    },
    defineProperty() {
      throw new Error('defined');
    },
    getPrototypeOf() {
      throw new Error('read its prototype');
    },
    has() {
      throw new Error('searched');
    },
    ownKeys() {
      throw new Error('listed');
    },
  });

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
  'a proxy that throws on every access': hostile(new Error('hidden')),
  'an error of another realm': runInContext('new TypeError("foreign")', createContext({})),
  'an error whose message getter throws': Object.defineProperty(new Error(), 'message', {
    get() {
      throw new Error('read');
    },
  }),
};

const WAYS = {
  thrown: (value) => () => {
    throw value;
  },
  rejected: (value) => () => Promise.reject(value),
  'rejected by a thenable': (value) => () => ({
    then(_, no) {
      no(value);
    },
  }),
  'thrown by then': (value) => () => ({
    then() {
      throw value;
    },
  }),
  'thrown by the getter of then': (value) => () => ({
    get then() {
      throw value;
    },
  }),
};

for (const [name, value] of Object.entries(ERRORS)) {
  test(`V01 ${name} is retried, then thrown as itself`, async () => {
    for (const [way, fn] of Object.entries(WAYS)) {
      const received = [];
      let calls = 0;
      const act = fn(value);
      // deepEqual would touch the value; everything here compares by identity only.
      const before =
        typeof value === 'object' && value !== null && name.startsWith('an Error')
          ? Reflect.ownKeys(value).length
          : undefined;
      const { rejected, error } = await underClock(() =>
        retry(
          () => {
            calls += 1;
            return act();
          },
          {
            maxAttempts: 4,
            retryIf: (e) => {
              received.push(e);
              return true;
            },
          },
        ),
      );
      assert.ok(rejected, way);
      assert.ok(Object.is(error, value), way);
      assert.equal(calls, 4, way);
      assert.ok(received.length === 4 && received.every((e) => Object.is(e, value)), way);
      if (before !== undefined) assert.equal(Reflect.ownKeys(value).length, before, 'the error was written to');
    }
  });
}

const RESULTS = {
  'a string': 'value',
  undefined,
  null: null,
  false: false,
  0: 0,
  'an error that is returned, not thrown': new Error('a value'),
  'an object whose then is not a function': { then: 5 },
  'a function': () => {},
};

for (const [name, value] of Object.entries(RESULTS)) {
  test(`${name}, returned or resolved with, is a success`, async () => {
    for (const fn of [() => value, async () => value, () => ({ then: (ok) => ok(value) })]) {
      let calls = 0;
      assert.ok(
        Object.is(
          await retry(() => {
            calls += 1;
            return fn();
          }),
          value,
        ),
      );
      assert.equal(calls, 1);
      // The same after a failure, where other code adopts the result.
      calls = 0;
      const { value: second } = await underClock(() =>
        retry(() => {
          calls += 1;
          if (calls < 3) throw 0;
          return fn();
        }),
      );
      assert.ok(Object.is(second, value));
      assert.equal(calls, 3);
    }
  });
}

test('promises and thenables of another realm are adopted', async () => {
  const context = createContext({});
  const cases = runInContext(
    `({
    resolves: () => Promise.resolve('foreign'),
    rejects: () => Promise.reject('foreign'),
    thenable: () => ({ then(ok) { ok('foreign'); } }),
    async: async () => 'foreign',
  })`,
    context,
  );
  assert.equal(cases.resolves() instanceof Promise, false);
  for (const name of ['resolves', 'thenable', 'async']) {
    assert.equal(await retry(cases[name]), 'foreign', name);
    const late = await underClock(() =>
      retry(({ attempt }) => {
        if (attempt < 3) throw 0;
        return cases[name]();
      }),
    );
    assert.equal(late.value, 'foreign', name);
  }
  let calls = 0;
  const { rejected, error } = await underClock(() =>
    retry(
      () => {
        calls += 1;
        return cases.rejects();
      },
      { maxAttempts: 3 },
    ),
  );
  assert.deepEqual({ rejected, error, calls }, { rejected: true, error: 'foreign', calls: 3 });
});

test('a native promise with a then of its own: await ignores that, and so does every attempt', async () => {
  const own = {
    'that throws': () => {
      throw new Error('own then');
    },
    'that returns no promise': (ok) => {
      ok('from then');
      return 'junk';
    },
    'that never answers': () => {},
    'that is not a function': 5,
  };
  for (const [name, then] of Object.entries(own)) {
    for (const settled of [() => Promise.resolve('value'), () => Promise.reject('failure')]) {
      const expected = await settled().catch((error) => error);
      for (const options of [
        { maxAttempts: 1 },
        { maxAttempts: 2 },
        { maxAttempts: 2, signal: new AbortController().signal },
      ]) {
        let promise;
        const { value, error } = await underClock(() => {
          promise = retry(() => Object.assign(settled(), { then }), options);
          return promise;
        });
        assert.ok(promise instanceof Promise, name);
        assert.equal(value ?? error, expected, name);
      }
    }
  }
  // A getter of `constructor` that throws fails the attempt, as it does in await.
  const hostilePromise = () =>
    Object.defineProperty(Promise.resolve(1), 'constructor', {
      get() {
        throw 'read';
      },
    });
  let calls = 0;
  assert.deepEqual(
    await underClock(() =>
      retry(
        () => {
          calls += 1;
          return hostilePromise();
        },
        { maxAttempts: 2 },
      ),
    ).then(({ error }) => [error, calls]),
    ['read', 2],
  );
});

test('returns a promise of this realm from every function and from a policy', () => {
  const policy = new RetryPolicy();
  for (const promise of [retry(() => 1), policy.run(() => 1), policy.wrap(() => 1)()]) {
    assert.equal(Object.getPrototypeOf(promise), Promise.prototype);
  }
});
