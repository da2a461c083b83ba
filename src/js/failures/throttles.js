// Errors by which a server says that requests come too often, without the status 429 that others say it with.

import { THROTTLED } from './words.js';

/** @param {any} error */
export function throttles(error) {
  try {
    const { throttling } = /** @type {any} */ ({ __proto__: null, ...error.$retryable });
    return throttling === true || THROTTLED.test(error.name);
  } catch {
    // It throws when it is read, or has no properties.
    return false;
  }
}
