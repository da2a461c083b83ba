import { load } from './lib/core-inline.js';
import { createFetchApi } from './lib/fetch/index.js';

export { HttpStatusError } from './lib/fetch/error.js';
export { rateLimitHint } from './lib/fetch/limits.js';
export { retryAfterMs } from './lib/fetch/http.js';

// Under the name of the function, bundlers would rename that: stacks would have createFetch2.
const { createFetch: create, fetchWithRetry: request } = /* @__PURE__ */ createFetchApi(load);
export { create as createFetch, request as fetchWithRetry };
