// The rules of HTTP that retries need: methods, statuses, and failures of the network. core/http of the crate has the
// same rules for methods and statuses for Rust programs; tests hold the two to one table.

import { HOPELESS, NETWORK, UNPROCESSED, failureClass, highestClass } from '../failures/classes.js';
import { isTransientStatus } from '../failures/transient.js';

/** Returns whether a method, in upper case, is idempotent (RFC 9110, 9.2.2, and QUERY). @param {string} method */
export function isIdempotent(method) {
  return /^(GET|HEAD|OPTIONS|TRACE|QUERY|PUT|DELETE)$/.test(method);
}

/** Returns whether a method only asks (RFC 9110, 9.2.1, and QUERY). @param {string} method in upper case */
export function isSafe(method) {
  return isIdempotent(method) && !/^(PUT|DELETE)$/.test(method);
}

/** Returns whether fetch retries a status. @param {number} status */
export function isTransient(status) {
  if (status !== 408) return isTransientStatus(status);
  // Browsers resend a request themselves then. jsdom and Electron's Node do not.
  const { navigator, process } = /** @type {any} */ (globalThis);
  return !/^Mozilla\//.test(navigator?.userAgent ?? '') || process?.versions?.node !== undefined;
}

/** Codes of failures before the first byte. The last two are Bun's. */
const UNPROCESSED_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_.*|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;
/** Messages of Node (the server hung up in the TLS handshake), Bun, Deno and Safari up to 16. */
const UNPROCESSED_TEXTS =
  /disconnected before secure TLS|Unable to connect\. Is the computer|a typo in the url or port|tcp connect error|dns error|Could not connect to the server\.|A server with the specified hostname/;

/**
 * Classifies what a fetch failed with, by the error and its causes: `isOwn` tells those of the request's own
 * connection. `fetch` rejects with a TypeError for every failure of the network, but a mistake of the caller's is a
 * TypeError, too.
 * @type {(error: any, isOwn: (error: any) => boolean) => number}
 */
export function failureOf(error, isOwn) {
  return highestClass(error, (each) => {
    const { code, syscall, name, message } = each;
    const known = failureClass(each, `${code} ${name}: ${message}`);
    // These calls come before the first byte of a request.
    const early =
      known < HOPELESS &&
      (UNPROCESSED_CODES.test(code) || /^(connect|getaddrinfo)$/.test(syscall) || UNPROCESSED_TEXTS.test(message));
    return early ? (isOwn(each) ? UNPROCESSED : NETWORK) : known;
  });
}

/**
 * Returns whether an error is about a connection to this address, of a `fixed` request, which cannot be redirected, or
 * of another one. A redirect, a proxy or a body's own source fail with the same codes.
 * @type {(error: any, url: URL, fixed: boolean) => boolean}
 */
export function isAt(error, url, fixed) {
  // undici names the address of a connection that timed out in the message alone.
  const [, name = error.hostname ?? error.host, port = error.port] =
    /\(attempted address: (.*):(\d+),/.exec(error.message) ?? [];
  const { address } = error;
  const own = url.hostname.replace(/^\[|\]$/g, '');
  if (port !== undefined && `${port}` !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  if (name !== undefined) return name === own;
  // The address of a socket says nothing about a name; but without redirects there is only one host.
  return fixed || address === own || (own === 'localhost' && /^(127\.|::1$)/.test(address));
}
