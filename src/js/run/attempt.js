// The object that the callback gets for each attempt.

import { reportFailure } from './hooks.js';
import { hide } from './report.js';
import { attemptsLeft } from './rows.js';
import { elapsed, now } from './timer.js';
import { watched } from './watch.js';

/**
 * The facts that a callback has told, as records and events have them.
 * @typedef {{ progressed?: true, committed?: true }} Told
 */

/**
 * The functions by which a callback tells, each made at its first use: they work without `this`, and can be taken from
 * what they were added to.
 * @typedef {{ alive?: () => void, progressed?: () => void, committed?: () => void }} Verbs
 */

/**
 * The course of an attempt. It inherits nothing: a polluted prototype would decide.
 * @typedef {object} Becoming
 * @property {AbortController} [controller]
 * @property {number} [before] attempts before its row
 * @property {boolean} [ended] whether nothing that the callback tells matters any more
 * @property {number} [heardAt] time of the last sign of life
 * @property {Told} [told]
 * @property {() => void} [onCommit]
 *
 * @typedef {Becoming & Verbs} Course
 */

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
  /** @type {Course | undefined} */
  #course;

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
    return attemptsLeft(this.#settings, this.#attempt, this.#course?.before);
  }

  get name() {
    return this.#settings.name;
  }

  get signal() {
    return controllerOf(courseOf(this)).signal;
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

  get alive() {
    return verbOf(this, 'alive');
  }

  get progress() {
    return verbOf(this, 'progressed');
  }

  get commit() {
    return verbOf(this, 'committed');
  }

  get watch() {
    return (/** @type {any} */ source) => watched(source, this.signal, this.alive);
  }

  /**
   * Completes the class, once. Returns what finds the course of an attempt, which callbacks must not be able to.
   * Neither is a member with a computed name or a static initialiser: with one, bundlers would keep the class in every
   * app.
   * @returns {(attempt: Attempt) => Course}
   */
  static complete() {
    Reflect.deleteProperty(this, 'complete');
    hide(this.prototype, Symbol.for('nodejs.util.inspect.custom'), shown);
    return (attempt) => (attempt.#course ??= /** @type {Course} */ ({ __proto__: null }));
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

export const courseOf = /* @__PURE__ */ Attempt.complete();

/** @param {Course} course */
const controllerOf = (course) => (course.controller ??= new AbortController());

/** Returns the function by which the callback tells something. @param {Attempt} attempt @param {keyof Verbs} fact */
function verbOf(attempt, fact) {
  const course = courseOf(attempt);
  return (course[fact] ??= () => {
    if (course.ended) return;
    if (fact !== 'alive') (course.told ??= /** @type {any} */ ({ __proto__: null }))[fact] = true;
    if (fact === 'committed') course.onCommit?.();
    else course.heardAt = now();
  });
}

/** Ends an attempt for its callback. Returns what became of it. @param {Attempt} attempt */
export function closeAttempt(attempt) {
  const course = courseOf(attempt);
  course.ended = true;
  return course;
}

/** Ends an attempt, and aborts its signal. @param {Attempt} attempt @param {unknown} reason */
export function abortAttempt(attempt, reason) {
  const course = closeAttempt(attempt);
  try {
    controllerOf(course).abort(reason);
  } catch (error) {
    // Hosts such as happy-dom let out what listeners throw, which must not keep others from hearing of the abort.
    reportFailure(error);
  }
}
