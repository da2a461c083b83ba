// @ts-check
// What the callback is told about its attempt.

import { now } from './timer.js';

/** @type {(attempt: Attempt, otherwise: number) => number} when the operation began, as far as the attempt knows */
export let startOf;
/** @type {(attempt: Attempt, reason: unknown) => void} */
export let abortAttempt;

/**
 * One call of the callback. Its getters make what costs something, a controller or a look at the
 * clock, when they are first used: a first attempt that succeeds pays for neither.
 */
export class Attempt {
  #attempt;
  #startedAt;
  #deadlineAt;
  #previousError;
  #previousDelayMs;
  /** @type {AbortController | undefined} */
  #controller = undefined;

  /**
   * @param {number} attempt
   * @param {number | undefined} startedAt when the operation began; `undefined` while nobody has asked
   * @param {number | undefined} deadlineAt
   * @param {unknown} previousError
   * @param {number | undefined} previousDelayMs
   */
  constructor(attempt, startedAt, deadlineAt, previousError, previousDelayMs) {
    this.#attempt = attempt;
    this.#startedAt = startedAt;
    this.#deadlineAt = deadlineAt;
    this.#previousError = previousError;
    this.#previousDelayMs = previousDelayMs;
  }

  get attempt() {
    return this.#attempt;
  }

  get signal() {
    return (this.#controller ??= new AbortController()).signal;
  }

  get elapsedMs() {
    const time = now();
    return time - startOf(this, time);
  }

  get remainingMs() {
    return this.#deadlineAt === undefined || this.#deadlineAt === Infinity ? Infinity : Math.max(0, this.#deadlineAt - now());
  }

  get previousError() {
    return this.#previousError;
  }

  get previousDelayMs() {
    return this.#previousDelayMs;
  }

  static {
    startOf = (attempt, otherwise) => (attempt.#startedAt ??= otherwise);
    abortAttempt = (attempt, reason) => {
      (attempt.#controller ??= new AbortController()).abort(reason);
    };
  }
}
