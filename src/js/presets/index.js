// The documented retry settings of other systems. Each is tested against numbers which that system publishes
// (tests/vectors/presets.json).

import { BOUND, CEILING, DRAW } from '../options/codes.js';
import { preset } from '../options/preset.js';
import { isNetworkMessage } from '../failures/network.js';

/**
 * Decides as p-retry: it stops at a TypeError that is not the network's, and at a value that is no error.
 * @param {any} error
 */
function isOutside(error) {
  try {
    return error instanceof Error && (!(error instanceof TypeError) || isNetworkMessage(error.message));
  } catch {
    // A value that throws when it is read.
    return false;
  }
}

// Standard mode of the AWS SDKs since 2020: r * 1 s * 2^(k-1), clamped to 20 s, 3 attempts.
export const awsSdk2020 = /* @__PURE__ */ preset(DRAW, { baseMs: 1000, capMs: 20_000, maxAttempts: 3 });

// Since 2026: full jitter below min(20 s, base * 2^(k-1)), base 50 ms for transient errors;
export const awsSdk2026 = /* @__PURE__ */ preset(BOUND, { baseMs: 50, capMs: 20_000, maxAttempts: 3 });

// 1 s when the service throttles.
export const awsSdk2026Throttling = /* @__PURE__ */ preset(BOUND, { baseMs: 1000, capMs: 20_000, maxAttempts: 3 });

// ExponentialBackOff of Google's HTTP client for Java.
export const googleHttpClient = /* @__PURE__ */ preset(CEILING, {
  baseMs: 500,
  factor: 1.5,
  capMs: 60_000,
  jitter: /* @__PURE__ */ Object.freeze({ type: 'proportional', ratio: 0.5 }),
  maxAttempts: Infinity,
  totalTimeoutMs: 900_000,
});

// cenkalti/backoff for Go has the same.
export const cenkalti = googleHttpClient;

// gRPC's proposal A6, with the values of its example.
export const grpc = /* @__PURE__ */ preset(CEILING, {
  baseMs: 100,
  factor: 2,
  capMs: 1000,
  jitter: /* @__PURE__ */ Object.freeze({ type: 'proportional', ratio: 0.2 }),
  maxAttempts: 4,
});

// Polly 8: exponential with UseJitter; the delay of 2 s and 3 retries are its defaults.
export const polly = /* @__PURE__ */ preset(BOUND, {
  jitter: 'pollyV2',
  baseMs: 2000,
  capMs: Infinity,
  maxAttempts: 4,
});

// hashicorp/go-retryablehttp: 1 s to 30 s, doubling, 4 retries, no jitter.
export const goRetryableHttp = /* @__PURE__ */ preset(BOUND, {
  baseMs: 1000,
  capMs: 30_000,
  jitter: 'none',
  maxAttempts: 5,
});

// jpillora/backoff for Go with Jitter: uniform from Min to the curve, clamped to Max.
export const jpillora = /* @__PURE__ */ preset(DRAW, { baseMs: 100, minMs: 100, capMs: 10_000, maxAttempts: Infinity });

// p-retry for Node: 10 retries from 1 s without a cap, no jitter (randomize: false), none of the caller's bugs.
export const pRetry = /* @__PURE__ */ pRetryOptions();

// The same with randomize: true: times U(1, 2), clamped.
export const pRetryRandomized = /* @__PURE__ */ pRetryOptions({ randomize: true });

/**
 * The options of p-retry, for packages that take them from their users.
 * @param {{ retries?: number, factor?: number, minTimeout?: number, maxTimeout?: number,
 *   randomize?: boolean }} [options]
 */
export function pRetryOptions({ retries = 10, factor, minTimeout = 1000, maxTimeout = Infinity, randomize } = {}) {
  const base = { baseMs: minTimeout, capMs: maxTimeout, maxAttempts: retries + 1, retryIf: isOutside };
  const own = { ...base, ...(factor !== undefined && { factor }) };
  return randomize
    ? preset(DRAW, { ...own, jitter: Object.freeze({ type: /** @type {const} */ ('additive'), ratio: 1 }) })
    : preset(BOUND, { ...own, jitter: 'none' });
}

// Truncated binary exponential backoff: N = 10, T = 10 s.
export const truncatedBinary = /* @__PURE__ */ preset(BOUND, {
  backoff: 'truncated',
  truncateAt: 10,
  capMs: 10_000,
  maxAttempts: Infinity,
});

/**
 * Decides as hashicorp/go-retryablehttp: failures of the network, 429, 0, and all statuses from 500 on except 501. A
 * mock of fetch may answer with anything, and an opaque response hides its status.
 * @param {{ response: any, retryable: boolean }} outcome
 */
export function goRetryableHttpRetryOn({ response, retryable }) {
  const { status, type } = response ?? {};
  if (typeof status !== 'number') return retryable;
  return (status === 0 && !`${type}`.startsWith('opaque')) || status === 429 || (status >= 500 && status !== 501);
}
