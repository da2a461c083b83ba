/**
 * `fetch`, retried.
 *
 * *Methods*: GET, HEAD, OPTIONS, TRACE, PUT, DELETE and QUERY are retried. Any other method, POST and
 * PATCH above all, is retried only with an idempotency key (see {@link FetchOptions.idempotencyKey}),
 * or if the failure proves that the server processed nothing. That takes three things. First,
 * connecting failed: the connection was refused, the name was not found, or connecting took too long.
 * Second, the address that failed is the request's own: the same port, and the same IP address or the
 * same name. (A server that takes the request, redirects to itself and then refuses connections looks
 * the same.) Third, the body is neither a stream nor that of a `Request`. An error that does not name the address
 * (a host name whose connection was refused; every error in Deno and Bun) counts only with `redirect:
 * 'error'` or `'manual'`, because a redirect's target fails with the same error. So do HTTP/2's
 * `REFUSED_STREAM`, and a proxy that answers `CONNECT` with 408, 429 or a 5xx. In browsers no error proves it.
 *
 * *Statuses*: 408, 425, 429, 500, 502, 503, 504, 520 to 524, 529 and 530 are retried; 403 and 413 if
 * the response asks for a wait; 409 if the
 * request has an idempotency key and an earlier attempt of the operation had no response, because the
 * server may still be working on that one. The header
 * `x-should-retry: true | false` of a response overrules its status, within the methods and
 * `maxAttempts`; it has no effect on a 2xx. `stripe-should-retry` means the same.
 *
 * *Failures*: whatever the inner fetch rejects with is a failure of the network, which is retried and counts for
 * protection, because hosts change their words. Not so aborts; a `TypeError` of the caller's own making, such as an
 * invalid URL or a body that was used before; what every attempt would meet, where the host says so: invalid
 * certificates, unknown schemes, endless redirects; and what an inner fetch throws on purpose: `permanent()`,
 * `retryAfter()`, a value with a status, an object that is no error, an error with a `digest`.
 *
 * *Waits*: the same as in the rest of this package, and never shorter than the response requests with
 * `Retry-After` or a header in milliseconds: see {@link FetchOptions.respectRetryAfter}. A page can read these
 * headers of another origin only if the server exposes them (`Access-Control-Expose-Headers:
 * Retry-After, Date`).
 *
 * *Bodies*: strings, `URLSearchParams`, `Blob`, buffers and `FormData` are sent again, as they were
 * at the call; so are the body of a `Request`, and the forms and files of React Native. A form in a request with an
 * idempotency key is encoded once, into a `Blob`, because a server may compare the bytes. A stream is sent once; if
 * that fails, the operation ends (`reason: 'bodyNotReplayable'`). A function `() => body` makes a new body for each
 * attempt.
 *
 * *Results*: the `Response` that the inner fetch returned. When the attempts run out on a status, the
 * last response is returned, as `fetch` would. `retryReport(response)` returns the report of every
 * operation with more than one attempt (`reason: 'success'` if the response needed no retry). Responses
 * that are not returned are cancelled, at the latest when the next request is sent: if the deadline passes
 * during that, the call rejects with a `TimeoutError` whose `cause` is an {@link HttpStatusError} of the last response.
 *
 * *Redirects* are followed inside an attempt, by `fetch`. A chain of 20 redirects before a 503 makes
 * 21 requests of each attempt; set `redirect: 'error'` or `'manual'` for servers that you do not trust.
 *
 * @module rejitter/fetch
 */

import type {
  Attempt,
  AttemptEvent,
  FailureEvent,
  GiveUpEvent,
  RetryEvent,
  RetryOptions,
  RetryPolicy,
  SuccessEvent,
  Verdict,
} from './index.js';

/** The first parameter of `fetch`. */
export type FetchInput = Parameters<typeof fetch>[0];

/** A body, as `fetch` takes it. */
export type FetchBody = NonNullable<NonNullable<Parameters<typeof fetch>[1]>['body']> | null;

/** The second parameter of a fetch that retries. */
export interface FetchInit extends Omit<NonNullable<Parameters<typeof fetch>[1]>, 'body'> {
  /**
   * The body, as for `fetch`, or a function that makes the body of each attempt. A stream that a
   * function made is sent with `duplex: 'half'`.
   *
   * @example
   * ```js
   * import { createReadStream } from 'node:fs';
   * import { Readable } from 'node:stream';
   * import { fetchWithRetry } from 'rejitter/fetch';
   * await fetchWithRetry('https://example.com/upload', {
   *   method: 'PUT',
   *   body: () => Readable.toWeb(createReadStream('package.json')),
   * });
   * ```
   */
  body?: FetchBody | (() => FetchBody | PromiseLike<FetchBody>) | undefined;
  /**
   * Options of this call; each replaces the one that `createFetch` got. A value that is not an object, or one in which
   * no name is an option of rejitter, is ignored, because other packages have an option of this name; the latter is
   * said once, by `console.warn`. Options directly in the init (`fetch(url, { maxAttempts: 2 })`) are a `TypeError`;
   * names that other packages pass on to their fetch, such as `retries` and `retryOn` of fetch-retry, are ignored.
   */
  retry?: CallOptions | undefined;
}

/** Which request it was, in the events of hooks. Never its path or its query, which may carry secrets. */
export interface RequestLabels {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Origin of its URL. `data:` and `blob:` URLs have none. */
  readonly origin: string | undefined;
}

/** Additions to the events of hooks that have an outcome. */
export interface RequestFields extends RequestLabels {
  /** Status of the response, if there was one. */
  readonly status?: number;
  /** The wait that the response requests, in ms, if it requests one. */
  readonly hintMs?: number;
}

/** Parameter of {@link FetchOptions.retryOn}. */
export interface FetchOutcome {
  /** The response, if there was one. Clone it to read its body. */
  readonly response: Response | undefined;
  /** The error of the inner fetch, if it failed; with `throwOnStatus` a {@link HttpStatusError}. */
  readonly error: unknown;
  /** Number of the attempt; the first is 1. */
  readonly attempt: number;
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Whether the attempt would be retried without this function, if attempts are left. */
  readonly retryable: boolean;
}

/** Options that only a fetch has. */
export interface FetchOnlyOptions {
  /**
   * The statuses to retry, instead of the usual ones; or a function that classifies each response and
   * each failure and returns the same values as `retryIf` does elsewhere: `true`, `false`,
   * `{ afterMs }`, or a promise of one of these. A request that is unsafe to repeat is never resent,
   * whatever this returns: see {@link methods}. With a list, `x-should-retry` is ignored.
   *
   * @default 408, 425, 429, 500, 502, 503, 504, 520–524, 529, 530, 403 and 413 with a hint, 409 of an own earlier
   * attempt, and failures of the network
   * @example
   * ```js
   * import { fetchWithRetry } from 'rejitter/fetch';
   * await fetchWithRetry('https://example.com/job/7', {
   *   retry: { retryOn: ({ retryable, response }) => retryable || response?.status === 202 },
   * });
   * ```
   */
  retryOn?: readonly number[] | ((outcome: FetchOutcome) => Verdict | PromiseLike<Verdict>) | undefined;
  /**
   * The methods that are safe to repeat after a failure that leaves open whether the server processed
   * the request, instead of the usual ones. A request with an idempotency key always is.
   *
   * @default ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY']
   */
  methods?: readonly string[] | undefined;
  /**
   * Sets an `Idempotency-Key` header on requests of the other methods, unless they have one. It is the
   * same on each attempt. 'auto' sets a new UUID for each call, which needs `crypto` (React Native has
   * none); a function, which receives the request without its body, returns the key. Servers that know
   * the header process the request once, so it is retried. In {@link FetchInit.retry} it may be any
   * other string, the key of that call. `createFetch` rejects one, because every request would have the
   * same key. For a function, as for {@link prepare} and {@link protectionKey}, addresses must be absolute where there
   * is no page, because a `Request` has no other.
   *
   * Like any header, the key triggers a preflight request to another origin (`OPTIONS`,
   * `Access-Control-Allow-Headers: Idempotency-Key`), and a redirect with 307 or 308 carries it to the
   * new address. With `mode: 'no-cors'` browsers drop it, so no key is set and nothing is resent; the same holds for a
   * navigation that a service worker answers, to which browsers let nothing be added.
   *
   * @example
   * ```js
   * import { createFetch } from 'rejitter/fetch';
   * const api = createFetch({ idempotencyKey: 'auto' });
   * await api('https://example.com/orders', { method: 'POST', body: '{"item":7}' });
   * ```
   */
  idempotencyKey?: 'auto' | ((request: Request) => string) | undefined;
  /**
   * Name of the header with the key, for servers that use another name, such as 'PayPal-Request-Id'.
   *
   * @default 'Idempotency-Key'
   */
  idempotencyHeader?: string | undefined;
  /**
   * Returns the wait that a response requests in other headers or in its body, in ms, or `undefined`; or a promise,
   * which is awaited until an abort or the deadline. Clone the response to read its body. The wait is treated like
   * `Retry-After`: see {@link respectRetryAfter}. If both request a wait, the longer one counts.
   * Called for responses from status 400 on, and for others that `retryOn` retries.
   * {@link rateLimitHint} reads the headers of well-known services. If it throws or returns an invalid value, that is
   * reported like the error of a hook, and the other headers count.
   *
   * @example
   * ```js
   * import { createFetch, rateLimitHint } from 'rejitter/fetch';
   * const api = createFetch({ hint: rateLimitHint });
   * await api('https://example.com/repos');
   * ```
   */
  hint?: ((response: Response, attempt: Attempt) => number | undefined | PromiseLike<number | undefined>) | undefined;
  /**
   * Whether `Retry-After` is followed, and the headers in milliseconds that precede it: `retry-after-ms`,
   * `x-ms-retry-after-ms`, `x-amz-retry-after`; of several the longest. The wait is at least `h + r·max(baseMs, h/2)`
   * for a hint of h ms, and at least the wait that the policy computes: never less than the server
   * requests, spread out, and never sooner than without the hint. A hint above `maxRetryAfterMs` ends the
   * operation with the response (`reason: 'hint'`, the value in the report's `hintMs`), or is cut: see
   * {@link RetryOptions.maxRetryAfterMs}.
   *
   * A hinted wait is thus at most 1.5 × `maxRetryAfterMs` (90 s with the defaults), and five of them 450
   * s. Set `totalTimeoutMs` if a caller cannot wait that long.
   *
   * `Retry-After` may be seconds, also with decimals, Unix seconds (10 digits or more), Unix milliseconds (13 digits or
   * more) or one of the three forms of HTTP dates, which are compared with the response's own `Date`.
   * Other values are ignored, the same in all engines; so is 0.
   *
   * @default true
   */
  respectRetryAfter?: boolean | undefined;
  /**
   * Whether to reject with an {@link HttpStatusError} when a status is 400 or above, or when the
   * attempts run out on a response. The error that the call rejects with has the response, with its body unread.
   *
   * @default false: responses are returned, as by `fetch`
   */
  throwOnStatus?: boolean | undefined;
  /**
   * Called before each attempt with its request, to sign it again or to renew a token: may change its headers or return
   * another request, also as a promise. An error that it throws ends the operation (`reason: 'callback'`, or
   * `'permanent'` if it is marked). The attempt's timeout includes it, and is retried. The request is made by the
   * global `Request`, which a fetch with its own classes (undici's, node-fetch's) does not accept.
   *
   * The request that is sent decides what may be repeated or hedged. An idempotency key that is missing is put back. A
   * request that `prepare` gave another key, or a method that is unsafe to repeat, is not sent again. A key that only
   * `prepare` adds does not count, because each attempt may get another one; nor does it make a form the same bytes.
   *
   * @example
   * ```js
   * import { createFetch } from 'rejitter/fetch';
   * const token = async () => 'secret';
   * const api = createFetch({
   *   prepare: async (request) => request.headers.set('authorization', `Bearer ${await token()}`),
   * });
   * await api('https://example.com/private');
   * ```
   */
  prepare?: ((request: Request, attempt: Attempt) => Request | void | PromiseLike<Request | void>) | undefined;
  /**
   * Returns the key of a request's state in `protection`, such as a tenant or an endpoint; `null`
   * for the state of the protection itself. With a key per route, a route that fails or answers 429 delays no other.
   * Receives the request without its body. An error that it throws ends the operation (`reason: 'callback'`) before the
   * first attempt.
   *
   * @default the origin of the request's own address; `data:` and `blob:` addresses are not protected
   * @example
   * ```js
   * import { createFetch } from 'rejitter/fetch';
   * import { budget, protect } from 'rejitter/protection';
   * const api = createFetch({
   *   protection: protect(budget()),
   *   protectionKey: (request) => request.headers.get('x-tenant'),
   * });
   * await api('https://example.com/data.json');
   * ```
   */
  protectionKey?: ((request: Request) => string | null) | undefined;
  /** Called before each attempt. Hooks are not awaited; their errors are reported and change nothing. */
  onAttempt?: ((event: AttemptEvent & RequestLabels) => unknown) | undefined;
  /** Called after each attempt that failed, or whose response will be retried: clone it to read it. */
  onFailure?: ((event: FailureEvent & RequestFields) => unknown) | undefined;
  /** Called before each wait. The response is cancelled afterwards: clone it to read it. */
  onRetry?: ((event: RetryEvent & RequestFields) => unknown) | undefined;
  /** Called after each wait, and awaited: see {@link RetryOptions.beforeRetry}. */
  beforeRetry?: ((event: RetryEvent & RequestLabels) => unknown) | undefined;
  /** Called when a response is returned that needs no retry. */
  onSuccess?: ((event: SuccessEvent & RequestFields) => unknown) | undefined;
  /** Called when the operation ends without one. The caller may get the response: clone it to read it. */
  onGiveUp?: ((event: GiveUpEvent & RequestFields) => unknown) | undefined;
}

/**
 * All options; all are optional. They are those of `retry`, except that {@link FetchOnlyOptions.retryOn} replaces
 * `retryIf` and `retryOnResult`, and {@link FetchOnlyOptions.throwOnStatus} replaces `finalResult`.
 *
 * `signal` aborts in addition to the request's own. `attemptTimeoutMs` covers an attempt up to its
 * headers: reading the body has no timeout, and the caller's abort ends that too. `fetch` has no
 * connect timeout; in Node, undici's dispatcher has one. `idleTimeoutMs` is an error, in a policy, too: a fetch cannot
 * see a body that you read. Wrap request and reading in `retry()`, or set `attemptTimeoutMs`.
 */
export type FetchOptions = FetchOnlyOptions &
  Omit<RetryOptions, keyof FetchOnlyOptions | 'idleTimeoutMs' | 'retryIf' | 'retryOnResult' | 'finalResult'>;

/** Options of one call: {@link FetchOptions}, where the idempotency key may be any string. */
export interface CallOptions extends Omit<FetchOptions, 'idempotencyKey'> {
  /** See {@link FetchOptions.idempotencyKey}. Any other string is the key of this call. */
  idempotencyKey?: 'auto' | (string & {}) | ((request: Request) => string) | undefined;
}

/**
 * A fetch that retries. It can stand in for `fetch`, and `fetch` for it, for instance in tests, although
 * `fetch` does not know the additions of {@link FetchInit}. Hence the type of a method, whose parameters
 * TypeScript compares in both directions.
 */
export type RetryingFetch = {
  /** Further arguments go to the inner fetch, such as the bindings that Hono's `app.request` takes. */
  fetch(input: FetchInput, init?: FetchInit, ...further: any[]): Promise<Response>;
}['fetch'];

/** A function that sends requests: `fetch`, undici's, a framework's, a test's. */
export type FetchLike = (input: any, init?: any) => PromiseLike<{ readonly status: number }>;

/**
 * Returns a `fetch` with these options, or with those of a policy. By default it makes up to six attempts, with waits
 * of 0 to 100, 200, 400, … ms, and longer ones if the server asks.
 *
 * Retried are failures of the network, timeouts of attempts, and statuses such as 429 and 503 (see
 * {@link FetchOnlyOptions.retryOn}), of requests that are safe to repeat: GET, PUT, DELETE, …, and those with an
 * idempotency key. A POST without one is sent again only if no connection was made. The `signal` of a call ends its
 * attempts, waits and the body. It resolves with the last response, whatever its status, as `fetch` does.
 *
 * If a policy has a `retryIf`, that decides about failures; if it has a `retryOnResult`, that decides about responses.
 * Without them the rules for failures and statuses do. `policy.metrics()` counts the requests. Options that only
 * `fetch` has go into {@link FetchInit.retry}.
 *
 * The result may replace the global fetch: `globalThis.fetch = createFetch(options)`. It then sends requests by the
 * fetch that it replaced, whatever is laid over it later.
 *
 * @param options limits, waits, rules, hooks; checked now
 * @param fetch sends the requests; defaults to `globalThis.fetch` as it is at each attempt, unless the result is, or
 * was, that itself: then to `globalThis.fetch` as it is now
 * @throws {TypeError | RangeError} listing every problem of the options
 * @example
 * ```js
 * import { createFetch } from 'rejitter/fetch';
 * const api = createFetch({ maxAttempts: 4, attemptTimeoutMs: 5000 });
 * const response = await api('https://example.com/data.json');
 * ```
 */
export function createFetch(options?: FetchOptions | RetryPolicy, fetch?: FetchLike): RetryingFetch;

/**
 * Sends a request like `fetch` and retries it, with the default options or those in `init.retry`.
 *
 * @example
 * ```js
 * import { fetchWithRetry } from 'rejitter/fetch';
 * const response = await fetchWithRetry('https://example.com/data.json', { retry: { totalTimeoutMs: 10_000 } });
 * ```
 */
export function fetchWithRetry(input: FetchInput, init?: FetchInit): Promise<Response>;

/** Headers as clients return them: `Headers`, or an object with names in lower case (got, undici.request). */
export type HeadersLike = { get(name: string): unknown } | { readonly [name: string]: unknown };

/**
 * Returns the wait that a response requests with `Retry-After`, or with `retry-after-ms`, `x-ms-retry-after-ms` or
 * `x-amz-retry-after`, in ms; 0 for a time that has passed; `undefined` if it requests none. For clients other than
 * `fetch`, together with `retryAfter`.
 *
 * @param source a response, its headers, or the value of `Retry-After`
 * @example
 * ```js
 * import { retry, retryAfter } from 'rejitter';
 * import { retryAfterMs } from 'rejitter/fetch';
 * await retry(async () => {
 *   const response = await fetch('https://example.com/data.json');
 *   if (!response.ok) throw retryAfter(retryAfterMs(response) ?? 0, new Error(`HTTP ${response.status}`));
 *   return response.json();
 * }, { baseMs: 1 });
 * ```
 */
export function retryAfterMs(
  source: { readonly headers: HeadersLike } | HeadersLike | string | null | undefined,
): number | undefined;

/**
 * Returns the wait that a response requests because a rate limit is exhausted, in ms; `undefined` if it
 * requests none, or if {@link retryAfterMs} returns a wait: the end of a limit's window is later than the
 * next request may come. Set it as {@link FetchOptions.hint}. It reads responses with status 429, and with
 * any other status if nothing remains of a limit, such as a 200 of GraphQL that `retryOn` retries. If nothing remains
 * after a success that is not retried, a cooldown of `rejitter/protection` holds the next attempts. The headers are
 * those of
 * - GitHub and many others: `x-ratelimit-remaining`, `x-ratelimit-reset`,
 * - OpenAI: `x-ratelimit-reset-requests`, `x-ratelimit-reset-tokens` ("6m0s"),
 * - Anthropic: `anthropic-ratelimit-requests-reset` and its other limits (RFC 3339), `…-unified-reset`,
 * - Cloudflare and the drafts of the IETF: `RateLimit`, `RateLimit-Reset`,
 * - Discord (`x-ratelimit-reset-after`), X (`x-rate-limit-reset`), Symfony (`x-ratelimit-retry-after`),
 *   Linear (`x-ratelimit-requests-reset`), Sentry (`x-sentry-rate-limit-reset`), Contentful
 *   (`x-contentful-ratelimit-reset`).
 */
export function rateLimitHint(response: { readonly status: number; readonly headers: HeadersLike }): number | undefined;

/** Error for a response whose status reports a failure, with `throwOnStatus`. Its message ends with the labels. */
export class HttpStatusError extends Error {
  /** Identifies the error where `instanceof` does not work, such as across realms. */
  readonly name: 'HttpStatusError';
  /** Status of the response. */
  readonly status: number;
  /** Method of the request, in upper case. */
  readonly method?: string;
  /** Origin of the request's URL, without its path and query. */
  readonly origin?: string | undefined;
  /** The response; its body is unread. Not enumerable, so that logs do not show it. */
  readonly response: Response;
}
