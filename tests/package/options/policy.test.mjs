// RetryPolicy: run, wrap and the iterator of delays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect, isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';

import typescript from 'typescript-5.9';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';
import { caught } from '../lib/readers.mjs';

const { RetryPolicy, isProgrammingError, permanent, retryAfter } = await importPackage();
const presets = await importEntry('presets');
const failing = fails(0);

test('delays() is an iterator and iterable of maxAttempts - 1 waits, then is done and stays done', () => {
  for (const maxAttempts of [1, 2, 6, 40]) {
    const delays = new RetryPolicy({ maxAttempts }).delays();
    for (let k = 1; k < maxAttempts; k += 1) assert.equal(typeof delays.next().value, 'number');
    for (let i = 0; i < 3; i += 1) assert.deepEqual({ ...delays.next() }, { done: true, value: undefined });
  }
  assert.equal([...new RetryPolicy().delays()].length, 5);
  const policy = new RetryPolicy({ jitter: 'none', maxAttempts: 5 });
  const delays = policy.delays();
  assert.equal(delays[Symbol.iterator](), delays);
  assert.deepEqual({ ...delays.next() }, { done: false, value: 100 });
  const seen = [];
  for (const wait of policy.delays()) if (seen.push(wait) === 3) break;
  assert.deepEqual(seen, [100, 200, 400]);
  // A draw that throws has taken no wait.
  let draws = 0;
  const random = () => (++draws === 2 ? assert.fail('the second draw') : 0.5);
  const drawn = new RetryPolicy({ random }).delays();
  assert.deepEqual([drawn.next().value, Object.keys(drawn)], [50, []]);
  assert.throws(() => drawn.next(), /the second draw/);
  assert.equal(drawn.next().value, 100);
});

test('reset() starts the next operation: the same curve, other draws', () => {
  for (const [options, same] of [
    [{ jitter: 'none' }, true],
    [{ jitter: 'decorrelated', random: () => 0.5 }, true],
    [{ seed: 1 }, false],
  ]) {
    const delays = new RetryPolicy({ ...options, maxAttempts: 4 }).delays();
    const first = [...delays];
    delays.reset();
    assert.equal(delays.next().value === first[0], same);
    delays.reset();
    const third = [...delays];
    assert.deepEqual([third.length, isDeepStrictEqual(third, first)], [3, same], JSON.stringify(options));
  }
});

test("the seed of delays() replaces the policy's", () => {
  const policy = new RetryPolicy({ seed: 'policy' });
  assert.deepEqual([...policy.delays({ seed: 'other' })], [...new RetryPolicy({ seed: 'other' }).delays()]);
  assert.deepEqual([...policy.delays({})], [...policy.delays()]);
  assert.deepEqual([...policy.delays({ seed: undefined })], [...policy.delays()]);
  assert.notDeepEqual([...policy.delays({ seed: 'other' })], [...policy.delays()]);
  assert.deepEqual([...new RetryPolicy().delays({ seed: 'other' })], [...policy.delays({ seed: 'other' })]);
});

test('an override of seed replaces random, and the reverse; both in one object are rejected', async () => {
  const random = () => 0.5;
  const seeded = new RetryPolicy({ seed: 1 });
  const drawn = new RetryPolicy({ random });
  const [waits, halves] = [seeded, drawn].map((policy) => [...policy.delays()]);
  assert.deepEqual([...seeded.with({ random }).delays()], halves);
  assert.deepEqual([...drawn.with({ seed: 1 }).delays()], waits);
  assert.deepEqual([...drawn.delays({ seed: 1 })], waits);
  assert.equal(drawn.delayMs(2, { seed: 1 }), waits[1]);
  assert.deepEqual((await underClock(() => seeded.run(failing, { random }))).clock.delays, halves);
  assert.deepEqual((await underClock(() => drawn.run(failing, { seed: 1 }))).clock.delays, waits.map(Math.ceil));
  // An undefined option is inherited.
  assert.deepEqual([...seeded.with({ seed: undefined, name: 'load' }).delays()], waits);
  for (const make of [() => new RetryPolicy({ seed: 1, random }), () => seeded.with({ seed: 1, random })])
    assert.throws(make, /^TypeError: rejitter: seed and random are mutually exclusive/);
});

test('a policy needs new, and its methods their policy', async () => {
  assert.throws(() => RetryPolicy(), TypeError);
  const { run, wrap, delays, delayMs, toJSON, with: over } = new RetryPolicy();
  const message = /^TypeError: rejitter: this must be a RetryPolicy: call policy\.run\(fn\)/;
  const methods = [() => run(() => 1), () => wrap(() => 1), delays, () => delayMs(1), toJSON, () => over({})];
  for (const method of [...methods, () => run.call({}, () => 1), () => delays.call({}), () => wrap.call({}, () => 1)])
    await assert.rejects(async () => method(), message);
});

test('wrap decorates methods', async () => {
  // Not esbuild: it calls decorators without the object before the dot.
  const { outputText } = typescript.transpileModule(
    `export const classOf = (policy) => class {
      base = '/user/';
      left = 1;
      @policy.wrap async load(id) { if (this.left-- > 0) throw new Error('first'); return this.base + id; }
      @policy.wrap static twice(n) { return 2 * n; }
    };`,
    { compilerOptions: { target: 'es2022', module: 'esnext' } },
  );
  const { classOf } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
  const Client = classOf(new RetryPolicy());
  assert.equal((await underClock(() => new Client().load(7))).value, '/user/7');
  assert.equal(await Client.twice(4), 8);
  assert.deepEqual([Client.prototype.load.name, Client.prototype.load.length], ['load', 1]);
});

test('overrides of a subclass are of that class', () => {
  class Mine extends RetryPolicy {
    constructor() {
      super({ maxAttempts: 2 });
    }
  }
  const policy = new Mine().with({ baseMs: 5 });
  assert.ok(policy instanceof Mine);
  assert.equal(policy.toJSON().maxAttempts, 2);
});

/** The waits of a run in which every attempt fails. */
const waitsOf = async (policy, overrides) => (await underClock(() => policy.run(failing, overrides))).clock.delays;

test('with() makes another policy of the overridden options, and keeps callbacks and what the cap bounds', async () => {
  const events = [];
  const policy = new RetryPolicy({
    ...presets.grpc,
    jitter: 'none',
    retryIf: (error) => error !== 'stop',
    onRetry: () => events.push('retry'),
    onGiveUp: () => events.push('first'),
  });
  const other = policy.with({ maxAttempts: 3, onGiveUp: () => events.push('second') });
  assert.deepEqual(await waitsOf(other), [100, 200]);
  assert.deepEqual(events.splice(0), ['retry', 'retry', 'second']);
  assert.deepEqual(await waitsOf(policy), [100, 200, 400]);
  assert.deepEqual(events, ['retry', 'retry', 'retry', 'first']);
  await assert.rejects(other.run(fails('stop')), (error) => error === 'stop');
  assert.equal(other.toJSON().capRule, 'ceiling');
  assert.deepEqual(policy.with({}).toJSON(), policy.toJSON());
  for (const bad of [{ maxAttempts: 0 }, { maxAtempts: 3 }, 5, { seed: 1, random: () => 0.5 }, { capMs: 1 }])
    assert.throws(() => policy.with(bad), /^(Type|Range)Error: rejitter: /);
  assert.deepEqual(policy.with().toJSON(), policy.toJSON());
});

test('with() counts its operations and metrics by itself', async () => {
  const policy = new RetryPolicy({ seed: 1, metrics: true, maxAttempts: 2 });
  await waitsOf(policy);
  const other = policy.with({ maxAttempts: 3 });
  assert.equal(other.metrics().operations, 0);
  assert.deepEqual(await waitsOf(other), await waitsOf(new RetryPolicy({ seed: 1, maxAttempts: 3 })));
  assert.deepEqual([policy.metrics().operations, other.metrics().operations], [1, 1]);
  assert.equal(policy.with({ metrics: false }).metrics(), undefined);
  assert.equal(new RetryPolicy().with({ metrics: true }).metrics().operations, 0);
});

test('an override of the backoff or the jitter drops the options of what it replaces', () => {
  const none = { jitter: 'none', maxAttempts: 5 };
  const linear = { ...none, backoff: 'linear', stepMs: 7 };
  for (const [options, overrides, waits] of [
    [{ ...none, factor: 3 }, { backoff: 'fibonacci' }, [100, 100, 200, 300]],
    [linear, { backoff: 'exponential' }, [100, 200, 400, 800]],
    [linear, { backoff: 'exponential', factor: 3 }, [100, 300, 900, 2700]],
    [linear, { baseMs: 10 }, [10, 17, 24, 31]],
    [{ ...none, backoff: (k) => k }, { backoff: 'fixed' }, [100, 100, 100, 100]],
    [{ ...none, backoff: [20_000, 30_000] }, { backoff: [12_000, 15_000] }, [12_000, 15_000, 15_000, 15_000]],
    // The first list's cap is not the caller's either.
    [{ ...none, backoff: [20_000] }, { baseMs: 6000, backoff: 'linear' }, [6000, 10_000, 10_000, 10_000]],
    [
      { ...none, backoff: [20_000], capMs: 15_000 },
      { baseMs: 6000, backoff: 'linear' },
      [6000, 12_000, 15_000, 15_000],
    ],
  ])
    assert.deepEqual(
      [...new RetryPolicy(options).with(overrides).delays()].slice(0, 4),
      waits,
      JSON.stringify(options),
    );
  const slotted = new RetryPolicy({ jitter: 'slotted', truncateAt: 4 });
  assert.equal(slotted.with({ jitter: 'full' }).toJSON().truncateAt, undefined);
  assert.equal(slotted.with({ backoff: 'fixed' }).toJSON().truncateAt, 4);
  // Overrides that contradict each other are still rejected.
  assert.throws(
    () => new RetryPolicy({ ...presets.grpc, backoff: 'linear', factor: 3 }),
    /factor must be omitted \(got 3\)/,
  );
  assert.throws(() => new RetryPolicy({ backoff: 'fixed' }).with({ factor: 2 }), /factor must be omitted \(got 2\)/);
});

test('run takes overrides for one operation, and the policy stays as it is', async () => {
  const events = [];
  const policy = new RetryPolicy({
    jitter: 'none',
    baseMs: 10,
    maxAttempts: 3,
    name: 'all',
    onRetry: ({ delayMs }) => events.push(delayMs),
    metrics: true,
  });
  assert.deepEqual(await waitsOf(policy, { maxAttempts: 4, backoff: 'linear', stepMs: 5 }), [10, 15, 20]);
  assert.deepEqual(await waitsOf(policy, { onRetry: ({ delayMs }) => events.push(-delayMs), baseMs: 7 }), [7, 14]);
  assert.deepEqual(await waitsOf(policy), [10, 20]);
  assert.deepEqual(events, [10, 15, 20, -7, -14, 10, 20]);
  assert.equal(policy.metrics().operations, 3);
  const { error } = await underClock(() => policy.run(failing, { metrics: true }));
  assert.equal(error.message, 'rejitter: metrics must be omitted (got true): it belongs to the policy');
  const both = await policy.run(() => {}, { signal: 5, maxAttempts: 0, nam: 'x' }).catch((e) => e);
  assert.match(
    both.message,
    /signal must be an AbortSignal, such as controller\.signal, got 5; maxAttempts must be .*, got 0; unknown option "nam"\. Did you mean name\? Known options: (?!.*metrics)/,
  );
});

test('a run with overrides is the next operation of its seed; one with its own seed is the first', async () => {
  const waits = (policy, index) => {
    const list = policy.delays();
    for (let i = 0; i < index; i += 1) list.reset();
    return [...list].map(Math.ceil);
  };
  const policy = new RetryPolicy({ seed: 1, maxAttempts: 3 });
  assert.deepEqual(await waitsOf(policy, { maxAttempts: 3 }), waits(policy, 0));
  assert.deepEqual(await waitsOf(policy), waits(policy, 1));
  for (let i = 0; i < 2; i += 1)
    assert.deepEqual(await waitsOf(policy, { seed: 2 }), waits(new RetryPolicy({ seed: 2, maxAttempts: 3 }), 0));
  assert.deepEqual(await waitsOf(policy), waits(policy, 2));
});

test('delayMs(k) is the k-th of delays() of any operation, whatever maxAttempts is', () => {
  // Those of the first operation are in tests/vectors/delays.json.
  for (const options of [{ jitter: 'decorrelated' }, { jitter: 'pollyV2' }, { backoff: [3, 1, 2] }]) {
    const policy = new RetryPolicy({ ...options, seed: 7, maxAttempts: 2 });
    const delays = new RetryPolicy({ ...options, seed: 7, maxAttempts: 20 }).delays();
    for (let i = 0; i < 3; i += 1) delays.reset();
    for (const [i, ms] of [...delays].entries())
      assert.equal(policy.delayMs(i + 1, { operation: 3 }), ms, `${JSON.stringify(options)}, ${i + 1}`);
    assert.equal(policy.delayMs(3, { seed: 'other' }), new RetryPolicy({ ...options, seed: 'other' }).delayMs(3));
    assert.equal(policy.delayMs(1), policy.delayMs(1));
  }
  const fresh = new RetryPolicy();
  assert.notEqual(fresh.delayMs(5), fresh.delayMs(5));
  assert.equal(new RetryPolicy({ jitter: 'none', capMs: Infinity }).delayMs(2 ** 53 - 1), 2 ** 53 - 1);
  // The core counts in 32 bits: no later wait is longer, and none starts again.
  for (const options of [{ factor: 1 + 2 ** -30 }, { backoff: 'linear', stepMs: 1 }, { backoff: 'fibonacci' }]) {
    const slow = new RetryPolicy({ jitter: 'none', capMs: Infinity, ...options });
    const last = slow.delayMs(2 ** 32 - 1);
    assert.ok(last > slow.delayMs(2 ** 31) || options.backoff === 'fibonacci', String(last));
    assert.deepEqual(
      [2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1].map((k) => slow.delayMs(k)),
      [last, last, last],
    );
  }
});

test('delayMs(k) with a hint: none for 0, an error above maxRetryAfterMs, or the cap', () => {
  // The waits are in tests/vectors/hints.json.
  const policy = new RetryPolicy({ baseMs: 100, random: () => 0.5 });
  assert.equal(policy.delayMs(1, { hintMs: 0 }), policy.delayMs(1));
  assert.throws(() => policy.delayMs(1, { hintMs: 60_001 }), {
    name: 'RangeError',
    message: 'rejitter: hintMs must be at most maxRetryAfterMs, got 60001',
  });
  assert.ok(policy.with({ longRetryAfter: 'cap' }).delayMs(1, { hintMs: Infinity }) >= 60_000);
});

test('delayMs rejects an invalid wait, operation or hint', () => {
  const policy = new RetryPolicy({ seed: 1 });
  for (const [call, values, message] of [
    [(k) => policy.delayMs(k), [0, -1, 1.5, NaN, Infinity, 2 ** 53], /^RangeError: rejitter: k must be an integer be/],
    [(k) => policy.delayMs(k), [undefined, '1', null, 1n], /^TypeError: rejitter: k must be/],
    [(k) => policy.with({ jitter: 'decorrelated' }).delayMs(k), [100_001], /between 1 and 100,000, got 100001/],
    [
      (operation) => policy.delayMs(1, { operation }),
      [-1, 0.5, Infinity, NaN],
      /^RangeError: rejitter: operation must/,
    ],
    [(hintMs) => policy.delayMs(1, { hintMs }), [-1, NaN], /^RangeError: rejitter: hintMs must be/],
    [(hint) => policy.delayMs(1, { hint }), [5], /unknown option "hint"\. Did you mean hintMs\?/],
    [(seed) => policy.delayMs(1, { seed }), [-1], /seed must be/],
  ])
    for (const value of values) assert.throws(() => call(value), message, String(value));
});

test('wrap passes the attempt first if asked to, and keeps name and length', async () => {
  const policy = new RetryPolicy({ maxAttempts: 3, baseMs: 0, attemptTimeoutMs: 50 });
  async function load(attempt, id) {
    if (attempt.attempt < 3) throw 0;
    return [this.host, id, attempt.attempt, attempt.signal.aborted];
  }
  const host = { host: 'here', load: policy.wrap(load, { withAttempt: true }) };
  assert.deepEqual((await underClock(() => host.load(7))).value, ['here', 7, 3, false]);
  assert.deepEqual([host.load.name, host.load.length], ['load', 1]);
  const plain = policy.wrap(function two(a, b) {
    return [a, b, arguments.length];
  });
  assert.deepEqual(await plain(1, 2), [1, 2, 2]);
  assert.deepEqual([plain.name, plain.length], ['two', 2]);
  assert.equal(policy.wrap(() => 1, { withAttempt: true }).length, 0);
  assert.throws(() => policy.wrap(load, { withAttempt: 1 }), /withAttempt must be true or false, got 1/);
  assert.throws(() => policy.wrap(load, { attempt: true }), /unknown option "attempt"/);
});

test('console.log of a policy shows its data', () => {
  const policy = new RetryPolicy({ baseMs: 5, jitter: 'none', retryIf: () => true });
  assert.equal(inspect(policy), `RetryPolicy ${inspect(policy.toJSON())}`);
  const backoff = (k) => k;
  assert.match(inspect(new RetryPolicy({ backoff })), /^RetryPolicy \{\s.*backoff: \[Function: backoff\]/s);
  assert.match(inspect({ policy }, { depth: 0 }), /policy: RetryPolicy/);
});

test('programming errors: TypeErrors but for failed fetches, and ReferenceErrors, of any realm', () => {
  const foreign = ['undefined.foo', 'foo'].map((code) => caught(() => runInNewContext(code)));
  const own = new (class extends TypeError {})('mine');
  for (const error of [new TypeError('x is not a function'), new ReferenceError('x'), ...foreign, own])
    assert.equal(isProgrammingError(error), true, String(error));
  const unreadable = Object.defineProperty({}, 'name', { get: fails(new Error('read')) });
  for (const error of [
    ...['fetch failed', 'Failed to fetch', 'Load failed'].map((text) => new TypeError(text)),
    ...[new Error('x'), new RangeError('x'), new DOMException('x', 'TimeoutError')],
    ...['TypeError', undefined, null, 5, unreadable, permanent(new Error('x')), retryAfter(5)],
  ])
    assert.equal(isProgrammingError(error), false, String(error?.message));
});

for (const name of ['pRetry', 'pRetryRandomized']) {
  test(`${name} stops at programming errors, as p-retry does`, async () => {
    const calls = async (fn, overrides) => (await operate(fn, { ...presets[name], ...overrides })).calls;
    assert.equal(await calls(() => undefined.foo), 1);
    assert.equal(await calls(() => nowhere), 1);
    assert.equal(await calls(fails(new TypeError('fetch failed'))), 11);
    assert.equal(await calls(fails(new Error('busy'))), 11);
    assert.equal(await calls(() => undefined.foo, { retryIf: () => true }), 11);
  });
}
