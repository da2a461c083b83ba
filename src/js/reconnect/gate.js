// @ts-check
// One attempt as protection knows it: an operation of one attempt, which succeeds when the connection is open.

import { Operation } from '../run/operation.js';
import { now } from '../run/timer.js';

/** The keeper ends what waits. */
const UNLIMITED = /** @type {any} */ ({ deadlineAt: Infinity });

/**
 * @param {any} settings
 * @param {import('../run/contracts.js').Protection} protection
 * @param {number} index of the outage
 */
export function gateOf(settings, protection, index) {
  const op = new Operation(settings, () => {}, index, UNLIMITED, now());
  const guard = protection.use().guard(op, /** @type {any} */ (undefined));
  // Two connections at a time are never made.
  guard.rounds = undefined;
  return {
    /** Asks for the attempt. Returns how long to hold it, or the error of its rejection. */
    enter() {
      const answer = guard.enter(op, now());
      const { admission } = answer;
      Object.assign(op, { admission, attempts: admission ? 1 : 0, attemptAt: now() });
      return /** @type {{ waitMs?: number, error?: any }} */ (answer);
    },
    /** Follows the end of the attempt, once. @param {'success' | 'aborted'} reason */
    close(reason) {
      if (op.endedAt !== undefined) return;
      op.endedAt = now();
      guard.settle(op, reason);
    },
    /** The same, of a failure. @param {unknown} outcome @param {number | undefined} hintMs @param {boolean} again */
    failed(outcome, hintMs, again) {
      if (op.endedAt !== undefined) return;
      Object.assign(op, { failed: true, outcome, endedAt: now() });
      op.admission?.throttle(op, hintMs);
      op.admission?.ended(op, again);
    },
  };
}
