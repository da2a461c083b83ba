// @ts-check
// One operation that blocks the thread while it waits.

import { failure } from '../options/messages.js';
import { ONE_OPERATION, readOptions, requireFunction, settingsOf } from '../options/settings.js';
import { abortAttempt } from './attempt.js';
import { reasonOf } from './cancellation.js';
import { settle } from './hooks.js';
import { ASK, CALL, END, HOLD, Operation, WAIT } from './operation.js';
import { hide } from './report.js';
import { now } from './timer.js';
import { subscribed } from './tracing.js';

const because = 'retrySync blocks the thread, so no timer can fire';
const NO_TIMERS = { metrics: ONE_OPERATION, attemptTimeoutMs: because, unref: because };

/** @param {import('../options/settings.js').Load} load */
export function syncOf(load) {
  const newSettings = settingsOf(load);
  /**
   * @param {any} fn
   * @param {any} [options]
   */
  return function retrySync(fn, options) {
    requireFunction(fn);
    const settings = readOptions(options, newSettings(), NO_TIMERS);
    settings.protection?.hedge?.refuseSync();
    requireBlocking();
    const operation = new BlockingOperation(settings, fn, 0, 0, new PolledLimits(settings.signal));
    const channel = subscribed();
    if (channel === null) return driveSync(operation);
    const context = (operation.limits.context = operation.labels);
    return channel.traceSync(() => driveSync(operation), context);
  };
}

/** Limits of an operation that blocks. No event can announce them, so they are polled. */
class PolledLimits {
  expired = undefined;
  deadlineAt = Infinity;
  endless = false;
  metrics = undefined;
  /** @type {object | undefined} */
  context = undefined;
  alsoAnswered = '';
  /** @type {import('./attempt.js').Attempt | undefined} */
  attempt = undefined;

  /** @param {AbortSignal | undefined} signal */
  constructor(signal) {
    this.signal = signal;
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

  /** @param {Operation} operation */
  start({ startedAt, settings }) {
    this.deadlineAt = startedAt + settings.totalTimeoutMs;
  }

  /** @param {import('./attempt.js').Attempt} attempt */
  begin(attempt) {
    this.attempt = attempt;
  }

  endAttempt() {}

  dispose() {}
}

class BlockingOperation extends Operation {
  /**
   * @param {unknown} answer
   * @param {boolean} threw
   */
  review(answer, threw) {
    this.failed = threw;
    if (!threw) refusePromise(answer, 'the callback');
    return super.review(answer, threw);
  }

  /** @param {string} reason */
  settle(reason) {
    const limits = /** @type {PolledLimits} */ (this.limits);
    if (limits.aborted && limits.attempt !== undefined) abortAttempt(limits.attempt, limits.reason);
    super.settle(reason);
  }
}

/**
 * Does what the steps of an operation say, as the loop of run.js does, but without awaits.
 * @param {BlockingOperation} operation
 */
function driveSync(operation) {
  /** @type {any} */
  let answer;
  let threw = false;
  for (;;) {
    const step = operation.next(answer, threw);
    if (step === END) break;
    try {
      answer = performSync(operation, step);
      threw = false;
    } catch (thrown) {
      answer = thrown;
      threw = true;
    }
  }
  if (operation.failed) throw operation.outcome;
  return operation.outcome;
}

/**
 * Does what a step asks for, and returns what comes of it.
 * @param {BlockingOperation} operation
 * @param {number} step
 */
function performSync(operation, step) {
  const { fn, pending, failed } = operation;
  const limits = /** @type {PolledLimits} */ (operation.limits);
  if (step === CALL) return fn(/** @type {import('./attempt.js').Attempt} */ (operation.attempt));
  if (step === WAIT || step === HOLD) {
    const ms = Math.ceil(/** @type {number} */ (pending ?? operation.delayMs));
    if (limits.ended === undefined) block(Math.min(ms, limits.remainingMs));
    return now();
  }
  return refusePromise(pending, step !== ASK ? 'beforeRetry' : failed ? 'retryIf' : 'retryOnResult');
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
    throw failure(
      Error,
      'retrySync needs SharedArrayBuffer, which is missing here (pages and their workers have it only when they ' +
        'are cross-origin isolated). Use retry instead',
    );
  }
  const made = new Int32Array(new SharedArrayBuffer(4));
  try {
    globalThis.Atomics.wait(made, 0, 0, 0);
  } catch (cause) {
    const error = failure(
      Error,
      'retrySync cannot block this thread, because the host forbids it (as on the main thread of a page). Use ' +
        'retry instead, or a worker',
    );
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
