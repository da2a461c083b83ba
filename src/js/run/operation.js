// @ts-check
// One operation: the first attempt on a fast path, everything else by an async loop.

import { Attempt } from './attempt.js';
import { INTERRUPTED, Interruption, Undisturbed } from './cancellation.js';
import { returnedMark } from './directives.js';
import { settle } from './hooks.js';
import { Progress } from './operation-state.js';
import { now } from './timer.js';
import { subscribed } from './tracing.js';

/** @typedef {import('../options/settings.js').Settings} Settings */
/** @typedef {(attempt: Attempt) => unknown} Callback */

const UNDISTURBED = new Undisturbed();

/**
 * Runs the callback until it succeeds or the settings say stop. The first attempt is called
 * before this returns.
 *
 * A first attempt that succeeds and that nothing watches costs one look at the clock and one derived
 * promise: no wasm, no controller, no operation object.
 * @param {Settings} settings
 * @param {Callback} fn
 * @param {AbortSignal | undefined} signal the run's own, beside the settings'
 * @returns {Promise<any>}
 */
export function run(settings, fn, signal) {
  const index = settings.counter === undefined ? 0 : settings.counter.next++;
  const channel = subscribed();
  if (channel !== null || settings.watched || signal !== undefined) {
    const operation = new Operation(settings, fn, index, 0, UNDISTURBED);
    if (channel === null) return operation.watched(signal);
    operation.context = {};
    return channel.tracePromise(() => operation.watched(signal), operation.context);
  }
  let startedAt = 0;
  /** @type {Attempt | undefined} */
  let attempt;
  /** @param {unknown} outcome @param {boolean} [failed] */
  const goOn = (outcome, failed = true) => new Operation(settings, fn, index, startedAt, UNDISTURBED).afterFirst(attempt, outcome, failed);
  try {
    startedAt = now();
    attempt = new Attempt(settings, 1, startedAt, Infinity, undefined);
    return settle(
      fn(attempt),
      (value) => (returnedMark(value) === undefined ? value : goOn(value, false)),
      goOn,
    );
  } catch (error) {
    return goOn(error);
  }
}

/** @extends {Progress<Undisturbed>} */
class Operation extends Progress {
  /**
   * Goes on after an unwatched first attempt.
   * @param {Attempt | undefined} attempt
   * @param {unknown} outcome
   * @param {boolean} failed
   */
  afterFirst(attempt, outcome, failed) {
    this.attempts = 1;
    this.failed = failed;
    this.outcome = outcome;
    return this.proceed(attempt);
  }

  /**
   * Runs the whole operation, from its first attempt.
   * @param {AbortSignal | undefined} signal
   */
  async watched(signal) {
    const { settings } = this;
    this.startedAt = this.attemptAt = now();
    if (settings.interruptible || signal !== undefined) this.limits = new Interruption(this);
    const { limits } = this;
    try {
      limits.start(signal);
      if (limits.aborted) throw limits.reason;
      settings.metrics?.begun();
      return await this.proceed(undefined);
    } finally {
      limits.release();
    }
  }

  /**
   * Repeats attempt, decision and wait until the end. An async function, so that the caller's frames
   * stay in the stack of errors that later attempts throw.
   * @param {Attempt | undefined} attempt the first, if it was made already
   */
  async proceed(attempt) {
    const { settings, fn, limits } = this;
    for (;;) {
      /** @type {number | string | undefined} */
      let next;
      if (attempt === undefined) {
        const begun = this.begin();
        if (typeof begun === 'string') return this.end(begun);
        attempt = begun;
        try {
          limits.begin(attempt);
          this.outcome = await limits.until(fn(attempt));
          this.failed = false;
        } catch (thrown) {
          if (thrown === INTERRUPTED) {
            next = 'timeout';
          } else {
            this.outcome = thrown;
            this.failed = true;
          }
        }
        limits.finish();
      }
      next ??= this.review();
      if (next === undefined) {
        try {
          const { predicate } = this;
          let verdict = predicate === undefined || predicate(this.outcome, attempt);
          if (typeof verdict !== 'boolean') verdict = await limits.until(verdict);
          next = this.judge(verdict);
        } catch (thrown) {
          next = this.broken(thrown);
        }
      }
      if (typeof next === 'string') return this.end(next);
      this.waits(next);
      // The attempt need not live as long as the wait.
      attempt = undefined;
      // Reads the clock only if a callback may have taken its time.
      const asked = settings.watched || settings.retryIf || settings.random || settings.curve;
      this.attemptAt = await limits.wait(next, asked ? now() : this.endedAt, settings.unref);
      let ended = limits.ended;
      const { beforeRetry } = settings;
      if (ended === undefined && beforeRetry !== undefined) {
        try {
          await limits.until(beforeRetry(this.retrying()));
          this.attemptAt = now();
          ended = limits.ended;
        } catch (thrown) {
          ended = this.broken(thrown);
        }
      }
      if (ended !== undefined) return this.end(ended);
    }
  }

  /**
   * Handles also the deadline, which may have interrupted a predicate or `beforeRetry`.
   * @param {unknown} thrown
   */
  broken(thrown) {
    return thrown === INTERRUPTED ? 'deadline' : super.broken(thrown);
  }
}
