// @ts-check
// What an operation keeps, decides and tells, whether it waits with a timer or blocks.

import { DEADLINE, EXHAUSTED, decide } from './decision.js';
import { callHook } from './hooks.js';
import { seedAfresh } from './randomness.js';
import { AttemptRecord, RetryError, keepReport } from './report.js';
import { failure, isMs, show } from './rules.js';
import { now } from './timer.js';

/** @typedef {import('./options.js').Settings} Settings */
/** @typedef {(attempt: import('./attempt.js').Attempt) => unknown} Callback */

/** How many records are kept: the first, and the last nine. */
const KEPT = 10;

/** Of all operations without any. @type {AttemptRecord[]} */
const NO_RECORDS = [];

export class Progress {
  /**
   * @param {Settings} settings
   * @param {Callback} fn
   * @param {number} index
   */
  constructor(settings, fn, index) {
    this.settings = settings;
    this.fn = fn;
    this.index = index;
    this.seedHigh = settings.seedHigh;
    this.seedLow = settings.seedLow;
    this.previousMs = -1;
    this.previousR = 0;
    this.startedAt = NaN;
    /** How often the callback was called; when it was called last (NaN: not known), and when that ended. */
    this.attempts = 0;
    this.attemptAt = NaN;
    this.endedAt = NaN;
    /** How the last attempt ended: with an error, or with a result. */
    this.failed = false;
    /** @type {unknown} */
    this.outcome = undefined;
    /** The wait that a server asked for in the last failure, in ms; below 0 if none. */
    this.hintMs = -1;
    this.records = NO_RECORDS;
    /** Of which attempt the last record is: there is one of each before. */
    this.recorded = 0;
    /** @type {{ attempts?: number, report?: object } | undefined} what subscribers of the tracing channel see */
    this.context = undefined;
  }

  /**
   * The wait in ms that follows the last attempt, or the reason to stop.
   * @param {number} exactlyMs the wait that the caller demands; NaN for none
   * @param {number} deadlineAt
   */
  next(exactlyMs, deadlineAt) {
    const { settings } = this;
    const ruling = settings.rule?.();
    if (ruling?.stop !== undefined) return ruling.stop;
    if (this.attempts === 1 && !settings.seeded) seedAfresh(this, this.endedAt);
    if (ruling?.afterMs !== undefined) this.hintMs = ruling.afterMs;
    const decision = decide(settings, this, this.attempts, deadlineAt, this.hintMs, exactlyMs);
    if (decision >= 0) return decision;
    return decision === EXHAUSTED ? 'exhausted' : decision === DEADLINE ? 'deadline' : 'hint';
  }

  /**
   * A callback other than the operation itself threw, or answered nonsense.
   * @param {unknown} thrown
   */
  broken(thrown) {
    this.failed = true;
    this.outcome = thrown;
    return 'callback';
  }

  succeed() {
    if (this.context !== undefined) this.context.attempts = this.attempts;
    this.settings.metrics?.succeeded(this.attempts);
    this.tell('onSuccess', this.attempts, { result: this.outcome });
    return this.outcome;
  }

  /**
   * Ends the operation without success: throws, or gives the last result back when it was the
   * result that was not good enough.
   * @param {string} reason
   */
  giveUp(reason) {
    const { settings } = this;
    const report = this.report(reason);
    if (this.context !== undefined) Object.assign(this.context, { attempts: this.attempts, report });
    settings.metrics?.failed(reason);
    this.tell('onGiveUp', this.attempts, { ...this.told(), reason, report });
    if (!this.failed) {
      keepReport(this.outcome, report);
      return this.outcome;
    }
    const error = settings.finalError === 'wrap' && reason !== 'aborted' ? new RetryError(this.outcome, report) : this.outcome;
    keepReport(error, report);
    throw error;
  }

  /** @param {string} reason */
  report(reason) {
    const { attempts, hintMs, records, recorded } = this;
    return Object.freeze({
      reason,
      attempts,
      elapsedMs: now() - this.startedAt,
      ...(hintMs >= 0 && { hintMs }),
      dropped: recorded - records.length,
      records: Object.freeze(records.map((record) => record.told())),
    });
  }

  /**
   * Keeps how the last attempt ended.
   * @param {import('./marks.js').Mark} [mark] of its error
   */
  record(mark) {
    this.hintMs = mark?.afterMs ?? -1;
    const { attempts, attemptAt, records } = this;
    this.recorded = attempts;
    const known = !Number.isNaN(attemptAt);
    const record = new AttemptRecord(attempts, this.failed, this.outcome, known ? attemptAt - this.startedAt : 0, known ? this.endedAt - attemptAt : undefined);
    if (records.length === KEPT) records.splice(1, 1);
    // The first as a literal: `push` would make room for 17, and most operations have one while they wait.
    if (attempts === 1) this.records = [record];
    else records.push(record);
    return record;
  }

  told() {
    return this.failed ? { error: this.outcome } : { result: this.outcome };
  }

  /**
   * @param {string} name the hook's
   * @param {number} attempt
   * @param {object} what
   */
  tell(name, attempt, what) {
    const { hooks } = this.settings;
    if (hooks !== undefined) callHook(hooks, name, { attempt, ...what, elapsedMs: now() - this.startedAt });
  }
}

/**
 * @param {any} verdict
 * @param {string} name of the predicate
 * @param {string} [otherwise] what else it may answer
 */
export function afterMsOf(verdict, name, otherwise = ', or a promise of these') {
  const afterMs = typeof verdict === 'object' && verdict !== null ? verdict.afterMs : undefined;
  if (isMs(afterMs)) return afterMs;
  const what = afterMs === undefined ? show(verdict) : `{ afterMs: ${show(afterMs)} }`;
  throw failure(typeof afterMs === 'number' ? RangeError : TypeError, `${name} must return true, false, { afterMs } between 0 and 2^53 - 1${otherwise}, got ${what}`);
}
