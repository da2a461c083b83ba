import * as api from './lib/index.js';
import { load } from './lib/core-inline.js';

export {
  RetryError,
  TimeoutError,
  isPermanent,
  isProgrammingError,
  permanent,
  retryAfter,
  retryReport,
} from './lib/index.js';

export const RetryPolicy = /* @__PURE__ */ api.policyOf(load);
export const retry = /* @__PURE__ */ api.retryOf(load);
export const retrySync = /* @__PURE__ */ api.syncOf(load);
export const retryWithDecorrelatedJitter = /* @__PURE__ */ api.decorrelatedJitterOf(load);
export const retryWithEqualJitter = /* @__PURE__ */ api.equalJitterOf(load);
export const retryWithExponentialBackoff = /* @__PURE__ */ api.exponentialBackoffOf(load);
export const retryWithFixedDelay = /* @__PURE__ */ api.fixedDelayOf(load);
export const retryWithFullJitter = /* @__PURE__ */ api.fullJitterOf(load);
export const retryWithLinearBackoff = /* @__PURE__ */ api.linearBackoffOf(load);
export const retryWithTruncatedBackoff = /* @__PURE__ */ api.truncatedBackoffOf(load);
