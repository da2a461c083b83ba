// Protection in retrySync, which blocks the thread while it is held. How it waits, the random schedules compare with a
// reference.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { caught } from '../lib/readers.mjs';
import { error, fails, importAll, plain } from './entry.mjs';

const { cooldown, protect, retryAfter, retrySync } = await importAll();

test('a hold is not begun if it ends after the deadline, and a signal that is aborted during it is seen then', () => {
  const { threw, error: failed } = underBlockingClock((clock) => {
    const options = { ...plain, protection: protect(cooldown()) };
    caught(() => retrySync(fails(retryAfter(700)), { ...options, maxAttempts: 1 }));
    // The hold's probe.
    caught(() => retrySync(fails(error), { ...options, maxAttempts: 1 }));
    const fn = () => assert.fail('called');
    const rejected = caught(() => retrySync(fn, { ...options, totalTimeoutMs: 300 }));
    assert.deepEqual([rejected.by, rejected.retryAfterMs, clock.now], ['cooldown', 700, 1000]);
    const controller = new AbortController();
    const signal = new Proxy(controller.signal, {
      get(target, name) {
        if (name === 'aborted' && clock.now > 1000) controller.abort(error);
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    assert.equal(
      caught(() => retrySync(fn, { ...options, signal })),
      error,
    );
    assert.equal(clock.now, 1700);
    assert.equal(options.protection.status().cooldown.held, 0);
  });
  if (threw) throw failed;
});
