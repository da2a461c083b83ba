// @ts-check
// The driver bound to the full wasm file, as `wasm-pack build` links it.

import { createFetchApi } from './fetch/index.js';
import {
  DECORRELATED_JITTER,
  EQUAL_JITTER,
  EXPONENTIAL_BACKOFF,
  FIXED_DELAY,
  FULL_JITTER,
  LINEAR_BACKOFF,
  RETRY,
  TRUNCATED_BACKOFF,
  functionOf,
  policyOf,
  syncOf,
} from './index.js';
import { failure } from './options/messages.js';

export { HttpStatusError } from './fetch/error.js';
export { retryAfterMs } from './fetch/http.js';
export { rateLimitHint } from './fetch/limits.js';
export {
  RetryError,
  TimeoutError,
  isPermanent,
  isProgrammingError,
  isTransientError,
  permanent,
  retryAfter,
  retryReport,
} from './index.js';

/** @type {import('./options/settings.js').Core | undefined} */
let core;

/** @type {import('./options/settings.js').Load} */
const load = (drop) => {
  if (core === undefined && !drop) throw failure(Error, 'call init() first, and await it: it loads the wasm file');
  return /** @type {import('./options/settings.js').Core} */ (core);
};

export const RetryPolicy = policyOf(load);
export const retrySync = syncOf(load);
export const { createFetch, fetchWithRetry } = createFetchApi(load);
export const retry = functionOf(load, RETRY);
export const retryWithFullJitter = functionOf(load, FULL_JITTER);
export const retryWithEqualJitter = functionOf(load, EQUAL_JITTER);
export const retryWithDecorrelatedJitter = functionOf(load, DECORRELATED_JITTER);
export const retryWithExponentialBackoff = functionOf(load, EXPONENTIAL_BACKOFF);
export const retryWithLinearBackoff = functionOf(load, LINEAR_BACKOFF);
export const retryWithFixedDelay = functionOf(load, FIXED_DELAY);
export const retryWithTruncatedBackoff = functionOf(load, TRUNCATED_BACKOFF);

/** @type {Record<string, (operation: any, options: any) => Promise<any>>} */
const functions = {
  retry,
  retryWithFullJitter,
  retryWithEqualJitter,
  retryWithDecorrelatedJitter,
  retryWithExponentialBackoff,
  retryWithLinearBackoff,
  retryWithFixedDelay,
  retryWithTruncatedBackoff,
};

/**
 * Gives the driver the instance's raw exports. The core keeps no state, so with two instances of
 * one module it does not matter which one answers.
 * @param {any} exports
 */
export function bind(exports) {
  core = exports;
}

/**
 * Calls a function of the API by name, for Rust.
 * @param {string} name
 * @param {unknown} operation
 * @param {unknown} options
 */
export function call(name, operation, options) {
  return functions[name](operation, options);
}
