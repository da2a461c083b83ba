// @ts-check
// What is known of one operation and of its present attempt: plain data. The other modules are functions of it.

/** @typedef {import('./attempt.js').Attempt} Attempt */
/** @typedef {(attempt: Attempt) => unknown} Callback */

/**
 * One attempt that has ended.
 * @typedef {object} AttemptRecord
 * @property {number} number from 1
 * @property {boolean} failed
 * @property {unknown} outcome
 * @property {number} startedAt
 * @property {number} endedAt
 * @property {number | undefined} delayMs the wait after it
 * @property {import('./contracts.js').RecordFields | undefined} fields what protection adds
 */

/** Number of records that are kept: the first, and the last nine. */
const KEPT = 10;

/** Shared by all operations that have no record yet. @type {AttemptRecord[]} */
const NO_RECORDS = [];

/**
 * One operation. With a hedge, each of the two attempts that run is one for itself, too.
 * @template {import('./limits.js').OperationLimits} [Limits=import('./limits.js').OperationLimits]
 */
export class Operation {
  /**
   * @param {import('../options/settings.js').Settings} settings
   * @param {Callback} fn
   * @param {number} index among the operations of a policy
   * @param {Limits} limits what may end it early
   * @param {number} [startedAt]
   */
  constructor(settings, fn, index, limits, startedAt) {
    this.settings = settings;
    this.fn = fn;
    this.index = index;
    this.limits = limits;
    this.startedAt = startedAt;
    /** Number of calls of the callback. */
    this.attempts = 0;
    /** The running attempt, or the one that is being classified. @type {Attempt | undefined} */
    this.attempt = undefined;
    /** Number of the last attempt that started. */
    this.number = 0;
    /** Its start, until it is recorded. @type {number | undefined} */
    this.attemptAt = undefined;
    /** Its end, once it has one. @type {number | undefined} */
    this.endedAt = undefined;
    /** True if the last outcome is an error, and not a result. */
    this.failed = false;
    /** @type {unknown} */
    this.outcome = undefined;
    /**
     * Wait that a server asked for in the last failure, in ms; undefined, NaN or negative if none.
     * @type {number | undefined}
     */
    this.hintMs = undefined;
    /** Wait that the caller demands after the last failure, in ms. @type {number | undefined} */
    this.demandedMs = undefined;
    /**
     * The next wait, once it is decided: before a retry, or as long as protection holds an attempt.
     * @type {number | undefined}
     */
    this.delayMs = undefined;
    this.records = NO_RECORDS;
    /** The last computed wait or its draw, for jitters that look back. */
    this.previous = -1;
    /** The attempt of a fetch, which replaces parts of the steps. @type {import('./contracts.js').Task | undefined} */
    this.task = undefined;
    /** The operation, as protection knows it. @type {import('./contracts.js').Guard | undefined} */
    this.guard = undefined;
    /** The present attempt, as protection knows it. @type {import('./contracts.js').Admission | undefined} */
    this.admission = undefined;
  }
}

/**
 * Records the last attempt, once. Late: an operation that waits after its first failure, as most that wait do, needs no
 * memory for records.
 * @param {Operation} op
 */
export function record(op, failed = op.failed, outcome = op.outcome) {
  const { records, number, attemptAt: startedAt, endedAt, delayMs, admission } = op;
  if (startedAt === undefined || endedAt === undefined) return;
  op.attemptAt = undefined;
  /** @type {AttemptRecord} */
  const record = { number, failed, outcome, startedAt, endedAt, delayMs, fields: admission?.fields };
  if (records.length === KEPT) records.splice(1, 1);
  // The first as a literal: `push` would make room for 17.
  if (records === NO_RECORDS) op.records = [record];
  else records.push(record);
}
