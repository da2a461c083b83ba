// One attempt as protection knows it: an operation of one attempt, which succeeds when the connection is open.

import { Operation } from '../run/operation.js';
import { now } from '../run/timer.js';

/** @import { State } from '../protection/state.js' */

/** The keeper ends what waits. */
const UNLIMITED = /** @type {any} */ ({ __proto__: null, deadlineAt: Infinity });

/** The index is that of the outage. @param {any} settings @param {State} protection @param {number} index */
export function gateOf(settings, protection, index) {
  const op = new Operation(settings, () => {}, index, UNLIMITED, now());
  const { run } = op;
  const guard = protection.use().guard(op, /** @type {any} */ (undefined));
  // Two connections at a time are never made.
  guard.rounds = undefined;
  return {
    /** Asks for the attempt. Returns what to do. */
    enter() {
      const answer = guard.enter(op, now());
      const begins = answer.do === 'begin';
      op.attempts = run.number = begins ? 1 : 0;
      if (begins) run.admission = answer.admission;
      run.startedAt = now();
      if (answer.do === 'stop') guard.settle(op, answer.reason);
      return answer;
    },
    /** Follows the end of the attempt, once. @param {'success' | 'aborted'} reason */
    close(reason) {
      if (run.endedAt !== undefined) return;
      run.endedAt = now();
      guard.settle(op, reason);
    },
    /** The same, of a failure. @param {unknown} outcome @param {number | undefined} hintMs @param {boolean} again */
    failed(outcome, hintMs, again) {
      if (run.endedAt !== undefined) return;
      Object.assign(run, { failed: true, outcome, endedAt: now() });
      run.admission?.throttle(run, hintMs);
      run.admission?.classified(run, again);
    },
    /** Follows the wait that retryIf found in a failure. @param {number | undefined} hintMs */
    hinted(hintMs) {
      if (run.admission?.throttled) run.admission.throttle(run, hintMs, now());
    },
  };
}
