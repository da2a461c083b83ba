// In the order that compresses best.
import { createFetchApi } from '../fetch/index.js';
export { retryAfterMs } from '../fetch/http.js';
export { HttpStatusError } from '../fetch/response.js';
export { rateLimitHint } from '../fetch/limits.js';
import { load } from '../wasm/core.js';

// Under the name of the function, bundlers would rename that: stacks would have createFetch2.
const { createFetch: create, fetchWithRetry: request } = /* @__PURE__ */ createFetchApi(load);
export { create as createFetch, request as fetchWithRetry };
