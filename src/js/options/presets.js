// @ts-check
// The documented retry settings of other systems, by name. Each is tested against numbers which
// that system publishes (tests/vectors/presets.json).

import { BOUND, CEILING, DRAW } from './codes.js';
import { oneOf } from './messages.js';
import { isProgrammingError } from './programming-error.js';

/** @param {unknown} error */
const isOutside = (error) => !isProgrammingError(error);

/**
 * Made at each use: most apps never use any.
 * @returns {Record<string, { capRule: number, options: Record<string, unknown> }>}
 */
export const presets = () => ({
  // Standard mode of the AWS SDKs since 2020: r * 1 s * 2^(k-1), clamped to 20 s, 3 attempts.
  awsSdk2020: { capRule: DRAW, options: { baseMs: 1000, capMs: 20_000, maxAttempts: 3 } },
  // Since 2026: full jitter below min(20 s, base * 2^(k-1)), base 50 ms for transient errors;
  awsSdk2026: { capRule: BOUND, options: { baseMs: 50, capMs: 20_000, maxAttempts: 3 } },
  // 1 s when the service throttles.
  awsSdk2026Throttling: { capRule: BOUND, options: { baseMs: 1000, capMs: 20_000, maxAttempts: 3 } },
  // ExponentialBackOff of Google's HTTP client for Java.
  googleHttpClient: {
    capRule: CEILING,
    options: {
      baseMs: 500,
      factor: 1.5,
      capMs: 60_000,
      jitter: { type: 'proportional', ratio: 0.5 },
      maxAttempts: Infinity,
      totalTimeoutMs: 900_000,
    },
  },
  // gRPC's proposal A6, with the values of its example.
  grpc: {
    capRule: CEILING,
    options: { baseMs: 100, factor: 2, capMs: 1000, jitter: { type: 'proportional', ratio: 0.2 }, maxAttempts: 4 },
  },
  // Polly 8: exponential with UseJitter; the delay of 2 s and 3 retries are its defaults.
  polly: { capRule: BOUND, options: { jitter: 'pollyV2', baseMs: 2000, capMs: Infinity, maxAttempts: 4 } },
  // cenkalti/backoff for Go.
  cenkalti: {
    capRule: CEILING,
    options: {
      baseMs: 500,
      factor: 1.5,
      capMs: 60_000,
      jitter: { type: 'proportional', ratio: 0.5 },
      maxAttempts: Infinity,
      totalTimeoutMs: 900_000,
    },
  },
  // hashicorp/go-retryablehttp: 1 s to 30 s, doubling, 4 retries, no jitter.
  goRetryableHttp: { capRule: BOUND, options: { baseMs: 1000, capMs: 30_000, jitter: 'none', maxAttempts: 5 } },
  // jpillora/backoff for Go with Jitter: uniform from Min to the curve, clamped to Max.
  jpillora: { capRule: DRAW, options: { baseMs: 100, minMs: 100, capMs: 10_000, maxAttempts: Infinity } },
  // p-retry for Node: 10 retries from 1 s without a cap, no jitter (randomize: false), none of the caller's bugs.
  pRetry: {
    capRule: BOUND,
    options: { baseMs: 1000, capMs: Infinity, jitter: 'none', maxAttempts: 11, retryIf: isOutside },
  },
  // The same with randomize: true: times U(1, 2), clamped.
  pRetryRandomized: {
    capRule: DRAW,
    options: {
      baseMs: 1000,
      capMs: Infinity,
      jitter: { type: 'additive', ratio: 1 },
      maxAttempts: 11,
      retryIf: isOutside,
    },
  },
  // Truncated binary exponential backoff: N = 10, T = 10 s.
  truncatedBinary: {
    capRule: BOUND,
    options: { backoff: 'truncated', truncateAt: 10, capMs: 10_000, maxAttempts: Infinity },
  },
});

/** @returns {import('./rules.js').Rule} */
export function presetRule() {
  return ['string', oneOf(Object.keys(presets())), isPreset];
}

/** @param {unknown} name */
export function isPreset(name) {
  return typeof name === 'string' && Object.hasOwn(presets(), name);
}
