// @ts-check
// Errors of the caller's code, which another attempt cannot fix.

import { isNetworkMessage } from './network-words.js';

/**
 * Returns whether this is a ReferenceError, or a TypeError other than a failed `fetch`. By name, because
 * `instanceof` is false for the errors of another realm.
 * @param {any} error
 */
export function isProgrammingError(error) {
  try {
    const { name, message } = error;
    return name === 'ReferenceError' || (name === 'TypeError' && !isNetworkMessage(message));
  } catch {
    // undefined, null, or a getter that throws.
    return false;
  }
}
