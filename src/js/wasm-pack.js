// @ts-check
// The driver bound to the full wasm file, as `wasm-pack build` links it.

import {
  decorrelatedJitterOf,
  equalJitterOf,
  exponentialBackoffOf,
  fixedDelayOf,
  fullJitterOf,
  linearBackoffOf,
  policyOf,
  retryOf,
  syncOf,
  truncatedBackoffOf,
} from './index.js';

export {
  RetryError,
  TimeoutError,
  isPermanent,
  isProgrammingError,
  permanent,
  retryAfter,
  retryReport,
} from './index.js';

/** @type {import('./options/settings.js').Core | undefined} */
let core;

const load = () => /** @type {import('./options/settings.js').Core} */ (core);

export const RetryPolicy = policyOf(load);
export const retrySync = syncOf(load);

const functions = Object.fromEntries(
  [
    retryOf,
    fullJitterOf,
    equalJitterOf,
    decorrelatedJitterOf,
    exponentialBackoffOf,
    linearBackoffOf,
    fixedDelayOf,
    truncatedBackoffOf,
  ]
    .map((make) => make(load))
    .map((made) => [made.name, made]),
);

/**
 * Gives the driver the instance's raw exports. The core keeps no state, so with two instances of
 * one module it does not matter which one answers.
 * @param {any} exports
 */
export function bind(exports) {
  core = exports;
}

/**
 * Calls a function of the API by name.
 * @param {string} name
 * @param {unknown} operation
 * @param {unknown} options
 */
export function call(name, operation, options) {
  return functions[name](operation, options);
}
