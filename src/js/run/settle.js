// The end of an operation: its outcome, its report, its last event.

import { readMarks } from '../marks.js';
import { isReference } from '../options/checks.js';
import { DEEPEST } from '../options/codes.js';
import { roundsOf } from './decision.js';
import { emit } from './hooks.js';
import { INTERRUPTED, timedOut } from './limits.js';
import { record } from './operation.js';
import { RetryError, hide, keepReport } from './report.js';
import { stopFor } from './steps.js';
import { elapsed, now } from './timer.js';

/** @import { AttemptRun, Operation } from './operation.js' */

/**
 * Returns the reason to stop for an error that replaces the outcome: of a callback other than the operation itself. The
 * failure that was being classified becomes its cause. An attempt in a round has limits of its own.
 * @type {(run: AttemptRun, thrown: any, limits: import('./limits.js').OperationLimits) => string}
 */
export function callbackFailed(run, thrown, limits) {
  if (limits.aborted) return 'aborted';
  // Ended by the deadline, during a callback that is awaited.
  if (thrown === INTERRUPTED) return 'deadline';
  // The attempt that was being classified keeps its own outcome, and is not followed by another one.
  if (run.endedAt !== undefined) run.admission?.classified(run, false);
  record(run);
  const { error } = readMarks(thrown);
  if (run.failed) blame(error, run.outcome);
  run.failed = true;
  run.outcome = error;
  return 'callback';
}

/**
 * Settles an operation for a reason, or 'success', before which an abort comes: the outcome of its last attempt is from
 * here on what it resolves with, or rejects with if `failed`.
 * @type {(op: Operation, reason: string) => void}
 */
export function settle(op, reason) {
  const { settings, limits, guard } = op;
  const { aborted } = limits;
  if (aborted) reason = 'aborted';
  // Nothing but a hook or a hold has taken the time: there is no outcome.
  else if (op.attempts === 0 && reason === 'deadline') reason = 'timeout';
  if (guard) reason = stopFor(op, guard.settle(op, reason));
  const { attempts, run } = op;
  if (op.context) op.context.attempts = attempts;
  if (reason === 'success') {
    op.metrics?.succeeded(roundsOf(op));
    emit(run, 'onSuccess', run.number);
    return;
  }
  const cut = aborted || reason === 'timeout';
  const error = cut ? (limits.stopped ? limits.reason : timedOut(op)) : run.outcome;
  // The running attempt, or one whose result was not accepted.
  const running = run.endedAt === undefined;
  run.endedAt ??= now();
  record(run, running || run.failed, running ? error : run.outcome);
  // A poll that has had a result keeps it, wherever the deadline falls; its report says 'timeout' all the same.
  if (cut && (aborted || run.failed !== false)) {
    run.failed = true;
    run.outcome = error;
  }
  const { failed, outcome } = run;
  const report = reportOf(op, reason)();
  if (run.task) run.task.report = report;
  if (op.context) op.context.report = report;
  op.metrics?.failed(reason);
  emit(run, 'onGiveUp', attempts, { reason, report });
  const wrap = failed
    ? settings.finalError === 'wrap' && !aborted && !readMarks(outcome).rejected
    : settings.finalResult === 'reject';
  // One reason may end operations of several callers, who must not see each other's reports.
  run.outcome = wrap ? new RetryError(outcome, report, failed) : outcome;
  if (!aborted) keepReport(run.outcome, report);
  run.failed ||= wrap;
}

/**
 * Returns what makes the report of an operation that ends now. It keeps nothing but the records alive.
 * @type {(op: Operation, reason: string) => () => any}
 */
export function reportOf({ attempts, records, startedAt, guard, run }, reason) {
  const { hintMs = NaN } = run;
  const rejection = guard?.rejection;
  const elapsedMs = elapsed(startedAt);
  return () =>
    Object.freeze({
      reason,
      attempts,
      elapsedMs,
      ...(hintMs >= 0 && { hintMs }),
      ...rejection,
      dropped: (records.at(-1)?.number ?? 0) - records.length,
      records: Object.freeze(
        records.map(({ number, failed, outcome, startedAt: at, endedAt, delayMs, told, fields }) =>
          Object.freeze({
            attempt: number,
            [failed ? 'error' : 'result']: outcome,
            startMs: elapsed(startedAt, at),
            durationMs: elapsed(at, endedAt),
            ...(delayMs !== undefined && { delayMs }),
            ...told,
            ...fields,
          }),
        ),
      ),
    });
}

/** Makes a failure an error's cause, unless it has one or is its own. @type {(error: any, failure: any) => void} */
function blame(error, failure) {
  try {
    if (!(error instanceof Error) || Object.hasOwn(error, 'cause') || !Object.isExtensible(error)) return;
    try {
      for (let depth = 0, each = failure; depth < DEEPEST && isReference(each); depth++, each = each.cause) {
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
