// @ts-check
// The gate keeps the numbers of one operation that protection needs. The driver calls it (options/settings.js, Gate):
// before each attempt, when one has ended, before a wait, and at the end.

import { CUSTOM, DEFAULT_CAP_MS, TRUNCATED } from '../options/codes.js';
import { drawBeside } from '../run/decision.js';
import { reportFailure } from '../run/hooks.js';
import { now } from '../run/timer.js';
import { FAILURE, NOTHING, SUCCESS } from './machines.js';
import { rejectedBy, warnOfLayers } from './rejected.js';
import { verdictOf } from './verdict.js';

/** @typedef {import('./state.js').State} State */

const DEFAULT_BASE_MS = 100;
const DEFAULT_MAX_RETRY_AFTER_MS = 60_000;
const DEFAULT_TRUNCATE_AT = 10;

export class Gate {
  #state;
  /** Whether an attempt was let pass whose end was not reported yet. */
  pending;
  /** The numbers that the breaker gave the attempt. @type {import('./breaker.js').Admitted} */
  admitted;
  /** The verdict on the last attempt. */
  verdict = NOTHING;
  /** Whether the last failure asked to come less often. */
  throttled = false;
  /** The end of the cooldown that the last failure set: this operation waits as the server asked it to. */
  ownUntil = NaN;
  /** Tokens that the last retry took, and its number. */
  #taken = 0;
  #takenFor = 0;
  /** Time when the present hold began. @type {number | undefined} */
  #heldAt = undefined;
  /** All holds of the attempt, without their draws. */
  #planned = 0;
  /**
   * Fields that the attempt's record has in addition.
   * @type {{ heldMs?: number, hedge?: true, superseded?: true } | undefined}
   */
  held = undefined;
  /** Rounds of the operation, if it may have hedges. @type {import('./round.js').Race | undefined} */
  race = undefined;
  /** Number of hedges so far. */
  hedges = 0;
  /** When asking again makes sense, for the report of a rejection. @type {{ retryAfterMs: number } | undefined} */
  refusal = undefined;

  /**
   * @param {State} state
   * @param {number} [pass] of a first attempt that passed
   */
  constructor(state, pass) {
    this.#state = state;
    this.pending = pass !== undefined;
    this.admitted = { generation: pass ?? 0, lease: 0 };
  }

  /**
   * @param {any} operation
   * @param {number} hold
   */
  enter(operation, hold) {
    const state = this.#state;
    const { breaker, cooldown } = state;
    const time = operation.attemptAt ?? operation.startedAt;
    if (this.#heldAt !== undefined) {
      this.#release(time);
    } else {
      this.#planned = 0;
      this.held = undefined;
    }

    const openMs = breaker?.look(time) ?? 0;
    if (openMs > 0) return this.#refuse(operation, 'breaker', openMs);

    const leftMs = cooldown?.left(time) ?? 0;
    if (leftMs > 0) {
      this.#planned += leftMs;
      if (!cooldown.mayHold(this.#planned)) return this.#refuse(operation, 'cooldown', leftMs);
      const ms = cooldown.holdMs(time, baseOf(operation.settings), drawFor(operation));
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
    const waitMs = breaker?.admit(time, this.admitted, state) ?? 0;
    if (waitMs > 0) return this.#refuse(operation, 'breaker', waitMs);
    this.pending = true;
    // onEvent may have aborted.
    return operation.limits.aborted ? 'aborted' : undefined;
  }

  /**
   * @param {any} operation
   * @param {number | undefined} hintMs
   */
  heard(operation, hintMs = NaN) {
    const { settings, endedAt, outcome, failed } = operation;
    const { cooldown } = this.#state;
    this.race?.attemptEnded();
    this.throttled = hintMs >= 0;
    this.ownUntil = NaN;
    if (cooldown === undefined || !(hintMs > 0)) return;
    if (cooldown.start(endedAt, atMost(settings, hintMs), failed ? outcome : undefined)) this.ownUntil = cooldown.until;
  }

  /**
   * @param {any} operation
   * @param {boolean} again
   */
  ended(operation, again) {
    const { facts } = operation;
    const { response, failed = false } = facts ?? {};
    if (response !== undefined) {
      const verdict = verdictOf(response.status);
      const hintMs = verdict === FAILURE && this.#state.breaker !== undefined ? facts.hintMs : NaN;
      this.#tell(operation, verdict, hintMs, response.status);
    } else if (failed) {
      this.#tell(operation, FAILURE, NaN);
    } else if (again && !facts?.preparing) {
      // Who asks to come later works.
      this.#tell(operation, this.throttled ? NOTHING : FAILURE, NaN);
    } else {
      this.#tell(operation, operation.failed ? NOTHING : SUCCESS, NaN);
    }
  }

  /**
   * Passes on the verdict on the attempt that has ended, once.
   * @param {any} operation
   * @param {number} verdict
   * @param {number} hintMs time that the server asked for; NaN for none
   * @param {number} [status]
   * @param {boolean} [judged] whether the caller's function is called
   */
  #tell(operation, verdict, hintMs, status, judged = true) {
    const { breaker, hedge } = this.#state;
    this.pending = false;
    this.verdict = verdict;
    hedge?.follow(operation, verdict);
    if (breaker === undefined) return;
    const { settings, failed, outcome } = operation;
    if (judged && breaker.isFailure !== undefined)
      verdict = breaker.judge(verdict, {
        ...(failed ? { error: outcome } : { result: outcome }),
        ...(status !== undefined && { status }),
      });
    const draw = () => {
      try {
        return drawFor(operation);
      } catch (error) {
        // The circuit opens all the same. Where the operation itself needs a draw, this ends it.
        reportFailure(error);
        return 0.5;
      }
    };
    breaker.ended(
      now(),
      this.admitted,
      verdict,
      atMost(settings, hintMs),
      failed ? outcome : undefined,
      draw,
      this.#state,
    );
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
      waitMs = Math.max(delayMs, cooldown.holdMs(time, baseOf(operation.settings), drawFor(operation)));
      if (operation.limits.aborted) return 'aborted';
      if (waitMs > delayMs && misses(operation, waitMs, time)) return this.#refuse(operation, 'cooldown', leftMs);
    }
    const openMs = breaker?.look(time) ?? 0;
    if (openMs > waitMs) return this.#refuse(operation, 'breaker', openMs);
    if (budget !== undefined) {
      this.#taken = budget.take(this.throttled, state);
      if (this.#taken < 0) {
        this.#taken = 0;
        state.tell('refused', { by: 'budget' });
        return 'budget';
      }
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
   * Passes on the verdict on an attempt that ends with the operation.
   * @param {any} operation
   * @param {string} reason
   */
  close(operation, reason) {
    if (!this.pending) return;
    // The deadline ended a first attempt: unless it was held, it had all the time there was.
    const late = reason === 'timeout' && operation.attempts === 1 && this.held === undefined;
    const done = reason === 'success';
    const judged = done || reason === 'permanent';
    this.#tell(operation, done ? SUCCESS : late ? FAILURE : NOTHING, NaN, undefined, judged);
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

/**
 * @param {import('../options/settings.js').Settings} settings
 * @param {number} hintMs
 */
function atMost({ maxRetryAfterMs }, hintMs) {
  return Math.min(hintMs, maxRetryAfterMs >= 0 ? maxRetryAfterMs : DEFAULT_MAX_RETRY_AFTER_MS);
}

/**
 * Returns a draw. Without a core nothing is retried, and any will do.
 * @param {any} operation
 */
function drawFor(operation) {
  const { settings, attempts } = operation;
  if (settings.random !== undefined) return drawBeside(settings, operation, attempts);
  try {
    return drawBeside(settings, operation, attempts);
  } catch {
    return 0.5;
  }
}

/**
 * Returns the base of a policy's waits, as the core fills it in (src/core/policy.rs).
 * @param {import('../options/settings.js').Settings} settings
 */
function baseOf({ baseMs, capMs, backoff, truncateAt }) {
  if (baseMs >= 0) return baseMs;
  const longest = capMs >= 0 ? capMs : backoff === CUSTOM ? Infinity : DEFAULT_CAP_MS;
  if (backoff === TRUNCATED && longest < Infinity)
    return longest / 2 ** ((truncateAt >= 1 ? truncateAt : DEFAULT_TRUNCATE_AT) - 1);
  return Math.min(DEFAULT_BASE_MS, longest);
}
