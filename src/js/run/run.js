// @ts-check
// Runs an operation: the first attempt on a fast path, everything else by one loop.

import { INTERRUPTIBLE, PROTECTED } from '../options/settings.js';
import { Attempt } from './attempt.js';
import { mistakeIn } from './directives.js';
import { adopt } from './hooks.js';
import { Limits, UNLIMITED } from './limits.js';
import { Operation, record } from './operation.js';
import { callbackFailed, settle } from './settle.js';
import { ask, begin, classify, enter, plan, prepare, review, start } from './steps.js';
import { now, restOf } from './timer.js';
import { subscribed } from './tracing.js';

// For hedging: protection may come from another copy of the package, but errors and attempts are to be of this one.
export const DRIVER = { Limits, Operation, record, begin, review, ask, classify, callbackFailed };

/** Has protection guard an operation that it has not let pass. @param {import('./operation.js').Operation} op */
export function protect(op) {
  op.guard ??= (op.task ?? op.settings).protection?.use().guard(op, DRIVER);
}

/** @typedef {typeof DRIVER} Driver */
/** @typedef {import('../options/settings.js').Settings} Settings */

/**
 * Runs the callback until it succeeds or the settings say stop. The first attempt is called before this returns.
 *
 * A first attempt that succeeds and that nothing watches costs one reading of the clock and one derived promise: no
 * wasm, no controller, no operation.
 * @param {Settings} settings
 * @param {import('./operation.js').Callback} fn
 * @param {number} index among the operations of a policy
 * @param {import('./contracts.js').Counters} [metrics]
 * @param {AbortSignal} [signal] the run's own, in addition to the settings'
 * @returns {Promise<any>}
 */
export function run(settings, fn, index, metrics, signal) {
  const { watched } = settings;
  const free = signal === undefined && subscribed() === null;
  const protection = free && watched === PROTECTED ? settings.protection?.use() : undefined;
  const startedAt = now();
  const ticket = protection?.pass(startedAt) ?? 0;
  if (!free || (watched && ticket === 0))
    return watch(new Operation(settings, fn, index, UNLIMITED, startedAt), metrics, signal);
  const attempt = new Attempt(settings, 1, startedAt, Infinity, undefined);
  /** @param {unknown} outcome @param {boolean} [failed] */
  const goOn = (outcome, failed = true) => {
    const op = new Operation(settings, fn, index, UNLIMITED, startedAt);
    op.attempt = attempt;
    op.guard = protection?.guard(op, DRIVER);
    op.admission = protection?.admitted(ticket);
    return loop(op, failed, outcome);
  };
  /** @param {unknown} value */
  const onValue = (value) => {
    if (mistakeIn(value) !== undefined) return goOn(value, false);
    protection?.passed(ticket);
    return value;
  };
  try {
    return adopt(fn(attempt), onValue, goOn);
  } catch (error) {
    return goOn(error);
  }
}

/**
 * Runs an operation that something watches.
 * @param {Operation<Limits>} op
 * @param {import('./contracts.js').Counters} [metrics]
 * @param {AbortSignal} [signal] the run's own, in addition to the settings'
 * @returns {Promise<any>}
 */
export function watch(op, metrics, signal) {
  const { settings } = op;
  const signals = [settings.signal, signal].filter((signal) => signal !== undefined);
  const limits = (op.limits = new Limits(settings.watched === INTERRUPTIBLE || signal ? signals : undefined));
  limits.metrics = metrics;
  const channel = subscribed();
  if (channel === null) return loop(op);
  const context = (limits.context = { name: settings.name, ...op.task?.labels });
  return channel.tracePromise(() => loop(op), context);
}

/**
 * The loop: guard, attempt, classify, decide, wait. An async function, so that the caller's frames stay in the stack of
 * errors that later attempts throw. All between two awaits is done in one turn. Each waiting operation holds the
 * variables, so there are few.
 * @param {Operation<Limits>} op
 * @param {boolean} [threw] how the first attempt ended, if it was made already; undefined before an attempt has ended
 * @param {any} [answer] what it returned or threw
 */
async function loop(op, threw, answer) {
  start(op);
  let time = /** @type {number} */ (op.startedAt);
  /** @type {import('./steps.js').Stop} */
  let stop;
  try {
    protect(op);
    for (;;) {
      // Guard: protection may hold the attempt, or reject it.
      stop = threw === undefined ? enter(op, time) : undefined;
      if (op.delayMs === undefined) {
        if (op.guard?.rounds) {
          // An attempt and its hedge.
          stop ??= await op.limits.race(op.guard.rounds.run(time));
        } else {
          stop ??= begin(op, time);
          if (stop === undefined && threw === undefined) {
            try {
              // Not a method: the callback's `this` is undefined.
              const { fn } = op;
              answer = await op.limits.race(fn(/** @type {Attempt} */ (op.attempt)));
              threw = false;
            } catch (thrown) {
              answer = thrown;
              threw = true;
            }
          }
          stop ??= review(op, answer, /** @type {boolean} */ (threw));
          threw = undefined;
          if (stop === undefined) {
            answer = ask(op);
            stop = classify(op, typeof answer === 'boolean' ? answer : await op.limits.race(answer));
          }
        }
        stop ??= plan(op);
      }
      if (stop !== undefined) break;

      // The wait. Hosts fire timers early: then for the rest.
      time = now();
      let restMs = /** @type {number} */ (op.delayMs);
      do {
        await op.limits.sleep(restMs, op.settings.unref);
        restMs = restOf(restMs, time, (time = now()));
      } while (restMs > 0 && !op.limits.stopped);
      stop = op.limits.ended;
      // Not after a hold, when the last attempt is recorded already.
      if (stop === undefined && op.settings.beforeRetry && op.attemptAt !== undefined) {
        await op.limits.race(prepare(op));
        stop = op.limits.ended;
        time = now();
      }
      if (stop !== undefined) break;
    }
  } catch (thrown) {
    stop = callbackFailed(op, thrown);
  }
  settle(op, stop);
  op.limits.dispose();
  if (op.failed) throw op.outcome;
  return op.outcome;
}
