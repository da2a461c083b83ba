// @ts-check
import * as api from '../index.js';
import { load } from '../wasm/core.js';

export {
  RetryError,
  TimeoutError,
  isPermanent,
  isProgrammingError,
  isTransientError,
  permanent,
  retryAfter,
  retryReport,
} from '../index.js';

// Under the names of what they return, bundlers would rename that: stacks would have RetryPolicy2.
const policy = /* @__PURE__ */ api.policyOf(load);
const sync = /* @__PURE__ */ api.syncOf(load);
export { policy as RetryPolicy, sync as retrySync };

export const retry = /* @__PURE__ */ api.functionOf(load, api.RETRY);
export const retryWithDecorrelatedJitter = /* @__PURE__ */ api.functionOf(load, api.DECORRELATED_JITTER);
export const retryWithEqualJitter = /* @__PURE__ */ api.functionOf(load, api.EQUAL_JITTER);
export const retryWithExponentialBackoff = /* @__PURE__ */ api.functionOf(load, api.EXPONENTIAL_BACKOFF);
export const retryWithFixedDelay = /* @__PURE__ */ api.functionOf(load, api.FIXED_DELAY);
export const retryWithFullJitter = /* @__PURE__ */ api.functionOf(load, api.FULL_JITTER);
export const retryWithLinearBackoff = /* @__PURE__ */ api.functionOf(load, api.LINEAR_BACKOFF);
export const retryWithTruncatedBackoff = /* @__PURE__ */ api.functionOf(load, api.TRUNCATED_BACKOFF);
