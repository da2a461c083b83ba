// RetryPolicy: run, wrap and the iterator of delays.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from './lib/clock.mjs';
import { importPackage } from './lib/consumer.mjs';
import { COMBINATIONS, expectedWaits } from './lib/shortcuts.mjs';

const { RetryPolicy } = await importPackage();
const failing = () => { throw 0; };

test('delays() has maxAttempts - 1 waits, then is done and stays done', () => {
  for (const maxAttempts of [1, 2, 6, 40]) {
    const delays = new RetryPolicy({ maxAttempts }).delays();
    for (let k = 1; k < maxAttempts; k += 1) {
      const { done, value } = delays.next();
      assert.equal(done, false);
      assert.equal(typeof value, 'number');
    }
    for (let i = 0; i < 3; i += 1) assert.deepEqual({ ...delays.next() }, { done: true, value: undefined });
  }
  assert.equal([...new RetryPolicy().delays()].length, 5);
});

test('delays() is endless if maxAttempts is', () => {
  const delays = new RetryPolicy({ maxAttempts: Infinity }).delays();
  for (let i = 0; i < 10_000; i += 1) assert.equal(delays.next().done, false);
});

test('delays() is an iterator and iterable: for…of, spread, destructuring, Array.from', () => {
  const policy = new RetryPolicy({ jitter: 'none', maxAttempts: 5 });
  const delays = policy.delays();
  assert.equal(delays[Symbol.iterator](), delays);
  assert.deepEqual([...policy.delays()], [100, 200, 400, 800]);
  const [first, second] = policy.delays();
  assert.deepEqual([first, second], [100, 200]);
  const seen = [];
  for (const wait of policy.delays()) {
    seen.push(wait);
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, [100, 200, 400]);
  assert.deepEqual(Array.from(policy.delays(), (ms) => ms / 100), [1, 2, 4, 8]);
});

test('reset() starts the next operation: the same curve, other draws', () => {
  const delays = new RetryPolicy({ seed: 1, maxAttempts: 4 }).delays();
  const first = [...delays];
  delays.reset();
  const second = [...delays];
  assert.equal(first.length, 3);
  assert.equal(second.length, 3);
  assert.notDeepEqual(first, second);
  const plain = new RetryPolicy({ jitter: 'none', maxAttempts: 4 }).delays();
  plain.next();
  plain.reset();
  assert.deepEqual([...plain], [100, 200, 400]);
  const decorrelated = new RetryPolicy({ jitter: 'decorrelated', random: () => 0.5, maxAttempts: 4 }).delays();
  const before = [...decorrelated];
  decorrelated.reset();
  assert.deepEqual([...decorrelated], before);
});

test('two iterators of one policy do not share their place', () => {
  const policy = new RetryPolicy({ jitter: 'decorrelated', seed: 2 });
  const [a, b] = [policy.delays(), policy.delays()];
  const mixed = { a: [], b: [] };
  for (let i = 0; i < 5; i += 1) {
    mixed.a.push(a.next().value);
    mixed.b.push(b.next().value);
  }
  assert.deepEqual(mixed.a, mixed.b);
  assert.deepEqual(mixed.a, [...policy.delays()]);
});

test('the seed of delays() takes the place of the policy\'s', () => {
  const policy = new RetryPolicy({ seed: 'policy' });
  assert.deepEqual([...policy.delays({ seed: 'other' })], [...new RetryPolicy({ seed: 'other' }).delays()]);
  assert.deepEqual([...policy.delays({})], [...policy.delays()]);
  assert.deepEqual([...policy.delays({ seed: undefined })], [...policy.delays()]);
  assert.notDeepEqual([...policy.delays({ seed: 'other' })], [...policy.delays()]);
  assert.deepEqual([...new RetryPolicy().delays({ seed: 'other' })], [...policy.delays({ seed: 'other' })]);
});

test('a policy with a random source of its own takes no seed for its delays', () => {
  const policy = new RetryPolicy({ random: () => 0.5 });
  assert.throws(() => policy.delays({ seed: 1 }), (error) => error instanceof TypeError && /seed/.test(error.message) && /random/.test(error.message));
});

test('a cap below the default base holds', () => {
  assert.deepEqual([...new RetryPolicy({ capMs: 30, jitter: 'none' }).delays()], [30, 30, 30, 30, 30]);
  assert.deepEqual([...new RetryPolicy({ capMs: 30, random: () => 0.5 }).delays()], [15, 15, 15, 15, 15]);
  assert.deepEqual([...new RetryPolicy({ capMs: 0 }).delays()], [0, 0, 0, 0, 0]);
});

for (const options of COMBINATIONS) {
  test(`delays() of ${options.backoff ?? 'its own curve'}, ${options.jitter}: the formula, to the last bit where it is exact`, () => {
    for (const r of [0, 0.5, 0.75]) {
      const list = [...new RetryPolicy({ ...options, random: () => r, maxAttempts: 21 }).delays()];
      assert.deepEqual(list, expectedWaits(20, r, options));
    }
  });
}

test('run does what the function of the same options does', async () => {
  const policy = new RetryPolicy({ jitter: 'none', maxAttempts: 3, baseMs: 10 });
  let calls = 0;
  const { clock, rejected, error } = await underClock(() => policy.run(({ attempt }) => { calls += 1; throw attempt; }));
  assert.deepEqual({ rejected, error, calls, waits: clock.delays }, { rejected: true, error: 3, calls: 3, waits: [10, 20] });
  assert.equal(await policy.run(() => 'value'), 'value');
});

test('wrap keeps parameters, result and receiver, and retries', async () => {
  const policy = new RetryPolicy({ maxAttempts: 3, baseMs: 0 });
  let left = 2;
  const host = {
    factor: 10,
    work: policy.wrap(function (a, b) {
      if (left > 0) {
        left -= 1;
        throw new Error('flaky');
      }
      return [this.factor, a, b, arguments.length];
    }),
  };
  assert.deepEqual((await underClock(() => host.work(1, 2))).value, [10, 1, 2, 2]);
  const error = new Error('always');
  assert.equal((await underClock(() => policy.wrap(() => { throw error; })())).error, error);
});

test('each call of a wrapped function is an operation of its own', async () => {
  const policy = new RetryPolicy({ maxAttempts: 3, jitter: 'none' });
  const calls = new Map();
  const wrapped = policy.wrap((id) => {
    calls.set(id, (calls.get(id) ?? 0) + 1);
    throw id;
  });
  const { value } = await underClock(() => Promise.allSettled(['a', 'b'].map((id) => wrapped(id))));
  assert.deepEqual(value.map(({ reason }) => reason), ['a', 'b']);
  assert.deepEqual([...calls], [['a', 3], ['b', 3]]);
});

test('a policy needs new, and its methods their policy', async () => {
  assert.throws(() => RetryPolicy(), TypeError);
  const { run, delays, wrap } = RetryPolicy.prototype;
  await assert.rejects(async () => run.call({}, () => 1), TypeError);
  assert.throws(() => delays.call({}), TypeError);
  assert.throws(() => wrap.call({}, () => 1), TypeError);
});

test('a subclass of the policy runs and wraps', async () => {
  class Mine extends RetryPolicy {
    constructor() { super({ maxAttempts: 2, baseMs: 0 }); }
  }
  const mine = new Mine();
  assert.ok(mine instanceof RetryPolicy);
  assert.equal((await underClock(() => mine.run(({ attempt }) => { if (attempt < 2) throw 0; return attempt; }))).value, 2);
});

test('a policy without options is retry without options', async () => {
  const { clock } = await underClock(() => new RetryPolicy().run(failing));
  assert.equal(clock.armed.length, 5);
  for (const [i, ms] of clock.delays.entries()) assert.ok(ms <= 100 * 2 ** i);
});

test('a preset as data has no undefined, and is the preset again', () => {
  for (const name of ['awsSdk2020', 'awsSdk2026', 'googleHttpClient', 'grpc', 'polly', 'pRetry', 'truncatedBinary']) {
    const data = RetryPolicy.preset(name).toJSON();
    assert.deepEqual(Object.entries(data).filter(([, value]) => value === undefined), [], name);
    assert.deepEqual(RetryPolicy.fromJSON(data).toJSON(), data, name);
  }
  // Three of them cap differently: that is in the data, and only there.
  assert.equal(RetryPolicy.preset('awsSdk2020').toJSON().capRule, 'draw');
  assert.equal(RetryPolicy.preset('grpc').toJSON().capRule, 'ceiling');
  assert.ok(!('capRule' in RetryPolicy.preset('pRetry').toJSON()));
});
