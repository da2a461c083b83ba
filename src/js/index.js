// @ts-check
// The functions, each over whatever loads the core: each host has its own way to the wasm. Each is made
// by itself, so that a bundle has those which the app uses, and what these need.

import { DECORRELATED, EQUAL, EXPONENTIAL, FIXED, LINEAR, NONE, TRUNCATED } from './options/codes.js';
import { ONE_OPERATION } from './options/reader.js';
import { readOptions, requireFunction, settingsOf } from './options/settings.js';
import { run } from './run/run.js';

// Exports that need no core.
export { isPermanent, permanent, retryAfter } from './run/directives.js';
export { isProgrammingError } from './options/programming-error.js';
export { isTransientError } from './run/transient-error.js';
export { RetryError, TimeoutError, retryReport } from './run/report.js';

export { policyOf } from './policy.js';
export { syncOf } from './run/sync.js';

/** @typedef {import('./options/settings.js').Load} Load */
/** @typedef {[name: string, excluded?: import('./options/reader.js').Excluded, own?: object]} Kind */

const because = "the function's name determines it";
const ITS_JITTER = { metrics: ONE_OPERATION, jitter: because };
const ITS_BACKOFF = { metrics: ONE_OPERATION, backoff: because };

// The functions: the name, for stack traces, the options that it does not take, and the settings that it implies.
/** @type {Kind} */
export const RETRY = ['retry'];
/** @type {Kind} */
export const FULL_JITTER = ['retryWithFullJitter', ITS_JITTER];
/** @type {Kind} */
export const EQUAL_JITTER = ['retryWithEqualJitter', ITS_JITTER, { jitter: EQUAL }];
/** @type {Kind} */
export const DECORRELATED_JITTER = ['retryWithDecorrelatedJitter', ITS_JITTER, { jitter: DECORRELATED }];
/** @type {Kind} */
export const EXPONENTIAL_BACKOFF = ['retryWithExponentialBackoff', ITS_BACKOFF, { backoff: EXPONENTIAL, jitter: NONE }];
/** @type {Kind} */
export const LINEAR_BACKOFF = ['retryWithLinearBackoff', ITS_BACKOFF, { backoff: LINEAR, jitter: NONE }];
/** @type {Kind} */
export const FIXED_DELAY = ['retryWithFixedDelay', ITS_BACKOFF, { backoff: FIXED, jitter: NONE }];
/** @type {Kind} */
export const TRUNCATED_BACKOFF = [
  'retryWithTruncatedBackoff',
  ITS_BACKOFF,
  { backoff: TRUNCATED, maxAttempts: Infinity },
];

/**
 * @param {Load} load
 * @param {Kind} kind
 */
export function functionOf(load, [name, excluded, own]) {
  const newSettings = settingsOf(load, own);
  const named = {
    /**
     * @param {any} fn
     * @param {any} [options]
     */
    [name](fn, options) {
      let settings;
      try {
        requireFunction(fn);
        settings = readOptions(options, newSettings(), excluded);
      } catch (error) {
        return Promise.reject(error);
      }
      return run(settings, fn, 0);
    },
  };
  return named[name];
}
