// The object that the callback gets for each attempt.

import { reportFailure } from './hooks.js';
import { hide } from './report.js';
import { elapsed, now } from './timer.js';

/**
 * One call of the callback. Its getters create what costs something, a controller or a reading of the
 * clock, when they are first used: a first attempt that succeeds pays for neither.
 */
export class Attempt {
  #settings;
  #attempt;
  #startedAt;
  #deadlineAt;
  #previous;
  /** @type {AbortController | undefined} */
  #controller;

  /**
   * @param {import('../options/settings.js').Settings} settings
   * @param {number} attempt
   * @param {number} startedAt time when the operation began
   * @param {number} deadlineAt
   * @param {import('./operation.js').AttemptRecord | undefined} previous
   */
  constructor(settings, attempt, startedAt, deadlineAt, previous) {
    this.#settings = settings;
    this.#attempt = attempt;
    this.#startedAt = startedAt;
    this.#deadlineAt = deadlineAt;
    this.#previous = previous;
  }

  get attempt() {
    return this.#attempt;
  }

  get attemptsLeft() {
    return this.#settings.maxAttempts - this.#attempt;
  }

  get name() {
    return this.#settings.name;
  }

  get signal() {
    return (this.#controller ??= new AbortController()).signal;
  }

  get elapsedMs() {
    return elapsed(this.#startedAt);
  }

  get remainingMs() {
    return Math.max(0, this.#deadlineAt - now());
  }

  get previousError() {
    return this.#previous?.failed ? this.#previous.outcome : undefined;
  }

  get previousDelayMs() {
    return this.#previous?.delayMs;
  }

  /**
   * Completes the class, once. Returns what aborts the signal of an attempt, which callbacks must not be able to. Neither
   * is a member with a computed name or a static initialiser: with one, bundlers would keep the class in every app.
   * @returns {(attempt: Attempt, reason: unknown) => void}
   */
  static complete() {
    Reflect.deleteProperty(this, 'complete');
    hide(this.prototype, Symbol.for('nodejs.util.inspect.custom'), shown);
    return (attempt, reason) => {
      try {
        (attempt.#controller ??= new AbortController()).abort(reason);
      } catch (error) {
        // Hosts such as happy-dom let out what listeners throw, which must not keep others from hearing of the abort.
        reportFailure(error);
      }
    };
  }
}

/**
 * Returns for Node's `console.log` what the getters hide, except the signal: reading that would make it.
 * @this {Attempt}
 */
function shown() {
  const { attempt, attemptsLeft, name, elapsedMs, remainingMs, previousError, previousDelayMs } = this;
  return { attempt, attemptsLeft, name, elapsedMs, remainingMs, previousError, previousDelayMs };
}

export const abortAttempt = /* @__PURE__ */ Attempt.complete();
