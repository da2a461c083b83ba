// @ts-check
// The strategy of the AWS SDKs: it hands out tokens and waits; the loop around it is that of the SDKs'
// middleware, without what is about HTTP.

import { StandardRetryStrategy } from '@smithy/util-retry';

import { ATTEMPTS, BASE_MS } from './limits.mjs';

export const name = '@smithy/util-retry';
export const note =
  "the loop is the caller's; cap 20 s; its quota is lifted, or it would fail after a few such operations";

/**
 * @param {any} strategy
 * @param {() => unknown} fn
 */
async function retryWithStrategy(strategy, fn) {
  let token = await strategy.acquireInitialRetryToken('bench');
  for (;;) {
    try {
      const result = await fn();
      strategy.recordSuccess(token);
      return result;
    } catch (error) {
      try {
        strategy.capacity = Infinity;
        token = await strategy.refreshRetryTokenForRetry(token, { error, errorType: 'TRANSIENT' });
      } catch {
        throw error;
      }
    }
  }
}

export const call = 'retryWithStrategy(strategy, fn)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({
  fn,
  retryWithStrategy,
  strategy: new StandardRetryStrategy({ maxAttempts: ATTEMPTS, baseDelay: BASE_MS }),
});
