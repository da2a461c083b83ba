// @ts-check
// One operation: the first attempt on a fast path, everything after a failure by an async loop.

import { Attempt, abortAttempt, startOf } from './attempt.js';
import { decide } from './decision.js';
import { show } from './options.js';
import { seedAfresh } from './randomness.js';
import { Timer } from './timer.js';

/** @typedef {import('./options.js').Settings} Settings */
/** @typedef {(attempt: Attempt) => unknown} Callback */

/**
 * Runs the callback until it succeeds or the settings say stop. The first attempt is called
 * before this returns.
 *
 * A first attempt that succeeds and that no signal can abort costs a promise reaction: no clock,
 * no wasm, no controller, no operation object.
 * @param {Settings} settings
 * @param {Callback} fn
 * @param {AbortSignal | undefined} signal the run's own, beside the settings'
 * @returns {Promise<any>}
 */
export function run(settings, fn, signal) {
  const index = settings.operations++;
  if (settings.signal !== undefined || signal !== undefined) {
    return new Operation(settings, fn, index).watched(settings.signal, signal);
  }
  const attempt = new Attempt(1, NaN, undefined, undefined);
  let result;
  try {
    // Adopts thenables, also of another realm; a native promise is passed through.
    result = Promise.resolve(fn(attempt));
  } catch (error) {
    return new Operation(settings, fn, index).proceed(attempt, error);
  }
  return result.then(undefined, (error) => new Operation(settings, fn, index).proceed(attempt, error));
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
    /** @type {Watch | undefined} */
    this.watch = undefined;
  }

  /**
   * The whole operation, from its first attempt, under signals that may abort it.
   * @param {AbortSignal | undefined} first
   * @param {AbortSignal | undefined} second
   */
  async watched(first, second) {
    const watch = (this.watch = new Watch());
    try {
      watch.add(first);
      if (second !== first) watch.add(second);
      watch.check();
      const attempt = (watch.attempt = new Attempt(1, NaN, undefined, undefined));
      const { fn } = this;
      let result;
      try {
        result = fn(attempt);
      } catch (error) {
        return await this.proceed(attempt, error);
      }
      try {
        return await watch.until(result);
      } catch (error) {
        return await this.proceed(attempt, error);
      }
    } finally {
      watch.end();
    }
  }

  /**
   * From the first failure on. An async function, so that the caller's frames stay in the stack
   * of errors thrown by later attempts.
   * @param {Attempt} attempt the failed one
   * @param {unknown} error
   */
  async proceed(attempt, error) {
    const { settings, fn, watch } = this;
    const startedAt = startOf(attempt);
    let previousMs = NaN;
    for (let number = 1; ; number++) {
      watch?.check();
      if (settings.retryIf !== undefined && !(await this.mayRetry(error, attempt))) throw error;
      if (number === 1 && !settings.seeded) seedAfresh(this);
      const delayMs = decide(settings, this, number, previousMs);
      if (delayMs < 0) throw error;
      // An injected random() may have aborted.
      watch?.check();
      await this.wait(delayMs);
      previousMs = delayMs;
      attempt = new Attempt(number + 1, startedAt, error, delayMs);
      if (watch !== undefined) watch.attempt = attempt;
      try {
        const result = fn(attempt);
        return await (watch === undefined ? result : watch.until(result));
      } catch (thrown) {
        error = thrown;
      }
    }
  }

  /**
   * @param {unknown} error
   * @param {Attempt} attempt
   */
  async mayRetry(error, attempt) {
    const { watch } = this;
    const { retryIf } = this.settings;
    let verdict = /** @type {NonNullable<typeof retryIf>} */ (retryIf)(error, attempt);
    if (typeof verdict !== 'boolean') verdict = await (watch === undefined ? verdict : watch.until(verdict));
    watch?.check();
    if (typeof verdict === 'boolean') return verdict;
    throw new TypeError(`retryIf returned ${show(verdict)}; it must return true, false, or a promise of either`);
  }

  /** @param {number} ms */
  wait(ms) {
    return new Promise((resolve, reject) => {
      const timer = new Timer(ms, () => resolve(undefined));
      this.watch?.interruptible(reject, timer);
    });
  }
}

/** Watches the signals that may abort an operation, and ends whatever it is waiting for. */
class Watch {
  constructor() {
    /** @type {AbortSignal[]} */
    this.signals = [];
    this.aborted = false;
    /** @type {unknown} */
    this.reason = undefined;
    /** @type {Attempt | undefined} */
    this.attempt = undefined;
    /** @type {((reason: unknown) => void) | undefined} */
    this.reject = undefined;
    /** @type {Timer | undefined} */
    this.timer = undefined;
    this.listener = () => this.abort();
  }

  /** @param {AbortSignal | undefined} signal */
  add(signal) {
    if (signal === undefined) return;
    this.signals.push(signal);
    if (signal.aborted) this.abort();
    else signal.addEventListener('abort', this.listener);
  }

  abort() {
    const signal = this.signals.find((signal) => signal.aborted);
    if (this.aborted || signal === undefined) return;
    this.aborted = true;
    // Signals of old polyfills carry no reason.
    this.reason = signal.reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : signal.reason;
    this.end();
    this.timer?.cancel();
    this.reject?.(this.reason);
    if (this.attempt !== undefined) abortAttempt(this.attempt, this.reason);
  }

  /** Throws the reason once aborted. */
  check() {
    if (this.aborted) throw this.reason;
  }

  /**
   * The value's own outcome, or the abort, whichever comes first.
   * @param {unknown} value
   * @returns {Promise<any>}
   */
  until(value) {
    return new Promise((resolve, reject) => {
      // Handled here even after an abort, so that a late rejection is not an unhandled one.
      Promise.resolve(value).then(resolve, reject);
      this.interruptible(reject, undefined);
      if (this.aborted) reject(this.reason);
    });
  }

  /**
   * @param {(reason: unknown) => void} reject
   * @param {Timer | undefined} timer
   */
  interruptible(reject, timer) {
    this.reject = reject;
    this.timer = timer;
  }

  /** Leaves no listener behind. */
  end() {
    for (const signal of this.signals) signal.removeEventListener('abort', this.listener);
  }
}
