// Operations and their attempts are plain data. The other modules are functions of it.

import { closeAttempt } from './attempt.js';
import { FIRST_ROW } from './rows.js';

/** @import { Attempt, Told } from './attempt.js' */
/** @import { OperationLimits } from './limits.js' */
/** @typedef {(attempt: Attempt) => unknown} Callback */

/**
 * One attempt that has ended.
 * @typedef {object} AttemptRecord
 * @property {number} number from 1
 * @property {boolean | undefined} failed
 * @property {unknown} outcome
 * @property {number} startedAt
 * @property {number} endedAt
 * @property {number | undefined} delayMs the wait after it
 * @property {Told | undefined} told
 * @property {import('../protection/admission.js').RecordFields | undefined} fields what protection adds
 */

/** Number of records that are kept: the first, and the last nine. */
const KEPT = 10;

/** Shared by all operations that have no record yet. @type {AttemptRecord[]} */
const NO_RECORDS = [];

/** One operation. @template {OperationLimits} [Limits=OperationLimits] */
export class Operation {
  /** Number of calls of the callback. */
  attempts = 0;
  records = NO_RECORDS;
  row = FIRST_ROW;
  /** The last computed wait or its draw, for jitters that look back. */
  previous = -1;
  /** The operation, as protection knows it. @type {import('../protection/guard.js').Guard | undefined} */
  guard;
  /** Counters of the policy. @type {import('../policy/metrics.js').Metrics | undefined} */
  metrics;
  /** Message of the tracing channel. @type {Record<string, unknown> | undefined} */
  context;
  /** Unset at first: a field that has only ever had numbers keeps a copy of each, in 16 B. @type {any} */
  startedAt;

  /**
   * @param {import('../options/settings.js').Settings} settings
   * @param {Callback} fn
   * @param {number} index among the operations of a policy
   * @param {Limits} limits what may end it early
   * @param {number} startedAt
   */
  constructor(settings, fn, index, limits, startedAt) {
    this.settings = settings;
    this.fn = fn;
    this.index = index;
    this.limits = limits;
    this.startedAt = startedAt;
    /** The present attempt, or the last one; of a round, the one that counts so far. @type {AttemptRun<Limits>} */
    this.run = new AttemptRun(this);
  }
}

/**
 * One attempt. An operation that makes one at a time has all in the same object: until the next one has ended, it has
 * the outcome and the hint of the one before.
 * @template {OperationLimits} [Limits=OperationLimits]
 */
export class AttemptRun {
  /** The callback gets this. @type {Attempt | undefined} */
  attempt;
  /** From 1, once it has started. */
  number = 0;
  /** Its start, until it is recorded. @type {number | undefined} */
  startedAt;
  /** Its end, once it has one. @type {number | undefined} */
  endedAt;
  /**
   * Whether the outcome is an error, and not a result; undefined if no attempt has ended.
   * @type {boolean | undefined}
   */
  failed;
  /** @type {unknown} */
  outcome;
  /** Wait that a server asked for, in ms; undefined, NaN or negative if none. @type {number | undefined} */
  hintMs;
  /** Number of the last hint before its end; Infinity if the callback asked for a wait. @type {number | undefined} */
  lastHint;
  /** Wait that the caller's verdict asks for, in ms. @type {number | undefined} */
  exactMs;
  /** The wait after it, once it is decided. @type {number | undefined} */
  delayMs;
  /** The facts that the callback has told, once it has ended. @type {Told | undefined} */
  told;
  /** The attempt of a fetch, which replaces steps. @type {import('../fetch/attempt.js').FetchAttempt | undefined} */
  task;
  /** The attempt, as protection knows it. @type {import('../protection/admission.js').Admission | undefined} */
  admission;

  /** @param {Operation<Limits>} op */
  constructor(op) {
    this.op = op;
    /** What may end it early: in a round, it has limits of its own. */
    this.limits = op.limits;
  }
}

/**
 * Records an attempt that has ended, once. Late: an operation that waits after its first failure, as most that wait do,
 * needs no memory for records.
 * @param {AttemptRun} run
 */
export function record(run, failed = run.failed, outcome = run.outcome) {
  const { op, number, startedAt, endedAt, delayMs, admission } = run;
  if (startedAt === undefined || endedAt === undefined) return;
  run.startedAt = undefined;
  // Another attempt of its round may have ended it.
  if (run.attempt) run.told = closeAttempt(run.attempt).told;
  const { told } = run;
  /** @type {AttemptRecord} */
  const record = { number, failed, outcome, startedAt, endedAt, delayMs, told, fields: admission?.fields };
  if (op.records.length === KEPT) op.records.splice(1, 1);
  // The first as a literal: `push` would make room for 17.
  if (op.records === NO_RECORDS) op.records = [record];
  else op.records.push(record);
}
