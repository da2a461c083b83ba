// Options: each value is valid or rejected, before the callback is called, with a message that helps.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { OPTIONS, VALUES } from '../lib/badvalues.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { SHORTCUTS, expectedWaits } from '../lib/shortcuts.mjs';

const api = await importPackage();
const { retry, RetryPolicy } = api;
const failing = () => {
  throw 0;
};

/** Returns the error of a rejected call, having checked the promise's rejection. */
async function refused(options, call = retry) {
  let calls = 0;
  let promise;
  assert.doesNotThrow(() => {
    promise = call(() => {
      calls += 1;
    }, options);
  }, 'threw instead of rejecting');
  const error = await promise.then(
    () => undefined,
    (e) => e,
  );
  assert.equal(calls, 0, 'the callback was called');
  assert.ok(error instanceof TypeError || error instanceof RangeError, `${String(error)}`);
  return error;
}

function rejectedByPolicy(options) {
  let error;
  try {
    new RetryPolicy(options);
  } catch (e) {
    error = e;
  }
  assert.ok(error instanceof TypeError || error instanceof RangeError, `${String(error)}`);
  return error;
}

for (const [name, { takes, says, isNumber, with: others = {} }] of Object.entries(OPTIONS)) {
  test(`O03 ${name}: rejects every invalid value with name, value and rule`, async () => {
    let wrong = 0;
    for (const [label, value] of VALUES) {
      if (takes(label, value)) continue;
      wrong += 1;
      const options = { ...others, [name]: value };
      for (const error of [await refused(options), rejectedByPolicy(options)]) {
        const text = error.message;
        assert.ok(text.includes(name), `${label}: the name is missing: ${text}`);
        // A list tells which entry is wrong.
        if (label !== '[]') for (const rule of says) assert.match(text, rule, `${label}: what is allowed is missing`);
        if (typeof value === 'number' || typeof value === 'string' || value === null || typeof value === 'boolean') {
          assert.ok(text.includes(String(value)), `${label}: the value is missing: ${text}`);
        }
        if (typeof value === 'bigint') assert.match(text, /5n|-1n|bigint/i, label);
        // A wrong number is a RangeError, a wrong type a TypeError.
        if (typeof value === 'number' && isNumber) assert.ok(error instanceof RangeError, `${label}: ${error.name}`);
        else if (typeof value !== 'string' && label !== '[]' && name !== 'seed')
          assert.ok(error instanceof TypeError, `${label}: ${error.name}`);
      }
    }
    assert.ok(wrong >= 20, `only ${wrong} wrong values were tried`);
  });

  test(`${name}: takes every valid value, and its waits are finite`, () => {
    let right = 0;
    for (const [label, value] of VALUES) {
      if (!takes(label, value)) continue;
      right += 1;
      const policy = new RetryPolicy({ ...others, [name]: value });
      // Whether a function is a good one shows only when it is called.
      if (typeof value === 'function') continue;
      const delays = policy.delays();
      for (let k = 1; k <= 50; k += 1) {
        const { done, value: wait } = delays.next();
        if (done) break;
        assert.ok(Number.isFinite(wait) && wait >= 0, `${name} ${label}: wait ${k} is ${wait}`);
      }
    }
    assert.ok(right >= 1 || name === 'signal');
  });
}

for (const name of Object.keys(SHORTCUTS)) {
  test(`${name} rejects its promise for invalid options`, async () => {
    assert.match((await refused({ baseMs: -1 }, api[name])).message, /baseMs.*-1/);
    assert.match((await refused({ maxAttempts: 0 }, api[name])).message, /maxAttempts.*0/);
    assert.match((await refused({ maxAtempts: 2 }, api[name])).message, /maxAtempts.*maxAttempts/s);
  });
}

test('a function rejects the option that its name fixes, and takes the other one', async () => {
  for (const [name, settled, other] of [
    ['retryWithFullJitter', { jitter: 'full' }, { backoff: 'linear' }],
    ['retryWithEqualJitter', { jitter: 'none' }, { backoff: 'fixed' }],
    ['retryWithDecorrelatedJitter', { jitter: 'equal' }, undefined],
    ['retryWithExponentialBackoff', { backoff: 'exponential' }, { jitter: 'full' }],
    ['retryWithLinearBackoff', { backoff: 'fixed' }, { jitter: 'equal' }],
    ['retryWithFixedDelay', { backoff: 'linear' }, { jitter: 'full' }],
    ['retryWithTruncatedBackoff', { backoff: 'exponential' }, { jitter: 'none' }],
  ]) {
    const error = await refused(settled, api[name]);
    assert.ok(error instanceof TypeError);
    assert.match(error.message, new RegExp(Object.keys(settled)[0]));
    await refused({ ...settled, [Object.keys(settled)[0]]: 5 }, api[name]);
    if (!other) continue;
    const { clock } = await underClock(() =>
      api[name](failing, { ...other, maxAttempts: 3, random: () => 0.5 }).catch(() => {}),
    );
    assert.deepEqual(clock.delays, expectedWaits(2, 0.5, { ...SHORTCUTS[name], ...other }).map(Math.ceil), name);
  }
});

test('unknown names that objects have anyway are unknown too', async () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    assert.match((await refused({ [name]: 1 })).message, new RegExp(name));
  }
  const own = JSON.parse('{ "__proto__": { "baseMs": 5 } }');
  assert.match((await refused(own)).message, /__proto__/);
});

test('rejects options that are not an object', async () => {
  for (const options of [null, 5, 'full', true, Symbol('s'), 5n, () => {}, []]) {
    await refused(options);
    rejectedByPolicy(options);
  }
});

test('the options of run and of delays are checked as well', async () => {
  const policy = new RetryPolicy();
  await refused({ signal: 5 }, (fn, options) => policy.run(fn, options));
  await refused({ sgnal: new AbortController().signal }, (fn, options) => policy.run(fn, options));
  await refused({ maxAttempts: 0 }, (fn, options) => policy.run(fn, options));
  await refused({ metrics: true }, (fn, options) => policy.run(fn, options));
  await refused(5, (fn, options) => policy.run(fn, options));
  for (const options of [{ seed: NaN }, { seed: {} }, { sed: 1 }, 5]) {
    assert.throws(
      () => policy.delays(options),
      (e) => e instanceof TypeError || e instanceof RangeError,
    );
  }
});

test('O01 options are own properties: a polluted prototype changes nothing', async () => {
  const waits = async () => (await underClock(() => retry(failing, { jitter: 'none' }))).clock.delays;
  const reference = await waits();
  const evil = {
    baseMs: 1,
    capMs: 1,
    minMs: 9000,
    factor: 9,
    backoff: 'fixed',
    stepMs: 3,
    truncateAt: 2,
    maxAttempts: 1,
    signal: AbortSignal.abort('evil'),
    retryIf: () => false,
    random: () => 0,
    seed: 1,
    unknown: 1,
    // Words that an implementation may use for what it keeps.
    aborted: true,
    reason: 'evil',
    seeded: true,
    operations: 7,
    named: 'baseMs',
    attempt: 3,
    index: 5,
    cancel: 1,
  };
  for (const [name, value] of Object.entries(evil)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true, enumerable: true });
    try {
      assert.deepEqual(await waits(), reference, name);
      assert.equal((await underClock(() => retry(failing).catch(() => 'end'))).clock.armed.length, 5, name);
      assert.equal([...new RetryPolicy({ maxAttempts: 4 }).delays()].length, 3, name);
      const policy = new RetryPolicy({ jitter: 'none' });
      assert.deepEqual((await underClock(() => policy.run(failing))).clock.delays, reference, `run, ${name}`);
      assert.deepEqual(
        (await underClock(() => policy.run(failing, {}))).clock.delays,
        reference,
        `run with options, ${name}`,
      );
      const jittered = new RetryPolicy();
      assert.notDeepEqual([...jittered.delays()], [...jittered.delays()], `delays, ${name}`);
      assert.notDeepEqual([...jittered.delays({})], [...jittered.delays({})], `delays with options, ${name}`);
    } finally {
      delete Object.prototype[name];
    }
  }
});

test('O01 inherited options are not options', async () => {
  class Config {
    constructor() {
      this.jitter = 'none';
    }
    get baseMs() {
      return 5;
    }
  }
  assert.deepEqual((await underClock(() => retry(failing, new Config()))).clock.delays, [100, 200, 400, 800, 1600]);
  const child = Object.assign(Object.create({ maxAttempts: 2 }), { jitter: 'none' });
  assert.deepEqual((await underClock(() => retry(failing, child))).clock.delays, [100, 200, 400, 800, 1600]);
  assert.deepEqual(
    (await underClock(() => retry(failing, Object.assign(Object.create(null), { jitter: 'none' })))).clock.delays,
    [100, 200, 400, 800, 1600],
  );
});

test('each option is read at most once, before the callback, and nothing is written', async () => {
  const values = {
    baseMs: 10,
    capMs: 100,
    minMs: 1,
    factor: 3,
    backoff: 'exponential',
    jitter: 'none',
    maxAttempts: 4,
    signal: new AbortController().signal,
    retryIf: () => true,
    seed: 5,
  };
  for (const make of [(o) => () => retry(failing, o), (o) => () => new RetryPolicy(o).run(failing)]) {
    const reads = {};
    let inCallback = false;
    const writes = [];
    const options = new Proxy(values, {
      get(target, name, receiver) {
        reads[name] = (reads[name] ?? 0) + 1;
        assert.equal(inCallback, false);
        return Reflect.get(target, name, receiver);
      },
      set(_, name) {
        writes.push(name);
        return false;
      },
      defineProperty(_, name) {
        writes.push(name);
        return false;
      },
      deleteProperty(_, name) {
        writes.push(name);
        return false;
      },
      setPrototypeOf() {
        writes.push('prototype');
        return false;
      },
      preventExtensions() {
        writes.push('extensions');
        return false;
      },
    });
    const go = make(options);
    const { clock } = await underClock(() => {
      const promise = go();
      inCallback = true;
      return promise;
    });
    assert.deepEqual(clock.delays, [10, 30, 90]);
    assert.deepEqual(writes, []);
    for (const name of Object.keys(values)) assert.equal(reads[name], 1, name);
  }
});

test('a getter that throws rejects with what it threw', async () => {
  const boom = new Error('boom');
  const options = {
    get baseMs() {
      throw boom;
    },
  };
  let calls = 0;
  await assert.rejects(
    retry(() => {
      calls += 1;
    }, options),
    (error) => error === boom,
  );
  assert.throws(
    () => new RetryPolicy(options),
    (error) => error === boom,
  );
  assert.equal(calls, 0);
});

test('an object as an error value cannot break the message', async () => {
  const nasty = {
    toString() {
      throw new Error('toString was called');
    },
    [Symbol.toPrimitive]() {
      throw new Error('converted');
    },
    get message() {
      throw new Error('read');
    },
  };
  for (const name of Object.keys(OPTIONS)) {
    const error = await refused({ ...OPTIONS[name].with, [name]: nasty });
    assert.ok(error.message.includes(name));
    assert.ok(error.message.length < 2000);
  }
  const long = await refused({ backoff: 'x'.repeat(1_000_000) });
  assert.ok(long.message.length < 5000, `the message has ${long.message.length} characters`);
});
