// @ts-check
import retry from 'async-retry';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'async-retry';
export const note = 'jitter is ×1 to ×2, clipped at the cap';
export const call = 'retry(fn, options)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  retry,
  options: { retries: ATTEMPTS - 1, factor: 2, minTimeout: BASE_MS, maxTimeout: CAP_MS, randomize: true },
});
