// @ts-check
// What may end an operation before it ends by itself: signals, the deadline, the timeout of an attempt.

import { abortAttempt } from './attempt.js';
import { adopt } from './hooks.js';
import { TimeoutError, restack } from './report.js';
import { follow, reasonOf, unfollow } from './signals.js';
import { armTimer, now, startTimer } from './timer.js';

/** @typedef {import('./operation.js').Operation} Operation */
/** @typedef {import('./attempt.js').Attempt} Attempt */

/**
 * The part that the steps use. An operation that blocks has limits of another kind (sync.js).
 * @typedef {Pick<Limits, 'metrics' | 'context' | 'fields' | 'aborted' | 'stopped' | 'reason' | 'deadlineAt' | 'attempt' |
 *   'ended' | 'start' | 'begin' | 'endAttempt'>} OperationLimits
 */

/** Rejection of what an interrupted operation awaits. Callers never see it. */
export const INTERRUPTED = Symbol('interrupted');

/** Signals and timeouts of an operation. */
export class Limits {
  /** Counters of the policy. @type {import('./contracts.js').Counters | undefined} */
  metrics;
  /** Message of the tracing channel. @type {object | undefined} */
  context;
  /** Further fields of events. @type {object | undefined} */
  fields;
  /** Whether a signal has ended the operation. */
  aborted = false;
  /** Whether a signal or the deadline's timer has. */
  stopped = false;
  /** The signal's reason, or the deadline's error. @type {unknown} */
  reason;
  deadlineAt = Infinity;
  /** The running attempt, or the last one: its signal is aborted with the operation. @type {Attempt | undefined} */
  attempt;
  /** Called when the operation ends. @type {(() => void) | undefined} */
  onStop;
  /** Ends what is awaited now. @type {((reason: any) => void) | undefined} */
  #cut;
  /** Error of the attempt, once it has timed out. @type {TimeoutError | undefined} */
  #timeout;
  /** @type {(() => void) | undefined} */
  #cancelDeadline;
  /** @type {(() => void) | undefined} */
  #cancelTimeout;
  /** Timer of the present wait. @type {any} */
  #timer;
  #signals;

  /** @param {AbortSignal[]} [signals] undefined if nothing ends the operation early */
  constructor(signals) {
    this.#signals = signals;
  }

  /**
   * Why the operation must not go on. Reads the clock, because timers may be late.
   * @returns {'aborted' | 'deadline' | undefined}
   */
  get ended() {
    if (this.aborted) return 'aborted';
    return this.stopped || (this.deadlineAt < Infinity && this.deadlineAt <= now()) ? 'deadline' : undefined;
  }

  /** Starts the operation. @param {Operation} op */
  start(op) {
    const startedAt = /** @type {number} */ (op.startedAt);
    const { totalTimeoutMs, unref } = op.settings;
    if (this.#signals === undefined) return;
    for (const signal of this.#signals) {
      if (signal.aborted) this.abort(signal);
      else if (!this.aborted) follow(signal, this);
    }
    if (this.aborted || totalTimeoutMs === Infinity) return;
    this.deadlineAt = startedAt + totalTimeoutMs;
    this.#cancelDeadline = startTimer(totalTimeoutMs, () => this.stop(timedOut(op), false), unref, startedAt);
  }

  /** @param {AbortSignal} signal */
  abort(signal) {
    this.stop(reasonOf(signal), true);
  }

  /**
   * Interrupts the operation, once.
   * @param {unknown} reason for the attempt's signal
   * @param {boolean} aborted otherwise it is the deadline
   */
  stop(reason, aborted) {
    if (this.stopped) return;
    this.stopped = true;
    this.aborted = aborted;
    this.reason = reason;
    this.#cut?.(INTERRUPTED);
    this.dispose();
    if (this.attempt !== undefined) abortAttempt(this.attempt, reason);
  }

  /**
   * Starts the timeout of an attempt, unless the deadline comes first anyway.
   * @param {Operation} op
   * @param {Attempt} attempt
   */
  begin(op, attempt) {
    if (this.#signals === undefined) return;
    this.attempt = attempt;
    const { attemptTimeoutMs, unref } = op.settings;
    if (attemptTimeoutMs === Infinity) return;
    const from = now();
    if (attemptTimeoutMs >= this.deadlineAt - from) return;
    const expire = () => {
      this.#timeout = new TimeoutError(
        `rejitter: attempt ${attempt.attempt} timed out after ${attemptTimeoutMs} ms (attemptTimeoutMs)`,
      );
      op.task?.label(this.#timeout);
      this.#cut?.(INTERRUPTED);
      abortAttempt(attempt, this.#timeout);
    };
    this.#cancelTimeout = startTimer(attemptTimeoutMs, expire, unref, from);
  }

  /** Ends an attempt, however it ended. Returns its error if it timed out. */
  endAttempt() {
    if (this.#signals === undefined) return undefined;
    this.#cancelTimeout?.();
    this.#cut = undefined;
    const timeout = this.#timeout;
    this.#timeout = undefined;
    // A timer callback made the error. Only from here can V8 see the callers that await the operation.
    const error = this.stopped && !this.aborted ? this.reason : timeout;
    if (error !== undefined) restack(error);
    return timeout;
  }

  /**
   * Returns a promise of the value's own outcome, or of an interruption. Then the value's promise, which may stay
   * pending, keeps nothing of the operation but this symbol.
   * @param {any} value
   */
  race(value) {
    if (this.#signals === undefined) return value;
    return new Promise((resolve, reject) => {
      // Handled here even after an interruption, so that a late rejection is not unhandled.
      adopt(value, resolve, reject);
      this.#cut = reject;
      if (this.stopped) reject(INTERRUPTED);
    });
  }

  /**
   * Waits for one timer, or for an interruption.
   * @param {number} ms
   * @param {boolean | undefined} unref
   * @returns {Promise<unknown>}
   */
  sleep(ms, unref) {
    return new Promise((/** @type {any} */ resolve) => {
      if (this.stopped) return resolve();
      const timer = armTimer(resolve, ms, unref);
      // Memory of a waiting operation counts: without limits, it holds only the promise of its timer.
      if (this.#signals === undefined) return;
      this.#cut = resolve;
      this.#timer = timer;
    });
  }

  /** Removes all listeners and timers. */
  dispose() {
    if (this.#signals === undefined) return;
    for (const signal of this.#signals) unfollow(signal, this);
    this.#cancelDeadline?.();
    this.#cancelTimeout?.();
    globalThis.clearTimeout(this.#timer);
    this.onStop?.();
  }
}

/** The limits of all operations that nothing ends early. */
export const UNLIMITED = new Limits();

/**
 * Makes the deadline's error: it ends the running attempt, and the operation unless that has a result.
 * @param {Operation} op
 */
export function timedOut({ attempts, failed, outcome, settings, task }) {
  const { name, totalTimeoutMs } = settings;
  const when = attempts === 0 ? 'before the first attempt' : `during attempt ${attempts}`;
  const error = new TimeoutError(
    `rejitter: ${name || 'the operation'} timed out after ${totalTimeoutMs} ms (totalTimeoutMs), ${when}`,
    failed ? { cause: outcome } : undefined,
  );
  task?.label(error);
  return error;
}
