// Failures of the network, and mistakes of the program, which another attempt cannot fix. Each engine words failed
// fetches differently, and browsers give no code.

import { NETWORK_MESSAGES, OTHER_NAMES } from './words.js';

/** Returns whether an engine rejects a fetch with this message when the network fails. @param {string} message */
export function isNetworkMessage(message) {
  return NETWORK_MESSAGES.test(message);
}

/**
 * Returns whether this is a TypeError other than a failed `fetch`. By name, because `instanceof` is false for the
 * errors of another realm. A TypeError with a cause of another kind is a host's.
 * @type {(error: any) => boolean}
 */
export function isMistake({ name, message, cause }) {
  return name === 'TypeError' && !isNetworkMessage(message) && (!cause || isMistake(cause));
}

/** Returns whether this is a ReferenceError, or such a TypeError. @param {any} error */
export function isProgrammingError(error) {
  try {
    return error.name === 'ReferenceError' || isMistake(error);
  } catch {
    // undefined, null, or a getter that throws.
    return false;
  }
}

/**
 * Returns whether a failure of fetch that nobody knows is one of the network, because hosts change their words. Not a
 * mistake of the program, and not what another layer throws on purpose: frameworks throw redirects and errors of their
 * own as objects, with a status, or with a `digest` (Next).
 * @param {any} error
 */
export function mayBeOfNetwork(error) {
  try {
    // Tauri's fetch rejects with a string.
    const { name, message = error, code, response = error } = error;
    return (
      typeof message === 'string' &&
      !Object.hasOwn(error, 'digest') &&
      // A file, for Bun, whose fetch opens them.
      code !== 'ENOENT' &&
      !OTHER_NAMES.test(name) &&
      !isMistake(error) &&
      // The status of a proxy, for Bun.
      (/PROXY/.test(code) || !((response.statusCode ?? response.status) >= 300))
    );
  } catch {
    return false;
  }
}
