// What an operation does between the things that take time. The loop (run.js) calls these in their order. Each returns
// why the operation stops, or undefined to go on; what else it finds out, it leaves in the operation or attempt.

import { readHints, readMarks, shared } from '../marks.js';
import { isMs, isObject, isReference } from '../options/checks.js';
import { problemOf, show } from '../options/messages.js';
import { Attempt, closeAttempt, courseOf } from './attempt.js';
import { beginRow, decide } from './decision.js';
import { mistakeIn } from './directives.js';
import { askHint, emit, eventOf } from './hooks.js';
import { INTERRUPTED } from './limits.js';
import { record } from './operation.js';
import { now } from './timer.js';

/** @import { AttemptRun, Operation } from './operation.js' */
/** @typedef {string | undefined} Stop 'success', or a reason of the report; undefined to go on */

/** Begins the operation. Throws the reason of a signal that is aborted already. @param {Operation} op */
export function start(op) {
  const { limits } = op;
  limits.start(op);
  // Nothing happened that a hook or a report could show.
  if (limits.aborted) throw limits.reason;
  op.metrics?.started();
}

/**
 * Returns why protection stops the operation. Its error takes the place of the last outcome, which the attempt keeps.
 * @type {(op: Operation, answer: import('../protection/guard.js').Stopping) => string}
 */
export function stopFor({ run }, { reason, error }) {
  if (error !== undefined) {
    record(run);
    run.failed = true;
    run.outcome = error;
  }
  return reason;
}

/**
 * Asks protection for another attempt. Returns for how long it holds that, in ms, or a promise of its turn, after which
 * this is called again; or why the operation stops.
 * @type {(op: Operation, now: number) => number | Promise<void> | Stop}
 */
export function enter(op, time) {
  const { run, guard } = op;
  record(run);
  const answer = guard?.enter(op, time);
  if (answer?.do === 'hold') return answer.ms;
  if (answer?.do === 'stop') return stopFor(op, answer);
  run.admission = answer?.admission;
  // onEvent may have aborted.
  return op.limits.aborted ? 'aborted' : undefined;
}

/** Begins an attempt. @param {AttemptRun} run @param {number} time now @returns {Stop} */
export function begin(run, time) {
  const { op, limits } = run;
  const { settings, row } = op;
  const number = op.attempts + 1;
  run.attempt ??= new Attempt(settings, number, op.startedAt, limits.deadlineAt, op.records.at(-1));
  if (row.before) courseOf(run.attempt).before = row.before;
  if (settings.hooks) {
    emit(run, 'onAttempt', number);
    // A hook may have aborted, or taken the time that was left.
    if (limits.aborted) return 'aborted';
    time = now();
    if (time >= limits.deadlineAt) return 'deadline';
  }
  run.number = op.attempts = number;
  run.startedAt = time;
  run.endedAt = run.delayMs = run.told = undefined;
  // A round counts its own.
  if (limits === op.limits) op.metrics?.attempted(number);
  limits.begin(run);
  return undefined;
}

/**
 * Reviews what an attempt returned or threw, and asks the caller whether another one may follow. Returns a verdict that
 * is to be awaited: `classify` takes it then.
 * @type {(run: AttemptRun, answer: any, threw: boolean) => Stop | object}
 */
export function review(run, answer, threw) {
  const { op, limits, task, admission } = run;
  const { settings } = op;
  const timeout = limits.endAttempt();
  const told = (run.told = closeAttempt(/** @type {Attempt} */ (run.attempt)).told);
  if (answer === INTERRUPTED) {
    if (timeout === undefined) return 'timeout';
    answer = timeout;
    if (admission !== undefined) admission.timedOut = true;
  }
  run.failed = threw;
  const mistake = threw ? undefined : mistakeIn(answer);
  if (mistake !== undefined) throw mistake;
  // The attempt may have aborted, and so may a hook below.
  if (limits.aborted) return 'aborted';
  const marks = threw ? readMarks(answer) : undefined;
  run.outcome = marks ? marks.error : answer;
  if (!threw && (told?.committed || !(settings.retryOnResult || task))) return 'success';
  run.hintMs = marks?.afterMs;
  // No hint stands above what the callback itself asked for.
  run.lastHint = /** @type {number} */ (run.hintMs) >= 0 ? Infinity : shared().last;
  run.endedAt = now();
  if (told?.progressed) beginRow(run);
  op.guard?.rounds?.failed(run);
  admission?.throttle(run, run.hintMs);
  if (settings.hooks) emit(run, 'onFailure', run.number);
  if (limits.aborted) return 'aborted';
  const final = marks?.rejected ? 'notRetryable' : marks?.permanent ? 'permanent' : undefined;
  if (told?.committed) {
    // To protection, nothing is final by that: it is a failure that the caller does not retry.
    if (final) admission?.close(run, final);
    else admission?.classified(run, false);
    return 'committed';
  }
  if (final) return final;
  const verdict = ask(run);
  return isReference(verdict) ? verdict : classify(run, verdict);
}

/** Asks the caller. @param {AttemptRun} run @returns {any} */
function ask(run) {
  const { op, task, failed, outcome, attempt } = run;
  if (task) return task.ask(run);
  const { hint, [failed ? 'retryIf' : 'retryOnResult']: predicate } = op.settings;
  const decide = () => predicate === undefined || predicate(outcome, /** @type {Attempt} */ (attempt));
  return failed && hint ? askHint(run, outcome, decide) : decide();
}

/** Follows the caller's verdict, as `review` does. @type {(run: AttemptRun, verdict: any) => Stop} */
export function classify(run, verdict) {
  const { limits, task, failed } = run;
  // The predicate may have aborted.
  if (limits.aborted) return 'aborted';
  const again = verdict !== false;
  // A response was read before its verdict.
  if (!task) readHints(run);
  run.exactMs =
    typeof verdict === 'boolean'
      ? undefined
      : afterMsOf(verdict, task?.decidedBy ?? (failed ? 'retryIf' : 'retryOnResult'), limits.blocks);
  run.admission?.classified(run, again);
  if (!again) return failed ? 'notRetryable' : 'success';
  return task?.forbids(run);
}

/** Returns the wait before another attempt, in ms, or why there is none. @type {(op: Operation) => number | Stop} */
export function plan(op) {
  const { settings, limits, guard, attempts, run } = op;
  // An attempt of a round may have aborted while the other one was classified.
  if (limits.aborted) return 'aborted';
  let delayMs = decide(op);
  // random() and backoff() may have aborted.
  if (limits.aborted) return 'aborted';
  if (typeof delayMs === 'string') return delayMs;
  // Protection has the last word: it takes the tokens of a retry that nothing else forbids.
  const answer = guard?.retry(op, delayMs);
  if (answer?.do === 'stop') return stopFor(op, answer);
  if (answer) delayMs = answer.ms;
  run.delayMs = delayMs;
  op.metrics?.waits(delayMs);
  if (settings.hooks) emit(run, 'onRetry', attempts, { delayMs });
  // It need not live as long as the wait.
  run.attempt = undefined;
  run.task?.hold(op);
  return delayMs;
}

/** Whether the caller prepares the retry: not after a hold, when the attempt is recorded. @param {Operation} op */
export function isPrepared(op) {
  return op.settings.beforeRetry && op.run.startedAt !== undefined;
}

/** Has the caller prepare the retry. Returns what is to be awaited. @param {Operation} op */
export function prepare(op) {
  const delayMs = /** @type {number} */ (op.run.delayMs);
  return op.settings.beforeRetry?.(Object.freeze(eventOf(op.run, op.attempts, { delayMs })));
}

/** @param {any} verdict @param {string} name of the predicate @param {boolean} [blocks] whether it cannot be awaited */
export function afterMsOf(verdict, name, blocks) {
  const afterMs = isObject(verdict) && Object.hasOwn(verdict, 'afterMs') ? verdict.afterMs : undefined;
  if (isMs(afterMs)) return afterMs;
  const shown = afterMs === undefined ? show(verdict) : `{ afterMs: ${show(afterMs)} }`;
  throw problemOf(name, afterMs, ['number', 'verdict', blocks], 'return', shown);
}
