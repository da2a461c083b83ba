// Marks (permanent(), retryAfter()) that are foreign or malformed, and results that only look like mistakes. The random
// schedules (../schedules) have hostile values, promises, thenables and marks of each kind, in any order, of all
// callbacks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';

const api = await importPackage();
const { TimeoutError, isPermanent, permanent, retry, retryAfter, retryReport } = api;
const { RejectedError } = await importEntry('protection');
const light = await importEntry('light');
const inRealm = (code) => runInContext(code, createContext({}));

test('a promise whose constructor cannot be read fails the attempt, as it does in await', async () => {
  const unreadable = () => Object.defineProperty(Promise.resolve(1), 'constructor', { get: fails('read') });
  assert.equal((await operate(unreadable, { maxAttempts: 2 })).error, 'read');
});

const MARK = Symbol.for('rejitter.mark');
const mine = new Error('mine');
const fail = fails(new Error('failed'));

/** Returns how an operation ends whose attempts all throw this: reason, error, hint, waits. */
async function ending(thrown, run = retry) {
  const seen = [];
  const retryIf = (error) => seen.push(error) > 0;
  // Without a hint, a wait of 5 ms.
  const options = { baseMs: 10, jitter: 'equal', random: () => 0, maxAttempts: 2, retryIf };
  const { error, clock } = await underClock(() => run(fails(thrown), options));
  for (const each of seen) assert.ok(Object.is(each, error), 'predicate and rejection see the same error');
  const { reason, hintMs } = retryReport(error) ?? {};
  return [reason, error, hintMs, clock.delays];
}

const outer = (cause) => new Error('outer', { cause });
const marked = (mark, options) => Object.assign(new Error('foreign', options), { [MARK]: mark });
const good = { permanent: true, afterMs: NaN, wraps: true };
/** An error whose cause throws when it is read: marks that were found before that count. */
const unreadable = outer(Object.defineProperty(new Error('deep'), 'cause', { get: fail }));
const foreign = inRealm(
  `Object.assign(new Error('foreign'), { [Symbol.for('rejitter.mark')]: { get permanent() { return true; }, afterMs: 5,
    wraps: false } })`,
);
/** Rows of a thrown value and the end of its operation: the error, if it is another one, and the hint. */
const ENDS = {
  'a cause before a timeout': [Object.assign(new TimeoutError('late'), { cause: permanent(mine) }), 'exhausted'],
  // The driver asks the same of an error that a predicate throws.
  'a cause that came afterwards': [Object.assign(retryAfter(7), { cause: permanent(mine) }), 'exhausted', undefined, 7],
  rejected: [new RejectedError('breaker', 5000, mine), 'notRetryable'],
  'a foreign mark that wraps': [marked(good, { cause: mine }), 'permanent', mine],
  'a foreign mark that wraps nothing': [marked(good), 'permanent'],
  'a mark of another realm, with getters': [foreign, 'permanent', undefined, 5],
  'marks before a getter that throws': [permanent(unreadable), 'permanent', unreadable],
};
for (const [name, [thrown, reason, error = thrown, hintMs]] of Object.entries(ENDS))
  test(`marks: ${name}, read by rejitter/light as well, which waits for no hint`, async () => {
    const waits = reason === 'exhausted' ? [Math.max(5, hintMs ?? 0)] : [];
    assert.deepEqual(await ending(thrown), [reason, error, hintMs, waits]);
    const [, ended, , armed] = await ending(thrown, light.retry);
    // Which does not check the shape of foreign marks.
    if (name !== 'a foreign mark that wraps nothing') assert.deepEqual([ended, armed], [error, waits.map(() => 5)]);
    assert.equal(isPermanent(thrown), reason === 'permanent');
  });

test('a foreign mark of another shape is ignored: the error is retried, then thrown', async () => {
  const valid = { permanent: true, afterMs: NaN, wraps: false };
  const wrong = { permanent: 'yes', afterMs: ['1e9', 1n, -1], wraps: undefined };
  for (const mark of [
    ...[null, undefined, true, 'permanent', {}, [], { wraps: true }, { permanent: true, afterMs: NaN }],
    ...Object.entries(wrong).flatMap(([name, values]) => [values].flat().map((value) => ({ ...valid, [name]: value }))),
    ...Object.keys(valid).map((name) => Object.defineProperty({ ...valid }, name, { enumerable: true, get: fail })),
  ]) {
    const error = marked(mark, { cause: mine });
    assert.equal(isPermanent(error), false);
    assert.deepEqual(await ending(error), ['exhausted', error, undefined, [5]]);
  }
});

test('the error of retryAfter() alone says that its time is invalid', () => {
  const rule = 'ms of retryAfter() must be a non-negative number of milliseconds or Infinity, got ';
  for (const ms of [NaN, -1, '5', 5n, {}]) assert.ok(retryAfter(ms).message.startsWith(`rejitter: ${rule}`));
});

test('results that only look like mistakes are results', async () => {
  const { error: rejected } = await underClock(() => retry(fail, { maxAttempts: 1 }));
  for (const result of [
    ...[rejected, new Response('').body, { async *[Symbol.asyncIterator]() {} }, async function* () {}],
    new Proxy({}, { getOwnPropertyDescriptor: fail }),
  ])
    assert.equal(await retry(() => result), result);
});
