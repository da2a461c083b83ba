import { load } from './lib/core-inline.js';
import { createFetchApi } from './lib/fetch/index.js';

export { HttpStatusError } from './lib/fetch/error.js';
export { rateLimitHint } from './lib/fetch/limits.js';
export { retryAfterMs } from './lib/fetch/http.js';

export const { createFetch, fetchWithRetry } = /* @__PURE__ */ createFetchApi(load);
