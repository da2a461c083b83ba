// @ts-check
// The story of an operation: what each attempt did, why it ended, and the errors that tell it.

import { messageOf } from './rules.js';

/** How many records are kept: the first, and the last nine. */
const KEPT = 10;

/**
 * @typedef {object} AttemptRecord
 * @property {number} attempt
 * @property {unknown} [error]
 * @property {unknown} [result]
 * @property {number} startMs
 * @property {number | undefined} durationMs
 * @property {number} [delayMs]
 */

/** The records of an operation's attempts, in constant memory. */
export class Records {
  constructor() {
    /** @type {AttemptRecord[]} */
    this.kept = [];
    this.dropped = 0;
  }

  /** @param {AttemptRecord} record */
  add(record) {
    if (this.kept.length === KEPT) {
      this.kept.splice(1, 1);
      this.dropped++;
    }
    // The first as a literal: `push` would make room for 17, and most operations have one while they wait.
    if (this.kept.length === 0) this.kept = [record];
    else this.kept.push(record);
  }
}

/** @type {WeakMap<object, object>} */
const reports = new WeakMap();

/** @param {any} error */
export function retryReport(error) {
  return isObject(error) ? reports.get(error) : undefined;
}

/**
 * @param {unknown} error
 * @param {object} report
 */
export function keepReport(error, report) {
  if (isObject(error)) reports.set(/** @type {object} */ (error), report);
}

/** @param {unknown} value */
function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
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
   * @param {{ reason: string, attempts: number, records: readonly AttemptRecord[] }} report
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
