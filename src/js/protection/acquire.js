// Another limiter, such as one that all processes share, which the caller asks: may the first in the queue start?

import { isMs } from '../options/checks.js';
import { failure, problemOf } from '../options/messages.js';
import { reportFailure, tell } from '../run/hooks.js';
import { now, startTimer } from '../run/timer.js';

/** @import { Place } from './queue.js' */
/** @typedef {(key: string | undefined, start: { signal: AbortSignal, weight: number }) => unknown} Acquire */

/**
 * Those of the limiter, for all of its destinations.
 * @typedef {object} Options
 * @property {[intervalMs: number, burst: number]} rate its own
 * @property {Acquire} acquire
 * @property {number} acquireTimeoutMs
 * @property {number} reportedAt when a failure of `acquire` was reported
 */

/** Failures of `acquire` are reported once in this time: a store that is down fails at each start. */
const REPORT_MS = 60_000;
/** After one, `acquire` is not called for so many times its timeout: each start would take as long as that. */
const PAUSE = 10;

export class OtherLimiter {
  #options;
  #key;
  #wakeFirst;
  /** The place that it is asked about. @type {Place | undefined} */
  asked;
  /** Ends that question. */
  #end = () => {};
  /** Until when it lets nothing start, how long that was, and when it failed. */
  #until = -Infinity;
  #ms = 0;
  #failedAt = -Infinity;

  /** @param {Options} options @param {string | undefined} key @param {() => void} wakeFirst what follows an answer */
  constructor(options, key, wakeFirst) {
    this.#options = options;
    this.#key = key;
    this.#wakeFirst = wakeFirst;
  }

  /** Returns how long it lets nothing start. If the clock was set back, no longer than it said. @param {number} time */
  left(time) {
    return Math.min(this.#until - time, this.#ms);
  }

  /** Returns whether it lets the first place start. Asks if it must. @param {Place} place @param {number} time */
  grants(place, time) {
    const { rate, acquireTimeoutMs } = this.#options;
    // After a failure the own limit decides alone, if there is one.
    const isAlone = rate[0] > 0 && Math.abs(time - this.#failedAt) < PAUSE * acquireTimeoutMs;
    if (place.granted || isAlone) return true;
    if (!this.asked) this.#ask(place, time);
    return false;
  }

  /** Ends the question about a place that leaves the queue. Returns whether there was one. @param {Place} place */
  leave(place) {
    const isAsked = this.asked === place;
    if (isAsked) this.#end();
    return isAsked;
  }

  /** @param {Place} place @param {number} time */
  #ask(place, time) {
    const { acquire, acquireTimeoutMs } = this.#options;
    const { op, weight } = place;
    const controller = new AbortController();
    const { signal } = controller;
    // Its listeners may throw.
    const abort = (/** @type {unknown} */ reason) => tell(() => controller.abort(reason), {});
    let isOpen = true;
    const close = () => {
      isOpen = false;
      this.asked = undefined;
      cancel();
    };
    /** @param {any} [ms] @param {unknown} [error] */
    const follow = (
      ms = 0,
      error = isMs(ms) ? undefined : problemOf('acquire', ms, ['number', 'acquire'], 'return'),
    ) => {
      if (!isOpen) return;
      close();
      this.#follow(place, ms, error);
    };
    const late = () => {
      const error = failure(Error, `acquire took longer than ${acquireTimeoutMs} ms (acquireTimeoutMs)`);
      abort(error);
      follow(0, error);
    };
    this.asked = place;
    this.#end = () => {
      close();
      abort(undefined);
    };
    const cancel = startTimer(acquireTimeoutMs, late, op.settings.unref, time);
    // A throw is a rejection, and so is what a thenable's getter throws.
    new Promise((resolve) => resolve(acquire(this.#key, { signal, weight }))).then(follow, (error) =>
      follow(0, error ?? failure(Error, 'acquire failed without an error')),
    );
  }

  /**
   * Follows the answer: the time in ms after which to ask again, 0 if the attempt may start. So it may after an error.
   * @type {(place: Place, ms: number, error: unknown) => void}
   */
  #follow(place, ms, error) {
    const options = this.#options;
    const time = now();
    place.granted = ms === 0 || error !== undefined;
    if (!place.granted) {
      this.#until = time + ms;
      this.#ms = ms;
    } else if (error !== undefined) {
      this.#failedAt = time;
      if (time - options.reportedAt >= REPORT_MS) {
        options.reportedAt = time;
        reportFailure(error);
      }
    }
    this.#wakeFirst();
  }
}
