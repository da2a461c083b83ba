// @ts-check
// The state of an operation, and what it reports of it: events, records, the report, the outcome.

import { NO_PREVIOUS } from './decision.js';
import { readDirectives } from './directives.js';
import { tell } from './hooks.js';
import { AttemptRecord, RetryError, TimeoutError, keepReport } from './report.js';
import { now } from './timer.js';

/** @typedef {import('../options/settings.js').Settings} Settings */
/** @typedef {import('./attempt.js').Attempt} Attempt */
/** @typedef {(attempt: Attempt) => unknown} Callback */

/** Number of records that are kept: the first, and the last nine. */
const KEPT = 10;

/** Shared by all operations that have no record yet. @type {AttemptRecord[]} */
const NO_RECORDS = [];

/**
 * Signals and the deadline, which act on an operation from outside, and the code that follows it.
 * @typedef {object} Limits
 * @property {boolean} aborted
 * @property {unknown} reason the signal's reason, once aborted
 * @property {unknown} expired the deadline's error, once its timer has fired
 * @property {string | undefined} ended the reason why the operation must not go on
 * @property {number} deadlineAt
 * @property {import('./metrics.js').Metrics | undefined} metrics counters of the policy
 * @property {{ name?: string, attempts?: number, report?: object } | undefined} context shown to subscribers of the tracing channel
 * @property {boolean} endless whether nothing ends a wait early
 * @property {string} alsoAnswered what else a predicate may return, for error texts
 * @property {(operation: any) => void} start starts the operation
 * @property {(attempt: Attempt) => void} begin starts an attempt
 * @property {() => unknown} endAttempt returns the attempt's error, if it has timed out
 * @property {() => void} dispose removes all listeners and timers
 */

export class OperationState {
  /**
   * @param {Settings} settings
   * @param {Callback} fn
   * @param {number} index among the operations of a policy
   * @param {number} startedAt
   * @param {Limits} limits
   */
  constructor(settings, fn, index, startedAt, limits) {
    this.settings = settings;
    this.fn = fn;
    this.limits = limits;
    this.index = index;
    /** The last computed wait and its draw, for jitters that look back. */
    this.previous = NO_PREVIOUS;
    /** Error because of which the core could not answer. @type {unknown} */
    this.fault = undefined;
    this.startedAt = startedAt;
    /** Number of calls of the callback. */
    this.attempts = 0;
    /** Time when the last call started, unless that is `startedAt`. @type {number | undefined} */
    this.attemptAt = undefined;
    /** Time when the last call ended. */
    this.endedAt = startedAt;
    /** The attempt that runs, or the one whose outcome is being classified. @type {Attempt | undefined} */
    this.attempt = undefined;
    /** True if the last attempt that ended failed: its outcome is an error, and not a result. */
    this.failed = false;
    /** @type {unknown} */
    this.outcome = undefined;
    /**
     * Wait that a server asked for in the last failure, in ms; undefined, NaN or negative if none.
     * @type {number | undefined}
     */
    this.hintMs = undefined;
    /** The wait after the last attempt, once it is decided. @type {number | undefined} */
    this.delayMs = undefined;
    this.records = NO_RECORDS;
    /** State that protection keeps of this operation. @type {import('../options/seam.js').Gate | undefined} */
    this.gate = undefined;
    /** Number of the last attempt that ended. */
    this.ended = 0;
  }

  /** Number of hedges so far. */
  get hedges() {
    return this.gate?.hedges ?? 0;
  }

  /** Notes that the running attempt has ended, now. */
  note() {
    this.ended = this.attempts;
    this.endedAt = now();
  }

  /**
   * Records the attempt that has ended last. Late: an operation that waits after its first failure, as most that wait
   * do, needs no memory for records.
   * @param {boolean} [failed]
   * @param {unknown} [outcome]
   */
  record(failed = this.failed, outcome = this.outcome) {
    const { records, startedAt, attemptAt = startedAt } = this;
    if (records.at(-1)?.attempt === this.ended || this.ended === 0) return;
    const startMs = attemptAt - startedAt;
    const durationMs = this.endedAt - attemptAt;
    const record = new AttemptRecord(this.ended, failed, outcome, startMs, durationMs, this.delayMs, this.gate?.held);
    this.delayMs = undefined;
    if (records.length === KEPT) records.splice(1, 1);
    // The first as a literal: `push` would make room for 17.
    if (records === NO_RECORDS) this.records = [record];
    else records.push(record);
  }

  /** Makes the deadline's error: it ends the running attempt, and the operation unless that has a result. */
  timedOut() {
    const when = this.attempts === 0 ? 'before the first attempt' : `during attempt ${this.attempts}`;
    return new TimeoutError(
      `rejitter: the operation timed out after ${this.settings.totalTimeoutMs} ms (totalTimeoutMs), ${when}`,
      this.failed ? { cause: this.outcome } : undefined,
    );
  }

  /**
   * Settles the operation: `outcome` is from here on what it resolves with, or rejects with if `failed`. An abort
   * comes before any other reason.
   * @param {string} reason or 'success'
   */
  settle(reason) {
    const { settings, limits } = this;
    const { aborted } = limits;
    if (aborted) reason = 'aborted';
    // Nothing but a hook or a hold has taken the time: there is no outcome.
    else if (this.attempts === 0 && reason === 'deadline') reason = 'timeout';
    reason = this.gate?.settle(this, reason) ?? reason;
    const { attempts } = this;
    if (reason === 'success') {
      Object.assign(limits.context ?? {}, { attempts });
      limits.metrics?.succeeded(attempts - this.hedges);
      this.emit('onSuccess', /** @type {Attempt} */ (this.attempt).attempt, this.outcomeFields());
      return;
    }
    this.record();
    const cut = aborted || reason === 'timeout';
    const error = aborted ? limits.reason : cut ? (limits.expired ?? this.timedOut()) : this.outcome;
    // The running attempt, or one whose result was not accepted.
    if (this.ended < attempts) {
      this.note();
      this.record(true, error);
    }
    // A poll that has had a result keeps it, wherever the deadline falls; its report says 'timeout' all the same.
    if (cut && (aborted || this.failed || attempts < 2)) {
      this.failed = true;
      this.outcome = error;
    }

    const { failed, outcome } = this;
    const report = this.report(reason);
    Object.assign(limits.context ?? {}, { attempts, report });
    limits.metrics?.failed(reason);
    this.emit('onGiveUp', attempts, { ...this.outcomeFields(), reason, report });
    const wrap = failed
      ? settings.finalError === 'wrap' && !aborted && !readDirectives(outcome).rejected
      : settings.finalResult === 'reject';
    // One reason may end operations of several callers, who must not see each other's reports.
    this.outcome = wrap ? new RetryError(outcome, report, failed) : outcome;
    if (!aborted) keepReport(this.outcome, report);
    this.failed = failed || wrap;
  }

  /** Labels that subscribers of the tracing channel receive from the start on. */
  get labels() {
    return { name: this.settings.name };
  }

  /** @param {string} reason */
  report(reason) {
    const { attempts, records } = this;
    const hintMs = /** @type {number} */ (this.hintMs);
    return Object.freeze({
      reason,
      attempts,
      elapsedMs: now() - this.startedAt,
      ...(hintMs >= 0 && { hintMs }),
      ...this.gate?.refusal,
      ...(reason === 'unavailable' && { cause: this.fault }),
      dropped: (records.at(-1)?.attempt ?? 0) - records.length,
      records: Object.freeze(records.map((record) => record.toPublic())),
    });
  }

  outcomeFields() {
    return this.failed ? { error: this.outcome } : { result: this.outcome };
  }

  /**
   * Calls a hook.
   * @param {string} name
   * @param {number} attempt
   * @param {object} [fields]
   */
  emit(name, attempt, fields) {
    const hook = /** @type {any} */ (this.settings)[name];
    if (hook !== undefined) tell(hook, this.event(attempt, fields));
  }

  /**
   * @param {number} attempt
   * @param {object} [fields]
   */
  event(attempt, fields) {
    const { maxAttempts, name } = this.settings;
    return {
      attempt,
      attemptsLeft: maxAttempts - attempt,
      ...(name !== undefined && { name }),
      ...fields,
      elapsedMs: now() - this.startedAt,
    };
  }
}
