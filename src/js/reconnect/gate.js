// One attempt as protection knows it: an operation of one attempt, which succeeds when the connection is open.

import { now } from '../run/timer.js';

/** @import { Settings } from '../options/settings.js' */
/** @import { Guarded, GuardedLimits, GuardedRun } from '../protection/guard.js' */
/** @import { State } from '../protection/state.js' */

/** The keeper ends what waits. */
const UNLIMITED = /** @type {GuardedLimits} */ ({ __proto__: null, deadlineAt: Infinity });

/** The index is that of the outage. @param {Settings} settings @param {State} protection @param {number} index */
export function gateOf(settings, protection, index) {
  const op = /** @type {Guarded} */ ({ settings, index, attempts: 0, limits: UNLIMITED });
  const run = /** @type {GuardedRun} */ ({ __proto__: null, op, limits: UNLIMITED, number: 0 });
  op.run = run;
  const guard = protection.use().guard(op);
  /** Follows the end of the attempt, once. @param {string} reason */
  const close = (reason) => {
    if (run.endedAt !== undefined) return;
    run.endedAt = now();
    guard.settle(op, reason);
  };
  return {
    /** Asks for the attempt. Returns what to do. */
    enter() {
      const answer = guard.enter(op, now());
      if (answer.do === 'begin') {
        op.attempts = run.number = 1;
        run.admission = answer.admission;
      }
      run.startedAt = now();
      if (answer.do === 'stop') close(answer.reason);
      return answer;
    },
    close,
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
