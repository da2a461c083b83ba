// Asks another limiter, such as one that all processes share, whether an attempt may start.

import { isMs } from '../options/checks.js';
import { failure, problemOf } from '../options/messages.js';
import { tell } from '../run/hooks.js';
import { startTimer } from '../run/timer.js';

/** @typedef {(key: string | undefined, start: { signal: AbortSignal, weight: number }) => unknown} Acquire */

/**
 * Calls `done`, once, with the time in ms after which to ask again, 0 if the attempt may start; or with an error.
 * Returns what ends the question before.
 * @type {(options: { acquire: Acquire, acquireTimeoutMs: number }, key: string | undefined,
 *   place: import('./queue.js').Place, now: number, done: (error: unknown, ms: number) => void) => () => void}
 */
export function ask({ acquire, acquireTimeoutMs }, key, { op, weight }, time, done) {
  const controller = new AbortController();
  // Its listeners may throw.
  const abort = (/** @type {unknown} */ reason) => tell(() => controller.abort(reason), {});
  let isOpen = true;
  const close = () => {
    isOpen = false;
    cancel();
  };
  /** @param {any} [ms] @param {unknown} [error] */
  const follow = (ms = 0, error = isMs(ms) ? undefined : problemOf('acquire', ms, ['number', 'acquire'], 'return')) => {
    if (!isOpen) return;
    close();
    done(error, ms);
  };
  const late = () => {
    const error = failure(Error, `acquire took longer than ${acquireTimeoutMs} ms (acquireTimeoutMs)`);
    abort(error);
    follow(0, error);
  };
  const cancel = startTimer(acquireTimeoutMs, late, op.settings.unref, time);
  const { signal } = controller;
  // A throw is a rejection, and so is what a thenable's getter throws.
  new Promise((resolve) => resolve(acquire(key, { signal, weight }))).then(follow, (error) => follow(0, error));
  return () => {
    close();
    abort(undefined);
  };
}
