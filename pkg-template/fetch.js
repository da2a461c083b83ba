import { load } from './lib/core-inline.js';
import { createFetchApi } from './lib/fetch.js';

export { HttpStatusError } from './lib/fetch-error.js';
export { rateLimitHint } from './lib/fetch-limits.js';
export { retryAfterMs } from './lib/http.js';

export const { createFetch, fetchWithRetry } = /* @__PURE__ */ createFetchApi(load);
