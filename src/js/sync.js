// @ts-check
// One operation that blocks the thread while it waits.

import { Attempt, abortAttempt } from './attempt.js';
import { reasonOf } from './interruption.js';
import { markOf, unwrap } from './marks.js';
import { readOptions, requireFunction, settingsOf } from './options.js';
import { Progress, afterMsOf } from './progress.js';
import { keepReport } from './report.js';
import { now } from './timer.js';
import { subscribed } from './tracing.js';

/** @param {() => import('./decision.js').Core} load */
export function syncOf(load) {
  const fresh = settingsOf(load, { refused: ['attemptTimeoutMs', 'unref'], because: 'retrySync blocks the thread, so no timer can fire' });
  /**
   * @param {any} fn
   * @param {any} [options]
   */
  return function retrySync(fn, options) {
    requireFunction(fn);
    const settings = readOptions(options, fresh());
    requireBlocking();
    const operation = new BlockingOperation(settings, fn, 0);
    const channel = subscribed();
    if (channel === null) return operation.run();
    operation.context = {};
    return channel.traceSync(() => operation.run(), operation.context);
  };
}

class BlockingOperation extends Progress {
  deadlineAt = Infinity;
  /** @type {Attempt | undefined} */
  attempt = undefined;

  /** The operation of `Operation.proceed`, without its awaits: the two decide and tell the same. */
  run() {
    const { settings } = this;
    this.startedAt = now();
    if (this.aborted) {
      const { reason } = this;
      keepReport(reason, this.report('aborted'));
      throw reason;
    }
    this.deadlineAt = this.startedAt + settings.totalTimeoutMs;
    /** @type {number | undefined} */
    let delayMs;
    for (;;) {
      const attempt = new Attempt(this.attempts + 1, this.startedAt, this.deadlineAt, this.failed ? this.outcome : undefined, delayMs);
      this.tell('onAttempt', attempt.attempt, {});
      if (this.aborted) return this.stop('aborted');
      if (this.attempts > 0 && this.remainingMs() <= 0) return this.stop('deadline');
      const promised = this.call(attempt);
      if (this.aborted) return this.stop('aborted');
      if (promised) return this.stop('callback');
      if (!this.failed && settings.retryOnResult === undefined) return this.succeed();
      const mark = this.failed ? markOf(this.outcome) : undefined;
      this.outcome = unwrap(this.outcome, mark);
      const record = this.record(mark);
      this.tell('onFailure', this.attempts, this.told());
      const next = this.judge(attempt, mark);
      if (next === 'success') return this.succeed();
      if (typeof next === 'string') return this.stop(next);
      delayMs = record.delayMs = next;
      this.tell('onRetry', this.attempts, { ...this.told(), delayMs });
      // A hook may have aborted.
      if (!this.aborted) block(Math.min(Math.ceil(delayMs), this.remainingMs()));
      if (this.aborted) return this.stop('aborted');
      if (this.remainingMs() <= 0) return this.stop('deadline');
    }
  }

  /**
   * Calls the callback and keeps how that ended.
   * @param {Attempt} attempt
   * @returns {boolean} whether it returned a promise, which nothing here can wait for
   */
  call(attempt) {
    const { fn } = this;
    this.attempt = attempt;
    this.attempts++;
    this.attemptAt = now();
    try {
      this.outcome = fn(attempt);
      this.failed = false;
      if (!isPromised(this.outcome)) return false;
    } catch (thrown) {
      this.outcome = thrown;
      this.failed = true;
      return false;
    } finally {
      this.endedAt = now();
    }
    this.broken(new TypeError('the callback returned a promise; retrySync cannot wait for it: use retry'));
    return true;
  }

  /**
   * What follows: a wait in ms, 'success', or the reason to stop.
   * @param {Attempt} attempt
   * @param {import('./marks.js').Mark | undefined} mark
   * @returns {number | string}
   */
  judge(attempt, mark) {
    const { settings, failed } = this;
    // A hook may have aborted.
    if (this.aborted) return 'aborted';
    if (mark?.permanent) return 'permanent';
    const predicate = failed ? settings.retryIf : settings.retryOnResult;
    let exactlyMs = NaN;
    try {
      if (predicate !== undefined) {
        const name = failed ? 'retryIf' : 'retryOnResult';
        const verdict = predicate(this.outcome, attempt);
        if (isPromised(verdict)) throw new TypeError(`${name} returned a promise; retrySync cannot wait for it: answer at once, or use retry`);
        if (this.aborted) return 'aborted';
        if (verdict === false) return failed ? 'notRetryable' : 'success';
        if (verdict !== true) exactlyMs = afterMsOf(verdict, name, '');
      }
      const next = this.next(exactlyMs, this.deadlineAt);
      // random() or backoff() may have aborted.
      return this.aborted ? 'aborted' : next;
    } catch (thrown) {
      // What is thrown after an abort changes nothing.
      if (this.aborted) return 'aborted';
      return this.broken(thrown);
    }
  }

  get aborted() {
    return this.settings.signal?.aborted === true;
  }

  get reason() {
    return reasonOf(/** @type {AbortSignal} */ (this.settings.signal));
  }

  remainingMs() {
    return this.deadlineAt === Infinity ? Infinity : this.deadlineAt - now();
  }

  /** @param {string} reason */
  stop(reason) {
    if (reason === 'aborted') {
      this.outcome = this.reason;
      this.failed = true;
      if (this.attempt !== undefined) abortAttempt(this.attempt, this.outcome);
    }
    if (this.recorded < this.attempts) this.record();
    return this.giveUp(reason);
  }
}

/**
 * Whether this is a promise. If so, its rejection is handled: the error about the promise itself
 * takes its place.
 * @param {any} value
 */
function isPromised(value) {
  const can = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!can || typeof value.then !== 'function') return false;
  Promise.resolve(value).then(undefined, () => {});
  return true;
}

/**
 * What the thread waits on; nobody ever notifies it. Made at the first use.
 * @type {Int32Array | undefined}
 */
let cell;

/** Throws where the thread cannot block, before anything is called. */
function requireBlocking() {
  if (cell !== undefined) return;
  if (typeof globalThis.SharedArrayBuffer !== 'function') {
    throw new Error('retrySync needs SharedArrayBuffer, which is missing here (pages and their workers have it only when they are cross-origin isolated): use retry');
  }
  const made = new Int32Array(new SharedArrayBuffer(4));
  try {
    globalThis.Atomics.wait(made, 0, 0, 0);
  } catch (cause) {
    throw new Error('retrySync cannot block this thread, because the host forbids it (as on the main thread of a page): use retry, or a worker', { cause });
  }
  cell = made;
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
