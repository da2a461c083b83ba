/**
 * `fetch` that retries, in 4 kB. The rules are those of `rejitter/fetch`, which knows more: see the guide. To change
 * over, import `createFetch` from `rejitter/fetch`: each option exists there with the same name and default.
 *
 * *Methods*: GET, HEAD, OPTIONS, TRACE, QUERY, PUT and DELETE are retried, any other with a header `Idempotency-Key`.
 *
 * *Statuses*: 408, 425, 429, 500, 502, 503, 504, 520 to 524, 529 and 530 are retried; 403 and 413 if the response asks
 * for a wait. `x-should-retry` and `stripe-should-retry` (`true` or `false`) overrule a status that is not a 2xx.
 *
 * *Failures* are retried, whatever `fetch` rejects with, and timeouts of attempts. Aborts, errors of the caller's own
 * making, and values with a status or a `digest` are not. What stays, such as an invalid certificate, is retried too.
 *
 * *Waits* are never shorter than a response asks for: the longest of `retry-after-ms`, `x-ms-retry-after-ms` and
 * `x-amz-retry-after`, else `Retry-After` in seconds, or a date in the form of RFC 9110, compared with that of the
 * response.
 *
 * *Bodies*: strings, `URLSearchParams`, `Blob`, buffers, `FormData` and the body of a `Request` are sent again. A
 * request with a stream is sent once.
 *
 * *Results*: the `Response` of the last attempt, whatever its status; others are cancelled. An abort of `init.signal`
 * or of the request's own signal ends attempts, waits and the body, with its reason.
 *
 * @module rejitter/light/fetch
 */

import type { LightOptions } from './light.js';

export { TimeoutError } from './light.js';

/** Options of `rejitter/light` except `signal` and `retryIf`: the signal belongs to a call, and the rules decide. */
export interface LightFetchOptions extends Omit<LightOptions, 'signal' | 'retryIf'> {
  /**
   * The longest wait that is followed when a response asks for one, in ms. For a longer one, that response is returned
   * at once. Above 0; `Infinity` means any.
   *
   * @default 60_000
   * @example `{ maxRetryAfterMs: 10_000 }`
   */
  maxRetryAfterMs?: number | undefined;
}

/** The first parameter of `fetch`. */
export type FetchInput = Parameters<typeof fetch>[0];
/** The second parameter of `fetch`. */
export type FetchInit = NonNullable<Parameters<typeof fetch>[1]>;

/**
 * Returns a `fetch` with these options. By default it makes up to six attempts, with waits of 0 to 100, 200, 400, … ms,
 * and longer ones if the server asks.
 *
 * Retried are failures of the network, timeouts of attempts, and statuses such as 429 and 503, of requests that are
 * safe to repeat: GET, PUT, DELETE, …, and those with an `Idempotency-Key`. The `signal` of a call ends its attempts,
 * waits and the body; an attempt's timeout and the deadline reach until the headers. The last response is returned.
 *
 * The result may replace the global fetch: `globalThis.fetch = createFetch()`.
 *
 * @param options checked now
 * @param fetch sends the requests; defaults to `globalThis.fetch` as it is at each attempt, unless the result is, or
 * was, that itself: then to `globalThis.fetch` as it is now
 * @throws {TypeError | RangeError} for the first problem of the options
 * @example
 * ```js
 * import { createFetch } from 'rejitter/light/fetch';
 * const api = createFetch({ maxAttempts: 4, attemptTimeoutMs: 5000 });
 * const response = await api('https://example.com/data.json');
 * ```
 */
export function createFetch(
  options?: LightFetchOptions,
  fetch?: (input: any, init?: any) => PromiseLike<{ readonly status: number }>,
): (input: FetchInput, init?: FetchInit) => Promise<Response>;

/**
 * Sends a request like `fetch` and retries it, with the default options or those in `init.retry`.
 *
 * @example
 * ```js
 * import { fetchWithRetry } from 'rejitter/light/fetch';
 * const response = await fetchWithRetry('https://example.com/data.json', { retry: { totalTimeoutMs: 10_000 } });
 * ```
 */
export function fetchWithRetry(
  input: FetchInput,
  init?: FetchInit & { retry?: LightFetchOptions | undefined },
): Promise<Response>;
