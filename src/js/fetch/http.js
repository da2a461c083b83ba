// The rules of HTTP that retries need: methods, and failures of the network; those for statuses are in
// failures/transient.js. core/http of the crate has the same rules for methods and statuses for Rust programs; tests
// hold the two to one table.

import { HOPELESS, NETWORK, UNKNOWN, UNPROCESSED, failureClass, highestClass } from '../failures/classes.js';
import { mayBeOfNetwork } from '../failures/network.js';
import { UNPROCESSED_TEXTS } from '../failures/words.js';

/** Returns whether a method, in upper case, is idempotent (RFC 9110, 9.2.2, and QUERY). @param {string} method */
export function isIdempotent(method) {
  return /^(GET|HEAD|OPTIONS|TRACE|QUERY|PUT|DELETE)$/.test(method);
}

/** Returns whether a method only asks (RFC 9110, 9.2.1, and QUERY). @param {string} method in upper case */
export function isSafe(method) {
  return isIdempotent(method) && !/^(PUT|DELETE)$/.test(method);
}

/**
 * Classifies what a fetch failed with, by the error and its causes: `isOwn` tells those of the request's own
 * connection. Whatever is unknown is a failure of the network, unless `isDirected`: then the caller's own fetch has
 * said what to do.
 * @type {(error: any, isOwn: (error: any) => boolean, isDirected: boolean) => number}
 */
export function failureOf(error, isOwn, isDirected) {
  const known = highestClass(error, (each) => {
    const text = `${each.code} ${each.name}: ${each.message}`;
    const known = failureClass(each, text);
    if (known === HOPELESS || !UNPROCESSED_TEXTS.test(`${text}\n${each.syscall}`)) return known;
    return isOwn(each) ? UNPROCESSED : NETWORK;
  });
  return known === UNKNOWN && !isDirected && mayBeOfNetwork(error) ? NETWORK : known;
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
