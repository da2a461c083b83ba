// The limits of an operation: the signal and the deadline end attempts and waits early, a time limit ends one attempt.
// An operation without limits awaits its callbacks' own promises, and a first success reads no clock.

import { adopt, reportFailure } from '../run/hooks.js';
import { TimeoutError } from '../run/report.js';
import { follow, reasonOf, unfollow } from '../run/signals.js';
import { now, startTimer } from '../run/timer.js';

/** One attempt, as the callbacks get it. */
export class Attempt {
  /** Made when it is needed. @type {AbortController | undefined} */
  #controller;

  /** @param {number} number */
  constructor(number) {
    this.attempt = number;
  }

  get signal() {
    return (this.#controller ??= new AbortController()).signal;
  }

  /** Not a method: callers have the attempt. @param {Attempt} attempt @param {unknown} reason */
  static abort(attempt, reason) {
    (attempt.#controller ??= new AbortController()).abort(reason);
  }
}

export class Limits {
  /** Holds the operation's error, once its signal or its deadline has stopped it. @type {[unknown] | undefined} */
  stopped;
  #settings;
  #interruptible;
  #deadlineAt = Infinity;
  /** The running attempt, or the last one. @type {any} */
  #attempt;
  /** The last failure. @type {{ cause: unknown } | undefined} */
  #failure;
  #running = true;
  /** Rejects what the operation waits for. @type {any} */
  #interrupt;
  /** @type {(() => void) | undefined} */
  #cancelDeadline;
  /** Cancels the timer of the attempt or of the wait. @type {(() => void) | undefined} */
  #cancelTimer;

  /** @param {import('./options.js').Settings} settings */
  constructor(settings) {
    const { signal, attemptTimeoutMs, totalTimeoutMs } = (this.#settings = settings);
    this.#interruptible = signal || Math.min(attemptTimeoutMs, totalTimeoutMs) < Infinity;
    if (signal?.aborted) throw reasonOf(signal);
    if (signal) follow(signal, this);
    if (totalTimeoutMs < Infinity) {
      this.#cancelDeadline = this.#startLimit(totalTimeoutMs, () => {
        const error = timeoutOf('operation', totalTimeoutMs, this.#failure);
        this.#end(error, [this.#running ? error : this.#failure?.cause]);
      });
      this.#deadlineAt = now() + totalTimeoutMs;
    }
  }

  /** The time until the deadline. */
  leftMs() {
    return this.#deadlineAt < Infinity ? this.#deadlineAt - now() : Infinity;
  }

  /** @param {number} number */
  begin(number) {
    const { attemptTimeoutMs } = this.#settings;
    this.#running = true;
    // The deadline may come first. An attempt that is retried has no cause.
    if (attemptTimeoutMs < this.leftMs())
      this.#cancelTimer = this.#startLimit(attemptTimeoutMs, () =>
        this.#end(timeoutOf(`attempt ${number}`, attemptTimeoutMs)),
      );
    return (this.#attempt = new Attempt(number));
  }

  /** Ends an attempt. @template {{ cause: unknown }} Failure @param {Failure} failure */
  fail(failure) {
    this.#cancelTimer?.();
    this.#running = false;
    this.#failure = failure;
    return failure;
  }

  /** Settles as the result of a call, unless interrupted. @type {(call: any, first?: any, second?: any) => any} */
  race(call, first, second) {
    if (!this.#interruptible) return call(first, second);
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      adopt(call(first, second), resolve, reject);
    });
  }

  /** @param {number} ms */
  wait(ms) {
    return this.race(() => new Promise((resolve) => (this.#cancelTimer = this.#startLimit(ms, resolve))));
  }

  release() {
    unfollow(/** @type {AbortSignal} */ (this.#settings.signal), this);
    this.#cancelDeadline?.();
    this.#cancelTimer?.();
  }

  /** The signal was aborted. @param {AbortSignal} signal */
  abort(signal) {
    const reason = reasonOf(signal);
    this.#end(reason, [reason]);
  }

  /** @param {unknown} reason for the signal of the attempt @param {[unknown]} [error] of the operation, if it ends */
  #end(reason, error) {
    this.stopped = error;
    if (error) this.release();
    this.#interrupt(reason);
    try {
      Attempt.abort(this.#attempt, reason);
    } catch (error) {
      // Some hosts let out what a listener throws: other operations follow the same signal.
      reportFailure(error);
    }
  }

  /** @param {number} ms @param {(value?: any) => void} done */
  #startLimit(ms, done) {
    return startTimer(ms, done, this.#settings.unref, now());
  }
}

/** @param {string} what @param {number} ms @param {{ cause: unknown }} [failure] */
function timeoutOf(what, ms, failure) {
  return new TimeoutError(`rejitter: ${what} timed out after ${ms} ms`, failure);
}
