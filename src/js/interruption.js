// @ts-check
// What may end an attempt, a predicate or a wait before it ends by itself: signals and timeouts.

import { abortAttempt } from './attempt.js';
import { TimeoutError } from './report.js';
import { follow, unfollow } from './signals.js';
import { Timer, now } from './timer.js';

/** What `until` rejects with when the operation was interrupted; never seen by callers. */
export const INTERRUPTED = Symbol('interrupted');

/**
 * Why the signal was aborted. Signals of old polyfills carry no reason.
 * @param {AbortSignal} signal
 */
export function reasonOf(signal) {
  return signal.reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : signal.reason;
}

/** Watches over one operation: it follows its signals, with one deadline timer and one attempt timer. */
export class Interruption {
  /** @param {import('./options.js').Settings} settings */
  constructor(settings) {
    this.settings = settings;
    /** @type {AbortSignal[]} */
    this.signals = [];
    this.aborted = false;
    /** @type {unknown} */
    this.reason = undefined;
    this.expired = false;
    this.deadlineAt = Infinity;
    /** @type {import('./attempt.js').Attempt | undefined} */
    this.attempt = undefined;
    /** @type {((reason: unknown) => void) | undefined} */
    this.wake = undefined;
    /** @type {Timer | undefined} */
    this.deadlineTimer = undefined;
    /** @type {Timer | undefined} */
    this.attemptTimer = undefined;
    /** @type {Timer | undefined} */
    this.waitTimer = undefined;
  }

  /** Whether the operation must not go on. */
  get over() {
    return this.aborted || this.expired;
  }

  /** @param {AbortSignal | undefined} signal */
  watch(signal) {
    if (signal === undefined) return;
    this.signals.push(signal);
    if (signal.aborted) this.abort(signal);
    else follow(signal, this);
  }

  /** @param {number} startedAt */
  armDeadline(startedAt) {
    const { totalTimeoutMs, unref } = this.settings;
    if (totalTimeoutMs === Infinity) return;
    this.deadlineAt = startedAt + totalTimeoutMs;
    this.deadlineTimer = new Timer(totalTimeoutMs, () => this.expire(), unref, startedAt);
  }

  /** @param {AbortSignal} signal */
  abort(signal) {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reasonOf(signal);
    this.end(this.reason);
  }

  /** The deadline has passed. */
  expire() {
    if (this.over) return;
    this.expired = true;
    this.end(new TimeoutError(`the operation timed out after ${this.settings.totalTimeoutMs} ms (totalTimeoutMs)`));
  }

  /** @param {unknown} reason for the attempt's signal */
  end(reason) {
    this.release();
    this.wake?.(INTERRUPTED);
    if (this.attempt !== undefined) abortAttempt(this.attempt, reason);
  }

  /**
   * Begins an attempt: its timeout runs from here, unless the deadline comes first anyway.
   * @param {import('./attempt.js').Attempt} attempt
   */
  begin(attempt) {
    this.attempt = attempt;
    const { attemptTimeoutMs, unref } = this.settings;
    if (attemptTimeoutMs === Infinity) return;
    const from = now();
    if (attemptTimeoutMs >= this.deadlineAt - from) return;
    this.attemptTimer = new Timer(attemptTimeoutMs, () => {
      const error = new TimeoutError(`attempt ${attempt.attempt} timed out after ${attemptTimeoutMs} ms (attemptTimeoutMs)`);
      this.wake?.(error);
      abortAttempt(attempt, error);
    }, unref, from);
  }

  /** The attempt has ended, whichever way. */
  finish() {
    this.attemptTimer?.cancel();
    this.wake = undefined;
  }

  /**
   * The value's own outcome, or what interrupts it, whichever comes first.
   * @param {unknown} value
   * @returns {Promise<any>}
   */
  until(value) {
    return new Promise((resolve, reject) => {
      // Handled here even after an interruption, so that a late rejection is not unhandled.
      Promise.resolve(value).then(resolve, reject);
      this.wake = reject;
      if (this.over) reject(INTERRUPTED);
    });
  }

  /**
   * A wait, which ends early when interrupted.
   * @param {number} ms
   * @param {number} from the time now
   * @returns {Promise<any>} the time when it ended; anything when it was interrupted
   */
  wait(ms, from) {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.over) resolve(INTERRUPTED);
      else this.waitTimer = new Timer(ms, resolve, this.settings.unref, from);
    });
  }

  /** Leaves no listener and no timer behind. */
  release() {
    for (const signal of this.signals) unfollow(signal, this);
    this.deadlineTimer?.cancel();
    this.attemptTimer?.cancel();
    this.waitTimer?.cancel();
  }
}
