/**
 * Defaults of JavaScript packages as options of rejitter, from the sources of the versions named here. async-retry is on
 * retry 0.13.1, the AWS SDK on @smithy/core 3.41.0.
 */
import type { Changes } from '../state/presets';

export interface Package extends Changes {
  readonly name: string;
  readonly version: string;
  /** What else differs, in sentences. */
  readonly notes: readonly string[];
  /** Set if the package sends requests itself. */
  readonly isClient?: true;
}

export const PACKAGES: readonly Package[] = [
  {
    name: 'p-retry',
    version: '9.0.0',
    preset: 'pRetry',
    options: {},
    notes: [
      '`retries` 10 makes 11 attempts: `maxAttempts` counts the first attempt.',
      'p-retry does not retry a TypeError, except network errors. In rejitter, `retryIf` decides that.',
    ],
  },
  {
    name: 'async-retry',
    version: '1.3.3',
    preset: 'pRetryRandomized',
    options: {},
    notes: [
      '`randomize` is on by default, and multiplies each wait by 1 to 2.',
      '`bail(error)` is `throw permanent(error)`.',
    ],
  },
  {
    name: 'axios-retry',
    version: '4.5.0',
    options: { backoff: 'fixed', baseMs: 0, jitter: 'none', maxAttempts: 4 },
    notes: ['Without `retryDelay`, axios-retry does not wait at all.', '`retryCondition` is `retryIf`.'],
    isClient: true,
  },
  {
    name: 'exponential-backoff',
    version: '3.1.3',
    options: { baseMs: 100, factor: 2, capMs: Infinity, jitter: 'none', maxAttempts: 10 },
    notes: ['`numOfAttempts` is `maxAttempts`, `startingDelay` is `baseMs`, `timeMultiple` is `factor`.'],
  },
  {
    name: 'ky',
    version: '2.1.0',
    options: { baseMs: 300, factor: 2, capMs: Infinity, jitter: 'none', maxAttempts: 3 },
    notes: [
      '`limit` 2 makes 3 attempts: `maxAttempts` counts the first attempt.',
      'ky does not retry a request that ends with its timeout. `attemptTimeoutMs` does.',
    ],
    isClient: true,
  },
  {
    name: 'got',
    version: '16.1.0',
    options: { baseMs: 1000, factor: 2, capMs: Infinity, jitter: { type: 'additive', maxMs: 100 }, maxAttempts: 3 },
    notes: ['`limit` 2 makes 3 attempts.', 'got adds up to 100 ms to each wait.'],
    isClient: true,
  },
  {
    name: 'AWS SDK',
    version: '3.1169.0',
    preset: 'awsSdk2026',
    options: {},
    notes: [
      'When the service throttles, the SDK waits longer: preset `awsSdk2026Throttling` has that base of 1 s.',
      'Every client has a retry quota as well. rejitter has a retry budget for that.',
    ],
  },
  {
    name: 'cockatiel',
    version: '4.0.0',
    options: { jitter: 'pollyV2', baseMs: 128, capMs: 30_000, maxAttempts: 11 },
    notes: [
      '`maxAttempts` 10 of its `ExponentialBackoff` counts retries: 11 attempts.',
      "It cuts longer draws to exactly `maxDelay`; 'pollyV2' draws them again below the cap.",
    ],
  },
];
