// @ts-check
// Responses after their attempt: discarded ones release their connection, returned ones stay abortable.

import { abortAttempt } from '../run/attempt.js';
import { reasonOf } from '../run/cancellation.js';
import { follow, unfollow } from '../run/signals.js';

/**
 * Cancels a response's body, or the source of a request's. It does not wait, because the promise of
 * `cancel` may never settle, for one if the response was cloned and the clone is not read.
 * @param {any} response
 * @param {unknown} [reason]
 */
export function discard(response, reason) {
  try {
    const { body } = response;
    // A locked body belongs to its reader.
    if (!body || body.locked) return;
    if (typeof body.cancel === 'function') Promise.resolve(body.cancel(reason)).then(undefined, ignore);
    // node-fetch's bodies are streams of Node.
    else if (typeof body.destroy === 'function') body.destroy();
  } catch {
    // A response that cannot be cancelled must not fail the operation.
  }
}

function ignore() {}

/**
 * Keeps a returned response abortable. Lives as long as the response or its body.
 * @typedef {object} Link
 * @property {import('../run/attempt.js').Attempt} attempt whose signal the inner fetch has
 * @property {unknown} request some engines forget the signal with the request
 */

/** @type {WeakMap<object, Link>} */
const links = new WeakMap();

/** Aborts a link while it lives, without keeping it alive. */
class WeakFollower {
  /**
   * @param {Link} link
   * @param {AbortSignal} signal
   */
  constructor(link, signal) {
    // workerd has no WeakRef at older compatibility dates; its signals do not outlive their request.
    this.link = typeof WeakRef === 'function' ? new WeakRef(link) : { deref: () => link };
    this.signal = signal;
  }

  /** @param {AbortSignal} signal */
  abort(signal) {
    unfollow(signal, this);
    const link = this.link.deref();
    if (link !== undefined) abortAttempt(link.attempt, reasonOf(signal));
  }
}

/** @type {FinalizationRegistry<WeakFollower> | undefined} made at the first use */
let forgotten;

/**
 * Passes the abort of the caller's signals on to the body of a response that was returned. No event
 * marks the end of a body, so the listener stays until the responses were collected; it does not
 * keep them alive. Without signals, it keeps alive what the body's own abort goes through.
 * @param {any} response
 * @param {Link} link
 * @param {AbortSignal[]} signals
 */
export function keepAbortable(response, link, signals) {
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
  if (typeof FinalizationRegistry === 'function')
    forgotten ??= new FinalizationRegistry((follower) => unfollow(follower.signal, follower));
  for (const signal of signals) {
    const follower = new WeakFollower(link, signal);
    follow(signal, follower);
    forgotten?.register(link, follower);
  }
}
