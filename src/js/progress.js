// @ts-check
// What an operation keeps, decides and tells, whether it waits with a timer or blocks.

import { Attempt } from './attempt.js';
import { UNSEEDED, decide } from './decision.js';
import { callHook } from './hooks.js';
import { readMarks, returnedMark } from './marks.js';
import { AttemptRecord, RetryError, TimeoutError, hide, keepReport } from './report.js';
import { failure, isMs, show } from './rules.js';
import { now } from './timer.js';

/** @typedef {import('./options.js').Settings} Settings */
/** @typedef {(attempt: import('./attempt.js').Attempt) => unknown} Callback */

/** How many records are kept: the first, and the last nine. */
const KEPT = 10;

/** Of all operations without any. @type {AttemptRecord[]} */
const NO_RECORDS = [];

/** Why an operation stops, by what `decide` answers instead of a wait. */
const REASONS = ['', 'exhausted', 'deadline', 'hint'];

/** Whether this process was told that it has no core. */
let warned = false;

/**
 * What limits an operation from outside.
 * @typedef {object} Limits
 * @property {boolean} aborted
 * @property {unknown} reason why it was aborted
 * @property {unknown} expired what it timed out with, if a timer has said so
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
    /** How often the callback was called; when it was called last, and when that ended. */
    this.attempts = 0;
    this.attemptAt = startedAt;
    this.endedAt = startedAt;
    /** How the last attempt that ended did so: with an error, or with a result. */
    this.failed = false;
    /** @type {unknown} */
    this.outcome = undefined;
    /** The wait that a server asked for in the last failure, in ms; below 0, or NaN, if none. */
    this.hintMs = NaN;
    this.records = NO_RECORDS;
    /** Of which attempt the last record is: there is one of each before. */
    this.recorded = 0;
    /** Why the core could not answer. @type {unknown} */
    this.fault = undefined;
    /** @type {{ attempts?: number, report?: object } | undefined} what subscribers of the tracing channel see */
    this.context = undefined;
  }

  /** The next attempt, or the reason to stop before it. */
  begin() {
    const { settings, limits } = this;
    const attempt = new Attempt(
      settings, this.attempts + 1, this.startedAt, limits.deadlineAt,
      this.failed ? this.outcome : undefined, this.last?.delayMs,
    );
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

  /** What the end of an attempt says by itself: 'success', the reason to stop, or undefined. */
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

  /** What says whether to try again, if the caller does. */
  get predicate() {
    return this.failed ? this.settings.retryIf : this.settings.retryOnResult;
  }

  /**
   * What follows the last attempt: a wait in ms, 'success', or the reason to stop.
   * @param {any} verdict the predicate's
   * @param {string} [otherwise] what else it may answer
   * @returns {number | string}
   */
  judge(verdict, otherwise) {
    const { settings, failed, limits } = this;
    // The predicate may have aborted, and so may random() and backoff().
    if (limits.aborted) return 'aborted';
    if (verdict === false) return failed ? 'notRetryable' : 'success';
    const exactlyMs = verdict === true ? NaN : afterMsOf(verdict, failed ? 'retryIf' : 'retryOnResult', otherwise);
    const ruling = /** @type {any} */ ({ __proto__: null, ...settings.rule?.() });
    if (ruling.stop !== undefined) return ruling.stop;
    if (ruling.afterMs !== undefined) this.hintMs = ruling.afterMs;
    const decision = decide(settings, this, this.attempts, limits.deadlineAt, this.hintMs, exactlyMs);
    return limits.aborted ? 'aborted' : decision >= 0 ? decision : /** @type {string} */ (REASONS[-decision]);
  }

  /**
   * A callback other than the operation itself threw or answered nonsense, or there is no core. The failure
   * that was being judged stays in sight.
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
   * Notes the wait that begins.
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

  /** What `beforeRetry` is told. */
  retrying() {
    return Object.freeze(this.event(this.attempts, { ...this.told(), delayMs: this.last?.delayMs }));
  }

  /**
   * The deadline's error: why the attempt under way ends, and the operation unless it has a result.
   */
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
      // A poll that has had a result keeps it, wherever the deadline falls.
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
    // The reason of an abort belongs to all operations that it ended, and none of them to the others' callers.
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
   * Keeps how the last attempt ended: now.
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
 * Says once that nothing is retried here, and why.
 * @param {unknown} fault
 */
function warn(fault) {
  if (warned) return;
  warned = true;
  try {
    console.warn('rejitter: operations end without retries, because their core is missing.', fault);
  } catch {
    // Test environments make it throw.
  }
}

/**
 * Makes a failure the cause of the error that takes its place, unless that has a cause, or is one of the failure's.
 * @param {any} error
 * @param {any} failure
 */
function blame(error, failure) {
  try {
    if (!(error instanceof Error) || Object.hasOwn(error, 'cause') || !Object.isExtensible(error)) return;
    for (let depth = 0, each = failure; depth < KEPT && Object(each) === each; depth++, each = each.cause) {
      if (each === error) return;
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
