// @ts-check
// The backoff iterator: the waits of an operation in which every attempt fails.

import { UNSEEDED, decide } from './decision.js';
import { readDelaysOptions } from './options.js';

/** Made by a function, so that bundles without it have nothing of it. */
export const Delays = /* @__PURE__ */ (() => {
  class Delays {
    /** @type {import('./options.js').Settings} */
    #settings;
    /** @type {import('./decision.js').State} */
    #state;
    #attempt = 1;

    /**
     * @param {import('./options.js').Settings} settings
     * @param {unknown} options
     */
    constructor(settings, options) {
      this.#settings = readDelaysOptions(options, settings);
      const { seedHigh, seedLow } = this.#settings;
      this.#state = { seedHigh, seedLow, index: this.#settings.seeded ? 0 : UNSEEDED, previousMs: -1, previousR: 0, fault: undefined };
    }

    /** @returns {IteratorResult<number, undefined>} */
    next() {
      const delayMs = decide(this.#settings, this.#state, this.#attempt, Infinity, NaN, NaN);
      if (delayMs < 0) return { done: true, value: undefined };
      this.#attempt++;
      return { done: false, value: delayMs };
    }

    /** Starts anew, as the next operation: the same curve, fresh draws. */
    reset() {
      this.#attempt = 1;
      this.#state.previousMs = -1;
      if (this.#settings.seeded) this.#state.index++;
      else this.#state.index = UNSEEDED;
    }
  }

  // What every built-in iterator inherits: `[Symbol.iterator]`, and `map`, `take`, … where the host has them.
  Object.setPrototypeOf(Delays.prototype, Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())));
  return Delays;
})();
