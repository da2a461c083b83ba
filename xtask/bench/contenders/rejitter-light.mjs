// @ts-check
// The smallest entry.

import { retry } from 'rejitter/light';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'rejitter/light';
export const call = 'retry(fn, options)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  retry,
  options: { maxAttempts: ATTEMPTS, baseMs: BASE_MS, capMs: CAP_MS },
});
