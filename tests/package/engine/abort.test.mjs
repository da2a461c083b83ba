// Abort, as far as neither the table of operations nor the random schedules (../schedules) look at it: it acts in the
// same macrotask, leaves nothing behind, and takes signals of other realms. `retry` and that of rejitter/light.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';
import { microtasks, onClock } from '../lib/clock.mjs';
import { importEntry, importPackage } from '../lib/consumer.mjs';

const ENTRIES = { retry: (await importPackage()).retry, light: (await importEntry('light')).retry };
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

for (const [entry, retry] of Object.entries(ENTRIES)) {
  /** Starts an operation whose rejection is handled. */
  const started = (fn, options) => {
    const promise = retry(fn, { jitter: 'none', ...options });
    promise.catch(() => {});
    return promise;
  };

  for (const moment of ['the attempt', 'retryIf', 'the wait'])
    test(`${entry}: during ${moment}, it acts in the same macrotask, and leaves neither listener nor timer`, () =>
      onClock(async (clock) => {
        const controller = new AbortController();
        const { signal } = controller;
        let kept;
        const fn = (attempt) => {
          kept = attempt;
          return moment === 'the attempt' ? hangs() : failing();
        };
        const retryIf = () => moment === 'the wait' || hangs();
        const promise = started(fn, { signal, retryIf, attemptTimeoutMs: 900, totalTimeoutMs: 50_000 });
        await microtasks();
        assert.equal(listeners(signal), 1);
        controller.abort('enough');
        await rejectsNow(promise, 'enough');
        assert.deepEqual([listeners(signal), clock.pending.size], [0, 0]);
        // The attempt's own signal, which is first read now.
        assert.deepEqual([kept.signal.aborted, kept.signal.reason], [true, 'enough']);
      }));

  test(`${entry}: operations share a signal: an ended one leaves the rest listening, one started meanwhile rejects`, () =>
    onClock(async (clock) => {
      const controller = new AbortController();
      const { signal } = controller;
      const short = started(failing, { signal, maxAttempts: 2, baseMs: 10 });
      const long = started(failing, { signal, baseMs: 1000 });
      let late;
      const starting = ({ signal: own }) =>
        new Promise((_, reject) => {
          own.addEventListener('abort', () => {
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

  test(`A05 A13 ${entry}: a signal of another realm, for which instanceof is false, is accepted and honoured`, () =>
    onClock(async (clock) => {
      // These classes are foreign to this realm, like those of a jsdom window or of a test framework's environment.
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
      const promise = started(failing, { signal: foreign });
      await clock.advance(10);
      assert.equal(foreign.listeners.size, 1);
      foreign.abort('enough');
      await rejectsNow(promise, 'enough');
      assert.deepEqual([foreign.listeners.size, clock.pending.size], [0, 0]);
      await rejectsNow(started(failing, { signal: foreign }), 'enough');
    }));
}
