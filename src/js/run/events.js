// @ts-check
// Events for hooks.

import { tell } from './hooks.js';
import { now } from './timer.js';

/** @typedef {import('./steps.js').Operation} Operation */
/** @typedef {'onAttempt' | 'onFailure' | 'onRetry' | 'onSuccess' | 'onGiveUp'} HookName */

/** @param {Operation} op */
export function outcomeOf({ failed, outcome }) {
  return failed ? { error: outcome } : { result: outcome };
}

/**
 * Calls a hook, if it is set.
 * @param {Operation} op
 * @param {HookName} name
 * @param {number} attempt
 * @param {object} [fields] of the outcome, if the event has one
 */
export function emit(op, name, attempt, fields) {
  const hook = op.settings[name];
  if (hook === undefined || op.task?.hides(name, op.failed)) return;
  tell(hook, eventOf(op, attempt, fields && { ...fields, ...op.task?.eventFields() }));
}

/** @template {object} [Fields={}] @param {Operation} op @param {number} attempt @param {Fields} [fields] */
export function eventOf({ settings: { maxAttempts, name }, startedAt, limits }, attempt, fields) {
  return {
    attempt,
    attemptsLeft: maxAttempts - attempt,
    ...(name !== undefined && { name }),
    .../** @type {Fields} */ (fields),
    ...limits.fields,
    elapsedMs: now() - /** @type {number} */ (startedAt),
  };
}
