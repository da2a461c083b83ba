// The other two drivers, as far as neither the tables and the random schedules say it, nor the tests of signals, values
// and the forms of the core: rejitter/light, and retrySync, which blocks. processes.test.mjs has threads that do, and
// tests/clients/engine those that may not.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { underBlockingClock, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, modules } from '../lib/consumer.mjs';

const { retrySync } = await importPackage();
const { delayMs, retry } = await importEntry('light');
const failing = fails(new Error('always'));
/** How an operation of rejitter/light ends. */
const ending = (fn, options) => underClock(() => retry(fn, options));

test('delayMs draws by itself, and has no last wait', () => {
  const draws = Array.from({ length: 50 }, () => delayMs(3));
  assert.ok(draws.every((ms) => ms >= 0 && ms <= 400) && new Set(draws).size > 40);
  assert.equal(delayMs(Number.MAX_SAFE_INTEGER, { jitter: 'none', maxAttempts: 1 }), 10_000);
});

test('light: options are own properties', async () => {
  const inherited = Object.create({ maxAttempts: 1, retries: 1 });
  Object.assign(inherited, { unref: undefined, unknown: undefined, jitter: 'none' });
  assert.deepEqual((await ending(failing, Object.freeze(inherited))).clock.delays, [100, 200, 400, 800, 1600]);
});

test('light: the loop fits on a screen', () => {
  assert.ok(readFileSync(join(modules, 'lib/light/index.js'), 'utf8').split('\n').length <= 50);
});

test('retrySync: a wait that ends up to a millisecond early is made up for; a clock that stands still does not hang', () => {
  for (const [options, wake, waits] of [
    [{ maxAttempts: 2, baseMs: 40 }, (ms) => (ms > 1 ? ms - 0.75 : ms), [40, 0.75]],
    [{ maxAttempts: 2, baseMs: 0.4 }, () => 0, [1]],
    [{ maxAttempts: 3 }, () => 0, [100, 200]],
  ]) {
    const { clock } = underBlockingClock(() => retrySync(failing, { jitter: 'none', ...options }), { wake });
    assert.deepEqual(clock.waits, waits);
  }
});

test('retrySync: an aborted signal is seen after whatever may have aborted it', () => {
  const reason = { why: 'enough' };
  // From outside only shared memory can reach a blocked thread: a signal whose `aborted` looks there.
  const flag = { aborted: false, addEventListener() {}, removeEventListener() {}, reason };
  const wake = (ms) => {
    flag.aborted = ms >= 800;
    return ms;
  };
  const options = { signal: flag, jitter: 'none', maxAttempts: Infinity };
  const { error, clock } = underBlockingClock(() => retrySync(failing, options), { wake });
  assert.deepEqual([error, clock.waits], [reason, [100, 200, 400, 800]]);
});
