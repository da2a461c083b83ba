/**
 * `fetch`, retried.
 *
 * What is retried. *Methods*: GET, HEAD, OPTIONS, TRACE, PUT, DELETE and QUERY. Any other, POST and
 * PATCH above all, only with an `Idempotency-Key` header (see {@link FetchOptions.idempotencyKey}),
 * or when the failure proves that nothing was processed: the connection was refused, the name was
 * not found, or connecting took too long (in Node the codes ECONNREFUSED, ENOTFOUND, EAI_…,
 * UND_ERR_CONNECT_TIMEOUT and whatever the system call `connect` failed with; Deno and Bun have
 * their own words for it; browsers never tell). *Statuses*: 408 (not in browsers, which resend the
 * request themselves), 425, 429, 500, 502, 503 and 504. *Failures* of the network, but not what no
 * attempt mends: certificates, schemes, redirects without end; and never a `TypeError` of the
 * caller's own making, such as a bad URL or a body that was used before.
 *
 * *Waits*: as everywhere in this package; but a response's `retry-after-ms` or `Retry-After` is
 * followed, as {@link RetryOptions.maxRetryAfterMs} allows. From another origin, browsers show
 * these headers only if the server exposes them (`Access-Control-Expose-Headers: Retry-After`,
 * `Date`).
 *
 * *Bodies*: strings, `URLSearchParams`, `Blob`, buffers and `FormData` are sent again, as they were
 * at the call; so is the body of a `Request`. A stream is sent once; when that fails, the operation
 * ends (`reason: 'bodyNotReplayable'`). A function `() => body` makes a new one for each attempt.
 *
 * *Results*: the very `Response` that the inner fetch gave. When the attempts have run out on a
 * status, the last response is returned, as `fetch` would; `retryReport(response)` tells the story.
 * Responses that are not returned are cancelled.
 *
 * @module rejitter/fetch
 */

import type {
  Attempt, AttemptEvent, FailureEvent, GiveUpEvent, PresetName, RetryEvent, RetryOptions, SuccessEvent, Verdict,
} from './index.js';

/** The first parameter of `fetch`. */
export type FetchInput = Parameters<typeof fetch>[0];

/** The second parameter of `fetch`. */
type PlainInit = NonNullable<Parameters<typeof fetch>[1]>;

type Body = NonNullable<PlainInit['body']> | null;

/** The second parameter of a fetch that retries. */
export interface FetchInit extends Omit<PlainInit, 'body'> {
  /**
   * As for `fetch`, or a function that makes the body of each attempt. A stream that a function made
   * is sent with `duplex: 'half'`.
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
  body?: Body | (() => Body | PromiseLike<Body>) | undefined;
  /** Options of this call alone; each takes the place of the one that `createFetch` got. */
  retry?: FetchOptions | undefined;
}

/** What hooks of a fetch are told beside the rest. */
interface Told {
  /** The status of the response, if there was one. */
  readonly status?: number;
  /** The wait that the response asks for, in ms, if it does. */
  readonly hintMs?: number;
}

/** What {@link FetchOptions.retryOn} is told. */
export interface FetchOutcome {
  /** The response, if there was one. Clone it to read its body. */
  readonly response: Response | undefined;
  /** What the inner fetch failed with, if it did; with `throwOnStatus` a {@link HttpStatusError}. */
  readonly error: unknown;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The request's method, in capitals. */
  readonly method: string;
  /** Whether it would be retried without this function. */
  readonly retryable: boolean;
}

interface FetchOnlyOptions {
  /**
   * Which statuses are retried, in the place of the usual ones; or a function that judges each
   * response and each failure, and answers as `retryIf` does elsewhere: `true`, `false`,
   * `{ afterMs }`, or a promise of these. What may not be sent twice is not sent twice, whatever it
   * answers: see {@link methods}.
   *
   * @default 408 (outside browsers), 425, 429, 500, 502, 503, 504, and failures of the network
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
   * The methods that may be sent again after a failure that does not say whether the request was
   * processed, in the place of the usual ones. A request with an `Idempotency-Key` header always may.
   *
   * @default ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY']
   */
  methods?: readonly string[] | undefined;
  /**
   * Gives requests of other methods an `Idempotency-Key` header, the same on each attempt, unless
   * they have one: 'auto' a new UUID for each call, any other text itself, a function (which gets
   * the request without its body) what it returns. Servers that know the header process the request
   * once, so it is retried.
   *
   * @example
   * ```js
   * import { createFetch } from 'rejitter/fetch';
   * const fetch = createFetch({ idempotencyKey: 'auto' });
   * await fetch('https://example.com/orders', { method: 'POST', body: '{"item":7}' });
   * ```
   */
  idempotencyKey?: 'auto' | (string & {}) | ((request: Request) => string) | undefined;
  /**
   * Whether `retry-after-ms` and `Retry-After` are followed. The wait is `h + r·max(baseMs, h/2)`
   * for a hint of h ms: never less than asked, and spread out. A hint above `maxRetryAfterMs` ends
   * the operation, with the response (`reason: 'hint'`, the value in the report's `hintMs`), unless
   * `longRetryAfter` is 'cap'. What is no valid hint is ignored, the same in all engines.
   *
   * @default true
   */
  respectRetryAfter?: boolean | undefined;
  /**
   * Whether a response is rejected as an {@link HttpStatusError} when its status is 400 or above, or
   * when the attempts have run out on it. It has the response, with its body unread.
   *
   * @default false: responses are returned, as by `fetch`
   */
  throwOnStatus?: boolean | undefined;
  /**
   * Called before each attempt with its request, to sign it anew or to renew a token: may change its
   * headers, return another request, and do so later. What it throws ends the operation
   * (`reason: 'callback'`). The attempt's timeout includes it. The request is made by the global
   * `Request`, which a fetch with classes of its own (undici's, node-fetch's) does not take.
   *
   * @example
   * ```js
   * import { createFetch } from 'rejitter/fetch';
   * const token = async () => 'secret';
   * const fetch = createFetch({
   *   prepare: async (request) => request.headers.set('authorization', `Bearer ${await token()}`),
   * });
   * await fetch('https://example.com/private');
   * ```
   */
  prepare?: ((request: Request, attempt: Attempt) => Request | void | PromiseLike<Request | void>) | undefined;
  /**
   * The settings of another system, which the other options then change. With 'goRetryableHttp'
   * also its statuses: 429, 0, and from 500 on all but 501.
   */
  preset?: PresetName | undefined;
  /** Called before each attempt. Hooks are not awaited; what they throw is reported and changes nothing. */
  onAttempt?: ((event: AttemptEvent) => unknown) | undefined;
  /** Called after each attempt that failed, or whose response is not good enough: clone it to read it. */
  onFailure?: ((event: FailureEvent & Told) => unknown) | undefined;
  /** Called before each wait. The response is cancelled right after: clone it to read it. */
  onRetry?: ((event: RetryEvent & Told) => unknown) | undefined;
  /** Called when a response is returned that needs no retry. */
  onSuccess?: ((event: SuccessEvent & Told) => unknown) | undefined;
  /** Called when the operation ends otherwise; the caller may get the response: clone it to read it. */
  onGiveUp?: ((event: GiveUpEvent & Told) => unknown) | undefined;
}

/**
 * All options, each optional: those of `retry`, but `retryOn` for `retryIf` and `retryOnResult`.
 *
 * `signal` aborts beside the request's own. `attemptTimeoutMs` covers an attempt up to its headers:
 * the body of a response can be read for as long as it takes, and the caller's abort ends that too.
 * Connecting has no timeout of its own in `fetch`; see the README for Node.
 */
export type FetchOptions = FetchOnlyOptions & Omit<RetryOptions, keyof FetchOnlyOptions | 'retryIf' | 'retryOnResult'>;

interface Callable {
  fetch(input: FetchInput, init?: FetchInit): Promise<Response>;
}

/**
 * A fetch that retries. It can stand wherever `fetch` can; and `fetch` can stand for it, as in tests,
 * though it does not know what {@link FetchInit} has more: hence the type of a method, whose
 * parameters are compared in both directions.
 */
export type RetryingFetch = Callable['fetch'];

/** What can send the requests: `fetch`, undici's, a framework's, a test's. */
export type FetchLike = (input: any, init?: any) => PromiseLike<{ readonly status: number }>;

/**
 * A `fetch` with these options.
 *
 * @param options checked now
 * @param fetch what sends the requests; without, `globalThis.fetch` as it is at each attempt
 * @throws {TypeError | RangeError} listing every problem of the options
 * @example
 * ```js
 * import { createFetch } from 'rejitter/fetch';
 * const fetch = createFetch({ maxAttempts: 4, attemptTimeoutMs: 5000 });
 * const response = await fetch('https://example.com/data.json');
 * ```
 */
export function createFetch(options?: FetchOptions, fetch?: FetchLike): RetryingFetch;

/**
 * `fetch`, retried with the default options or those in `init.retry`.
 *
 * @example
 * ```js
 * import { fetchWithRetry } from 'rejitter/fetch';
 * const response = await fetchWithRetry('https://example.com/data.json', { retry: { totalTimeoutMs: 10_000 } });
 * ```
 */
export function fetchWithRetry(input: FetchInput, init?: FetchInit): Promise<Response>;

/** With `throwOnStatus`: a response whose status says that the request failed. */
export class HttpStatusError extends Error {
  readonly name: 'HttpStatusError';
  readonly status: number;
  /** The response; its body is unread. Not enumerable, so that logs do not show it. */
  readonly response: Response;
}
