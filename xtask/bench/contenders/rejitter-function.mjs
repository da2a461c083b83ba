// @ts-check
// Options read at each call.

import { retryWithFullJitter } from 'rejitter';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'rejitter, function';
export const call = 'retryWithFullJitter(fn, options)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  retryWithFullJitter,
  options: { maxAttempts: ATTEMPTS, baseMs: BASE_MS, capMs: CAP_MS },
});
