// @ts-check
// One operation that blocks the thread while it waits.

import { failure } from '../options/messages.js';
import { readOptions, requireFunction, settingsOf } from '../options/settings.js';
import { abortAttempt } from './attempt.js';
import { reasonOf } from './cancellation.js';
import { settle } from './hooks.js';
import { Progress } from './operation-state.js';
import { hide } from './report.js';
import { now } from './timer.js';
import { subscribed } from './tracing.js';

/** @param {() => import('./decision.js').Core} load */
export function syncOf(load) {
  const fresh = settingsOf(load, { refused: ['attemptTimeoutMs', 'unref'], because: 'retrySync blocks the thread, so no timer can fire' });
  /**
   * @param {any} fn
   * @param {any} [options]
   */
  return function retrySync(fn, options) {
    requireFunction(fn);
    const settings = readOptions(options, fresh());
    requireBlocking();
    const startedAt = now();
    const operation = new BlockingOperation(settings, fn, 0, startedAt, new Polled(settings, startedAt + settings.totalTimeoutMs));
    const channel = subscribed();
    if (channel === null) return operation.run();
    operation.context = {};
    return channel.traceSync(() => operation.run(), operation.context);
  };
}

/** Limits of an operation that blocks. No event can tell of them, so they are polled. */
class Polled {
  expired = undefined;

  /** @param {import('../options/settings.js').Settings} settings @param {number} deadlineAt */
  constructor({ signal }, deadlineAt) {
    this.signal = signal;
    this.deadlineAt = deadlineAt;
  }

  get aborted() {
    return this.signal?.aborted === true;
  }

  get reason() {
    return reasonOf(/** @type {AbortSignal} */ (this.signal));
  }

  get remainingMs() {
    return this.deadlineAt === Infinity ? Infinity : this.deadlineAt - now();
  }

  get ended() {
    return this.aborted ? 'aborted' : this.remainingMs <= 0 ? 'deadline' : undefined;
  }
}

/** @extends {Progress<Polled>} */
class BlockingOperation extends Progress {
  /** @type {import('./attempt.js').Attempt | undefined} */
  attempt = undefined;

  /** Runs the operation, as `Operation.proceed` does, but without awaits. */
  run() {
    const { settings, fn, limits } = this;
    if (limits.aborted) throw limits.reason;
    for (;;) {
      const attempt = this.begin();
      if (typeof attempt === 'string') return this.end(attempt);
      this.attempt = attempt;
      try {
        this.outcome = fn(attempt);
        this.failed = false;
      } catch (thrown) {
        this.outcome = thrown;
        this.failed = true;
      }
      /** @type {number | string | undefined} */
      let next;
      try {
        if (!this.failed) refusePromise(this.outcome, 'the callback');
        next = this.review();
        if (next === undefined) {
          const { predicate } = this;
          next = this.judge(predicate === undefined || refusePromise(predicate(this.outcome, attempt), this.failed ? 'retryIf' : 'retryOnResult'), '');
        }
      } catch (thrown) {
        next = this.broken(thrown);
      }
      if (typeof next === 'string') return this.end(next);
      this.waits(next);
      let ended = limits.ended;
      if (ended === undefined) {
        block(Math.min(Math.ceil(next), limits.remainingMs));
        ended = limits.ended;
      }
      const { beforeRetry } = settings;
      if (ended === undefined && beforeRetry !== undefined) {
        try {
          refusePromise(beforeRetry(this.retrying()), 'beforeRetry');
          ended = limits.ended;
        } catch (thrown) {
          ended = this.broken(thrown);
        }
      }
      if (ended !== undefined) return this.end(ended);
      this.attemptAt = now();
    }
  }

  /** @param {string} reason */
  end(reason) {
    const { attempt, limits } = this;
    if (limits.aborted && attempt !== undefined) abortAttempt(attempt, limits.reason);
    return super.end(reason);
  }
}

/**
 * Returns the value. Throws if it is a promise, and handles its rejection, because the error about the promise
 * takes its place.
 * @param {any} value
 * @param {string} name
 */
function refusePromise(value, name) {
  const can = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!can || typeof value.then !== 'function') return value;
  settle(value, undefined, () => {});
  throw failure(TypeError, `${name} must not return a promise, because retrySync cannot await it. Use retry instead`);
}

/**
 * Memory that the thread waits on. Nothing ever notifies it. Made at the first use.
 * @type {Int32Array | undefined}
 */
let cell;

/** Throws where the thread cannot block, before anything is called. */
function requireBlocking() {
  if (cell !== undefined) return;
  if (typeof globalThis.SharedArrayBuffer !== 'function') {
    throw failure(Error, 'retrySync needs SharedArrayBuffer, which is missing here (pages and their workers have it only when they are cross-origin isolated). Use retry instead');
  }
  const made = new Int32Array(new SharedArrayBuffer(4));
  try {
    globalThis.Atomics.wait(made, 0, 0, 0);
  } catch (cause) {
    const error = failure(Error, 'retrySync cannot block this thread, because the host forbids it (as on the main thread of a page). Use retry instead, or a worker');
    hide(error, 'cause', cause);
    throw error;
  }
  cell = made;
}

/**
 * Blocks the thread. Hosts may return up to 1 ms early: then for the rest again. If more is
 * missing, or the clock has hardly moved, a fake clock stands still: go on.
 * @param {number} ms
 */
function block(ms) {
  const due = now() + ms;
  for (let left = ms; left > 0; ) {
    const before = now();
    globalThis.Atomics.wait(/** @type {Int32Array} */ (cell), 0, 0, left);
    const time = now();
    left = due - time;
    if (left > 2 || time - before < left) return;
  }
}
