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
    if (body && !body.locked && typeof body.cancel === 'function') Promise.resolve(body.cancel()).then(undefined, ignore);
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

/** @type {FinalizationRegistry<() => void> | undefined} made at the first use */
let forgotten;

/**
 * Passes the abort of the caller's signals on to the body of a response that was returned. Nothing
 * tells when a body ends, so the listeners remain until the response was collected; they do not
 * keep it alive. Without signals, it keeps alive what the body's own abort goes through.
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
  const weak = typeof WeakRef === 'function' ? new WeakRef(link) : { deref: () => link };
  const stop = () => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  };
  const onAbort = (/** @type {Event} */ event) => {
    stop();
    const held = weak.deref();
    if (held !== undefined) abortAttempt(held.attempt, reasonOf(/** @type {AbortSignal} */ (event.target)));
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  if (typeof FinalizationRegistry !== 'function') return;
  forgotten ??= new FinalizationRegistry((stop) => stop());
  forgotten.register(link, stop);
}
