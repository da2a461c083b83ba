// Abort, as far as the random schedules (../schedules) do not look at it: it acts at once, and leaves nothing behind.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { VirtualClock, microtasks } from '../lib/clock.mjs';
import { fails } from '../lib/callbacks.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { retry } = await importPackage();
const listeners = (signal) => getEventListeners(signal, 'abort').length;
const failing = fails(new Error('from fn'));
const hangs = () => new Promise(() => {});

/** Checks that a promise rejects with this reason, without leaving the current macrotask. */
async function rejectsNow(promise, reason) {
  let end;
  promise.catch((error) => {
    end = { error };
  });
  await microtasks();
  assert.deepEqual(end, { error: reason });
}

async function withClock(body) {
  const clock = new VirtualClock().install();
  try {
    await body(clock);
  } finally {
    clock.uninstall();
  }
}

/** Starts an operation whose rejection is handled. */
function started(fn, options) {
  const promise = retry(fn, options);
  promise.catch(() => {});
  return promise;
}

test('A05 acts at once in a wait that is longer than one timer can be', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const options = { backoff: 'fixed', baseMs: 2 ** 33, capMs: Infinity, jitter: 'none' };
    const promise = started(failing, { signal: controller.signal, ...options });
    await clock.advance(2 ** 31 + 5);
    assert.ok(clock.armed.length > 1, 'the wait is in its second chunk');
    controller.abort('enough');
    await rejectsNow(promise, 'enough');
    assert.equal(clock.pending.size, 0);
    assert.equal(listeners(controller.signal), 0);
  }));

test('an attempt signal that is first read after the abort is aborted with the reason', () =>
  withClock(async () => {
    const controller = new AbortController();
    let kept;
    const fn = (attempt) => {
      kept = attempt;
      return hangs();
    };
    const promise = started(fn, { signal: controller.signal });
    controller.abort('enough');
    await rejectsNow(promise, 'enough');
    assert.deepEqual([kept.signal.aborted, kept.signal.reason], [true, 'enough']);
  }));

test('operations share a signal: an ended one leaves the rest listening, one started during the abort rejects', () =>
  withClock(async (clock) => {
    const controller = new AbortController();
    const { signal } = controller;
    const short = started(failing, { signal, maxAttempts: 2, baseMs: 10, jitter: 'none' });
    const long = started(failing, { signal, baseMs: 1000, jitter: 'none' });
    let late;
    const starting = (attempt) =>
      new Promise((_, reject) => {
        attempt.signal.addEventListener('abort', () => {
          late = started(failing, { signal });
          reject('aborted');
        });
      });
    const asking = started(starting, { signal });
    await clock.advance(20);
    await assert.rejects(short, /from fn/);
    assert.equal(listeners(signal), 1);
    controller.abort('enough');
    for (const promise of [long, asking, late]) await rejectsNow(promise, 'enough');
    assert.equal(listeners(signal), 0);
  }));

test('A13 a signal of another realm, for which instanceof is false, is accepted and honoured', () =>
  withClock(async (clock) => {
    // As of a jsdom window or a test framework's environment: classes that this realm has never seen.
    const foreign = runInContext(
      `new (class Signal {
        aborted = false;
        listeners = new Set();
        addEventListener(type, listener) { this.listeners.add(listener); }
        removeEventListener(type, listener) { this.listeners.delete(listener); }
        abort(reason) {
          Object.assign(this, { aborted: true, reason });
          for (const listener of this.listeners) listener({ type: 'abort', target: this });
        }
      })()`,
      createContext({}),
    );
    assert.equal(foreign instanceof Object, false);
    const promise = started(failing, { signal: foreign, jitter: 'none' });
    await clock.advance(10);
    assert.equal(foreign.listeners.size, 1);
    foreign.abort('enough');
    await rejectsNow(promise, 'enough');
    assert.deepEqual([foreign.listeners.size, clock.pending.size], [0, 0]);
    await rejectsNow(started(failing, { signal: foreign }), 'enough');
  }));
