// @ts-check
// The end of an operation: its outcome, its report, its last event.

import { DEEPEST } from '../options/codes.js';
import { readDirectives } from './directives.js';
import { emit } from './hooks.js';
import { INTERRUPTED, timedOut } from './limits.js';
import { record } from './operation.js';
import { RetryError, hide, keepReport } from './report.js';
import { heed } from './steps.js';
import { now } from './timer.js';

/** @typedef {import('./operation.js').Operation} Operation */

/**
 * Returns the reason to stop for an error that replaces the outcome: of a callback other than the operation itself. The
 * failure that was being classified becomes its cause.
 * @param {Operation} op
 * @param {any} thrown
 */
export function callbackFailed(op, thrown) {
  if (op.limits.aborted) return 'aborted';
  // Ended by the deadline, during a predicate or `beforeRetry`.
  if (thrown === INTERRUPTED) return 'deadline';
  // The attempt that was being classified keeps its own outcome, and is not followed by another one.
  if (op.endedAt !== undefined) op.admission?.ended(op, false);
  record(op);
  const { error } = readDirectives(thrown);
  if (op.failed) blame(error, op.outcome);
  op.failed = true;
  op.outcome = error;
  return 'callback';
}

/**
 * Settles an operation: `outcome` is from here on what it resolves with, or rejects with if `failed`. An abort comes
 * before any other reason.
 * @param {Operation} op
 * @param {string} reason or 'success'
 */
export function settle(op, reason) {
  const { settings, limits, guard } = op;
  const { aborted } = limits;
  if (aborted) reason = 'aborted';
  // Nothing but a hook or a hold has taken the time: there is no outcome.
  else if (op.attempts === 0 && reason === 'deadline') reason = 'timeout';
  reason = heed(op, guard?.settle(op, reason)) ?? reason;
  const { attempts } = op;
  if (reason === 'success') {
    if (limits.context) Object.assign(limits.context, { attempts });
    limits.metrics?.succeeded(attempts - (guard?.rounds?.hedges ?? 0));
    emit(op, 'onSuccess', op.number);
    return;
  }
  const cut = aborted || reason === 'timeout';
  const error = cut ? (limits.stopped ? limits.reason : timedOut(op)) : op.outcome;
  // The running attempt, or one whose result was not accepted.
  const running = op.endedAt === undefined;
  op.endedAt ??= now();
  record(op, running || op.failed, running ? error : op.outcome);
  // A poll that has had a result keeps it, wherever the deadline falls; its report says 'timeout' all the same.
  if (cut && (aborted || op.failed || attempts < 2)) {
    op.failed = true;
    op.outcome = error;
  }
  const { failed, outcome } = op;
  const report = reportOf(op, reason);
  if (limits.context) Object.assign(limits.context, { attempts, report });
  limits.metrics?.failed(reason);
  emit(op, 'onGiveUp', attempts, { reason, report });
  const wrap = failed
    ? settings.finalError === 'wrap' && !aborted && !readDirectives(outcome).rejected
    : settings.finalResult === 'reject';
  // One reason may end operations of several callers, who must not see each other's reports.
  op.outcome = wrap ? new RetryError(outcome, report, failed) : outcome;
  if (!aborted) keepReport(op.outcome, report);
  op.failed ||= wrap;
}

/** @param {Operation} op @param {string} reason */
export function reportOf({ attempts, records, hintMs = NaN, startedAt = 0, guard, task }, reason) {
  const report = Object.freeze({
    reason,
    attempts,
    elapsedMs: now() - startedAt,
    ...(hintMs >= 0 && { hintMs }),
    ...guard?.rejection,
    dropped: (records.at(-1)?.number ?? 0) - records.length,
    records: Object.freeze(
      records.map(({ number, failed, outcome, startedAt: at, endedAt, delayMs, fields }) =>
        Object.freeze({
          attempt: number,
          [failed ? 'error' : 'result']: outcome,
          startMs: at - startedAt,
          durationMs: endedAt - at,
          ...(delayMs !== undefined && { delayMs }),
          ...fields,
        }),
      ),
    ),
  });
  if (task) task.report = report;
  return report;
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
      for (let depth = 0, each = failure; depth < DEEPEST && Object(each) === each; depth++, each = each.cause) {
        if (each === error) return;
      }
    } catch {
      // An unreadable failure has no causes.
    }
    hide(error, 'cause', failure);
  } catch {
    // An error that throws when it is read stays as it is.
  }
}
