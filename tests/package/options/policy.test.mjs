// RetryPolicy: run, with, wrap, delayMs and the iterator of delays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const { RetryPolicy } = await importPackage();
const { grpc } = await importEntry('presets');
const failing = fails(0);
const none = { jitter: 'none', maxAttempts: 5 };
const policyOf = (options) => new RetryPolicy(options);
const listOf = (options, more) => [...policyOf(options).delays(more)];
/** The waits of a run in which every attempt fails. */
const waitsOf = async (policy, overrides) => (await underClock(() => policy.run(failing, overrides))).clock.delays;

test('delays() is an iterator and iterable of maxAttempts - 1 waits, then is done and stays done', () => {
  const delays = policyOf({ jitter: 'none', maxAttempts: 5 }).delays();
  assert.equal(delays[Symbol.iterator](), delays);
  assert.deepEqual([{ ...delays.next() }, Object.keys(delays)], [{ done: false, value: 100 }, []]);
  const seen = [];
  for (const wait of delays) if (seen.push(wait) === 2) break;
  assert.deepEqual([...seen, ...delays], [200, 400, 800]);
  for (const ended of [delays, policyOf({ maxAttempts: 1 }).delays()])
    for (let i = 0; i < 3; i += 1) assert.deepEqual({ ...ended.next() }, { done: true, value: undefined });
  // A draw that throws has taken no wait. Each wait that has a draw takes one.
  let draws = 0;
  const random = () => (++draws === 2 ? assert.fail('the second draw') : 0.5);
  const drawn = policyOf({ random }).delays();
  assert.equal(drawn.next().value, 50);
  assert.throws(() => drawn.next(), /the second draw/);
  assert.deepEqual([...drawn, draws], [100, 200, 400, 800, 6]);
});

test('a seed of delays(), with() or run() replaces seed and random, and random the seed', async () => {
  const random = () => 0.5;
  const [seeded, drawn] = [{ seed: 1 }, { random }].map(policyOf);
  const [waits, halves] = [seeded, drawn].map((policy) => [...policy.delays()]);
  for (const [name, found, expected] of [
    ['delays, seed', [...policyOf({ seed: 'policy' }).delays({ seed: 1 })], waits],
    ['delays, of no seed', listOf({}, { seed: 1 }), waits],
    ['delays, random', [...drawn.delays({ seed: 1 })], waits],
    ['delayMs', [drawn.delayMs(2, { seed: 1 })], [waits[1]]],
    ['with random', [...seeded.with({ random }).delays()], halves],
    ['with seed', [...drawn.with({ seed: 1 }).delays()], waits],
    ['run', await waitsOf(seeded, { random }), halves],
    ['run, seed', await waitsOf(drawn, { seed: 1 }), waits.map(Math.ceil)],
    // An undefined option is inherited.
    ['no option', [...seeded.delays({})], waits],
    ['undefined', [...seeded.delays({ seed: undefined })], waits],
    ['with undefined', [...seeded.with({ seed: undefined, name: 'load' }).delays()], waits],
  ])
    assert.deepEqual(found, expected, name);
  assert.notDeepEqual([...seeded.delays({ seed: 'other' })], waits);
});

const linear = { ...none, backoff: 'linear', stepMs: 7 };
const list = { ...none, backoff: [20_000] };
/** Options, overrides of with() or of a run, and the waits: an override drops what belonged to what it replaces. */
const OVERRIDES = [
  [{ ...none, factor: 3 }, { backoff: 'fibonacci' }, [100, 100, 200, 300]],
  [linear, { backoff: 'exponential' }, [100, 200, 400, 800]],
  [linear, { backoff: 'exponential', factor: 3 }, [100, 300, 900, 2700]],
  [linear, { baseMs: 10 }, [10, 17, 24, 31]],
  [{ ...none, backoff: (k) => k }, { backoff: 'fixed' }, [100, 100, 100, 100]],
  [{ ...none, backoff: [20_000, 30_000] }, { backoff: [12_000, 15_000] }, [12_000, 15_000, 15_000, 15_000]],
  // The list's cap is not the caller's.
  [list, { baseMs: 6000, backoff: 'linear' }, [6000, 10_000, 10_000, 10_000]],
  [{ ...list, capMs: 15_000 }, { baseMs: 6000, backoff: 'linear' }, [6000, 12_000, 15_000, 15_000]],
  [{ ...grpc, jitter: 'none', maxAttempts: 5 }, { baseMs: 10 }, [10, 20, 40, 80]],
];

test('overrides of with() and of one run: the same waits, and the policy stays as it is', async () => {
  for (const [options, overrides, waits] of OVERRIDES) {
    const policy = policyOf(options);
    const before = [...policy.delays()];
    assert.deepEqual([...policy.with(overrides).delays()], waits, JSON.stringify(options));
    assert.deepEqual(await waitsOf(policy, overrides), waits, JSON.stringify(options));
    assert.deepEqual([...policy.delays()], before);
    for (const nothing of [{}, undefined]) assert.deepEqual([...policy.with(nothing).delays()], before);
  }
  const slotted = policyOf({ jitter: 'slotted', truncateAt: 4 });
  assert.equal(slotted.with({ jitter: 'full' }).toJSON().truncateAt, undefined);
  assert.equal(slotted.with({ backoff: 'fixed' }).toJSON().truncateAt, 4);
  assert.equal(policyOf(grpc).with({ maxAttempts: 3 }).toJSON().capRule, 'ceiling');
});

test('overrides keep callbacks or replace them; metrics and operations are counted by the policy', async () => {
  const events = [];
  const note = (name) => () => events.push(name);
  const hooks = { onRetry: note('retry'), onGiveUp: note('first') };
  const policy = policyOf({ ...none, maxAttempts: 3, metrics: true, retryIf: (error) => error !== 'stop', ...hooks });
  const other = policy.with({ maxAttempts: 2, onGiveUp: note('second') });
  assert.deepEqual(await waitsOf(other), [100]);
  await assert.rejects(other.run(fails('stop')), (error) => error === 'stop');
  await waitsOf(policy, { maxAttempts: 2, onRetry: note('own') });
  await waitsOf(policy);
  assert.equal(events.join(' '), 'retry second second own first retry retry first');
  const counted = [policy, other, policy.with({ metrics: false }), policyOf({}).with({ metrics: true })];
  assert.equal(counted.map((each) => each.metrics()?.operations).join(), '2,2,,0');
});

test('a run with overrides is the next operation of its seed; with() and a run with its own seed begin at the first', async () => {
  const waits = (seed, index) => {
    const delays = policyOf({ seed, maxAttempts: 3 }).delays();
    for (let i = 0; i < index; i += 1) delays.reset();
    return [...delays].map(Math.ceil);
  };
  const policy = policyOf({ seed: 1, maxAttempts: 3 });
  assert.deepEqual(await waitsOf(policy, { maxAttempts: 3 }), waits(1, 0));
  assert.deepEqual(await waitsOf(policy), waits(1, 1));
  for (let i = 0; i < 2; i += 1) assert.deepEqual(await waitsOf(policy, { seed: 2 }), waits(2, 0));
  assert.deepEqual(await waitsOf(policy.with({ name: 'load' })), waits(1, 0));
  assert.deepEqual(await waitsOf(policy), waits(1, 2));
});

test('delayMs(k) is the k-th of delays() of any operation, whatever maxAttempts is', () => {
  // Those of the first operation are in tests/vectors/delays.json, those with a hint in hints.json.
  for (const options of [{ jitter: 'decorrelated' }, { jitter: 'pollyV2' }, { backoff: [3, 1, 2] }]) {
    const policy = policyOf({ ...options, seed: 7, maxAttempts: 2 });
    const delays = policyOf({ ...options, seed: 7, maxAttempts: 20 }).delays();
    // Wherever an operation has stopped, reset() starts the next one.
    for (const taken of [0, 1, 19]) {
      for (let i = 0; i < taken; i += 1) delays.next();
      delays.reset();
    }
    for (const [i, ms] of [...delays].entries())
      assert.equal(policy.delayMs(i + 1, { operation: 3 }), ms, `${JSON.stringify(options)}, ${i + 1}`);
    assert.equal(policy.delayMs(1), policy.delayMs(1));
  }
  const fresh = new RetryPolicy();
  assert.notEqual(fresh.delayMs(5), fresh.delayMs(5));
  assert.equal(fresh.with({ seed: 1 }).delayMs(1, { hintMs: 0 }), policyOf({ seed: 1 }).delayMs(1));
  assert.equal(policyOf({ jitter: 'none', capMs: Infinity }).delayMs(2 ** 53 - 1), 2 ** 53 - 1);
  // The core counts in 32 bits: no later wait is longer, and none starts again.
  for (const options of [{ factor: 1 + 2 ** -30 }, { backoff: 'linear', stepMs: 1 }, { backoff: 'fibonacci' }]) {
    const slow = policyOf({ jitter: 'none', capMs: Infinity, ...options });
    const last = slow.delayMs(2 ** 32 - 1);
    assert.ok(last > slow.delayMs(2 ** 31) || options.backoff === 'fibonacci', String(last));
    for (const k of [2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1]) assert.equal(slow.delayMs(k), last);
  }
});

test('wrap passes the attempt first if asked to, and keeps name and length', async () => {
  const policy = policyOf({ maxAttempts: 3, baseMs: 0, attemptTimeoutMs: 50 });
  async function load({ attempt, signal }, id) {
    return attempt < 3 ? failing() : [this.host, id, attempt, signal.aborted];
  }
  const host = { host: 'here', load: policy.wrap(load, { withAttempt: true }) };
  assert.deepEqual((await underClock(() => host.load(7))).value, ['here', 7, 3, false]);
  const plain = policy.wrap(function two(a, b) {
    return [a, b, arguments.length];
  });
  assert.deepEqual(await plain(1, 2), [1, 2, 2]);
  const wrapped = [host.load, plain, policy.wrap(() => 1, { withAttempt: true })];
  assert.equal(wrapped.map(({ name, length }) => `${name} ${length}`).join(), 'load 1,two 2, 0');
});

test('overrides of a subclass are of that class; console.log shows the data', () => {
  class Mine extends RetryPolicy {
    constructor() {
      super({ maxAttempts: 2 });
    }
  }
  const mine = new Mine().with({ baseMs: 5, jitter: 'none', retryIf: () => true });
  assert.ok(mine instanceof Mine);
  assert.deepEqual(mine.toJSON(), policyOf({ baseMs: 5, jitter: 'none', maxAttempts: 2 }).toJSON());
  assert.equal(inspect(policyOf({ baseMs: 5 })), `RetryPolicy ${inspect(policyOf({ baseMs: 5 }).toJSON())}`);
  assert.match(inspect(policyOf({ backoff: (k) => k })), /^RetryPolicy \{\s.*backoff: \[Function: backoff\]/s);
  assert.match(inspect({ mine }, { depth: 0 }), /mine: RetryPolicy/);
  assert.throws(() => structuredClone(mine), { name: 'DataCloneError' });
  assert.deepEqual(JSON.parse(JSON.stringify({ mine })), { mine: { ...mine.toJSON() } });
});
