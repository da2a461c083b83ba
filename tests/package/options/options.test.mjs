// Options: each value is valid or rejected, before the callback is called, with a message that helps.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { OPTIONS, VALUES } from '../lib/badvalues.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';
import { caught } from '../lib/readers.mjs';
import { SHORTCUTS } from '../lib/shortcuts.mjs';
import { expectedWaits } from '../schedules/waits.mjs';

const api = await importPackage();
const { retry, RetryPolicy } = api;
const failing = fails(0);

/** Returns the error of a rejected call, having checked the promise's rejection. */
async function refused(options, call = retry) {
  let promise;
  assert.doesNotThrow(() => {
    promise = call(() => assert.fail('called'), options);
  }, 'threw instead of rejecting');
  const error = await promise.catch((e) => e);
  assert.ok(error instanceof TypeError || error instanceof RangeError, `${String(error)}`);
  return error;
}

function rejectedByPolicy(options) {
  const error = caught(() => new RetryPolicy(options));
  assert.ok(error instanceof TypeError || error instanceof RangeError, `${String(error)}`);
  return error;
}

const shown = (value) => inspect(value, { showProxy: true });

for (const [name, { takes, says, isNumber, with: others = {} }] of Object.entries(OPTIONS)) {
  test(`O03 ${name}: rejects every invalid value with name, value and rule`, async () => {
    let wrong = 0;
    for (const value of VALUES) {
      if (takes(value)) continue;
      wrong += 1;
      const label = shown(value);
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
    for (const value of VALUES) {
      if (!takes(value)) continue;
      right += 1;
      const policy = new RetryPolicy({ ...others, [name]: value });
      // Whether a function is a good one shows only when it is called.
      if (typeof value === 'function') continue;
      const delays = policy.delays();
      for (let k = 1; k <= 50; k += 1) {
        const { done, value: wait } = delays.next();
        if (done) break;
        assert.ok(Number.isFinite(wait) && wait >= 0, `${name} ${shown(value)}: wait ${k} is ${wait}`);
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

test('rejects options that are not an object', async () => {
  for (const options of [null, 5, 'full', true, Symbol('s'), 5n, () => {}, []]) {
    await refused(options);
    rejectedByPolicy(options);
  }
});

test('the options of run and of delays are checked as well', async () => {
  const policy = new RetryPolicy();
  const run = (fn, options) => policy.run(fn, options);
  const { signal } = new AbortController();
  for (const options of [{ signal: 5 }, { sgnal: signal }, { maxAttempts: 0 }, { metrics: true }, 5])
    await refused(options, run);
  for (const options of [{ seed: NaN }, { seed: {} }, { sed: 1 }, 5])
    assert.throws(() => policy.delays(options), /^(Type|Range)Error: rejitter: /);
});

const WRITES = ['set', 'defineProperty', 'deleteProperty', 'setPrototypeOf', 'preventExtensions'];

test('each option is read at most once, before the callback, and nothing is written', async () => {
  const { signal } = new AbortController();
  const curve = { baseMs: 10, capMs: 100, minMs: 1, factor: 3, backoff: 'exponential', jitter: 'none' };
  const values = { ...curve, maxAttempts: 4, signal, retryIf: () => true, seed: 5 };
  const written = () => assert.fail('written');
  for (const make of [(o) => () => retry(failing, o), (o) => () => new RetryPolicy(o).run(failing)]) {
    const reads = {};
    let inCallback = false;
    const options = new Proxy(values, {
      get(target, name, receiver) {
        reads[name] = (reads[name] ?? 0) + 1;
        assert.equal(inCallback, false);
        return Reflect.get(target, name, receiver);
      },
      ...Object.fromEntries(WRITES.map((trap) => [trap, written])),
    });
    const go = make(options);
    const { clock } = await underClock(() => {
      const promise = go();
      inCallback = true;
      return promise;
    });
    assert.deepEqual(clock.delays, [10, 30, 90]);
    for (const name of Object.keys(values)) assert.equal(reads[name], 1, name);
  }
});

test('a getter that throws rejects with what it threw', async () => {
  const boom = new Error('boom');
  const options = Object.defineProperty({}, 'baseMs', { enumerable: true, get: fails(boom) });
  const { error, calls } = await operate(() => 1, options);
  assert.deepEqual([error, calls], [boom, 0]);
  assert.equal(
    caught(() => new RetryPolicy(options)),
    boom,
  );
});
