// @ts-check
// Options read once, a policy run many times.

import { RetryPolicy } from 'rejitter';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'rejitter, policy';
export const call = 'policy.run(fn)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  policy: new RetryPolicy({ maxAttempts: ATTEMPTS, baseMs: BASE_MS, capMs: CAP_MS }),
});
