import { createApi } from './lib/api.js';
import { load } from './lib/inline.js';

export { RetryError, TimeoutError, isPermanent, permanent, retryAfter, retryReport } from './lib/api.js';

export const {
  RetryPolicy,
  retry,
  retryWithDecorrelatedJitter,
  retryWithEqualJitter,
  retryWithExponentialBackoff,
  retryWithFixedDelay,
  retryWithFullJitter,
  retryWithLinearBackoff,
  retryWithTruncatedBackoff,
} = /* @__PURE__ */ createApi(load);
