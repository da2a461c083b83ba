import { createApi } from './lib/api.js';
import { load } from './lib/inline.js';
import { createSync } from './lib/sync.js';

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

// Apart, so that bundlers can leave it out.
export const retrySync = /* @__PURE__ */ createSync(load);
