// The report of an operation: what each attempt did, why it ended, and the errors that carry it.

import { MARK, shared } from '../marks.js';
import { isReference } from '../options/checks.js';
import { messageOf, show } from '../options/messages.js';

/**
 * Defines a property as errors define `cause`: loggers do not print it, and what it inherits does not matter.
 * @type {(object: object, name: string | symbol, value: unknown) => void}
 */
export function hide(object, name, value) {
  Object.defineProperty(
    object,
    name,
    /** @type {any} */ ({ __proto__: null, value, writable: true, configurable: true }),
  );
}

/**
 * Gives an error the stack of this moment, in V8, from the caller of `above` on. Callers may have the error already,
 * and may have frozen it.
 * @type {(error: unknown, above?: Function) => void}
 */
export function restack(error, above = restack) {
  try {
    /** @type {any} */ (Error).captureStackTrace?.(error, above);
  } catch {
    // It keeps the stack that it has.
  }
}

/** @typedef {{ reason: string, attempts: number, records: readonly object[] }} Report */

/** @param {any} error @returns {any} */
export function retryReport(error) {
  const { reports } = shared();
  const report = reports.get(error);
  if (typeof report !== 'function') return report;
  // That of a success is made for whoever reads it, once.
  keepReport(error, report());
  return reports.get(error);
}

/** @param {unknown} error @param {object} report or a function that makes it */
export function keepReport(error, report) {
  // A WeakMap accepts objects only.
  if (isReference(error)) shared().reports.set(/** @type {object} */ (error), report);
}

/** An attempt that outlived `attemptTimeoutMs`, or an operation that outlived `totalTimeoutMs`. */
export class TimeoutError extends Error {
  // A field, here and below: where Error.prototype is frozen, an assignment would throw.
  name = 'TimeoutError';

  get [MARK]() {
    return { __proto__: null, wraps: false };
  }
}

/** For `finalError: 'wrap'`: every kept error, the last as the cause. For `finalResult: 'reject'`: the last result. */
export class RetryError extends AggregateError {
  name = 'RetryError';

  /** @param {unknown} outcome @param {Report} report @param {boolean} [failed] whether the outcome is an error */
  constructor(outcome, report, failed = true) {
    const { reason, attempts, records } = report;
    const errors = records
      .filter((record) => Object.hasOwn(record, 'error'))
      .map((record) => /** @type {{ error?: unknown }} */ (record).error);
    const message = failed
      ? messageOf(outcome, typeof outcome === 'string' ? show(outcome) : '').replace(/^rejitter: /, '')
      : 'the last result was not accepted';
    super(
      errors,
      `rejitter: gave up after ${attempts} attempt${attempts === 1 ? '' : 's'} (${reason})${message && `: ${message}`}`,
      failed ? { cause: outcome } : undefined,
    );
    this.reason = reason;
    // Hidden: they hold every kept outcome, and loggers print what they see.
    hide(this, 'report', report);
    if (!failed) hide(this, 'result', outcome);
  }
}
