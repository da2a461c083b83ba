// The main entry point. Each function is made by itself, so that a bundle has those which the app uses, and what these
// need.

// In the order that compresses best.
import { DECORRELATED, EQUAL, EXPONENTIAL, FIXED, LINEAR, NONE, TRUNCATED } from '../options/codes.js';
export { isProgrammingError } from '../failures/network.js';
import { readOptions, requireFunction, settingsOf } from '../options/settings.js';
export { isTransientError } from '../failures/transient.js';
export { RetryPolicy } from '../policy/policy.js';
export { retrySync } from '../run/sync.js';
import { RULES } from '../options/table.js';
import { remembering } from '../options/memo.js';
import { run } from '../run/run.js';

export { isPermanent, isRetryAfter, permanent, retryAfter } from '../run/directives.js';
export { RetryError, TimeoutError, retryReport } from '../run/report.js';

export const retry = /* @__PURE__ */ functionOf('retry');
export const retryWithFullJitter = /* @__PURE__ */ functionOf('retryWithFullJitter', 'jitter');
export const retryWithEqualJitter = /* @__PURE__ */ functionOf('retryWithEqualJitter', 'jitter', { jitter: EQUAL });
export const retryWithDecorrelatedJitter = /* @__PURE__ */ functionOf('retryWithDecorrelatedJitter', 'jitter', {
  jitter: DECORRELATED,
});
export const retryWithExponentialBackoff = /* @__PURE__ */ backoffOf('retryWithExponentialBackoff', EXPONENTIAL);
export const retryWithLinearBackoff = /* @__PURE__ */ backoffOf('retryWithLinearBackoff', LINEAR);
export const retryWithFixedDelay = /* @__PURE__ */ backoffOf('retryWithFixedDelay', FIXED);
export const retryWithTruncatedBackoff = /* @__PURE__ */ functionOf('retryWithTruncatedBackoff', 'backoff', {
  backoff: TRUNCATED,
  maxAttempts: Infinity,
});

/** @param {string} name @param {number} backoff without jitter */
function backoffOf(name, backoff) {
  return functionOf(name, 'backoff', { backoff, jitter: NONE });
}

/**
 * Returns a function whose name, for stack traces, may imply an option that it does not take, with settings of its own.
 * @param {string} name @param {'backoff' | 'jitter'} [implied]
 * @param {Partial<import('../options/settings.js').Settings>} [own]
 */
function functionOf(name, implied, own) {
  const newSettings = settingsOf(own);
  /** @type {import('../options/reader.js').Rules | undefined} */
  let rules;
  const read = remembering((options) =>
    readOptions(options, newSettings(), (rules ??= implied ? { ...RULES, [implied]: 'itsName' } : RULES)),
  );
  const named = {
    /** @param {any} fn @param {any} [options] */
    [name](fn, options) {
      try {
        requireFunction(fn);
        return run(read(options), fn, 0);
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
  return named[name];
}
