// In the order that compresses best.
import { createFetchOf, fetchWithRetryOf } from '../fetch/index.js';
export { retryAfterMs } from '../failures/retry-after.js';
export { HttpStatusError } from '../fetch/response.js';
export { rateLimitHint } from '../fetch/limits.js';
import { load } from '../wasm/core.js';

// Under the name of the function, bundlers would rename that: stacks would have createFetch2. Each by itself, so that a
// bundle has what the app uses: no bundler drops a call whose result is taken apart.
const create = /* @__PURE__ */ createFetchOf(load);
const request = /* @__PURE__ */ fetchWithRetryOf(create);
export { create as createFetch, request as fetchWithRetry };
