// @ts-check
// The whole package in one loop: attempt, classify, decide, wait. The main entry follows the same rules.

import { follow, reasonOf, unfollow } from '../run/signals.js';
import { TimeoutError } from '../run/report.js';
import { adopt } from '../run/hooks.js';
import { now, startTimer } from '../run/timer.js';
import { DURATION, FUNCTION, check, settingsOf } from './options.js';
import { readMarks } from './marks.js';
import { computed } from './waits.js';

export { delayMsOf } from './waits.js';

/** @param {import('./waits.js').Load} load */
export function retryOf(load) {
  return {
    // A method: bundlers keep its name, which stacks show.
    /** @param {(attempt: import('./options.js').Attempt) => unknown} fn @param {unknown} [options] */
    async retry(fn, options) {
      check('fn must be', fn, FUNCTION);
      const settings = settingsOf(options);
      const {
        signal,
        maxAttempts = 6,
        attemptTimeoutMs = Infinity,
        totalTimeoutMs = Infinity,
        retryIf = () => true,
        unref = false,
      } = settings;
      let deadlineAt = Infinity;
      /** Holds the operation's error, once its signal or its deadline has stopped it. @type {[unknown] | undefined} */
      let stopped;
      /** The last failure. @type {{ cause: unknown } | undefined} */
      let failure;
      let running = true;
      /** Rejects what the operation waits for. @type {(error: unknown) => void} */
      let interrupt;
      /** Aborts the signal of the last attempt. @type {(reason: unknown) => void} */
      let abortAttempt;
      /** @type {(() => void) | undefined} */
      let cancelDeadline;
      /** Cancels the timer of the attempt or of the wait. @type {(() => void) | undefined} */
      let cancelTimer;

      const release = () => {
        if (signal) unfollow(signal, follower);
        cancelDeadline?.();
        cancelTimer?.();
      };
      /** @param {unknown} reason */
      const end = (reason) => {
        interrupt(reason);
        abortAttempt(reason);
      };
      /** @param {unknown} reason for the signal of the attempt @param {unknown} [error] */
      const stop = (reason, error = reason) => {
        stopped = [error];
        release();
        end(reason);
      };
      const follower = { abort: (/** @type {AbortSignal} */ aborted) => stop(reasonOf(aborted)) };
      /** @param {number} ms @param {string} what @param {(error: TimeoutError) => void} expire */
      const limit = (ms, what, expire) => {
        // The deadline may come first. It has the failure before it as its cause: an attempt that is retried has none.
        if (ms >= deadlineAt - now()) return undefined;
        const text = `rejitter: ${what} timed out after ${ms} ms`;
        return startTimer(ms, () => expire(new TimeoutError(text, expire === end ? undefined : failure)), unref, now());
      };
      /** Settles as the result of `start`, unless interrupted. @param {() => any} start @returns {Promise<any>} */
      const race = (start) =>
        new Promise((resolve, reject) => {
          interrupt = reject;
          adopt(start(), resolve, reject);
        });

      if (signal?.aborted) throw reasonOf(signal);
      if (signal) follow(signal, follower);
      cancelDeadline = limit(totalTimeoutMs, 'operation', (error) => stop(error, running ? error : failure?.cause));
      deadlineAt = now() + totalTimeoutMs;
      try {
        for (let number = 1; ; number++) {
          /** Made when it is needed. @type {AbortController | undefined} */
          let controller;
          const controllerOf = () => (controller ??= new AbortController());
          const attempt = {
            attempt: number,
            get signal() {
              return controllerOf().signal;
            },
          };
          abortAttempt = (reason) => controllerOf().abort(reason);
          running = true;
          cancelTimer = limit(attemptTimeoutMs, `attempt ${number}`, end);
          try {
            return await race(() => fn(attempt));
          } catch (thrown) {
            if (stopped) throw thrown;
            cancelTimer?.();
            running = false;
            const { cause: error, last } = (failure = readMarks(thrown));
            if (last) throw error;
            const verdict = await race(() => retryIf(error, attempt));
            let { afterMs: delayMs } = /** @type {{ afterMs?: any }} */ ({ __proto__: null, ...verdict });
            if (typeof verdict !== 'boolean') check('retryIf must return a boolean or { afterMs },', delayMs, DURATION);
            const core = verdict && number < maxAttempts && load();
            if (!core) throw error;
            delayMs ??= computed(core, settings, number);
            // A timer is armed for whole milliseconds and may fire one late: a wait that leaves less is wasted.
            if (stopped || Math.ceil(delayMs) + 1 > deadlineAt - now()) throw error;
            await race(() => new Promise((resolve) => (cancelTimer = startTimer(delayMs, resolve, unref, now()))));
            // Timers may be late.
            if (deadlineAt <= now()) throw error;
          }
        }
      } finally {
        release();
        // biome-ignore lint/correctness/noUnsafeFinally: nothing comes before the error of what stopped the operation.
        if (stopped) throw stopped[0];
      }
    },
  }.retry;
}
