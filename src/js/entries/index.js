// @ts-check
// The main entry point. Each function is made by itself, so that a bundle has those which the app uses, and what these
// need.

import { DECORRELATED, EQUAL, EXPONENTIAL, FIXED, LINEAR, NONE, TRUNCATED } from '../options/codes.js';
import { ONE_OPERATION } from '../options/reader.js';
import { readOptions, requireFunction, settingsOf } from '../options/settings.js';
import { run } from '../run/run.js';
import { policyOf } from '../policy.js';
import { syncOf } from '../run/sync.js';
import { load } from '../wasm/core.js';

export { isProgrammingError } from '../options/programming-error.js';
export { isPermanent, permanent, retryAfter } from '../run/directives.js';
export { RetryError, TimeoutError, retryReport } from '../run/report.js';
export { isTransientError } from '../run/transient-error.js';

// Under the names of what they return, bundlers would rename that: stacks would have RetryPolicy2.
const policy = /* @__PURE__ */ policyOf(load);
const sync = /* @__PURE__ */ syncOf(load);
export { policy as RetryPolicy, sync as retrySync };

const because = "the function's name determines it";
const ITS_JITTER = { metrics: ONE_OPERATION, jitter: because };
const ITS_BACKOFF = { metrics: ONE_OPERATION, backoff: because };

export const retry = /* @__PURE__ */ functionOf('retry');
export const retryWithFullJitter = /* @__PURE__ */ functionOf('retryWithFullJitter', ITS_JITTER);
export const retryWithEqualJitter = /* @__PURE__ */ functionOf('retryWithEqualJitter', ITS_JITTER, { jitter: EQUAL });
export const retryWithDecorrelatedJitter = /* @__PURE__ */ functionOf('retryWithDecorrelatedJitter', ITS_JITTER, {
  jitter: DECORRELATED,
});
export const retryWithExponentialBackoff = /* @__PURE__ */ functionOf('retryWithExponentialBackoff', ITS_BACKOFF, {
  backoff: EXPONENTIAL,
  jitter: NONE,
});
export const retryWithLinearBackoff = /* @__PURE__ */ functionOf('retryWithLinearBackoff', ITS_BACKOFF, {
  backoff: LINEAR,
  jitter: NONE,
});
export const retryWithFixedDelay = /* @__PURE__ */ functionOf('retryWithFixedDelay', ITS_BACKOFF, {
  backoff: FIXED,
  jitter: NONE,
});
export const retryWithTruncatedBackoff = /* @__PURE__ */ functionOf('retryWithTruncatedBackoff', ITS_BACKOFF, {
  backoff: TRUNCATED,
  maxAttempts: Infinity,
});

/**
 * @param {string} name for stack traces
 * @param {import('../options/reader.js').Excluded} [excluded] the options that it does not take
 * @param {Partial<import('../options/settings.js').Settings>} [own] the settings that it implies
 */
function functionOf(name, excluded, own) {
  const newSettings = settingsOf(load, own);
  const named = {
    /** @param {any} fn @param {any} [options] */
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
