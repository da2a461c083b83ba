// Vercel's edge runtime forbids compiling bytes; with ?module it imports compiled modules.
import core from './core.wasm?module';
import { createApi } from './lib/api.js';
import { loaderOf } from './lib/from-module.js';
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
} = /* @__PURE__ */ createApi(/* @__PURE__ */ loaderOf(core));

// Apart, so that bundlers can leave it out.
export const retrySync = /* @__PURE__ */ createSync(/* @__PURE__ */ loaderOf(core));
