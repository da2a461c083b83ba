/**
 * The documented retry settings of other systems, flaws included: options for `retry`, `RetryPolicy`,
 * `createFetch` and `policy.with`. A copy by spread keeps what the cap bounds in that system, and an override of
 * `backoff` or `jitter` drops the preset's options that belong to what it replaces.
 *
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * import { grpc } from 'rejitter/presets';
 * const user = await retry(() => callApi(), { ...grpc, maxAttempts: 3 });
 * ```
 * @module rejitter/presets
 */

import type { FetchOutcome } from './fetch.js';

/** Standard mode of the AWS SDKs from 2020. The cap bounds the draw. */
export const awsSdk2020: { readonly baseMs: 1000; readonly capMs: 20_000; readonly maxAttempts: 3 };

/** Standard mode of the AWS SDKs from 2026, transient errors. */
export const awsSdk2026: { readonly baseMs: 50; readonly capMs: 20_000; readonly maxAttempts: 3 };

/** The same for throttling errors. */
export const awsSdk2026Throttling: { readonly baseMs: 1000; readonly capMs: 20_000; readonly maxAttempts: 3 };

/** Google's HTTP client for Java: 500, 750, 1125 … ms ±50%, 15 min in all. The cap bounds the interval. */
export const googleHttpClient: {
  readonly baseMs: 500;
  readonly factor: 1.5;
  readonly capMs: 60_000;
  readonly jitter: { readonly type: 'proportional'; readonly ratio: 0.5 };
  /** `Infinity` */
  readonly maxAttempts: number;
  readonly totalTimeoutMs: 900_000;
};

/** gRPC's proposal A6, its example: doubling, ±20%. The cap bounds the interval. */
export const grpc: {
  readonly baseMs: 100;
  readonly factor: 2;
  readonly capMs: 1000;
  readonly jitter: { readonly type: 'proportional'; readonly ratio: 0.2 };
  readonly maxAttempts: 4;
};

/** Polly 8: exponential with jitter (DecorrelatedJitterBackoffV2), 2 s, 3 retries. */
export const polly: {
  readonly jitter: 'pollyV2';
  readonly baseMs: 2000;
  /** `Infinity` */
  readonly capMs: number;
  readonly maxAttempts: 4;
};

/** cenkalti/backoff for Go. The cap bounds the interval. */
export const cenkalti: typeof googleHttpClient;

/** hashicorp/go-retryablehttp: 1 s … 30 s, 4 retries. Its statuses are {@link goRetryableHttpRetryOn}. */
export const goRetryableHttp: {
  readonly baseMs: 1000;
  readonly capMs: 30_000;
  readonly jitter: 'none';
  readonly maxAttempts: 5;
};

/** jpillora/backoff for Go, with Jitter. The cap bounds the draw. */
export const jpillora: {
  readonly baseMs: 100;
  readonly minMs: 100;
  readonly capMs: 10_000;
  /** `Infinity` */
  readonly maxAttempts: number;
};

/** p-retry: 10 retries from 1 s, no jitter. It stops at TypeErrors but the network's, and at what is no Error. */
export const pRetry: {
  readonly baseMs: 1000;
  /** `Infinity` */
  readonly capMs: number;
  readonly jitter: 'none';
  readonly maxAttempts: 11;
  readonly retryIf: (error: unknown) => boolean;
};

/** p-retry with `randomize`. The cap bounds the draw. */
export const pRetryRandomized: {
  readonly baseMs: 1000;
  /** `Infinity` */
  readonly capMs: number;
  readonly jitter: { readonly type: 'additive'; readonly ratio: 1 };
  readonly maxAttempts: 11;
  readonly retryIf: (error: unknown) => boolean;
};

/**
 * Returns the options that mean the same as p-retry's, for packages that take those from their users.
 *
 * @example
 * ```js
 * import { retry } from 'rejitter';
 * import { pRetryOptions } from 'rejitter/presets';
 * await retry(callApi, pRetryOptions({ retries: 3, minTimeout: 100, randomize: true }));
 * ```
 */
export function pRetryOptions(options?: {
  /** Number of attempts after the first one. @default 10 */
  retries?: number | undefined;
  /** @default 2 */
  factor?: number | undefined;
  /** First wait, in ms. @default 1000 */
  minTimeout?: number | undefined;
  /** Longest wait, in ms. @default Infinity */
  maxTimeout?: number | undefined;
  /** Whether each wait is multiplied by a number between 1 and 2. @default false */
  randomize?: boolean | undefined;
}): {
  readonly baseMs: number;
  readonly capMs: number;
  readonly factor?: number;
  readonly jitter: 'none' | { readonly type: 'additive'; readonly ratio: 1 };
  readonly maxAttempts: number;
  readonly retryIf: (error: unknown) => boolean;
};

/** Truncated binary exponential backoff, N = 10, T = 10 s. */
export const truncatedBinary: {
  readonly backoff: 'truncated';
  readonly truncateAt: 10;
  readonly capMs: 10_000;
  /** `Infinity` */
  readonly maxAttempts: number;
};

/**
 * The rule of hashicorp/go-retryablehttp as `retryOn` of `createFetch`: failures of the network, 429, 0, and all
 * statuses from 500 on except 501.
 *
 * @example
 * ```js
 * import { createFetch } from 'rejitter/fetch';
 * import { goRetryableHttp, goRetryableHttpRetryOn } from 'rejitter/presets';
 * const api = createFetch({ ...goRetryableHttp, retryOn: goRetryableHttpRetryOn });
 * await api('https://example.com/data.json');
 * ```
 */
export function goRetryableHttpRetryOn(outcome: FetchOutcome): boolean;
