// Protection in retrySync, which blocks the thread while it is held.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underBlockingClock } from '../lib/blocking.mjs';
import { caught } from '../lib/readers.mjs';
import { down, error, fails, importAll, plain } from './entry.mjs';

const { cooldown, protect, retryAfter, retryReport, retrySync } = await importAll();

/** Runs under a clock that blocking moves. */
const blocking = (name, body) =>
  test(name, () => {
    const { threw, error } = underBlockingClock(body);
    if (threw) throw error;
  });

blocking('a cooldown holds: the thread waits, and the record says how long', (clock) => {
  const api = protect(cooldown());
  caught(() => retrySync(fails(retryAfter(700)), { ...plain, maxAttempts: 1, protection: api }));
  const start = clock.now;
  const thrown = caught(() => retrySync(down, { ...plain, maxAttempts: 1, protection: api }));
  assert.equal(clock.now - start, 700);
  assert.deepEqual(retryReport(thrown).records[0], {
    attempt: 1,
    error,
    startMs: 700,
    durationMs: 0,
    heldMs: 700,
  });
  assert.equal(api.status().cooldown.held, 0);
  caught(() => retrySync(fails(retryAfter(700)), { ...plain, maxAttempts: 1, protection: api }));
  const rejected = caught(() => retrySync(() => 1, { ...plain, protection: api, totalTimeoutMs: 300 }));
  assert.deepEqual([rejected.by, rejected.retryAfterMs, clock.now - start], ['cooldown', 700, 700]);
});

blocking('a signal that is aborted when a hold ends, and the deadline, are seen after it', (clock) => {
  const api = protect(cooldown());
  caught(() => retrySync(fails(retryAfter(700)), { ...plain, maxAttempts: 1, protection: api }));
  const controller = new AbortController();
  let reads = 0;
  const signal = new Proxy(controller.signal, {
    get(target, name) {
      if (name === 'aborted' && clock.now > 1000) reads++;
      if (name === 'aborted' && reads > 0) controller.abort(error);
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  let called = false;
  const thrown = caught(() =>
    retrySync(
      () => {
        called = true;
      },
      { ...plain, protection: api, signal },
    ),
  );
  assert.ok(Object.is(thrown, error) && !called && reads > 0);
  assert.equal(api.status().cooldown.held, 0);
});
