// permanent() and retryAfter(): nested, foreign, malformed, and returned by mistake. The random schedules (../schedules)
// have marks around errors of each kind, in any order, also those that other callbacks throw.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';
import { underBlockingClock } from '../lib/blocking.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, printed } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const { RetryPolicy, TimeoutError, isPermanent, permanent, retry, retryAfter, retryReport, retrySync } =
  await importPackage();
const { RejectedError } = await importEntry('protection');
const light = await importEntry('light');
const MARK = Symbol.for('rejitter.mark');
const mine = new Error('mine');
const fail = fails(new Error('failed'));

/** Returns how an operation ends whose attempts all throw this. */
async function ending(thrown, options) {
  const seen = [];
  const retryIf = (error) => seen.push(error) > 0;
  const onFailure = ({ error }) => seen.push(error);
  const own = { jitter: 'none', maxAttempts: 2, retryIf, onFailure };
  const { error, delays: waits } = await operate(fails(thrown), { ...own, ...options });
  const { reason, hintMs } = retryReport(error) ?? {};
  assert.ok(
    seen.every((each) => Object.is(each, error)),
    'predicate, hook and rejection see the same error',
  );
  return { error, reason, hintMs, waits };
}

test('the outer hint of two counts, and an inner one where the outer mark has none', async () => {
  assert.equal((await ending(retryAfter(7, retryAfter(5, mine)), { random: () => 0, baseMs: 0 })).hintMs, 7);
  const chained = new Error('outer', { cause: retryAfter(5, mine) });
  const end = await ending(chained, { random: () => 0, baseMs: 0 });
  assert.deepEqual([end.error, end.hintMs, end.waits], [chained, 5, [5]]);
  assert.equal((await ending(new Error('outer', { cause: retryAfter(5, permanent(mine)) }))).reason, 'permanent');
});

test('a nested operation that times out does not repeat the hint of the failure that is its cause', async () => {
  const exact = { random: () => 0, baseMs: 10, backoff: 'fixed', jitter: 'equal' };
  const within = ({ attempt }) => {
    if (attempt < 2) throw retryAfter(700);
    return new Promise(() => {});
  };
  const { error, clock } = await underClock(() =>
    retry(() => retry(within, { ...exact, totalTimeoutMs: 800 }), { ...exact, maxAttempts: 2 }),
  );
  assert.equal(error.cause.name, 'RetryAfterError');
  assert.deepEqual(clock.delays, [800, 700, 5, 800, 700]);
});

const throwing = (name) =>
  Object.defineProperty({ permanent: true, afterMs: 5, wraps: false }, name, { enumerable: true, get: fail });
const MALFORMED = {
  null: null,
  undefined,
  true: true,
  'a string': 'permanent',
  'an empty object': {},
  'an array': [],
  'wraps alone': { wraps: true },
  'no wraps': { permanent: true, afterMs: NaN },
  'no afterMs': { permanent: true, wraps: false },
  'permanent as a string': { permanent: 'yes', afterMs: NaN, wraps: false },
  'afterMs as a string': { permanent: false, afterMs: '1e9', wraps: false },
  'afterMs as a bigint': { permanent: false, afterMs: 1n, wraps: false },
  'afterMs below 0': { permanent: true, afterMs: -1, wraps: false },
  'a getter of permanent that throws': throwing('permanent'),
  'a getter of afterMs that throws': throwing('afterMs'),
  'a getter of wraps that throws': throwing('wraps'),
};
test('a foreign mark of another shape is ignored: the error is retried, then thrown', async () => {
  for (const [name, mark] of Object.entries(MALFORMED)) {
    const error = Object.assign(new Error('foreign', { cause: mine }), { [MARK]: mark });
    assert.equal(isPermanent(error), false, name);
    const end = await ending(error);
    assert.deepEqual([end.error, end.reason, end.hintMs, end.waits], [error, 'exhausted', undefined, [100]], name);
  }
});

test('a foreign mark of the right shape counts, its getters too; what wraps nothing is not taken off', async () => {
  const marked = (mark, options) => Object.assign(new Error('foreign', options), { [MARK]: mark });
  const good = { permanent: true, afterMs: NaN, wraps: true };
  assert.equal((await ending(marked(good, { cause: mine }))).error, mine);
  const bare = marked(good);
  assert.deepEqual(await ending(bare).then(({ error, reason }) => [error, reason]), [bare, 'permanent']);
  const other = runInContext(
    `Object.assign(new Error('foreign'), { [Symbol.for('rejitter.mark')]: { get permanent() { return true; }, ` +
      'afterMs: 5, wraps: false } })',
    createContext({}),
  );
  assert.deepEqual(await ending(other).then(({ error, reason }) => [error, reason]), [other, 'permanent']);
  // Marks that were found before a getter throws still count.
  const then = new Error('then', { cause: Object.defineProperty(new Error('deep'), 'cause', { get: fail }) });
  assert.equal((await ending(permanent(then))).reason, 'permanent');
});

test('a failure that became the cause of an error with a mark afterwards says nothing about that error', async () => {
  const gone = permanent(new Error('gone'));
  // As the driver does with an error that a predicate throws.
  const end = await ending(Object.assign(retryAfter(5), { cause: gone }));
  assert.deepEqual([end.error.name, end.reason, end.hintMs], ['RetryAfterError', 'exhausted', 5]);
});

test('rejitter/light reads marks as the main entry does, but waits for no hint', async () => {
  const rows = {
    plain: mine,
    permanent: permanent(mine),
    hint: retryAfter(5000, mine),
    bare: retryAfter(5000),
    chained: new Error('outer', { cause: permanent(mine) }),
    timeout: Object.assign(new TimeoutError('late'), { cause: permanent(mine) }),
    rejected: new RejectedError('breaker', 5000, mine),
    twice: retryAfter(5000, permanent(retryAfter(1, mine))),
  };
  for (const [name, thrown] of Object.entries(rows)) {
    const ends = [];
    for (const run of [retry, light.retry]) {
      const seen = [];
      const retryIf = (error) => seen.push(error) > 0;
      const { error, clock } = await underClock(() => run(fails(thrown), { maxAttempts: 2, jitter: 'none', retryIf }));
      ends.push([error, seen]);
      if (run === light.retry) assert.deepEqual(clock.delays, seen.length === 0 ? [] : [100], name);
    }
    assert.deepEqual(ends[1], ends[0], name);
  }
});

test('retryAfter() with an invalid time keeps the error, ignores the hint, and never throws', async () => {
  for (const ms of [NaN, -1, '5', undefined, null, 5n, {}, new Date()]) {
    const end = await ending(retryAfter(ms, mine));
    assert.deepEqual([end.error, end.hintMs, end.waits], [mine, undefined, [100]], String(ms));
    const bare = retryAfter(ms);
    assert.match(
      bare.message,
      /^rejitter: ms of retryAfter\(\) must be a non-negative number of milliseconds or Infinity, got /,
    );
    const alone = await ending(bare);
    assert.deepEqual([alone.error, alone.hintMs], [bare, undefined], String(ms));
  }
});

test('retryAfter() says once per process that a value which is no number of milliseconds requests nothing', async () => {
  const stdout = await printed(`
    import { retryAfter } from 'rejitter';
    console.warn = (...args) => console.log(...args);
    const none = [1, 0, NaN, -1, null, undefined];
    for (const ms of [...none, new Date(), '2', 2n, { seconds: 2 }]) retryAfter(ms, new Error('busy'));
  `);
  assert.equal(
    stdout,
    'rejitter: ms of retryAfter() must be a non-negative number of milliseconds or Infinity, got an object\n',
  );
});

const SLIPS = {
  'permanent(error)': [() => permanent(mine), 'a PermanentError was returned; throw it', mine],
  'permanent(undefined)': [() => permanent(undefined), 'a PermanentError was returned; throw it', undefined],
  'retryAfter(ms, error)': [() => retryAfter(5, mine), 'a RetryAfterError was returned; throw it', mine],
  'retryAfter(ms)': [() => retryAfter(5), 'a RetryAfterError was returned; throw it', undefined],
  // Its code has not run. An async iterable of another kind may be what the caller waits for: a body, a stream.
  'an async generator': [async function* () {}, 'a generator was returned; read it in the callback', undefined],
  'a generator': [function* () {}, 'a generator was returned; read it in the callback', undefined],
};
for (const [name, [make, text, cause]] of Object.entries(SLIPS)) {
  test(`${name} that is returned ends the operation with a TypeError`, async () => {
    const policy = new RetryPolicy({ jitter: 'none' });
    const check = (error, attempts) => {
      assert.ok(error instanceof TypeError);
      assert.equal(error.message, `rejitter: ${text}`);
      assert.equal(error.cause, cause);
      const report = retryReport(error);
      assert.deepEqual([report.reason, report.attempts, report.records.at(-1).error], ['callback', attempts, error]);
    };
    const { signal } = new AbortController();
    for (const options of [{}, { retryOnResult: () => assert.fail('called') }, { signal }])
      for (const when of [1, 2]) {
        const given = ({ attempt }) => (attempt < when ? fail() : make());
        check((await operate(given, options)).error, when);
        check((await operate(async (attempt) => given(attempt), options)).error, when);
        check(underBlockingClock(() => retrySync(given, options)).error, when);
      }
    check((await underClock(() => policy.run(make))).error, 1);
    check((await underClock(() => policy.wrap(async () => make())())).error, 1);
  });
}

test('results that only look like mistakes are results', async () => {
  const { error: rejected } = await underClock(() => retry(fail, { maxAttempts: 1 }));
  const reads = { getOwnPropertyDescriptor: fail };
  for (const result of [
    rejected,
    new Response('').body,
    { async *[Symbol.asyncIterator]() {} },
    new Proxy({}, reads),
    async function* () {},
  ])
    assert.equal(await retry(() => result), result);
});
