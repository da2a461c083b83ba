// @ts-check
import { ExponentialBackoff, fullJitterGenerator, handleAll, retry } from 'cockatiel';

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'cockatiel';
export const note = 'a policy, run many times';
export const call = 'policy.execute(fn)';
/** @param {() => unknown} fn */
export const scope = (fn) => {
  const backoff = new ExponentialBackoff({ generator: fullJitterGenerator, initialDelay: BASE_MS, maxDelay: CAP_MS });
  return { fn, policy: retry(handleAll, { maxAttempts: ATTEMPTS - 1, backoff }) };
};
