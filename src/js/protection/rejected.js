// The errors of protection: of an operation that it rejected before its first attempt or after an answer, and of an
// attempt that another one made needless.

import { messageOf } from '../options/messages.js';
import { warnOnce } from '../options/warnings.js';
import { markRejected } from '../run/directives.js';
import { hide } from '../run/report.js';

/** The states that rejected, to tell a layer within itself. @type {WeakMap<object, object>} */
export const rejecters = new WeakMap();

/** @typedef {'breaker' | 'cooldown' | 'limiter'} By */

export class RejectedError extends Error {
  name = 'RejectedError';

  /** @param {By} by @param {number} retryAfterMs @param {unknown} [cause] @param {string} [key] */
  constructor(by, retryAfterMs, cause, key) {
    const which = `${by === 'breaker' ? 'circuit' : by}${key === undefined ? '' : ` (${key})`}`;
    const is = { breaker: 'open', cooldown: 'on', limiter: 'full' }[by];
    // A circuit that was opened by hand has no end of its own, nor has a limiter that was drained.
    const time = retryAfterMs === Infinity ? '' : ` for another ${Math.ceil(retryAfterMs / 100) / 10} s`;
    const because = messageOf(cause, '');
    super(`rejitter: the ${which} is ${is}${time}${because && `; last failure: ${because}`}`);
    this.by = by;
    if (key !== undefined) this.key = key;
    this.retryAfterMs = retryAfterMs;
    hide(this, 'cause', cause);
    markRejected(this);
  }
}

/** Reason with which the signal of an attempt is aborted when the other one of its round has ended the operation. */
export class SupersededError extends Error {
  name = 'SupersededError';
}

/** Warns of an operation within another one with the same state. @type {(error: any, state: object) => void} */
export function warnOfLayers(error, state) {
  if (rejecters.get(error) === state)
    warnOnce(
      'layers',
      'rejitter: two layers share one Protection, so each attempt counts twice. Give it to one of them.',
    );
}
