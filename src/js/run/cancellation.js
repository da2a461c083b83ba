// @ts-check
// Signals and timeouts: they end an attempt, a callback or a wait before it ends by itself.

import { abortAttempt } from './attempt.js';
import { settle } from './hooks.js';
import { follow, unfollow } from './signals.js';
import { Timer, now } from './timer.js';

/** @typedef {import('./operation-state.js').Progress<any>} Progress */
/** @typedef {import('./report.js').TimeoutError} TimeoutError */

/** Rejection of `until` when the operation was interrupted. Callers never see it. */
export const INTERRUPTED = Symbol('interrupted');

/**
 * Returns why the signal was aborted. Signals of old polyfills carry no reason.
 * @param {AbortSignal} signal
 */
export function reasonOf(signal) {
  return signal.reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : signal.reason;
}

/** Limits of operations without signals and timeouts, which all share one: nothing interrupts them. */
export class Undisturbed {
  aborted = false;
  /** @type {unknown} */
  reason = undefined;
  /** The deadline's error, once its timer has fired. @type {TimeoutError | undefined} */
  expired = undefined;
  deadlineAt = Infinity;

  /** The reason why the operation must not go on, or undefined. Looks at the clock, because timers may be late. */
  get ended() {
    if (this.aborted) return 'aborted';
    return this.expired !== undefined || (this.deadlineAt < Infinity && this.deadlineAt <= now()) ? 'deadline' : undefined;
  }

  /** Begins the operation. @param {AbortSignal | undefined} _ */
  start(_) {}

  /** Removes all listeners and timers. */
  release() {}

  /** Begins an attempt. @param {import('./attempt.js').Attempt} _ */
  begin(_) {}

  /** Ends an attempt, however it ended. */
  finish() {}

  /**
   * Waits for the value's own outcome, or for an interruption.
   * @param {any} value
   */
  until(value) {
    return value;
  }

  /**
   * Waits. An interruption ends this early.
   * @param {number} ms
   * @param {number} from the time now
   * @param {boolean} unref
   * @returns {Promise<any>} the time at the end; another value after an interruption
   */
  wait(ms, from, unref) {
    return new Promise((resolve) => {
      new Timer(ms, resolve, unref, from);
    });
  }
}

/** Watches over one operation: it follows its signals, with one deadline timer and one attempt timer. */
export class Interruption extends Undisturbed {
  /** @type {AbortSignal[]} */
  signals = [];
  /** The error of the attempt under way, once it has timed out. @type {TimeoutError | undefined} */
  timeout = undefined;
  /** @type {import('./attempt.js').Attempt | undefined} */
  attempt = undefined;
  /** @type {((reason: unknown) => void) | undefined} */
  wake = undefined;
  /** @type {Timer | undefined} */
  deadlineTimer = undefined;
  /** @type {Timer | undefined} */
  attemptTimer = undefined;
  /** @type {Timer | undefined} */
  waitTimer = undefined;

  /** @param {Progress} operation */
  constructor(operation) {
    super();
    this.operation = operation;
  }

  /** True once the operation was interrupted. */
  get over() {
    return this.aborted || this.expired !== undefined;
  }

  /** @param {AbortSignal | undefined} signal */
  watch(signal) {
    if (signal === undefined) return;
    this.signals.push(signal);
    if (signal.aborted) this.abort(signal);
    else follow(signal, this);
  }

  /** @param {AbortSignal | undefined} signal the run's own, beside the settings' */
  start(signal) {
    const { startedAt, settings: { signal: shared, totalTimeoutMs, unref } } = this.operation;
    this.watch(shared);
    this.watch(signal);
    if (this.aborted || totalTimeoutMs === Infinity) return;
    this.deadlineAt = startedAt + totalTimeoutMs;
    this.deadlineTimer = new Timer(totalTimeoutMs, () => this.expire(), unref, startedAt);
  }

  /** @param {AbortSignal} signal */
  abort(signal) {
    if (this.over) return;
    this.aborted = true;
    this.end((this.reason = reasonOf(signal)));
  }

  /** Ends the operation at its deadline. */
  expire() {
    if (!this.over) this.end((this.expired = this.operation.timedOut()));
  }

  /** @param {unknown} reason for the attempt's signal */
  end(reason) {
    this.release();
    this.wake?.(INTERRUPTED);
    if (this.attempt !== undefined) abortAttempt(this.attempt, reason);
  }

  /**
   * Starts the attempt's timeout, unless the deadline comes first anyway.
   * @param {import('./attempt.js').Attempt} attempt
   */
  begin(attempt) {
    this.attempt = attempt;
    const { attemptTimeoutMs, unref } = this.operation.settings;
    if (attemptTimeoutMs === Infinity) return;
    const from = now();
    if (attemptTimeoutMs >= this.deadlineAt - from) return;
    this.attemptTimer = new Timer(attemptTimeoutMs, () => {
      this.timeout = this.operation.timeoutError(`attempt ${attempt.attempt} timed out after ${attemptTimeoutMs} ms (attemptTimeoutMs)`);
      this.wake?.(this.timeout);
      abortAttempt(attempt, this.timeout);
    }, unref, from);
  }

  finish() {
    this.attemptTimer?.cancel();
    this.wake = undefined;
    // A timer callback made the error. Only from here can V8 see the callers that await the operation.
    const error = this.expired ?? this.timeout;
    if (error !== undefined) /** @type {any} */ (Error).captureStackTrace?.(error);
    this.timeout = undefined;
  }

  /**
   * @param {unknown} value
   * @returns {Promise<any>}
   */
  until(value) {
    return new Promise((resolve, reject) => {
      // Handled here even after an interruption, so that a late rejection is not unhandled.
      settle(value, resolve, reject);
      this.wake = reject;
      if (this.over) reject(INTERRUPTED);
    });
  }

  /**
   * @param {number} ms
   * @param {number} from
   * @param {boolean} unref
   * @returns {Promise<any>}
   */
  wait(ms, from, unref) {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.over) resolve(INTERRUPTED);
      else this.waitTimer = new Timer(ms, resolve, unref, from);
    });
  }

  release() {
    for (const signal of this.signals) unfollow(signal, this);
    this.deadlineTimer?.cancel();
    this.attemptTimer?.cancel();
    this.waitTimer?.cancel();
  }
}
