// Hooks and their events. A hook can see everything and change nothing.

import { addHint } from '../marks.js';
import { isLongest, isReference } from '../options/checks.js';
import { problemOf } from '../options/messages.js';
import { LONGEST } from '../options/rules.js';
import { attemptsLeft } from './rows.js';
import { elapsed } from './timer.js';

/** @import { AttemptRun } from './operation.js' */

/**
 * Adopts a value, which may be a thenable of any realm, as `await` does: that ignores a native promise's own
 * `then`, which may throw or return anything.
 * @type {(value: any, onValue: ((value: any) => any) | undefined, onError: ((error: any) => any)) => Promise<any>}
 */
export function adopt(value, onValue, onError) {
  return Promise.prototype.then.call(Promise.resolve(value), onValue, onError);
}

/**
 * Calls a hook without waiting for it, and returns what it returned. Anything that it throws or rejects with is
 * reported, like an exception in an event listener, and changes nothing.
 * @type {(hook: (event: any) => unknown, event: object) => unknown}
 */
export function tell(hook, event) {
  try {
    const result = hook(Object.freeze(event));
    // Nothing else can be a thenable.
    if (isReference(result)) adopt(result, undefined, reportFailure);
    return result;
  } catch (error) {
    reportFailure(error);
    return undefined;
  }
}

/** Reports an error of a callback that can change nothing. @param {unknown} error */
export function reportFailure(error) {
  // Node has no reportError, and Deno's ends the process.
  try {
    const { Deno, reportError = console.error } = /** @type {any} */ (globalThis);
    (Deno ? console.error : reportError)(error);
  } catch {
    // Test environments make it throw.
  }
}

/** @param {Partial<Pick<AttemptRun, 'failed' | 'outcome'>>} run */
export function outcomeOf({ failed, outcome }) {
  return failed ? { error: outcome } : { result: outcome };
}

/**
 * Calls a hook, if it is set, with more fields than those of the outcome.
 * @type {(run: AttemptRun, name: 'onAttempt' | 'onFailure' | 'onRetry' | 'onSuccess' | 'onGiveUp', attempt: number,
 *   more?: object) => void}
 */
export function emit(run, name, attempt, more) {
  const hook = run.op.settings[name];
  if (hook === undefined || run.task?.hides(name, run.failed)) return;
  tell(hook, eventOf(run, attempt, name === 'onAttempt' ? undefined : { ...more, ...run.task?.eventFields() }));
}

/**
 * @template {object} [Fields={}]
 * @param {AttemptRun} run
 * @param {number} attempt
 * @param {Fields} [fields] with an outcome
 */
export function eventOf(run, attempt, fields) {
  const { settings, row } = run.op;
  const { name } = settings;
  return {
    attempt,
    attemptsLeft: attemptsLeft(settings, attempt, row.before),
    ...(name !== undefined && { name }),
    .../** @type {Fields} */ (fields && { ...outcomeOf(run), ...run.told, ...fields }),
    ...run.admission?.eventFields,
    ...run.task?.labels,
    elapsedMs: elapsed(run.op.startedAt),
  };
}

/**
 * Calls `hint`, follows the wait that it returns, and calls `next`, whose result it returns, or a promise of that.
 * Mistakes in `hint` are reported, and cost nothing else.
 * @type {(run: AttemptRun, outcome: unknown, next: () => any) => any}
 */
export function askHint(run, outcome, next) {
  const hint = /** @type {(outcome: any, attempt: any) => unknown} */ (run.op.settings.hint);
  const answer = /** @type {any} */ (tell(() => hint(outcome, run.attempt), {}));
  /** @param {any} [hintMs] */
  const follow = (hintMs) => {
    if (run.limits.stopped) return true;
    if (isLongest(hintMs)) addHint(run, hintMs);
    else if (hintMs !== undefined) reportFailure(problemOf('hint', hintMs, LONGEST, 'return'));
    return next();
  };
  /** To await a promise ignores its own `then`; to return it would not. @param {any} [hintMs] */
  const later = async (hintMs) => await follow(hintMs);
  return isReference(answer) ? adopt(answer, later, () => later()) : follow(answer);
}
