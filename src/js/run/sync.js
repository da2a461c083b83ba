// One operation that blocks the thread while it waits.

import { isFunction, isReference } from '../options/checks.js';
import { failure } from '../options/messages.js';
import { readOptions, requireFunction, settingsOf } from '../options/settings.js';
import { RULES } from '../options/table.js';
import { abortAttempt } from './attempt.js';
import { adopt } from './hooks.js';
import { Operation } from './operation.js';
import { hide } from './report.js';
import { protect } from './run.js';
import { callbackFailed, settle } from './settle.js';
import { reasonOf } from './signals.js';
import { begin, classify, enter, isPrepared, plan, prepare, review, start } from './steps.js';
import { now } from './timer.js';
import { subscribed } from './tracing.js';

const NO_TIMERS = 'retrySync blocks the thread, so no timer can fire';

const newSettings = /* @__PURE__ */ settingsOf();

/** Called with a comment: bundlers take a copy by spread for one that may have effects. */
const rulesOfSync = () => ({ ...RULES, attemptTimeoutMs: NO_TIMERS, idleTimeoutMs: NO_TIMERS, unref: NO_TIMERS });
const SYNC_RULES = /* @__PURE__ */ rulesOfSync();

/** @param {any} fn @param {any} [options] */
export function retrySync(fn, options) {
  requireFunction(fn);
  const settings = readOptions(options, newSettings(), SYNC_RULES);
  if (settings.protection?.hedge)
    throw failure(TypeError, 'retrySync cannot hedge. Use retry, or a protection without hedge()');
  if (settings.protection?.limiter?.needsOthers)
    throw failure(TypeError, 'retrySync takes a limiter() with a rate alone. Use retry instead');
  requireBlocking();
  const { hint } = settings;
  if (hint)
    settings.hint = (...args) => {
      const ms = noPromise(hint(...args), 'hint');
      // Not a number, and nothing that could be awaited.
      return isReference(ms) ? typeof ms : ms;
    };
  const call = (/** @type {{ name: string | undefined } | undefined} */ context) => {
    const op = new Operation(settings, fn, 0, polledLimits(settings), now());
    op.context = context;
    return loopSync(op);
  };
  const channel = subscribed();
  if (channel === null) return call(undefined);
  const context = { name: settings.name };
  return channel.traceSync(() => call(context), context);
}

/**
 * Returns the limits of an operation that blocks. No event can announce them, so they are polled: a signal may look
 * into memory that another thread changes. No timer makes the deadline's error.
 * @type {(settings: import('../options/settings.js').Settings) => import('./limits.js').OperationLimits}
 */
const polledLimits = ({ signal, totalTimeoutMs }) => ({
  blocks: true,
  late: undefined,
  attempt: undefined,
  deadlineAt: Infinity,
  get aborted() {
    return signal?.aborted === true;
  },
  get stopped() {
    return this.aborted;
  },
  get reason() {
    return signal && reasonOf(signal);
  },
  get stopReason() {
    return this.aborted ? 'aborted' : this.deadlineAt <= now() ? 'deadline' : undefined;
  },
  start({ startedAt }) {
    this.deadlineAt = startedAt + totalTimeoutMs;
  },
  begin(run) {
    this.attempt = run.attempt;
  },
  endAttempt: () => undefined,
});

/** The loop of run.js, without awaits. @param {Operation} op */
function loopSync(op) {
  start(op);
  const { limits } = op;
  let time = op.startedAt;
  /** @type {number | object | import('./steps.js').Stop} */
  let next;
  try {
    protect(op);
    for (;;) {
      next = enter(op, time);
      next ??= begin(op.run, time) ?? attemptSync(op.run) ?? plan(op);
      if (typeof next === 'string') break;

      if (limits.stopReason === undefined)
        block(Math.min(Math.ceil(/** @type {number} */ (next)), limits.deadlineAt - now()));
      time = now();
      next = limits.stopReason;
      if (next === undefined && isPrepared(op)) {
        noPromise(prepare(op), 'beforeRetry');
        next = limits.stopReason;
        time = now();
      }
      if (next !== undefined) break;
    }
  } catch (thrown) {
    next = callbackFailed(op.run, thrown, limits);
  }
  if (limits.aborted && limits.attempt !== undefined) abortAttempt(limits.attempt, limits.reason);
  settle(op, /** @type {string} */ (next));
  if (op.run.failed) throw op.run.outcome;
  return op.run.outcome;
}

/** Makes an attempt. @param {import('./operation.js').AttemptRun} run */
function attemptSync(run) {
  const { fn } = run.op;
  let answer;
  let threw = false;
  try {
    answer = fn(/** @type {import('./attempt.js').Attempt} */ (run.attempt));
  } catch (thrown) {
    answer = thrown;
    threw = true;
  }
  run.failed = threw;
  const next = review(run, threw ? answer : noPromise(answer, 'the callback'), threw);
  return isReference(next) ? classify(run, noPromise(next, threw ? 'retryIf' : 'retryOnResult')) : next;
}

/** Throws for a promise, whose own rejection counts as handled. @type {(value: any, name: string) => any} */
function noPromise(value, name) {
  if (!isReference(value) || !isFunction(value.then)) return value;
  adopt(value, undefined, () => {});
  throw failure(TypeError, `${name} must not return a promise, because retrySync cannot await it. Use retry instead`);
}

/** Memory that the thread waits on. Nothing ever notifies it. Made at the first use. @type {Int32Array | undefined} */
let cell;

/** Throws where the thread cannot block, before anything is called. */
function requireBlocking() {
  if (cell !== undefined) return;
  try {
    const made = new Int32Array(new globalThis.SharedArrayBuffer(4));
    globalThis.Atomics.wait(made, 0, 0, 0);
    cell = made;
  } catch (cause) {
    const error = failure(
      Error,
      'retrySync cannot block this thread: the host forbids it (as on the main thread of a page), or there is no ' +
        'SharedArrayBuffer (pages and their workers have it only when they are cross-origin isolated). Use retry ' +
        'instead, or a worker',
    );
    hide(error, 'cause', cause);
    throw error;
  }
}

/**
 * Blocks the thread. Hosts may return up to 1 ms early: then for the rest again. If more is
 * missing, or the clock has hardly moved, a fake clock stands still: go on.
 * @param {number} ms
 */
function block(ms) {
  const due = now() + ms;
  for (let left = ms; left > 0; ) {
    const before = now();
    globalThis.Atomics.wait(/** @type {Int32Array} */ (cell), 0, 0, left);
    const time = now();
    left = due - time;
    if (left > 2 || time - before < left) return;
  }
}
