// @ts-check
// One operation: the first attempt on a fast path, everything else by an async loop.

import { Attempt, startOf } from './attempt.js';
import { DEADLINE, EXHAUSTED, decide } from './decision.js';
import { callHook } from './hooks.js';
import { INTERRUPTED, Interruption } from './interruption.js';
import { markOf, unwrap } from './marks.js';
import { isMs } from './options.js';
import { seedAfresh } from './randomness.js';
import { Records, RetryError, TimeoutError, keepReport } from './report.js';
import { show } from './rules.js';
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
  const index = settings.operations++;
  const channel = subscribed();
  if (channel !== null) {
    const operation = new Operation(settings, fn, index);
    return channel.tracePromise(() => operation.watched(signal), operation.context);
  }
  if (settings.watched || signal !== undefined) return new Operation(settings, fn, index).watched(signal);
  const attempt = new Attempt(1, NaN, Infinity, undefined, undefined);
  let result;
  try {
    // Adopts thenables, also of another realm; a native promise is passed through.
    result = Promise.resolve(fn(attempt));
  } catch (error) {
    return new Operation(settings, fn, index).afterFirst(attempt, error);
  }
  return result.then(undefined, (error) => new Operation(settings, fn, index).afterFirst(attempt, error));
}

class Operation {
  /**
   * @param {Settings} settings
   * @param {Callback} fn
   * @param {number} index
   */
  constructor(settings, fn, index) {
    this.settings = settings;
    this.fn = fn;
    this.index = index;
    this.seedHigh = settings.seedHigh;
    this.seedLow = settings.seedLow;
    this.previousMs = NaN;
    this.previousR = NaN;
    this.startedAt = NaN;
    /** @type {Interruption | undefined} */
    this.interruption = undefined;
    /** How often the callback was called, and when it was called last (NaN: not known). */
    this.attempts = 0;
    this.attemptAt = NaN;
    /** How the last attempt ended: with an error, or with a result. */
    this.failed = false;
    /** @type {unknown} */
    this.outcome = undefined;
    /** @type {{ cause: unknown } | undefined} the failure before the attempt under way */
    this.cause = undefined;
    /** The wait that a server asked for in the last failure, in ms; NaN if none. */
    this.hintMs = NaN;
    this.records = new Records();
    /** The number of the last attempt in the records. */
    this.recorded = 0;
    /** @type {{ attempts?: number, report?: object }} what subscribers of the tracing channel see */
    this.context = {};
  }

  /**
   * From the failure of an unwatched first attempt on.
   * @param {Attempt} attempt
   * @param {unknown} error
   */
  afterFirst(attempt, error) {
    this.startedAt = startOf(attempt);
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
      this.startedAt = now();
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
    const { settings, interruption } = this;
    /** @type {number | undefined} */
    let delayMs;
    for (;;) {
      if (attempt === undefined) {
        attempt = new Attempt(this.attempts + 1, this.startedAt, interruption?.deadlineAt ?? Infinity, this.failed ? this.outcome : undefined, delayMs);
        this.tell('onAttempt', attempt.attempt, {});
        // A hook may have aborted, or taken the time that was left.
        if (interruption?.aborted) return this.stop('aborted');
        if (this.remainingMs() <= 0) return this.stop(this.attempts === 0 ? 'timeout' : 'deadline');
        await this.call(attempt);
        if (interruption?.aborted) return this.stop('aborted');
        if (this.outcome === INTERRUPTED) return this.stop('timeout');
        if (!this.failed && settings.retryOnResult === undefined) return this.succeed();
      }
      const mark = this.failed ? markOf(this.outcome) : undefined;
      this.outcome = unwrap(this.outcome, mark);
      const record = this.record();
      this.tell('onFailure', this.attempts, this.told());
      const next = await this.judge(attempt, mark);
      // random(), backoff() or, meanwhile, anybody else may have aborted.
      if (interruption?.aborted) return this.stop('aborted');
      if (next === 'success') return this.succeed();
      if (typeof next === 'string') return this.stop(next);
      delayMs = record.delayMs = next;
      settings.metrics?.waits(delayMs);
      this.tell('onRetry', this.attempts, { ...this.told(), delayMs });
      // A hook may have aborted.
      if (!interruption?.over) await this.wait(delayMs);
      if (interruption?.aborted) return this.stop('aborted');
      if (interruption?.expired || this.remainingMs() <= 0) return this.stop('deadline');
      attempt = undefined;
    }
  }

  /**
   * Calls the callback and keeps how that ended.
   * @param {Attempt} attempt
   */
  async call(attempt) {
    const { fn, interruption } = this;
    this.cause = this.failed && this.attempts > 0 ? { cause: this.outcome } : undefined;
    this.attempts++;
    this.attemptAt = now();
    this.settings.metrics?.attempted(this.attempts);
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
  }

  /**
   * What follows: a wait in ms, 'success', or the reason to stop.
   * @param {Attempt} attempt
   * @param {import('./marks.js').Mark | undefined} mark
   * @returns {Promise<number | string>}
   */
  async judge(attempt, mark) {
    const { settings, interruption, failed } = this;
    // A hook may have aborted.
    if (interruption?.aborted) return 'aborted';
    if (mark?.permanent) return 'permanent';
    const predicate = failed ? settings.retryIf : settings.retryOnResult;
    let exactlyMs = NaN;
    try {
      if (predicate !== undefined) {
        let verdict = predicate(this.outcome, attempt);
        if (typeof verdict !== 'boolean') verdict = await (interruption === undefined ? verdict : interruption.until(verdict));
        if (interruption?.aborted) return 'aborted';
        if (verdict === false) return failed ? 'notRetryable' : 'success';
        if (verdict !== true) exactlyMs = afterMsOf(verdict, failed ? 'retryIf' : 'retryOnResult');
      }
      if (this.attempts === 1 && !settings.seeded) seedAfresh(this);
      this.hintMs = mark?.afterMs ?? NaN;
      const decision = decide(settings, this, this.attempts, interruption?.deadlineAt ?? Infinity, this.hintMs, exactlyMs);
      return decision >= 0 ? decision : decision === EXHAUSTED ? 'exhausted' : decision === DEADLINE ? 'deadline' : 'hint';
    } catch (thrown) {
      // What is thrown after an abort changes nothing.
      if (interruption?.aborted) return 'aborted';
      if (thrown === INTERRUPTED) return 'deadline';
      this.failed = true;
      this.outcome = thrown;
      return 'callback';
    }
  }

  /** @param {number} ms */
  wait(ms) {
    if (this.interruption !== undefined) return this.interruption.wait(ms);
    return new Promise((resolve) => {
      new Timer(ms, () => resolve(undefined), this.settings.unref);
    });
  }

  remainingMs() {
    const { interruption } = this;
    return interruption === undefined || interruption.deadlineAt === Infinity ? Infinity : interruption.deadlineAt - now();
  }

  succeed() {
    this.context.attempts = this.attempts;
    this.settings.metrics?.succeeded(this.attempts);
    this.tell('onSuccess', this.attempts, { result: this.outcome });
    return this.outcome;
  }

  /**
   * Ends the operation without success: throws, or gives the last result back when it was the
   * result that was not good enough.
   * @param {string} reason
   */
  stop(reason) {
    const { interruption, settings } = this;
    if (reason === 'aborted' || reason === 'timeout') {
      if (reason === 'timeout') {
        this.outcome = new TimeoutError(`the operation timed out after ${settings.totalTimeoutMs} ms (totalTimeoutMs), ${this.attempts === 0 ? 'before the first attempt' : `during attempt ${this.attempts}`}`, this.cause);
      } else {
        this.outcome = interruption?.reason;
      }
      this.failed = true;
      // The attempt under way, if there is one, ends here.
      if (this.recorded < this.attempts) this.record();
    }
    const report = this.report(reason);
    this.context.attempts = this.attempts;
    this.context.report = report;
    settings.metrics?.failed(reason);
    this.tell('onGiveUp', this.attempts, { ...this.told(), reason, report });
    if (!this.failed) return this.outcome;
    const error = settings.wrap && reason !== 'aborted' ? new RetryError(this.outcome, report) : this.outcome;
    keepReport(error, report);
    throw error;
  }

  /** @param {string} reason */
  report(reason) {
    const { attempts, hintMs, records } = this;
    return Object.freeze({
      reason,
      attempts,
      elapsedMs: now() - this.startedAt,
      ...(hintMs >= 0 ? { hintMs } : undefined),
      dropped: records.dropped,
      records: Object.freeze(records.kept.map((record) => Object.freeze({ ...record }))),
    });
  }

  /** @returns {import('./report.js').AttemptRecord} */
  record() {
    const known = !Number.isNaN(this.attemptAt);
    const record = {
      attempt: this.attempts,
      ...this.told(),
      startMs: known ? this.attemptAt - this.startedAt : 0,
      durationMs: known ? now() - this.attemptAt : undefined,
    };
    this.records.add(record);
    this.recorded = this.attempts;
    return record;
  }

  told() {
    return this.failed ? { error: this.outcome } : { result: this.outcome };
  }

  /**
   * @param {string} name the hook's
   * @param {number} attempt
   * @param {object} what
   */
  tell(name, attempt, what) {
    const { hooks } = this.settings;
    if (hooks !== undefined) callHook(hooks, name, { attempt, ...what, elapsedMs: now() - this.startedAt });
  }
}

/**
 * @param {any} verdict
 * @param {string} name of the predicate
 */
function afterMsOf(verdict, name) {
  const afterMs = typeof verdict === 'object' && verdict !== null ? verdict.afterMs : undefined;
  if (isMs(afterMs)) return afterMs;
  const what = afterMs === undefined ? show(verdict) : `{ afterMs: ${show(afterMs)} }`;
  throw new (typeof afterMs === 'number' ? RangeError : TypeError)(
    `${name} returned ${what}; it must return true, false, { afterMs } with milliseconds from 0 to 2^53 - 1, or a promise of these`,
  );
}
