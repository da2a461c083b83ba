// Runs an operation: the first attempt on a fast path, everything else by one loop.

import { isReference } from '../options/checks.js';
import { NEEDS_PROTECTION } from '../options/settings.js';
import { Attempt, courseOf } from './attempt.js';
import { mistakeIn } from './directives.js';
import { adopt } from './hooks.js';
import { Limits, NO_LIMITS, limitsOf } from './limits.js';
import { AttemptRun, Operation, record } from './operation.js';
import { callbackFailed, settle } from './settle.js';
import { begin, classify, enter, isPrepared, plan, prepare, review, start } from './steps.js';
import { now, restOf } from './timer.js';
import { subscribed } from './tracing.js';

// For hedging: protection may come from another copy of the package, but errors and attempts are to be of this one.
export const DRIVER = { AttemptRun, Limits, record, begin, review, classify, callbackFailed, courseOf };

/** Has protection guard an operation that it has not let pass. @param {Operation} op */
export function protect(op) {
  op.guard ??= (op.run.task ?? op.settings).protection?.use().guard(op, DRIVER);
}

/** @typedef {typeof DRIVER} Driver */
/** @import { Metrics } from '../policy/metrics.js' */
/** @typedef {typeof NO_LIMITS} Limited */

/**
 * Runs the callback until it succeeds or the settings say stop. The first attempt is called before this returns.
 *
 * A first attempt that succeeds and that nothing watches costs one reading of the clock and one derived promise: no
 * wasm, no controller, no operation.
 *
 * The index is that among the operations of a policy. A run's own signal adds to that of the settings. A fetch has a
 * task, the first attempt.
 * @type {(settings: import('../options/settings.js').Settings, fn: import('./operation.js').Callback, index: number,
 *   metrics?: Metrics, signal?: AbortSignal, task?: import('../fetch/attempt.js').FetchAttempt) => Promise<any>}
 */
export function run(settings, fn, index, metrics, signal, task) {
  const { needs } = settings;
  const free = signal === undefined && !task?.isWatched && subscribed() === null;
  const protection = free && needs === NEEDS_PROTECTION ? settings.protection?.use() : undefined;
  const startedAt = now();
  const pass = protection?.pass(startedAt, settings) ?? 0;
  /** @param {Limited} limits */
  const operation = (limits) => {
    const op = new Operation(settings, fn, index, limits, startedAt);
    op.run.task = task;
    return op;
  };
  if (!free || (needs && pass === 0)) return takeSteps(operation(limitsOf(settings, signal)), metrics);
  const attempt = new Attempt(settings, 1, startedAt, Infinity, undefined);
  /** @param {unknown} outcome @param {boolean} [failed] */
  const goOn = (outcome, failed = true) => {
    const op = operation(NO_LIMITS);
    op.run.attempt = attempt;
    op.guard = protection?.guard(op, DRIVER, pass);
    return loop(op, failed, outcome);
  };
  /** @param {unknown} value */
  const onValue = (value) => {
    if (task ? !task.accepts(value) : mistakeIn(value) !== undefined) return goOn(value, false);
    protection?.passed(pass);
    return value;
  };
  try {
    return adopt(fn(attempt), onValue, goOn);
  } catch (error) {
    return goOn(error);
  }
}

/** Runs an operation with more to do first. @type {(op: Operation<Limited>, metrics?: Metrics) => Promise<any>} */
function takeSteps(op, metrics) {
  op.metrics = metrics;
  const channel = subscribed();
  if (channel === null) return loop(op);
  const context = (op.context = { name: op.settings.name, ...op.run.task?.labels });
  return channel.tracePromise(() => loop(op), context);
}

/**
 * Returns the time now, or the very number of the attempt's end if nothing took time since then: another one would
 * take 16 B in each wait. @param {AttemptRun} run
 */
function startOfWait({ endedAt = NaN }) {
  const time = now();
  return Math.abs(time - endedAt) < 0.1 ? endedAt : time;
}

/**
 * The loop: guard, attempt, decide, wait. An async function, so that the caller's frames stay in the stack of errors
 * that later attempts throw. All between two awaits is done in one turn. Each waiting operation holds the variables, so
 * there are few.
 *
 * The first attempt may have been made already: then `threw` says how it ended, and `answer` is what came of it.
 * @type {(op: Operation<Limited>, threw?: boolean, answer?: any) => Promise<any>}
 */
async function loop(op, threw, answer) {
  start(op);
  let time = op.startedAt;
  /** How long to wait, in ms, or why the operation stops. @type {number | object | import('./steps.js').Stop} */
  let next;
  try {
    protect(op);
    for (;;) {
      // Guard: protection may hold the attempt, or reject it.
      next = threw === undefined ? enter(op, time) : undefined;
      if (next === undefined) {
        if (op.guard?.rounds) {
          // An attempt and its hedge.
          next = await op.limits.race(op.guard.rounds.run(time));
        } else {
          next = begin(op.run, time);
          if (next === undefined && threw === undefined) {
            try {
              // Not a method: the callback's `this` is undefined.
              answer = op.fn;
              answer = await op.limits.race(answer(op.run.attempt));
              threw = false;
            } catch (thrown) {
              answer = thrown;
              threw = true;
            }
          }
          next ??= review(op.run, answer, /** @type {boolean} */ (threw));
          threw = undefined;
          // The caller's verdict, or a promise of it.
          if (isReference(next)) next = classify(op.run, await op.limits.race(next));
        }
        next ??= plan(op);
      }
      if (typeof next === 'string') break;

      // The wait. Hosts fire timers early: then for the rest.
      time = startOfWait(op.run);
      do {
        // A turn in a queue has no time of its own, and no rest.
        await (isReference(next)
          ? op.limits.race(next)
          : op.limits.sleep(/** @type {number} */ (next), op.settings.unref));
      } while (!op.limits.stopped && (next = restOf(/** @type {number} */ (next), time, (time = now()))) > 0);
      next = op.limits.stopReason;
      if (next === undefined && isPrepared(op)) {
        await op.limits.race(prepare(op));
        next = op.limits.stopReason;
        time = now();
      }
      if (next !== undefined) break;
    }
  } catch (thrown) {
    next = callbackFailed(op.run, thrown, op.limits);
  }
  settle(op, /** @type {string} */ (next));
  op.limits.dispose();
  op.run.task?.finish(op);
  if (op.run.failed) throw op.run.outcome;
  return op.run.outcome;
}
