// The eight functions of the package and what each one's name stands for, restated independently of the
// package: the tests compare the two.

/** Export name → the options that `retry` would need to do the same. */
export const SHORTCUTS = {
  retry: { backoff: 'exponential', jitter: 'full' },
  retryWithFullJitter: { backoff: 'exponential', jitter: 'full' },
  retryWithEqualJitter: { backoff: 'exponential', jitter: 'equal' },
  retryWithDecorrelatedJitter: { backoff: 'exponential', jitter: 'decorrelated' },
  retryWithExponentialBackoff: { backoff: 'exponential', jitter: 'none' },
  retryWithLinearBackoff: { backoff: 'linear', jitter: 'none' },
  retryWithFixedDelay: { backoff: 'fixed', jitter: 'none' },
  retryWithTruncatedBackoff: { backoff: 'truncated', jitter: 'full', maxAttempts: Infinity },
};

export const BACKOFFS = ['fixed', 'linear', 'exponential', 'truncated'];
export const JITTERS = ['none', 'full', 'equal', 'decorrelated'];

/** Every combination that means something: decorrelated replaces the curve. */
export const COMBINATIONS = [
  ...BACKOFFS.flatMap((backoff) => ['none', 'full', 'equal'].map((jitter) => ({ backoff, jitter }))),
  { jitter: 'decorrelated' },
];

/**
 * The ceiling of wait k, straight from the formulas; only for k small enough not to overflow.
 * @param {number} k
 * @param {Record<string, any>} [options]
 */
export function ceiling(
  k,
  { backoff = 'exponential', baseMs, capMs = 10_000, factor = 2, stepMs, truncateAt = 10 } = {},
) {
  const base = baseMs ?? 100;
  const curve = /** @type {Record<string, () => number>} */ ({
    fixed: () => base,
    linear: () => base + (stepMs ?? base) * (k - 1),
    exponential: () => base * factor ** (k - 1),
    truncated: () => (baseMs ?? capMs / 2 ** (truncateAt - 1)) * 2 ** (Math.min(k, truncateAt) - 1),
  });
  return Math.min(capMs, curve[backoff]?.() ?? NaN);
}

/**
 * The waits 1…n for a constant draw r.
 * @param {number} n
 * @param {number} r
 * @param {Record<string, any>} [options]
 */
export function expectedWaits(n, r, options = {}) {
  const { jitter = 'full', baseMs = 100, capMs = 10_000 } = options;
  const waits = [];
  let previous = baseMs;
  for (let k = 1; k <= n; k += 1) {
    const c = ceiling(k, options);
    const draw = /** @type {Record<string, () => number>} */ ({
      none: () => c,
      full: () => r * c,
      equal: () => c / 2 + (r * c) / 2,
      decorrelated: () => Math.min(capMs, baseMs + r * (3 * previous - baseMs)),
    });
    const wait = draw[jitter]?.() ?? NaN;
    previous = wait;
    waits.push(wait);
  }
  return waits;
}

/** Returns the names that a module exports for users: those with an underscore are for the package's other modules. */
export const publicNames = (/** @type {object} */ module) =>
  Object.keys(module)
    .filter((name) => !name.startsWith('_'))
    .sort();

/** All that the package exports: a name that comes or goes is a change of the API and must be seen here. */
export const EXPORTS = [
  ...Object.keys(SHORTCUTS),
  'RetryError',
  'RetryPolicy',
  'TimeoutError',
  'isPermanent',
  'isProgrammingError',
  'isTransientError',
  'permanent',
  'retryAfter',
  'retryReport',
  'retrySync',
].sort();
