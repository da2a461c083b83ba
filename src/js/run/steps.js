// @ts-check
// What an operation does between the things that take time. The loop (run.js) calls these in their order. Each returns
// why the operation stops, or undefined to go on; what else it finds out, it leaves in the operation.

import { isMs, isObject } from '../options/checks.js';
import { REASONS } from '../options/codes.js';
import { invalid, show } from '../options/messages.js';
import { Attempt } from './attempt.js';
import { decide } from './decision.js';
import { mistakeIn, readDirectives } from './directives.js';
import { emit, eventOf } from './hooks.js';
import { INTERRUPTED } from './limits.js';
import { record } from './operation.js';
import { now } from './timer.js';

/** @typedef {import('./operation.js').Operation} Operation */
/** @typedef {string | undefined} Stop 'success', or a reason of the report; undefined to go on */

/** Begins the operation. Throws the reason of a signal that is aborted already. @param {Operation} op */
export function start(op) {
  op.startedAt ??= now();
  op.limits.start(op);
  // Nothing happened that a hook or a report could show.
  if (op.limits.aborted) throw op.limits.reason;
  op.limits.metrics?.started();
}

/**
 * Takes in what protection answers.
 * @param {Operation} op
 * @param {import('./contracts.js').Answer | undefined} answer
 * @returns {Stop}
 */
export function heed(op, answer) {
  if (answer === undefined) return undefined;
  const {
    admission = op.admission,
    waitMs = op.delayMs,
    stop,
    error,
  } = /** @type {typeof answer} */ ({ __proto__: null, ...answer });
  op.admission = admission;
  op.delayMs = waitMs;
  if (error !== undefined) {
    // The last attempt keeps its result.
    record(op);
    op.failed = true;
    op.outcome = error;
  }
  return stop;
}

/**
 * Asks protection for another attempt. If it holds that, `delayMs` is set, and this is called again after that wait.
 * @param {Operation} op
 * @param {number} time now
 * @returns {Stop}
 */
export function enter(op, time) {
  record(op);
  op.delayMs = undefined;
  return heed(op, op.guard?.enter(op, time));
}

/** Starts an attempt. @param {Operation} op @param {number} time now @returns {Stop} */
export function begin(op, time) {
  const { settings, limits, startedAt, attempts, records } = op;
  const attempt = (op.attempt ??= new Attempt(
    settings,
    attempts + 1,
    /** @type {number} */ (startedAt),
    limits.deadlineAt,
    records.at(-1),
  ));
  if (settings.hooks) {
    emit(op, 'onAttempt', attempts + 1);
    // A hook may have aborted, or taken the time that was left.
    if (limits.aborted) return 'aborted';
    time = now();
    if (time >= limits.deadlineAt) return 'deadline';
  }
  op.number = op.attempts = attempts + 1;
  op.attemptAt = time;
  op.endedAt = undefined;
  limits.metrics?.attempted(op.attempts);
  limits.begin(op, attempt);
  return undefined;
}

/**
 * Takes in how an attempt ended.
 * @param {Operation} op
 * @param {any} answer what it returned or threw
 * @param {boolean} threw
 * @returns {Stop}
 */
export function review(op, answer, threw) {
  const { limits, settings, task, admission } = op;
  const timeout = limits.endAttempt();
  if (answer === INTERRUPTED) {
    if (timeout === undefined) return 'timeout';
    answer = timeout;
    if (admission !== undefined) admission.timedOut = true;
  }
  op.failed = threw;
  const mistake = threw ? undefined : mistakeIn(answer);
  if (mistake !== undefined) throw mistake;
  // The attempt may have aborted, and so may a hook below.
  if (limits.aborted) return 'aborted';
  const directives = threw ? readDirectives(answer) : undefined;
  op.outcome = directives ? directives.error : answer;
  if (!threw && !settings.retryOnResult && !task) return 'success';
  op.hintMs = directives?.afterMs;
  op.endedAt = now();
  admission?.throttle(op, op.hintMs);
  if (settings.hooks) emit(op, 'onFailure', op.attempts);
  if (limits.aborted) return 'aborted';
  return directives?.rejected ? 'notRetryable' : directives?.permanent ? 'permanent' : undefined;
}

/** Asks the caller whether another attempt may follow. @param {Operation} op */
export function ask(op) {
  const { settings, task, failed, outcome, attempt } = op;
  if (task) return task.ask(op);
  const predicate = failed ? settings.retryIf : settings.retryOnResult;
  return predicate === undefined || predicate(outcome, /** @type {import('./attempt.js').Attempt} */ (attempt));
}

/**
 * Follows the caller's verdict.
 * @param {Operation} op
 * @param {any} verdict
 * @param {string} [also] what else a predicate may answer
 * @returns {Stop}
 */
export function classify(op, verdict, also = ', or a promise of these') {
  const { limits, task, failed } = op;
  // The predicate may have aborted.
  if (limits.aborted) return 'aborted';
  const again = verdict !== false;
  op.demandedMs =
    typeof verdict === 'boolean'
      ? undefined
      : afterMsOf(verdict, task?.askedOption ?? (failed ? 'retryIf' : 'retryOnResult'), also);
  op.admission?.ended(op, again);
  if (!again) return failed ? 'notRetryable' : 'success';
  return task?.forbids(op);
}

/** Decides about the wait before another attempt: it is in `delayMs`. @param {Operation} op @returns {Stop} */
export function plan(op) {
  const { settings, limits, task, guard } = op;
  // An attempt of a round may have aborted while the other one was classified.
  if (limits.aborted) return 'aborted';
  const { attempts, hintMs, demandedMs } = op;
  const delayMs = decide(settings, op, attempts, limits.deadlineAt, hintMs, demandedMs, guard?.rounds?.hedges);
  // random() and backoff() may have aborted.
  if (limits.aborted) return 'aborted';
  if (delayMs < 0) return REASONS[-delayMs];
  // Protection has the last word: it takes the tokens of a retry that nothing else forbids.
  const stop = heed(op, guard?.retry(op, delayMs));
  if (stop !== undefined) return stop;
  op.delayMs ??= delayMs;
  limits.metrics?.waits(op.delayMs);
  if (settings.hooks) emit(op, 'onRetry', attempts, { delayMs: op.delayMs });
  // It need not live as long as the wait.
  op.attempt = undefined;
  task?.hold(op);
  return undefined;
}

/** Calls `beforeRetry`. @param {Operation} op */
export function prepare(op) {
  const delayMs = /** @type {number} */ (op.delayMs);
  return op.settings.beforeRetry?.(Object.freeze(eventOf(op, op.attempts, { delayMs })));
}

/** @param {any} verdict @param {string} name of the predicate @param {string} also what else it may answer */
export function afterMsOf(verdict, name, also) {
  const afterMs = isObject(verdict) && Object.hasOwn(verdict, 'afterMs') ? verdict.afterMs : undefined;
  if (isMs(afterMs)) return afterMs;
  const what = afterMs === undefined ? show(verdict) : `{ afterMs: ${show(afterMs)} }`;
  const kind = typeof afterMs === 'number' ? RangeError : TypeError;
  throw invalid(kind, name, 'verdict', also, what, undefined, 'return');
}
