// @ts-check
// The backoff iterator: the waits of an operation in which every attempt fails.

import { decide } from './decision.js';
import { readDelaysOptions } from './options.js';
import { seedAfresh } from './randomness.js';

/** What every built-in iterator inherits: `[Symbol.iterator]`, and `map`, `take`, … where the host has them. */
const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

export class Delays {
  /** @type {import('./options.js').Settings} */
  #settings;
  /** @type {import('./decision.js').Source} */
  #source;
  #attempt = 1;
  #previousMs = NaN;

  /**
   * @param {import('./options.js').Settings} settings
   * @param {unknown} options
   */
  constructor(settings, options) {
    this.#settings = readDelaysOptions(options, settings);
    this.#source = { seedHigh: this.#settings.seedHigh, seedLow: this.#settings.seedLow, index: 0 };
    if (!this.#settings.seeded) seedAfresh(this.#source);
  }

  /** @returns {IteratorResult<number, undefined>} */
  next() {
    const delayMs = decide(this.#settings, this.#source, this.#attempt, this.#previousMs);
    if (delayMs < 0) return { done: true, value: undefined };
    this.#attempt++;
    this.#previousMs = delayMs;
    return { done: false, value: delayMs };
  }

  /** Starts anew, as the next operation: the same curve, fresh draws. */
  reset() {
    this.#attempt = 1;
    this.#previousMs = NaN;
    if (this.#settings.seeded) this.#source.index++;
    else seedAfresh(this.#source);
  }
}

Object.setPrototypeOf(Delays.prototype, IteratorPrototype);
