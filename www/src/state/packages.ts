/**
 * JavaScript packages as options of rejitter: their defaults, and their own options by name. tests/vectors/pasted.json
 * has the waits of these versions. async-retry is on retry 0.13.1, the AWS SDK on @smithy/core 3.41.0.
 */
import type { Changes } from './presets';

/** What an option comes to, from its source without spaces, and the sources of all others. */
type Reader = (source: string, all: Readonly<Record<string, string>>) => Changes;

export interface Package extends Changes {
  readonly name: string;
  readonly version: string;
  /** Its options that decide how often and how long it waits. */
  readonly reads: Readonly<Record<string, Reader>>;
}

/** A number in a program: `10_000`, `Infinity`. */
function numberOf(source: string): number {
  const number = source === '' ? NaN : Number(source.replaceAll('_', ''));
  if (Number.isNaN(number)) throw new TypeError(`must be a number, got ${source}`);
  return number;
}
/** Reads a number as this option of rejitter. */
const as =
  (name: string, more = 0): Reader =>
  (source) => ({ options: { [name]: numberOf(source) + more } });
/** Reads one of these sources. */
const among =
  (cases: Readonly<Record<string, Changes>>): Reader =>
  (source) => {
    const found = Object.entries(cases).find(([one]) => new RegExp(`^['"]?${one}['"]?$`).test(source));
    if (!found) throw new TypeError(`must be one of ${Object.keys(cases).join(', ')} here, got ${source}`);
    return found[1];
  };
const jitter = (value: unknown): Changes => ({ options: { jitter: value } });

/** Those of p-retry and async-retry, which have them from the package retry. */
const OF_RETRY: Package['reads'] = {
  retries: as('maxAttempts', 1),
  minTimeout: as('baseMs'),
  maxTimeout: as('capMs'),
  factor: as('factor'),
  randomize: among({ true: { preset: 'pRetryRandomized', options: {} }, false: { preset: 'pRetry', options: {} } }),
};
/** What got adds to each wait, above its limit. */
const GOT_NOISE_MS = 100;

export const PACKAGES: readonly Package[] = [
  {
    name: 'p-retry',
    version: '9.0.0',
    preset: 'pRetry',
    options: {},
    reads: OF_RETRY,
  },
  {
    name: 'async-retry',
    version: '1.3.3',
    preset: 'pRetryRandomized',
    options: {},
    reads: OF_RETRY,
  },
  {
    name: 'axios-retry',
    version: '4.5.0',
    options: { backoff: 'fixed', baseMs: 0, jitter: 'none', maxAttempts: 4 },
    reads: {
      retries: as('maxAttempts', 1),
      retryDelay(source) {
        const [, linear, fixed] = /^(?:\w+\.)?linearDelay(?:\(([\d_]*)\))?$|^\(?\w*\)?=>([\d_]+)$/.exec(source) ?? [];
        if (fixed) return { options: { backoff: 'fixed', baseMs: numberOf(fixed) } };
        if (/linearDelay/.test(source)) return { options: { backoff: 'linear', baseMs: numberOf(linear || '100') } };
        const more = { backoff: 'exponential', baseMs: 200, jitter: { type: 'additive', ratio: 0.2 } };
        return among({ '(?:\\w+\\.)?exponentialDelay': { options: { ...more, capMs: Infinity } } })(source, {});
      },
    },
  },
  {
    name: 'exponential-backoff',
    version: '3.1.3',
    options: { baseMs: 100, factor: 2, capMs: Infinity, jitter: 'none', maxAttempts: 10 },
    reads: {
      numOfAttempts: as('maxAttempts'),
      startingDelay: as('baseMs'),
      timeMultiple: as('factor'),
      maxDelay: as('capMs'),
      jitter: among({ full: jitter('full'), none: jitter('none') }),
    },
  },
  {
    name: 'ky',
    version: '2.1.0',
    options: { baseMs: 300, factor: 2, capMs: Infinity, jitter: 'none', maxAttempts: 3 },
    reads: {
      limit: as('maxAttempts', 1),
      retry: as('maxAttempts', 1),
      backoffLimit: as('capMs'),
      jitter: among({ true: jitter('full'), false: jitter('none') }),
    },
  },
  {
    name: 'got',
    version: '16.1.0',
    options: {
      baseMs: 1000,
      factor: 2,
      capMs: Infinity,
      jitter: { type: 'additive', maxMs: GOT_NOISE_MS },
      maxAttempts: 3,
    },
    reads: {
      limit: as('maxAttempts', 1),
      backoffLimit: (source, { noise }) => as('capMs', noise ? numberOf(noise) : GOT_NOISE_MS)(source, {}),
      noise: (source) => jitter(numberOf(source) === 0 ? 'none' : { type: 'additive', maxMs: numberOf(source) }),
    },
  },
  {
    name: 'AWS SDK',
    version: '3.1169.0',
    preset: 'awsSdk2026',
    options: {},
    reads: { maxAttempts: as('maxAttempts') },
  },
  {
    // At its cap it waits exactly that long; 'pollyV2' draws longer waits again.
    name: 'cockatiel',
    version: '4.0.0',
    options: { jitter: 'pollyV2', baseMs: 128, capMs: 30_000, maxAttempts: Infinity },
    reads: {
      maxAttempts: as('maxAttempts', 1),
      initialDelay: as('baseMs'),
      maxDelay: as('capMs'),
      generator: among({
        decorrelatedJitterGenerator: jitter('pollyV2'),
        fullJitterGenerator: jitter('full'),
        halfJitterGenerator: jitter('equal'),
        noJitterGenerator: jitter('none'),
      }),
      backoff(source) {
        const [, ms] = /^newConstantBackoff\(([\d_]+)\)$/.exec(source) ?? [];
        return ms ? { options: { backoff: 'fixed', jitter: 'none', baseMs: numberOf(ms) } } : { options: {} };
      },
    },
  },
];
