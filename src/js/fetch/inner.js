// @ts-check
// The global fetch, which may be one of ours: apps assign `globalThis.fetch = createFetch()`.

import { failure } from '../options/messages.js';

const ours = new WeakSet();

/** The last global fetch that was not ours. @type {Function | undefined} */
let theirs;

/**
 * Marks a fetch as ours.
 * @template {Function} T
 * @param {T} fetch
 */
export function remember(fetch) {
  look();
  ours.add(fetch);
  return fetch;
}

function look() {
  const { fetch } = globalThis;
  if (!ours.has(fetch)) theirs = fetch;
}

/** Returns what sends a request: the global fetch, or the one that ours has replaced. */
export function globalFetch() {
  look();
  if (theirs === undefined) throw failure(TypeError, 'no global fetch; pass one to createFetch(options, fetch)');
  return theirs;
}
