// @ts-check
// The story of an operation: what each attempt did, why it ended, and the errors that tell it.

import { messageOf } from './rules.js';

/** How an attempt ended, as an operation keeps it. */
export class AttemptRecord {
  /**
   * @param {number} attempt
   * @param {boolean} failed
   * @param {unknown} outcome
   * @param {number} startMs
   * @param {number | undefined} durationMs
   */
  constructor(attempt, failed, outcome, startMs, durationMs) {
    this.attempt = attempt;
    this.failed = failed;
    this.outcome = outcome;
    this.startMs = startMs;
    this.durationMs = durationMs;
    /** @type {number | undefined} the wait after it */
    this.delayMs = undefined;
  }

  /**
   * As the report shows it.
   * @returns {Readonly<{ attempt: number, error?: unknown, result?: unknown, startMs: number, durationMs: number | undefined, delayMs?: number }>}
   */
  told() {
    const { attempt, failed, outcome, startMs, durationMs, delayMs } = this;
    return Object.freeze({ attempt, [failed ? 'error' : 'result']: outcome, startMs, durationMs, ...(delayMs !== undefined && { delayMs }) });
  }
}

/** @type {WeakMap<object, object>} */
const reports = new WeakMap();

/** @param {any} error */
export function retryReport(error) {
  return reports.get(error);
}

/**
 * @param {unknown} error
 * @param {object} report
 */
export function keepReport(error, report) {
  // A WeakMap refuses what is no object.
  if (Object(error) === error) reports.set(/** @type {object} */ (error), report);
}

/** An attempt that outlived `attemptTimeoutMs`, or an operation that outlived `totalTimeoutMs`. */
export class TimeoutError extends Error {
  /**
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = 'TimeoutError';
  }
}

/** With `finalError: 'wrap'`: every kept error, the last as the cause, and the report. */
export class RetryError extends AggregateError {
  /**
   * @param {unknown} error
   * @param {{ reason: string, attempts: number, records: readonly { error?: unknown }[] }} report
   */
  constructor(error, report) {
    const { reason, attempts, records } = report;
    const errors = records.filter((record) => 'error' in record).map((record) => record.error);
    const message = messageOf(error, '');
    super(errors, `gave up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} (${reason})${message && `: ${message}`}`, { cause: error });
    this.name = 'RetryError';
    this.reason = reason;
    this.report = report;
  }
}
