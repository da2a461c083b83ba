// @ts-check
// The loop that people write instead of taking a package.

import { ATTEMPTS, BASE_MS, CAP_MS } from './limits.mjs';

export const name = 'hand-written loop';

/** @param {() => unknown} fn */
async function retryByHand(fn) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fn();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      const ms = Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
      await new Promise((done) => {
        setTimeout(done, ms);
      });
    }
  }
}

export const call = 'retryByHand(fn)';
/** @param {() => unknown} fn */
export const scope = (fn) => ({ fn, retryByHand });
