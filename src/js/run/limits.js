// What may end an operation before it ends by itself: signals, the deadline, the timeout of an attempt.

import { texts } from '../options/long.js';
import { NEEDS_LIMITS } from '../options/settings.js';
import { abortAttempt, courseOf } from './attempt.js';
import { adopt } from './hooks.js';
import { TimeoutError, restack } from './report.js';
import { follow, reasonOf, unfollow } from './signals.js';
import { armTimer, elapsed, now, startTimer } from './timer.js';

/** @import { Attempt } from './attempt.js' */
/** @import { AttemptRun, Operation } from './operation.js' */

/**
 * The part that the steps use. An operation that blocks has limits of another kind (sync.js).
 * @typedef {Omit<NoLimits, 'onStop' | 'race' | 'sleep' | 'dispose'>} OperationLimits
 */

/** Unset, silence ends no attempt. */
const NEVER = { firstMs: Infinity, thenMs: Infinity };

/** Rejection of what an interrupted operation awaits. Callers never see it. */
export const INTERRUPTED = Symbol('interrupted');

/** The limits of an operation that nothing ends early. */
class NoLimits {
  /** Whether a signal has ended the operation. */
  aborted = false;
  /** Whether a signal or the deadline's timer has. */
  stopped = false;
  /** The signal's reason, or the deadline's error. @type {unknown} */
  reason;
  deadlineAt = Infinity;
  /** Whether a timer that was late ended it: that says nothing about the destination. @type {true | undefined} */
  late;
  /** The running attempt, or the last one: its signal is aborted with the operation. @type {Attempt | undefined} */
  attempt;
  /** Called when the operation ends. @type {(() => void) | undefined} */
  onStop;

  /** Whether it blocks its thread. @returns {boolean | undefined} */
  get blocks() {
    return undefined;
  }

  /** Why the operation must not go on. @type {'aborted' | 'deadline' | undefined} */
  get stopReason() {
    return undefined;
  }

  /** Starts the operation. @type {(op: Operation) => void} */
  start() {}

  /** Starts an attempt. @type {(run: AttemptRun) => void} */
  begin() {}

  /** Ends an attempt, however it ended. Returns its error if it timed out. @returns {TimeoutError | undefined} */
  endAttempt() {
    return undefined;
  }

  /** Returns a promise of the value's own outcome, or of an interruption. @param {any} value */
  race(value) {
    return value;
  }

  /** Waits for a timer, or an interruption. @type {(ms: number, unref: boolean | undefined) => Promise<unknown>} */
  sleep(ms, unref) {
    // Memory of a waiting operation counts: this holds only the promise of its timer.
    return new Promise((resolve) => armTimer(/** @type {() => void} */ (resolve), ms, unref));
  }

  /** Removes all listeners and timers. */
  dispose() {}
}

/** The limits of all operations that nothing ends early: they have no state. */
export const NO_LIMITS = /* @__PURE__ */ new NoLimits();

/**
 * Returns the limits of an operation. A run's signal adds to that of the settings.
 * @type {(settings: import('../options/settings.js').Settings, signal?: AbortSignal) => NoLimits}
 */
export function limitsOf({ signal: own, needs }, signal) {
  return needs === NEEDS_LIMITS || signal
    ? new Limits(/** @type {AbortSignal[]} */ ([own, signal].filter(Boolean)))
    : NO_LIMITS;
}

/** Signals and timeouts of an operation, or of an attempt of a round. */
export class Limits extends NoLimits {
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

  /** @param {AbortSignal[]} signals */
  constructor(signals) {
    super();
    this.#signals = signals;
  }

  /** Reads the clock, because timers may be late. */
  get stopReason() {
    if (this.aborted) return 'aborted';
    return this.stopped || (this.deadlineAt < Infinity && this.deadlineAt <= now()) ? 'deadline' : undefined;
  }

  /** @param {Operation} op */
  start(op) {
    const { startedAt } = op;
    const { totalTimeoutMs, unref } = op.settings;
    for (const signal of this.#signals) {
      if (signal.aborted) this.abort(signal);
      else if (!this.aborted) follow(signal, this);
    }
    if (this.aborted || totalTimeoutMs === Infinity) return;
    this.deadlineAt = startedAt + totalTimeoutMs;
    const expire = (/** @type {true | undefined} */ late) => this.stop(timedOut(op), false, late);
    this.#cancelDeadline = startTimer(totalTimeoutMs, expire, unref, startedAt);
  }

  /** @param {AbortSignal} signal */
  abort(signal) {
    this.stop(reasonOf(signal), true);
  }

  /**
   * Interrupts what it limits, once, by an abort or the deadline.
   * @type {(reason: unknown, aborted: boolean, late?: true) => void}
   */
  stop(reason, aborted, late) {
    if (this.stopped) return;
    Object.assign(this, { stopped: true, aborted, reason, late });
    this.#cut?.(INTERRUPTED);
    this.dispose();
    if (this.attempt) abortAttempt(this.attempt, reason);
  }

  /**
   * Starts the timer of an attempt, for its timeout, unless the deadline comes first anyway, and for its silence.
   * @param {AttemptRun} run
   */
  begin(run) {
    const attempt = (this.attempt = /** @type {Attempt} */ (run.attempt));
    const { attemptTimeoutMs, idleTimeoutMs, unref } = run.op.settings;
    let { firstMs: silentMs, thenMs } = idleTimeoutMs || NEVER;
    let time = /** @type {number} */ (run.startedAt);
    let leftMs = attemptTimeoutMs < this.deadlineAt - time ? attemptTimeoutMs : Infinity;
    let idleMs = silentMs;
    let ms = 0;
    /** @type {number | undefined} */
    let heardAt;
    this.late = undefined;
    const arm = () => {
      // A sign of life may come at any moment, and moves no timer.
      ms = Math.min(leftMs, idleMs, thenMs);
      if (ms < Infinity) this.#cancelTimeout = startTimer(ms, wake, unref, time);
    };
    const wake = (/** @type {true | undefined} */ late) => {
      // Fake timers need not move the clock.
      const passedMs = Math.max(ms, -time + (time = now()));
      const last = courseOf(attempt).heardAt;
      leftMs -= passedMs;
      idleMs -= passedMs;
      if (last !== heardAt) {
        heardAt = /** @type {number} */ (last);
        silentMs = thenMs;
        idleMs = thenMs - elapsed(heardAt, time);
      }
      if (Math.min(leftMs, idleMs) > 0) return arm();
      const isIdle = idleMs < leftMs;
      if (isIdle && heardAt === undefined) texts?.advise('neverAlive');
      const limit = isIdle ? `${silentMs} ms of silence (idle` : `${attemptTimeoutMs} ms (attempt`;
      this.late = late;
      this.#timeout = new TimeoutError(`rejitter: attempt ${attempt.attempt} timed out after ${limit}TimeoutMs)`);
      run.task?.label(this.#timeout);
      this.#cut?.(INTERRUPTED);
      abortAttempt(attempt, this.#timeout);
    };
    arm();
  }

  endAttempt() {
    this.#cancelTimeout?.();
    this.#cancelTimeout = this.#cut = undefined;
    const timeout = this.#timeout;
    this.#timeout = undefined;
    // A timer callback made the error. Only from here can V8 see the callers that await the operation.
    const error = this.stopped && !this.aborted ? this.reason : timeout;
    if (error) restack(error);
    return timeout;
  }

  /** After an interruption, the value's promise keeps nothing of the operation but the symbol. @param {any} value */
  race(value) {
    return new Promise((resolve, reject) => {
      // Handled here even after an interruption, so that a late rejection is not unhandled.
      adopt(value, resolve, reject);
      this.#cut = reject;
      if (this.stopped) reject(INTERRUPTED);
    });
  }

  /** @param {number} ms @param {boolean | undefined} unref @returns {Promise<unknown>} */
  sleep(ms, unref) {
    return new Promise((/** @type {any} */ resolve) => {
      if (this.stopped) return resolve();
      this.#cut = resolve;
      this.#timer = armTimer(resolve, ms, unref);
    });
  }

  dispose() {
    for (const signal of this.#signals) unfollow(signal, this);
    this.#cancelDeadline?.();
    this.#cancelTimeout?.();
    globalThis.clearTimeout(this.#timer);
    this.onStop?.();
  }
}

/** Makes the deadline's error. It ends the attempt, and an operation that has no result. @param {Operation} op */
export function timedOut({ settings, run }) {
  const { name, totalTimeoutMs } = settings;
  const { number, failed, outcome, task } = run;
  const when = number === 0 ? 'before the first attempt' : `during attempt ${number}`;
  const error = new TimeoutError(
    `rejitter: ${name || 'the operation'} timed out after ${totalTimeoutMs} ms (totalTimeoutMs), ${when}`,
    failed ? { cause: outcome } : undefined,
  );
  task?.label(error);
  return error;
}
