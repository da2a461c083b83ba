// @ts-check
// The functions, each over whatever loads the core: each host has its own way to the wasm. Each is made
// by itself, so that a bundle has those which the app uses, and what these need.

import { DECORRELATED, EQUAL, EXPONENTIAL, FIXED, LINEAR, NONE, TRUNCATED } from './options/codes.js';
import { ONE_OPERATION, readOptions, requireFunction, settingsOf } from './options/settings.js';
import { run } from './run/run.js';

// Exports that need no core.
export { isPermanent, permanent, retryAfter } from './run/directives.js';
export { isProgrammingError } from './options/programming-error.js';
export { RetryError, TimeoutError, retryReport } from './run/report.js';

export { policyOf } from './policy.js';
export { syncOf } from './run/sync.js';

/** @typedef {import('./options/settings.js').Load} Load */

const because = "the function's name determines it";
const ITS_JITTER = { metrics: ONE_OPERATION, jitter: because };
const ITS_BACKOFF = { metrics: ONE_OPERATION, backoff: because };

/** @param {Load} load */
export const retryOf = (load) => functionOf('retry', load);
/** @param {Load} load */
export const fullJitterOf = (load) => functionOf('retryWithFullJitter', load, ITS_JITTER);
/** @param {Load} load */
export const equalJitterOf = (load) => functionOf('retryWithEqualJitter', load, ITS_JITTER, { jitter: EQUAL });
/** @param {Load} load */
export const decorrelatedJitterOf = (load) =>
  functionOf('retryWithDecorrelatedJitter', load, ITS_JITTER, { jitter: DECORRELATED });
/** @param {Load} load */
export const exponentialBackoffOf = (load) =>
  functionOf('retryWithExponentialBackoff', load, ITS_BACKOFF, { backoff: EXPONENTIAL, jitter: NONE });
/** @param {Load} load */
export const linearBackoffOf = (load) =>
  functionOf('retryWithLinearBackoff', load, ITS_BACKOFF, { backoff: LINEAR, jitter: NONE });
/** @param {Load} load */
export const fixedDelayOf = (load) =>
  functionOf('retryWithFixedDelay', load, ITS_BACKOFF, { backoff: FIXED, jitter: NONE });
/** @param {Load} load */
export const truncatedBackoffOf = (load) =>
  functionOf('retryWithTruncatedBackoff', load, ITS_BACKOFF, { backoff: TRUNCATED, maxAttempts: Infinity });

/**
 * @param {string} name for stack traces
 * @param {Load} load
 * @param {import('./options/settings.js').Excluded} [excluded]
 * @param {Partial<import('./options/settings.js').Settings>} [own]
 */
function functionOf(name, load, excluded, own) {
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
