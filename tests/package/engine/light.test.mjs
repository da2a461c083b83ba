// rejitter/light: what neither the table of operations (operations.test.mjs) says, nor the tests of signals,
// values and the forms of the core, which run it as well. tests/vectors/refusals.json has most of its messages.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, modules } from '../lib/consumer.mjs';

const { TimeoutError, delayMs, retry } = await importEntry('light');
const failing = fails(1);
/** How an operation ends. */
const ending = (fn, options) => underClock(() => retry(fn, options));

test('delayMs draws by itself, and has no last wait', () => {
  const draws = Array.from({ length: 50 }, () => delayMs(3));
  assert.ok(draws.every((ms) => ms >= 0 && ms <= 400) && new Set(draws).size > 40);
  assert.equal(delayMs(Number.MAX_SAFE_INTEGER, { jitter: 'none', maxAttempts: 1 }), 10_000);
});

test('a timeout is the reason of the attempt that it ends; only that of the deadline has a cause', async () => {
  const failure = new Error('failure');
  for (const [options, text, cause] of [
    [{ attemptTimeoutMs: 50, maxAttempts: 2 }, 'attempt 2 timed out after 50 ms'],
    [{ totalTimeoutMs: 150 }, 'operation timed out after 150 ms', failure],
  ]) {
    const signals = [];
    const fn = ({ signal }) => (signals.push(signal) === 1 ? fails(failure)() : new Promise(() => {}));
    const { error } = await ending(fn, { jitter: 'none', ...options });
    assert.ok(error instanceof TimeoutError);
    assert.deepEqual([error.name, error.message, error.cause], ['TimeoutError', `rejitter: ${text}`, cause]);
    assert.equal('cause' in error, cause !== undefined);
    assert.deepEqual([signals[0].aborted, signals[1].reason], [false, error]);
  }
});

test('options are own properties; a name is shown short, and without control characters', async () => {
  const { error } = await ending(failing, { ['a\nb'.padEnd(1e6)]: 3 });
  assert.equal(error.message, `rejitter: unknown option "${'a?b'.padEnd(174)}`);
  assert.equal((await ending(5)).error.message, 'rejitter: fn must be a function, got number');
  const inherited = Object.create({ maxAttempts: 1, retries: 1 });
  Object.assign(inherited, { unref: undefined, unknown: undefined, jitter: 'none' });
  assert.deepEqual((await ending(failing, Object.freeze(inherited))).clock.delays, [100, 200, 400, 800, 1600]);
});

test('the loop fits on a screen', () => {
  assert.ok(readFileSync(join(modules, 'lib/light/index.js'), 'utf8').split('\n').length <= 50);
});
