// @ts-check
// The gate keeps the numbers of one operation that protection needs. The driver calls it (options/seam.js, Gate):
// before each attempt, when one has ended, before a wait, and at the end.

import { now } from '../run/timer.js';
import { Admission } from './admission.js';
import { SUCCESS } from './machines.js';
import { rejectedBy, warnOfLayers } from './rejected.js';

/** @typedef {import('./state.js').State} State */

/** The admission of the operation's present attempt, and what concerns all of them. */
export class Gate extends Admission {
  #state;
  /** Tokens that the last retry took, and its number. */
  #taken = 0;
  #takenFor = 0;
  /** Time when the present hold began. @type {number | undefined} */
  #heldAt;
  /** All holds of the attempt, without their draws. */
  #planned = 0;
  /** Rounds of the operation, if it may have hedges. @type {import('./round.js').Race | undefined} */
  race;
  /** Number of hedges so far. */
  hedges = 0;
  /** When asking again makes sense, for the report of a rejection. @type {{ retryAfterMs: number } | undefined} */
  refusal;

  /**
   * @param {State} state
   * @param {number} [pass] of a first attempt that passed
   */
  constructor(state, pass) {
    super(state, pass);
    this.#state = state;
  }

  /**
   * @param {any} operation
   * @param {number} hold
   * @param {number} round
   */
  enter(operation, hold, round) {
    const state = this.#state;
    const { breaker, cooldown } = state;
    const time = operation.attemptAt ?? operation.startedAt;
    if (this.#heldAt !== undefined) {
      this.#release(time);
    } else {
      this.#planned = 0;
      this.held = undefined;
      this.throttled = false;
      this.ownUntil = -Infinity;
    }

    const openMs = breaker?.look(time) ?? 0;
    if (openMs > 0) return this.#refuse(operation, 'breaker', openMs);

    const leftMs = cooldown?.left(time) ?? 0;
    if (leftMs > 0) {
      this.#planned += leftMs;
      if (!cooldown.mayHold(this.#planned)) return this.#refuse(operation, 'cooldown', leftMs);
      const ms = cooldown.holdMs(time, operation);
      // random() may have aborted.
      if (operation.limits.aborted) return 'aborted';
      if (misses(operation, ms, time)) return this.#refuse(operation, 'cooldown', leftMs);
      cooldown.held++;
      this.#heldAt = time;
      operation.pending = ms;
      state.tell('held', { holdMs: ms });
      return hold;
    }

    // Last, so that an attempt which waits never holds the place of a probe.
    const waitMs = this.admit(time);
    if (waitMs > 0) return this.#refuse(operation, 'breaker', waitMs);
    // onEvent may have aborted.
    return operation.limits.aborted ? 'aborted' : this.race?.begin(operation, round);
  }

  /**
   * @param {any} operation
   * @param {number} delayMs
   */
  retry(operation, delayMs) {
    const state = this.#state;
    const { budget, breaker, cooldown } = state;
    const time = now();
    let waitMs = delayMs;
    const leftMs = cooldown?.left(time) ?? 0;
    if (leftMs > 0 && cooldown.until !== this.ownUntil) {
      waitMs = Math.max(delayMs, cooldown.holdMs(time, operation));
      if (operation.limits.aborted) return 'aborted';
      if (waitMs > delayMs && misses(operation, waitMs, time)) return this.#refuse(operation, 'cooldown', leftMs);
    }
    const openMs = breaker?.look(time) ?? 0;
    if (openMs > waitMs) return this.#refuse(operation, 'breaker', openMs);
    if (budget !== undefined) {
      const taken = budget.take(this.throttled, state);
      if (taken < 0) {
        state.tell('refused', { by: 'budget' });
        return 'budget';
      }
      this.#taken = taken;
      this.#takenFor = operation.attempts + 1;
    }
    return waitMs;
  }

  /**
   * @param {any} operation
   * @param {string} reason
   */
  settle(operation, reason) {
    const { budget, cooldown, hedge } = this.#state;
    if (this.#heldAt !== undefined) {
      this.#release(this.#heldAt);
      // Timers were late: when the hold began, it was to end before the deadline.
      if (reason === 'timeout' || reason === 'deadline')
        reason = this.#refuse(operation, 'cooldown', cooldown.left(now()));
    }
    reason = this.race?.settle(operation, reason) ?? reason;
    this.close(operation, reason);
    if (reason === 'notRetryable') warnOfLayers(operation.outcome, this.#state);
    const used = this.#takenFor <= operation.attempts;
    if (reason === 'success') {
      if (this.verdict === SUCCESS) {
        budget?.succeeded(used ? this.#taken : 0, this.#state);
        hedge?.succeeded();
      }
    } else if (this.#taken > 0 && !used) {
      budget.putBack(this.#taken, this.#state);
    }
    return reason;
  }

  /**
   * Ends the present hold.
   * @param {number} time
   */
  #release(time) {
    this.held = { heldMs: (this.held?.heldMs ?? 0) + time - /** @type {number} */ (this.#heldAt) };
    this.#heldAt = undefined;
    this.#state.cooldown.held--;
  }

  /**
   * Rejects an attempt. The operation ends with its own last outcome; before the first attempt, with a RejectedError.
   * @param {any} operation
   * @param {'breaker' | 'cooldown'} by
   * @param {number} retryAfterMs
   */
  #refuse(operation, by, retryAfterMs) {
    const part = this.#state[by];
    part.refused++;
    this.refusal = { retryAfterMs };
    if (operation.attempts === 0) {
      operation.failed = true;
      operation.outcome = rejectedBy(by, retryAfterMs, part.cause, this.#state);
      // Without our own frames, the caller's is among the first ten.
      /** @type {any} */ (Error).captureStackTrace?.(operation.outcome, operation.next);
    }
    this.#state.tell('refused', { by, retryAfterMs });
    return by;
  }
}

/**
 * Returns whether a wait would end at or after the deadline, as timers are armed.
 * @param {any} operation
 * @param {number} ms
 * @param {number} time
 */
function misses({ limits }, ms, time) {
  return Math.ceil(ms) + 1 > limits.deadlineAt - time;
}
