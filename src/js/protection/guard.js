// @ts-check
// The guard of one operation keeps the numbers that protection needs. The driver calls it (run/guard.js): before each
// attempt, when one has ended, before a wait, and at the end.

import { now } from '../run/timer.js';
import { Admission } from './admission.js';
import { SUCCESS } from './machines.js';
import { rejectedBy, warnOfLayers } from './rejected.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('../run/steps.js').Operation} Operation */
/** @typedef {import('../run/guard.js').Answer} Answer */

export class Guard {
  /** The admission of the present attempt. */
  admission;
  #state;
  /** Tokens that the last retry took, and its number. */
  #taken = 0;
  #takenFor = 0;
  /** Time when the present hold began. @type {number | undefined} */
  #heldAt = undefined;
  /** Rounds of the operation, if it may have hedges. @type {import('./rounds.js').Rounds | undefined} */
  rounds = undefined;
  /** Number of hedges so far. */
  hedges = 0;
  /** When asking again makes sense, for the report of a rejection. @type {{ retryAfterMs: number } | undefined} */
  rejection = undefined;

  /** @param {State} state @param {number} [pass] the breaker's ticket of a first attempt that passed */
  constructor(state, pass) {
    this.#state = state;
    this.admission = new Admission(state, pass);
  }

  /** @param {Operation} operation @param {number} time now */
  enter(operation, time) {
    const answer = this.#enter(operation, time);
    // Without our own frames, the caller's is among the first ten.
    if (answer?.error !== undefined) /** @type {any} */ (Error).captureStackTrace?.(answer.error, this.enter);
    return answer;
  }

  /** @param {Operation} operation @param {number} time now @returns {Answer | undefined} */
  #enter(operation, time) {
    const state = this.#state;
    const { breaker, cooldown } = state;
    if (this.#heldAt !== undefined) {
      this.#release(time);
    } else {
      this.admission.reset();
    }

    const openMs = breaker?.look(time) ?? 0;
    if (openMs > 0) return this.#reject(operation, 'breaker', openMs);

    const leftMs = cooldown?.left(time) ?? 0;
    if (cooldown !== undefined && leftMs > 0) {
      if (!cooldown.mayHold(leftMs, operation.settings)) return this.#reject(operation, 'cooldown', leftMs);
      const waitMs = cooldown.holdMs(time, operation);
      // random() may have aborted.
      if (operation.limits.aborted) return ABORTED;
      if (misses(operation, waitMs, time)) return this.#reject(operation, 'cooldown', leftMs);
      cooldown.held++;
      this.#heldAt = time;
      state.tell('held', { holdMs: waitMs });
      return { waitMs };
    }

    // Last, so that an attempt which waits never holds the place of a probe.
    const waitMs = this.admission.admit(time, operation.attempts === 0);
    if (waitMs > 0) return this.#reject(operation, 'breaker', waitMs);
    // onEvent may have aborted.
    return operation.limits.aborted ? ABORTED : undefined;
  }

  /** @param {Operation} operation @param {number} delayMs @returns {Answer} */
  retry(operation, delayMs) {
    const state = this.#state;
    const { budget, breaker, cooldown } = state;
    const time = now();
    let waitMs = delayMs;
    const leftMs = cooldown?.left(time) ?? 0;
    if (cooldown !== undefined && leftMs > 0 && cooldown.until !== this.admission.ownUntil) {
      waitMs = Math.max(delayMs, cooldown.holdMs(time, operation));
      if (operation.limits.aborted) return ABORTED;
      if (waitMs > delayMs && misses(operation, waitMs, time)) return this.#reject(operation, 'cooldown', leftMs);
    }
    const openMs = breaker?.look(time) ?? 0;
    if (openMs > waitMs) return this.#reject(operation, 'breaker', openMs);
    if (budget !== undefined) {
      const taken = budget.take(this.admission.throttled);
      if (taken < 0) {
        state.tell('rejected', { by: 'budget' });
        return { stop: 'budget' };
      }
      this.#taken = taken;
      this.#takenFor = operation.attempts + 1;
    }
    return { waitMs };
  }

  /** @param {Operation} operation @param {string} stop @returns {Answer} */
  settle(operation, stop) {
    const { budget, cooldown, hedge } = this.#state;
    /** @type {Answer} */
    let answer = { stop };
    if (cooldown !== undefined && this.#heldAt !== undefined) {
      this.#release(this.#heldAt);
      // Timers were late: when the hold began, it was to end before the deadline.
      if (stop === 'timeout' || stop === 'deadline') answer = this.#reject(operation, 'cooldown', cooldown.left(now()));
    }
    if (this.rounds !== undefined) answer.stop = this.rounds.settle(/** @type {string} */ (answer.stop));
    const reason = /** @type {string} */ (answer.stop);
    this.admission.close(operation, reason);
    if (reason === 'notRetryable') warnOfLayers(operation.outcome, this.#state);
    const used = this.#takenFor <= operation.attempts;
    if (reason === 'success') {
      if (this.admission.verdict === SUCCESS) {
        budget?.succeeded(used ? this.#taken : 0);
        hedge?.succeeded();
      }
    } else if (this.#taken > 0 && !used) {
      budget?.putBack(this.#taken);
    }
    return answer;
  }

  /** Ends the present hold. @param {number} time */
  #release(time) {
    this.admission.fields = {
      heldMs: (this.admission.fields?.heldMs ?? 0) + time - /** @type {number} */ (this.#heldAt),
    };
    this.#heldAt = undefined;
    if (this.#state.cooldown !== undefined) this.#state.cooldown.held--;
  }

  /**
   * Rejects an attempt. The operation ends with its own last outcome; before the first attempt, with a RejectedError.
   * @param {Operation} operation
   * @param {'breaker' | 'cooldown'} by
   * @param {number} retryAfterMs
   * @returns {Answer}
   */
  #reject({ attempts }, by, retryAfterMs) {
    const part = /** @type {{ rejected: number, cause: unknown }} */ (this.#state[by]);
    part.rejected++;
    this.rejection = { retryAfterMs };
    const error = attempts === 0 ? rejectedBy(by, retryAfterMs, part.cause, this.#state) : undefined;
    this.#state.tell('rejected', { by, retryAfterMs });
    return { stop: by, error };
  }
}

const ABORTED = { stop: 'aborted' };

/**
 * Returns whether a wait would end at or after the deadline, as timers are armed.
 * @param {Operation} operation
 * @param {number} ms
 * @param {number} time
 */
function misses({ limits }, ms, time) {
  return Math.ceil(ms) + 1 > limits.deadlineAt - time;
}
