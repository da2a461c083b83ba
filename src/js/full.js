// @ts-check
// The driver bound to the full wasm file, as `wasm-pack build` links it.

import { createApi } from './api.js';
import { createSync } from './sync.js';

export { RetryError, TimeoutError, isPermanent, permanent, retryAfter, retryReport } from './api.js';

/** @type {import('./decision.js').Core | undefined} */
let core;

const load = () => /** @type {import('./decision.js').Core} */ (core);
const api = createApi(load);

export const { RetryPolicy } = api;
export const retrySync = createSync(load);

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
  return /** @type {Record<string, any>} */ (api)[name](operation, options);
}
