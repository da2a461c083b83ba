// workerd (Cloudflare Workers) forbids compiling bytes; it imports wasm files as compiled modules.
import core from './core.wasm';
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
