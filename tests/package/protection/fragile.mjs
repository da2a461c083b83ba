// A protection whose circuit opens at the first failure, for tests of what operations do then.

import { down, importAll, plain } from './entry.mjs';

const { breaker, protect, retry } = await importAll();

export const state = (api) => api.status().breaker.state;

/** A protection whose circuit opens for 500 ms at the first failure, with draw 0. */
export const fragile = (...parts) => protect(breaker({ consecutiveFailures: 1, openMs: 1000 }), ...parts);

/** A fragile protection that is half-open from the next attempt on. */
export async function ready(clock, ...parts) {
  const api = fragile(...parts);
  await retry(down, { ...plain, maxAttempts: 1, protection: api }).catch(() => {});
  await clock.advance(500);
  return api;
}
