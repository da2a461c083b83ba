// @ts-check
import { retry } from '@lifeomic/attempt';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = '@lifeomic/attempt';
export const call = 'retry(fn, options)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  retry,
  options: { maxAttempts: ATTEMPTS, delay: BASE_MS, factor: 2, maxDelay: CAP_MS, jitter: true },
});
