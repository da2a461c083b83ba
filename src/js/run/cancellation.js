// @ts-check
// Signals and timeouts: they end an attempt, a callback or a wait before it ends by itself.

import { abortAttempt } from './attempt.js';
import { settle } from './hooks.js';
import { TimeoutError, hide } from './report.js';
import { follow, unfollow } from './signals.js';
import { now, startTimer } from './timer.js';

/** @typedef {import('./operation.js').Operation} Operation */

/**
 * Rejection of `race`, and result of `wait`, when the operation or the attempt was interrupted. Callers never see it. A
 * promise that is raced and stays pending keeps this, and not an error with its stack.
 */
export const INTERRUPTED = Symbol('interrupted');

/**
 * Returns why the signal was aborted. Signals of old polyfills, as in React Native, carry no reason.
 * @param {AbortSignal} signal
 */
export function reasonOf({ reason }) {
  if (reason !== undefined) return reason;
  // Not a DOMException, which React Native lacks.
  const error = new Error('This operation was aborted');
  hide(error, 'name', 'AbortError');
  hide(error, 'code', 20);
  return error;
}

/** Limits of operations without signals and timeouts, which all share one: nothing ends them early. */
export class Unlimited {
  aborted = false;
  /** @type {unknown} */
  reason;
  /** The deadline's error, once its timer has fired. @type {TimeoutError | undefined} */
  expired;
  deadlineAt = Infinity;
  endless = true;
  /** @type {import('./metrics.js').Metrics | undefined} */
  metrics;
  /** @type {object | undefined} */
  context;
  alsoAnswered = ', or a promise of these';

  /** The reason why the operation must not go on, or undefined. Reads the clock, because timers may be late. */
  get ended() {
    if (this.aborted) return 'aborted';
    return this.expired !== undefined || (this.deadlineAt < Infinity && this.deadlineAt <= now())
      ? 'deadline'
      : undefined;
  }

  /** Starts the operation. @param {Operation} _ */
  start(_) {}

  /** Starts an attempt. @param {import('./attempt.js').Attempt} _ */
  begin(_) {}

  /** Ends an attempt, however it ended. @returns {TimeoutError | undefined} its error, if it has timed out */
  endAttempt() {
    return undefined;
  }

  /** Removes all listeners and timers. */
  dispose() {}

  /**
   * Returns a promise of the value's own outcome, or of an interruption.
   * @param {any} value
   */
  race(value) {
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
      startTimer(ms, resolve, unref, from);
    });
  }
}

/** Watches over one operation: it follows its signals, with one deadline timer and one attempt timer. */
export class Cancellation extends Unlimited {
  /** @type {Operation | undefined} */
  operation;
  /** The error of the running attempt, once it has timed out. @type {TimeoutError | undefined} */
  timeout;
  /** @type {import('./attempt.js').Attempt | undefined} */
  attempt;
  /** @type {((reason: unknown) => void) | undefined} */
  settleEarly;
  endless = false;
  // Cancels the timers.
  /** @type {(() => void) | undefined} */
  cancelDeadline;
  /** @type {(() => void) | undefined} */
  cancelTimeout;
  /** The present wait is for a timer, or for a round of attempts. @type {(() => void) | undefined} */
  cancelWait;

  /** @param {AbortSignal[]} signals */
  constructor(signals) {
    super();
    this.signals = signals;
  }

  /** True once the operation was interrupted. */
  get stopped() {
    return this.aborted || this.expired !== undefined;
  }

  /** @param {Operation} operation */
  start(operation) {
    this.operation = operation;
    const {
      startedAt,
      settings: { totalTimeoutMs, unref },
    } = operation;
    for (const signal of this.signals) {
      if (signal.aborted) this.abort(signal);
      else if (!this.aborted) follow(signal, this);
    }
    if (this.aborted || totalTimeoutMs === Infinity) return;
    this.deadlineAt = startedAt + totalTimeoutMs;
    this.cancelDeadline = startTimer(totalTimeoutMs, () => this.expire(), unref, startedAt);
  }

  /** @param {AbortSignal} signal */
  abort(signal) {
    if (this.stopped) return;
    this.aborted = true;
    this.stop((this.reason = reasonOf(signal)));
  }

  /** Ends the operation at its deadline. */
  expire() {
    if (!this.stopped) this.stop((this.expired = this.operation?.timedOut()));
  }

  /** @param {unknown} reason for the attempt's signal */
  stop(reason) {
    this.dispose();
    this.settleEarly?.(INTERRUPTED);
    if (this.attempt !== undefined) abortAttempt(this.attempt, reason);
  }

  /**
   * Starts the attempt's timeout, unless the deadline comes first anyway.
   * @param {import('./attempt.js').Attempt} attempt
   */
  begin(attempt) {
    this.attempt = attempt;
    const operation = /** @type {Operation} */ (this.operation);
    const { attemptTimeoutMs, unref } = operation.settings;
    if (attemptTimeoutMs === Infinity) return;
    const from = now();
    if (attemptTimeoutMs >= this.deadlineAt - from) return;
    this.cancelTimeout = startTimer(
      attemptTimeoutMs,
      () => {
        this.timeout = new TimeoutError(
          `rejitter: attempt ${attempt.attempt} timed out after ${attemptTimeoutMs} ms (attemptTimeoutMs)`,
        );
        this.settleEarly?.(INTERRUPTED);
        abortAttempt(attempt, this.timeout);
      },
      unref,
      from,
    );
  }

  endAttempt() {
    this.cancelTimeout?.();
    this.settleEarly = undefined;
    // A timer callback made the error. Only from here can V8 see the callers that await the operation.
    const { timeout, expired = timeout } = this;
    if (expired !== undefined) /** @type {any} */ (Error).captureStackTrace?.(expired);
    this.timeout = undefined;
    return timeout;
  }

  /**
   * @param {unknown} value
   * @returns {Promise<any>}
   */
  race(value) {
    return new Promise((resolve, reject) => {
      // Handled here even after an interruption, so that a late rejection is not unhandled.
      settle(value, resolve, reject);
      this.settleEarly = reject;
      if (this.stopped) reject(INTERRUPTED);
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
      this.settleEarly = resolve;
      if (this.stopped) resolve(INTERRUPTED);
      else this.cancelWait = startTimer(ms, resolve, unref, from);
    });
  }

  dispose() {
    for (const signal of this.signals) unfollow(signal, this);
    this.cancelDeadline?.();
    this.cancelTimeout?.();
    this.cancelWait?.();
  }
}
