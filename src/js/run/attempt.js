// The object that the callback gets for each attempt.

import { reportFailure } from './hooks.js';
import { elapsed, now } from './timer.js';

/**
 * Aborts the attempt's signal. Hosts such as happy-dom let the errors of listeners out of `abort`: they must not keep
 * others from hearing of it.
 * @type {(attempt: Attempt, reason: unknown) => void}
 */
export let abortAttempt;

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

  /** Returns for Node's `console.log` what the getters hide, except the signal: reading that would make it. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    const { attempt, attemptsLeft, name, elapsedMs, remainingMs, previousError, previousDelayMs } = this;
    return { attempt, attemptsLeft, name, elapsedMs, remainingMs, previousError, previousDelayMs };
  }

  // A field and not a static block: React Native's bundler rejects those.
  // @ts-expect-error Nothing reads it. Its initializer hands out what callbacks must not be able to do.
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: see above
  static #handOut = (abortAttempt =
    (attempt, reason) => {
      try {
        (attempt.#controller ??= new AbortController()).abort(reason);
      } catch (error) {
        reportFailure(error);
      }
    });
}
