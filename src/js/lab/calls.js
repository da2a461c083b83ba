// Calls into the lab's wasm, of which a fault ends one: the next call gets a fresh instance.

import { messageOf } from '../options/messages.js';

/**
 * @template Core
 * @typedef {object} Calls
 * @property {<Result>(use: (core: Core) => Result) => Result} call
 * @property {() => object} instance the instance that calls use now, by identity
 */

/**
 * @template Core
 * @param {(drop?: boolean) => Core} load links the wasm, or drops its instance
 * @returns {Calls<Core>}
 */
export function callsOf(load) {
  let instance = {};
  return {
    call(use) {
      try {
        return use(load());
      } catch (error) {
        // Errors about options name this package. All else is a trap, a stack that is full, memory that is short: the
        // stack pointer of the wasm stays where it was, and each further call would fail too.
        if (!messageOf(error, '').startsWith('rejitter: ')) {
          instance = {};
          load(true);
        }
        throw error;
      }
    },
    instance: () => instance,
  };
}
