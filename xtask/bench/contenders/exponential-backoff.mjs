// @ts-check
import { backOff } from 'exponential-backoff';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'exponential-backoff';
export const call = 'backOff(fn, options)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  backOff,
  options: { numOfAttempts: ATTEMPTS, startingDelay: BASE_MS, timeMultiple: 2, maxDelay: CAP_MS, jitter: 'full' },
});
