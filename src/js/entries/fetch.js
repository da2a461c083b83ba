// In the order that compresses best.
export { createFetch, fetchWithRetry } from '../fetch/index.js';
export { retryAfterMs } from '../failures/retry-after.js';
export { HttpStatusError } from '../fetch/status-error.js';
export { rateLimitHint } from '../fetch/limits.js';
