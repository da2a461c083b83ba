// @ts-check
import pRetry from 'p-retry';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'p-retry';
export const note = 'jitter is ×1 to ×2, clipped at the cap';
export const call = 'pRetry(fn, options)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  pRetry,
  options: { retries: ATTEMPTS - 1, factor: 2, minTimeout: BASE_MS, maxTimeout: CAP_MS, randomize: true },
});
