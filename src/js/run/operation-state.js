// @ts-check
// The steps between attempts: state, decisions and events of an operation, whether it waits or blocks.

import { isMs } from '../options/checks.js';
import { failure, show } from '../options/messages.js';
import { Attempt } from './attempt.js';
import { UNSEEDED, decide } from './decision.js';
import { readMarks, returnedMark } from './directives.js';
import { callHook } from './hooks.js';
import { AttemptRecord, RetryError, TimeoutError, hide, keepReport } from './report.js';
import { now } from './timer.js';

/** @typedef {import('../options/settings.js').Settings} Settings */
/** @typedef {(attempt: import('./attempt.js').Attempt) => unknown} Callback */

/** Number of records that are kept: the first, and the last nine. */
const KEPT = 10;

/** Shared by all operations that have no record yet. @type {AttemptRecord[]} */
const NO_RECORDS = [];

/** Reasons to stop, at the negated codes of `decide`. */
const REASONS = ['', 'exhausted', 'deadline', 'hint'];

/** True once this process was warned that the core is unavailable. */
let warned = false;

/**
 * Limits of an operation from outside: signals and the deadline.
 * @typedef {object} Limits
 * @property {boolean} aborted
 * @property {unknown} reason the signal's reason, once aborted
 * @property {unknown} expired the deadline's error, once its timer has fired
 * @property {number} deadlineAt
 */

/** @template {Limits} L */
export class Progress {
  /**
   * @param {Settings} settings
   * @param {Callback} fn
   * @param {number} index
   * @param {number} startedAt
   * @param {L} limits
   */
  constructor(settings, fn, index, startedAt, limits) {
    this.settings = settings;
    this.fn = fn;
    this.limits = limits;
    this.index = settings.seeded ? index : UNSEEDED;
    this.seedHigh = settings.seedHigh;
    this.seedLow = settings.seedLow;
    this.previousMs = -1;
    this.previousR = 0;
    this.startedAt = startedAt;
    /** Number of calls of the callback; times when the last one began and ended. */
    this.attempts = 0;
    this.attemptAt = startedAt;
    this.endedAt = startedAt;
    /** True if the last attempt that ended failed: its outcome is an error, and not a result. */
    this.failed = false;
    /** @type {unknown} */
    this.outcome = undefined;
    /** Wait that a server asked for in the last failure, in ms; NaN or negative if none. */
    this.hintMs = NaN;
    this.records = NO_RECORDS;
    /** Number of the last recorded attempt. Every earlier attempt was recorded as well. */
    this.recorded = 0;
    /** Error because of which the core could not answer. @type {unknown} */
    this.fault = undefined;
    /** @type {{ attempts?: number, report?: object } | undefined} shown to subscribers of the tracing channel */
    this.context = undefined;
  }

  /** Returns the next attempt, or the reason to stop before it. */
  begin() {
    const { settings, limits } = this;
    const attempt = new Attempt(settings, this.attempts + 1, this.startedAt, limits.deadlineAt, this.last);
    if (settings.hooks !== undefined) {
      this.tell('onAttempt', attempt.attempt);
      // A hook may have aborted, or taken the time that was left.
      if (limits.aborted) return 'aborted';
      this.attemptAt = now();
      if (this.attemptAt >= limits.deadlineAt) return this.attempts === 0 ? 'timeout' : 'deadline';
    }
    this.attempts++;
    settings.metrics?.attempted(this.attempts);
    return attempt;
  }

  /** Records the end of an attempt. Returns 'success', the reason to stop, or undefined if the predicate decides. */
  review() {
    const { settings, limits } = this;
    // The attempt may have aborted, and so may a hook below.
    if (limits.aborted) return 'aborted';
    let permanent = false;
    let afterMs = NaN;
    if (this.failed) {
      ({ error: this.outcome, permanent, afterMs } = readMarks(this.outcome));
    } else {
      const slip = returnedMark(this.outcome);
      if (slip !== undefined) return this.broken(slip);
      if (settings.retryOnResult === undefined) return 'success';
    }
    this.hintMs = afterMs;
    this.record(this.failed, this.outcome);
    if (settings.hooks !== undefined) this.tell('onFailure', this.attempts, this.told());
    return limits.aborted ? 'aborted' : permanent ? 'permanent' : undefined;
  }

  /** The caller's predicate for the last outcome. */
  get predicate() {
    return this.failed ? this.settings.retryIf : this.settings.retryOnResult;
  }

  /**
   * Decides what follows the last attempt: a wait in ms, 'success', or the reason to stop.
   * @param {any} verdict the predicate's answer
   * @param {string} [otherwise] text about other answers that it may give
   * @returns {number | string}
   */
  judge(verdict, otherwise) {
    const { settings, failed, limits } = this;
    // The predicate may have aborted, and so may random() and backoff().
    if (limits.aborted) return 'aborted';
    if (verdict === false) return failed ? 'notRetryable' : 'success';
    const exactlyMs = verdict === true ? NaN : afterMsOf(verdict, failed ? 'retryIf' : 'retryOnResult', otherwise);
    const ruling = settings.rule?.();
    if (ruling?.stop !== undefined) return ruling.stop;
    if (ruling?.afterMs !== undefined) this.hintMs = ruling.afterMs;
    const decision = decide(settings, this, this.attempts, limits.deadlineAt, this.hintMs, exactlyMs);
    return limits.aborted ? 'aborted' : decision >= 0 ? decision : /** @type {string} */ (REASONS[-decision]);
  }

  /**
   * Handles an error that takes the outcome's place: of a callback other than the operation itself, or of the
   * core. The failure that was being judged becomes its cause.
   * @param {any} thrown
   * @returns {string} the reason to stop
   */
  broken(thrown) {
    if (this.limits.aborted) return 'aborted';
    if (thrown !== undefined && thrown === this.fault) {
      warn(thrown);
      return 'unavailable';
    }
    if (this.failed) blame(thrown, this.outcome);
    this.failed = true;
    this.outcome = thrown;
    return 'callback';
  }

  /**
   * Records a wait that begins, and tells of it.
   * @param {number} delayMs
   */
  waits(delayMs) {
    /** @type {AttemptRecord} */ (this.last).delayMs = delayMs;
    this.settings.metrics?.waits(delayMs);
    if (this.settings.hooks !== undefined) this.tell('onRetry', this.attempts, { ...this.told(), delayMs });
  }

  /** The last attempt's record. */
  get last() {
    return this.records[this.records.length - 1];
  }

  /** Returns the event for `beforeRetry`. */
  retrying() {
    return Object.freeze(this.event(this.attempts, { ...this.told(), delayMs: this.last?.delayMs }));
  }

  /** Makes the deadline's error: it ends the attempt under way, and the operation unless that has a result. */
  timedOut() {
    const when = this.attempts === 0 ? 'before the first attempt' : `during attempt ${this.attempts}`;
    return this.timeoutError(`the operation timed out after ${this.settings.totalTimeoutMs} ms (totalTimeoutMs), ${when}`);
  }

  /** @param {string} text */
  timeoutError(text) {
    return new TimeoutError(`rejitter: ${text}`, this.failed ? { cause: this.outcome } : undefined);
  }

  /**
   * Ends the operation: returns its result, or throws. An abort comes before any other reason.
   * @param {string} reason or 'success'
   */
  end(reason) {
    const { settings, attempts, limits } = this;
    const { aborted } = limits;
    if (aborted) reason = 'aborted';
    if (reason === 'success') {
      if (this.context !== undefined) this.context.attempts = attempts;
      settings.metrics?.succeeded(attempts);
      this.tell('onSuccess', attempts, { result: this.outcome });
      return this.outcome;
    }
    if (aborted || reason === 'timeout') {
      const error = aborted ? limits.reason : limits.expired ?? this.timedOut();
      if (this.recorded < attempts) this.record(true, error);
      // A poll that has had a result keeps it, wherever the deadline falls; its report says 'timeout' all the same.
      if (aborted || this.failed || attempts < 2) {
        this.failed = true;
        this.outcome = error;
      }
    } else if (this.recorded < attempts) this.record(true, this.outcome);

    const report = this.report(reason);
    if (this.context !== undefined) Object.assign(this.context, { attempts, report });
    settings.metrics?.failed(reason);
    this.tell('onGiveUp', attempts, { ...this.told(), reason, report });
    const { failed, outcome } = this;
    const wrap = failed ? settings.finalError === 'wrap' && !aborted : settings.finalResult === 'reject';
    const final = wrap ? new RetryError(outcome, report, failed) : outcome;
    // One reason may end operations of several callers, who must not see each other's reports.
    if (!aborted) keepReport(final, report);
    if (failed || wrap) throw final;
    return final;
  }

  /** @param {string} reason */
  report(reason) {
    const { attempts, hintMs, records, recorded } = this;
    return Object.freeze({
      reason,
      attempts,
      elapsedMs: now() - this.startedAt,
      ...(hintMs >= 0 && { hintMs }),
      ...(reason === 'unavailable' && { cause: this.fault }),
      dropped: recorded - records.length,
      records: Object.freeze(records.map((record) => record.told())),
    });
  }

  /**
   * Records that the last attempt has ended now.
   * @param {boolean} failed
   * @param {unknown} outcome
   */
  record(failed, outcome) {
    const { attempts, attemptAt, records } = this;
    this.recorded = attempts;
    this.endedAt = now();
    const record = new AttemptRecord(attempts, failed, outcome, attemptAt - this.startedAt, this.endedAt - attemptAt);
    if (records.length === KEPT) records.splice(1, 1);
    // The first as a literal: `push` would make room for 17, and most operations have one while they wait.
    if (attempts === 1) this.records = [record];
    else records.push(record);
  }

  told() {
    return this.failed ? { error: this.outcome } : { result: this.outcome };
  }

  /**
   * @param {string} name the hook's
   * @param {number} attempt
   * @param {object} [what]
   */
  tell(name, attempt, what) {
    const { hooks } = this.settings;
    if (hooks !== undefined) callHook(hooks, name, this.event(attempt, what));
  }

  /**
   * @param {number} attempt
   * @param {object} [what]
   */
  event(attempt, what) {
    const { maxAttempts, name } = this.settings;
    return { attempt, attemptsLeft: maxAttempts - attempt, ...(name !== undefined && { name }), ...what, elapsedMs: now() - this.startedAt };
  }
}

/**
 * Warns once per process that nothing is retried, and why.
 * @param {unknown} fault
 */
function warn(fault) {
  if (warned) return;
  warned = true;
  try {
    console.warn('rejitter: operations are not retried.', fault);
  } catch {
    // Test environments make it throw.
  }
}

/**
 * Makes a failure the cause of the error that takes its place, unless the error has a cause or would be its own.
 * @param {any} error
 * @param {any} failure
 */
function blame(error, failure) {
  try {
    if (!(error instanceof Error) || Object.hasOwn(error, 'cause') || !Object.isExtensible(error)) return;
    try {
      for (let depth = 0, each = failure; depth < KEPT && Object(each) === each; depth++, each = each.cause) {
        if (each === error) return;
      }
    } catch {
      // An unreadable failure has no causes.
    }
    hide(error, 'cause', failure);
  } catch {
    // An error that throws when it is looked at stays as it is.
  }
}

/**
 * @param {any} verdict
 * @param {string} name of the predicate
 * @param {string} [otherwise] what else it may answer
 */
export function afterMsOf(verdict, name, otherwise = ', or a promise of these') {
  const afterMs = typeof verdict === 'object' && verdict !== null && Object.hasOwn(verdict, 'afterMs') ? verdict.afterMs : undefined;
  if (isMs(afterMs)) return afterMs;
  const what = afterMs === undefined ? show(verdict) : `{ afterMs: ${show(afterMs)} }`;
  throw failure(typeof afterMs === 'number' ? RangeError : TypeError, `${name} must return true, false, { afterMs } between 0 and 2^53 - 1${otherwise}, got ${what}`);
}
