// The object that the callback gets for each attempt.

import { reportFailure } from './hooks.js';
import { attemptsLeft } from './operation.js';
import { hide } from './report.js';
import { elapsed, now } from './timer.js';
import { watched } from './watch.js';

/** What a callback has told, as records and events have it. @typedef {{ progressed?: true, committed?: true }} Told */

/**
 * What becomes of an attempt, and the functions by which its callback tells, each made at its first use: they work
 * without `this`, and can be taken from what they were added to. All fields are own: nothing is inherited.
 */
class Course {
  /** @type {AbortController | undefined} */
  controller;
  /** Whether nothing that the callback tells matters any more. */
  ended = false;
  /** Time of the last sign of life. @type {number | undefined} */
  heardAt;
  /** @type {Told | undefined} */
  told;
  /** @type {(() => void) | undefined} */
  onCommit;
  /** @type {(() => void) | undefined} */
  alive;
  /** @type {(() => void) | undefined} */
  progress;
  /** @type {(() => void) | undefined} */
  commit;

  /** @param {number} [before] attempts before its row */
  constructor(before) {
    this.before = before;
  }
}

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
   * @param {number} [before] attempts before the present row
   */
  constructor(settings, attempt, startedAt, deadlineAt, previous, before) {
    this.#settings = settings;
    this.#attempt = attempt;
    this.#startedAt = startedAt;
    this.#deadlineAt = deadlineAt;
    this.#previous = previous;
    if (before) this.#course = new Course(before);
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
    const course = courseOf(this);
    return (course.alive ??= () => {
      course.heardAt = now();
    });
  }

  get progress() {
    const course = courseOf(this);
    const { alive } = this;
    return (course.progress ??= () => {
      alive();
      note(course, 'progressed');
    });
  }

  get commit() {
    const course = courseOf(this);
    return (course.commit ??= () => {
      if (note(course, 'committed')) course.onCommit?.();
    });
  }

  get watch() {
    return (/** @type {any} */ source) => watched(source, this.signal, this.alive);
  }

  /**
   * Completes the class, once. Returns what finds the course of an attempt, which callbacks must not be able to. Neither
   * is a member with a computed name or a static initialiser: with one, bundlers would keep the class in every app.
   * @returns {(attempt: Attempt) => Course}
   */
  static complete() {
    Reflect.deleteProperty(this, 'complete');
    hide(this.prototype, Symbol.for('nodejs.util.inspect.custom'), shown);
    return (attempt) => (attempt.#course ??= new Course());
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

/** Notes what the callback tells. Returns whether it matters. @param {Course} course @param {keyof Told} fact */
function note(course, fact) {
  if (!course.ended) course.told = /** @type {any} */ ({ __proto__: null, ...course.told, [fact]: true });
  return !course.ended;
}

/** Ends an attempt for its callback. Returns what that has told. @param {Attempt} attempt */
export function closeAttempt(attempt) {
  const course = courseOf(attempt);
  course.ended = true;
  course.onCommit = undefined;
  return course.told;
}

/** Ends an attempt, and aborts its signal. @param {Attempt} attempt @param {unknown} reason */
export function abortAttempt(attempt, reason) {
  closeAttempt(attempt);
  try {
    controllerOf(courseOf(attempt)).abort(reason);
  } catch (error) {
    // Hosts such as happy-dom let out what listeners throw, which must not keep others from hearing of the abort.
    reportFailure(error);
  }
}
