// @ts-check
// Runs an operation asynchronously: the first attempt on a fast path, everything else by an async loop.

import { Attempt } from './attempt.js';
import { Cancellation, Unlimited } from './cancellation.js';
import { returnedDirective } from './directives.js';
import { settle } from './hooks.js';
import { CALL, END, Operation, WAIT } from './operation.js';
import { now } from './timer.js';
import { subscribed } from './tracing.js';

/** @typedef {import('../options/settings.js').Settings} Settings */
/** @typedef {import('./operation-state.js').Callback} Callback */

export const UNLIMITED = new Unlimited();

/**
 * Runs the callback until it succeeds or the settings say stop. The first attempt is called
 * before this returns.
 *
 * A first attempt that succeeds and that nothing watches costs one reading of the clock and one derived
 * promise: no wasm, no controller, no operation object.
 * @param {Settings} settings
 * @param {Callback} fn
 * @param {number} index among the operations of a policy
 * @param {import('./metrics.js').Metrics} [metrics]
 * @param {AbortSignal} [signal] the run's own, in addition to the settings'
 * @returns {Promise<any>}
 */
export function run(settings, fn, index, metrics, signal) {
  if (settings.watched || signal !== undefined || subscribed() !== null) {
    return watch(new Operation(settings, fn, index, 0, UNLIMITED), metrics, signal);
  }
  let startedAt = 0;
  /** @type {Attempt | undefined} */
  let attempt;
  /** @param {unknown} outcome @param {boolean} [failed] */
  const goOn = (outcome, failed = true) => {
    const operation = new Operation(settings, fn, index, startedAt, UNLIMITED);
    operation.attempts = 1;
    operation.attempt = attempt;
    operation.step = CALL;
    return drive(operation, outcome, failed);
  };
  try {
    startedAt = now();
    attempt = new Attempt(settings, 1, startedAt, Infinity, undefined);
    return settle(fn(attempt), (value) => (returnedDirective(value) === undefined ? value : goOn(value, false)), goOn);
  } catch (error) {
    return goOn(error);
  }
}

/**
 * Runs an operation that something watches.
 * @param {Operation} operation
 * @param {import('./metrics.js').Metrics} [metrics]
 * @param {AbortSignal} [signal] the run's own, in addition to the settings'
 * @returns {Promise<any>}
 */
export function watch(operation, metrics, signal) {
  const { settings } = operation;
  const signals = [settings.signal, signal].filter((signal) => signal !== undefined);
  if (settings.interruptible || signal !== undefined) operation.limits = new Cancellation(signals);
  operation.metrics = metrics;
  const channel = subscribed();
  if (channel === null) return drive(operation);
  operation.context = {};
  return channel.tracePromise(() => drive(operation), operation.context);
}

/**
 * Does what the steps of an operation say until it has settled. An async function, so that the caller's frames stay in
 * the stack of errors that later attempts throw. Each waiting operation holds its variables, so it has few
 * of them.
 * @param {Operation} operation
 * @param {any} [answer] what the step before brought
 * @param {boolean} [threw]
 */
async function drive(operation, answer, threw = false) {
  for (;;) {
    const step = operation.next(answer, threw);
    if (step === END) break;
    try {
      answer = await perform(operation, step);
      threw = false;
    } catch (thrown) {
      answer = thrown;
      threw = true;
    }
  }
  if (operation.failed) throw operation.outcome;
  return operation.outcome;
}

/**
 * Starts the work of a step, and returns a promise of its end.
 * @param {Operation} operation
 * @param {number} step
 */
function perform(operation, step) {
  const { settings, fn } = operation;
  const limits = /** @type {Unlimited} */ (operation.limits);
  switch (step) {
    case CALL:
      return limits.race(fn(/** @type {Attempt} */ (operation.attempt)));
    case WAIT: {
      // Reads the clock only if a callback may have taken its time since the attempt ended.
      const late = settings.watched || settings.retryIf || settings.random || settings.curve || operation.polls;
      const from = late ? now() : operation.endedAt;
      return limits.wait(/** @type {number} */ (operation.delayMs), from, settings.unref);
    }
    default:
      return limits.race(operation.pending);
  }
}
