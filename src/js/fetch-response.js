// @ts-check
// What becomes of responses: those that are discarded let go of their connection, those that are
// returned stay abortable.

import { abortAttempt } from './attempt.js';
import { reasonOf } from './interruption.js';

/**
 * Lets go of a response's connection. Not waited for: the promise of `cancel` may never settle,
 * for one when the response was cloned and the clone is not read.
 * @param {any} response
 */
export function discard(response) {
  try {
    const { body } = response;
    // A locked body belongs to whoever reads it.
    if (!body || body.locked) return;
    if (typeof body.cancel === 'function') Promise.resolve(body.cancel()).then(undefined, ignore);
    // node-fetch's bodies are streams of Node.
    else if (typeof body.destroy === 'function') body.destroy();
  } catch {
    // A response that cannot be let go of is no reason to fail.
  }
}

function ignore() {}

/**
 * What keeps a returned response abortable. It lives as long as the response or its body.
 * @typedef {object} Link
 * @property {import('./attempt.js').Attempt} attempt whose signal the inner fetch has
 * @property {unknown} request some engines forget the signal with the request
 */

/** @type {WeakMap<object, Link>} */
const links = new WeakMap();

/**
 * Per signal of a caller's, what its abort is passed on to, by one listener: an app's one signal may
 * have seen thousands of responses that are not collected yet.
 * @type {WeakMap<AbortSignal, { followers: Set<Weak>, listener: () => void }>}
 */
const watched = new WeakMap();

/** @typedef {{ deref: () => Link | undefined }} Weak */

/** @type {FinalizationRegistry<{ weak: Weak, signals: AbortSignal[] }> | undefined} made at the first use */
let forgotten;

/**
 * Passes the abort of the caller's signals on to the body of a response that was returned. Nothing
 * tells when a body ends, so a signal is listened to until its responses were collected; it does not
 * keep them alive. Without signals, it keeps alive what the body's own abort goes through.
 * @param {any} response
 * @param {Link} link
 * @param {AbortSignal[]} signals
 */
export function follow(response, link, signals) {
  const body = response?.body;
  if (!body) return;
  links.set(response, link);
  links.set(body, link);
  if (signals.length === 0) return;
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted !== undefined) {
    abortAttempt(link.attempt, reasonOf(aborted));
    return;
  }
  // workerd has neither at older compatibility dates; its signals do not outlive their request.
  /** @type {Weak} */
  const weak = typeof WeakRef === 'function' ? new WeakRef(link) : { deref: () => link };
  for (const signal of signals) watch(signal, weak);
  if (typeof FinalizationRegistry !== 'function') return;
  forgotten ??= new FinalizationRegistry(forget);
  forgotten.register(link, { weak, signals });
}

/**
 * @param {AbortSignal} signal
 * @param {Weak} weak
 */
function watch(signal, weak) {
  const known = watched.get(signal);
  if (known !== undefined) {
    known.followers.add(weak);
    return;
  }
  const followers = new Set([weak]);
  const listener = () => {
    unwatch(signal);
    for (const weak of followers) {
      const link = weak.deref();
      if (link !== undefined) abortAttempt(link.attempt, reasonOf(signal));
    }
  };
  watched.set(signal, { followers, listener });
  signal.addEventListener('abort', listener);
}

/** @param {AbortSignal} signal */
function unwatch(signal) {
  const known = watched.get(signal);
  if (known === undefined) return;
  signal.removeEventListener('abort', known.listener);
  watched.delete(signal);
}

/** @param {{ weak: Weak, signals: AbortSignal[] }} held */
function forget({ weak, signals }) {
  for (const signal of signals) {
    const followers = watched.get(signal)?.followers;
    followers?.delete(weak);
    if (followers?.size === 0) unwatch(signal);
  }
}
