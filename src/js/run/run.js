// @ts-check
// Runs an operation asynchronously: the first attempt on a fast path, everything else by an async loop.

import { PROTECTED } from '../options/settings.js';
import { Attempt } from './attempt.js';
import { Cancellation, Unlimited } from './cancellation.js';
import { mistakeIn } from './directives.js';
import { settle } from './hooks.js';
import { CALL, END, HOLD, Operation, ROUND, WAIT } from './operation.js';
import { armTimer, now } from './timer.js';
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
    const simple = settings.watched === PROTECTED && signal === undefined && subscribed() === null;
    return (
      (simple && settings.protection?.use().run(DRIVER, settings, fn, index)) ||
      watch(new Operation(settings, fn, index, 0, UNLIMITED), metrics, signal)
    );
  }
  let startedAt = 0;
  /** @type {Attempt | undefined} */
  let attempt;
  /** @param {unknown} outcome @param {boolean} [failed] */
  const goOn = (outcome, failed = true) => resume(settings, fn, index, startedAt, attempt, outcome, failed);
  try {
    startedAt = now();
    attempt = new Attempt(settings, 1, startedAt, Infinity, undefined);
    return settle(fn(attempt), (value) => (mistakeIn(value) === undefined ? value : goOn(value, false)), goOn);
  } catch (error) {
    return goOn(error);
  }
}

/**
 * Goes on after a first attempt that was made without an operation object.
 * @param {Settings} settings
 * @param {Callback} fn
 * @param {number} index
 * @param {number} startedAt
 * @param {Attempt | undefined} attempt
 * @param {unknown} outcome
 * @param {boolean} failed
 * @param {import('../options/seam.js').Gate} [gate]
 */
function resume(settings, fn, index, startedAt, attempt, outcome, failed, gate) {
  const operation = new Operation(settings, fn, index, startedAt, UNLIMITED);
  operation.attempts = 1;
  operation.attempt = attempt;
  operation.gate = gate;
  operation.step = CALL;
  return drive(operation, advance(operation, outcome, failed));
}

/** Parts that protection needs for a first attempt of its own: those of this copy of the package. */
const DRIVER = { Attempt, mistakeIn, resume };

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
  const limits = settings.interruptible || signal !== undefined ? new Cancellation(signals) : new Unlimited();
  operation.limits = limits;
  limits.metrics = metrics;
  const channel = subscribed();
  if (channel === null) return drive(operation, advance(operation));
  const context = (limits.context = operation.labels);
  return channel.tracePromise(() => drive(operation, advance(operation)), context);
}

/** The value that `advance` returns instead of a promise once the operation has settled. */
const SETTLED = Symbol('settled');

/**
 * Drives an operation until it has settled. An async function, so that the caller's frames stay in the stack of errors
 * that later attempts throw. Each waiting operation holds its variables, so it has few of them.
 * @param {Operation} operation
 * @param {any} outcome of the current step: a promise of it, or a value
 */
async function drive(operation, outcome) {
  while (outcome !== SETTLED) {
    try {
      outcome = advance(operation, await outcome, false);
    } catch (thrown) {
      outcome = advance(operation, thrown, true);
    }
  }
  if (operation.failed) throw operation.outcome;
  return operation.outcome;
}

/**
 * Goes from step to step, up to one that takes time. Never throws.
 * @param {Operation} operation
 * @param {any} [answer] outcome of the current step: a value, or what was thrown
 * @param {boolean} [threw]
 * @returns {any} the outcome of the next one, or a promise of it; or SETTLED
 */
function advance(operation, answer, threw = false) {
  try {
    for (;;) {
      const step = operation.next(answer, threw);
      if (step === END) return SETTLED;
      try {
        return perform(operation, step);
      } catch (thrown) {
        answer = thrown;
        threw = true;
      }
    }
  } catch (fault) {
    // The host's clock throws.
    operation.failed = true;
    operation.outcome = fault;
    return SETTLED;
  }
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
    case ROUND:
      return limits.race(fn(/** @type {Attempt} */ (operation.attempt)));
    case HOLD:
    case WAIT: {
      const { unref } = settings;
      const delayMs = /** @type {number} */ (operation.pending ?? operation.delayMs);
      // Memory of a waiting operation counts: it holds only the promise of its timer.
      if (operation.bare) return new Promise((resolve) => void armTimer(/** @type {any} */ (resolve), delayMs, unref));
      return limits.wait(delayMs, now(), unref);
    }
    default:
      return limits.race(operation.pending);
  }
}
