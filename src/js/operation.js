// @ts-check
// One operation: the first attempt on a fast path, everything else by an async loop.

import { Attempt, startOf } from './attempt.js';
import { INTERRUPTED, Interruption } from './interruption.js';
import { markOf, unwrap } from './marks.js';
import { Progress, afterMsOf } from './progress.js';
import { TimeoutError, keepReport } from './report.js';
import { Timer, now } from './timer.js';
import { subscribed } from './tracing.js';

/** @typedef {import('./options.js').Settings} Settings */
/** @typedef {(attempt: Attempt) => unknown} Callback */

/**
 * Runs the callback until it succeeds or the settings say stop. The first attempt is called
 * before this returns.
 *
 * A first attempt that succeeds and that nothing watches costs a promise reaction: no clock, no
 * wasm, no controller, no operation object.
 * @param {Settings} settings
 * @param {Callback} fn
 * @param {AbortSignal | undefined} signal the run's own, beside the settings'
 * @returns {Promise<any>}
 */
export function run(settings, fn, signal) {
  const index = settings.counter === undefined ? 0 : settings.counter.next++;
  const channel = subscribed();
  if (channel !== null) {
    const operation = new Operation(settings, fn, index);
    operation.context = {};
    return channel.tracePromise(() => operation.watched(signal), operation.context);
  }
  if (settings.watched || signal !== undefined) return new Operation(settings, fn, index).watched(signal);
  const attempt = new Attempt(1, undefined, undefined, undefined, undefined);
  let result;
  try {
    // Adopts thenables, also of another realm; a native promise is passed through.
    result = Promise.resolve(fn(attempt));
  } catch (error) {
    return new Operation(settings, fn, index).afterFirst(attempt, error);
  }
  return result.then(undefined, (error) => new Operation(settings, fn, index).afterFirst(attempt, error));
}

class Operation extends Progress {
  /** @type {Interruption | undefined} */
  interruption = undefined;
  /** @type {{ cause: unknown } | undefined} the failure before the attempt under way */
  cause = undefined;

  /**
   * From the failure of an unwatched first attempt on.
   * @param {Attempt} attempt
   * @param {unknown} error
   */
  afterFirst(attempt, error) {
    this.endedAt = now();
    this.startedAt = startOf(attempt, this.endedAt);
    this.attempts = 1;
    this.failed = true;
    this.outcome = error;
    return this.proceed(attempt);
  }

  /**
   * The whole operation, from its first attempt.
   * @param {AbortSignal | undefined} signal
   */
  async watched(signal) {
    const { settings } = this;
    if (settings.interruptible || signal !== undefined) this.interruption = new Interruption(settings);
    try {
      this.startedAt = this.attemptAt = now();
      this.interruption?.watch(settings.signal);
      this.interruption?.watch(signal);
      if (this.interruption?.aborted) {
        const { reason } = this.interruption;
        keepReport(reason, this.report('aborted'));
        throw reason;
      }
      this.interruption?.armDeadline(this.startedAt);
      settings.metrics?.begun();
      return await this.proceed(undefined);
    } finally {
      this.interruption?.release();
    }
  }

  /**
   * Attempts, decisions and waits until the end. An async function, so that the caller's frames
   * stay in the stack of errors thrown by later attempts.
   * @param {Attempt | undefined} attempt one that was made already
   */
  async proceed(attempt) {
    const { settings, fn, interruption } = this;
    /** @type {number | undefined} */
    let delayMs;
    for (;;) {
      if (attempt === undefined) {
        attempt = new Attempt(this.attempts + 1, this.startedAt, interruption?.deadlineAt, this.failed ? this.outcome : undefined, delayMs);
        if (settings.hooks !== undefined) {
          this.tell('onAttempt', attempt.attempt, {});
          // A hook may have aborted, or taken the time that was left.
          if (interruption?.aborted) return this.stop('aborted');
          this.attemptAt = now();
          if (interruption !== undefined && this.attemptAt >= interruption.deadlineAt) return this.stop(this.attempts === 0 ? 'timeout' : 'deadline');
        }
        this.cause = this.failed && this.attempts > 0 ? { cause: this.outcome } : undefined;
        this.attempts++;
        settings.metrics?.attempted(this.attempts);
        try {
          interruption?.begin(attempt);
          const result = fn(attempt);
          this.outcome = await (interruption === undefined ? result : interruption.until(result));
          this.failed = false;
        } catch (thrown) {
          this.outcome = thrown;
          this.failed = true;
        }
        interruption?.finish();
        if (interruption?.aborted) return this.stop('aborted');
        if (this.outcome === INTERRUPTED) return this.stop('timeout');
        if (!this.failed && settings.retryOnResult === undefined) return this.succeed();
        this.endedAt = now();
      }
      const mark = this.failed ? markOf(this.outcome) : undefined;
      this.outcome = unwrap(this.outcome, mark);
      const record = this.record(mark);
      if (settings.hooks !== undefined) this.tell('onFailure', this.attempts, this.told());
      const predicate = this.failed ? settings.retryIf : settings.retryOnResult;
      const next = predicate === undefined ? this.judge(mark, NaN) : await this.ask(predicate, attempt, mark);
      // Whatever they answered or threw: callbacks or, meanwhile, anybody else may have aborted.
      if (interruption?.aborted) return this.stop('aborted');
      if (next === 'success') return this.succeed();
      if (typeof next === 'string') return this.stop(next);
      delayMs = record.delayMs = next;
      settings.metrics?.waits(delayMs);
      if (settings.hooks !== undefined) {
        this.tell('onRetry', this.attempts, { ...this.told(), delayMs });
        if (interruption?.over) return this.stop(interruption.aborted ? 'aborted' : 'deadline');
      }
      // It need not live as long as the wait.
      attempt = undefined;
      // The clock is looked at no more often than callbacks could have moved it.
      const asked = predicate !== undefined || settings.hooks !== undefined || settings.random !== undefined || typeof settings.curve === 'function';
      this.attemptAt = await this.wait(delayMs, asked ? now() : this.endedAt);
      if (interruption?.aborted) return this.stop('aborted');
      if (interruption?.late) return this.stop('deadline');
    }
  }

  /**
   * What follows, as the caller's predicate and the formulas say: a wait in ms, 'success', or the
   * reason to stop.
   * @param {Function} predicate
   * @param {Attempt} attempt
   * @param {import('./marks.js').Mark | undefined} mark
   * @returns {Promise<number | string>}
   */
  async ask(predicate, attempt, mark) {
    const { interruption, failed } = this;
    // A hook may have aborted.
    if (interruption?.aborted) return 'aborted';
    if (mark?.permanent) return 'permanent';
    let exactlyMs = NaN;
    try {
      let verdict = predicate(this.outcome, attempt);
      if (typeof verdict !== 'boolean') verdict = await (interruption === undefined ? verdict : interruption.until(verdict));
      if (interruption?.aborted) return 'aborted';
      if (verdict === false) return failed ? 'notRetryable' : 'success';
      if (verdict !== true) exactlyMs = afterMsOf(verdict, failed ? 'retryIf' : 'retryOnResult');
    } catch (thrown) {
      if (thrown === INTERRUPTED) return 'deadline';
      return this.broken(thrown);
    }
    return this.judge(mark, exactlyMs);
  }

  /**
   * What follows, as the formulas say: a wait in ms, or the reason to stop.
   * @param {import('./marks.js').Mark | undefined} mark
   * @param {number} exactlyMs the wait that the caller demands; NaN for none
   */
  judge(mark, exactlyMs) {
    if (this.interruption?.aborted) return 'aborted';
    if (mark?.permanent) return 'permanent';
    try {
      return this.next(exactlyMs, this.interruption?.deadlineAt ?? Infinity);
    } catch (thrown) {
      return this.broken(thrown);
    }
  }

  /**
   * @param {number} ms
   * @param {number} from the time now
   * @returns {Promise<number>} the time when it ended; anything when it was interrupted
   */
  wait(ms, from) {
    if (this.interruption !== undefined) return this.interruption.wait(ms, from);
    return new Promise((resolve) => {
      new Timer(ms, resolve, this.settings.unref, from);
    });
  }

  /**
   * Ends the operation without success. What interrupts it takes the last outcome's place.
   * @param {string} reason
   */
  stop(reason) {
    if (reason === 'aborted' || reason === 'timeout') {
      this.outcome =
        reason === 'aborted'
          ? this.interruption?.reason
          : new TimeoutError(`the operation timed out after ${this.settings.totalTimeoutMs} ms (totalTimeoutMs), ${this.attempts === 0 ? 'before the first attempt' : `during attempt ${this.attempts}`}`, this.cause);
      this.failed = true;
      // The attempt under way, if there is one, ends here.
      if (this.recorded < this.attempts) {
        this.endedAt = now();
        this.record();
      }
    }
    return this.giveUp(reason);
  }
}
