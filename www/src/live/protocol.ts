/** The page and its flaky server, the service worker: what both must know. */

/** How long the server takes to answer, from and up to. */
export const LATENCY_MS = [60, 160] as const;
/** Time that the page waits for a response; a slow one takes longer. */
export const ATTEMPT_TIMEOUT_MS = 1000;
export const SLOW_MS = 3000;
/** The delay that a 429 requests. */
export const RETRY_AFTER_S = 1;
/** The header with the number of the attempt: a browser may restart the worker, which then counts on from it. */
export const ATTEMPT = 'attempt';
/** The message to take over a page that is not controlled yet. Others name a request that the page has given up. */
export const CLAIM = 'claim';
export const requestName = (url: string, attempt: number): string => `${url} ${attempt}`;
