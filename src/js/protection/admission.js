// @ts-check
// One attempt that protection lets pass: the numbers that the breaker gave it, and what its end tells each part.

import { drawBeside } from '../run/decision.js';
import { reportFailure } from '../run/hooks.js';
import { now } from '../run/timer.js';
import { FAILURE, NOTHING, SUCCESS } from './machines.js';
import { verdictOf } from './verdict.js';

/** @typedef {import('../run/steps.js').Operation} Operation */

const DEFAULT_MAX_RETRY_AFTER_MS = 60_000;

export class Admission {
  #state;
  /** Whether the attempt was let pass and its end was not reported yet. */
  pending;
  /** The breaker's ticket. */
  ticket;
  verdict = NOTHING;
  /** Whether the failure asked to come less often. */
  throttled = false;
  /** The end of the cooldown that the failure set: its operation waits as the server asked it to. */
  ownUntil = -Infinity;
  /** @type {import('../run/guard.js').RecordFields | undefined} */
  fields = undefined;
  /** Follows a failure as well: the round that the attempt belongs to. @type {(() => void) | undefined} */
  onFailure = undefined;

  /**
   * @param {import('./state.js').State} state
   * @param {number} [pass] the breaker's ticket, if the attempt has passed
   */
  constructor(state, pass) {
    this.#state = state;
    this.pending = pass !== undefined;
    this.ticket = pass ?? 0;
  }

  /** Forgets the last attempt. */
  reset() {
    this.fields = undefined;
    this.throttled = false;
    this.ownUntil = -Infinity;
  }

  /**
   * Asks the breaker. Returns 0, or the time in ms until asking again makes sense.
   * @param {number} time
   * @param {boolean} first whether it is the first attempt of its operation
   */
  admit(time, first) {
    const answer = this.#state.breaker?.admit(time, first) ?? -1;
    this.ticket = -answer;
    this.pending = answer < 0;
    return Math.max(answer, 0);
  }

  /** @param {Operation} operation */
  failed(operation) {
    this.onFailure?.();
    if (/** @type {number} */ (operation.hintMs) >= 0)
      this.throttle(operation, /** @type {number} */ (operation.hintMs));
  }

  /** @param {Operation} operation @param {number} hintMs */
  throttle({ settings, endedAt, outcome, failed }, hintMs) {
    const { cooldown } = this.#state;
    this.throttled = true;
    if (cooldown === undefined || !(hintMs > 0)) return;
    const time = /** @type {number} */ (endedAt);
    if (cooldown.start(time, atMost(settings, hintMs), failed ? outcome : undefined)) this.ownUntil = cooldown.until;
  }

  /** @param {Operation} operation @param {boolean} again */
  ended(operation, again) {
    const facts = operation.task?.facts;
    if (facts?.response !== undefined) {
      const { status } = facts.response;
      const verdict = verdictOf(status);
      const hintMs = verdict === FAILURE && this.#state.breaker !== undefined ? facts.hintMs : NaN;
      this.#tell(operation, verdict, hintMs, status);
    } else if (facts?.failed) {
      this.#tell(operation, FAILURE);
    } else if (again && !facts?.preparing) {
      // Who asks to come later works.
      this.#tell(operation, this.throttled ? NOTHING : FAILURE);
    } else {
      this.#tell(operation, operation.failed ? NOTHING : SUCCESS);
    }
  }

  /**
   * Passes on the verdict on an attempt that ends with its operation, or because another attempt has ended that.
   * @param {Operation} operation
   * @param {string} reason
   */
  close(operation, reason) {
    if (!this.pending) return;
    // The deadline ended a first attempt, or a signal that is one: unless it was held, it had all the time there was.
    const late =
      operation.attempts === 1 &&
      operation.endedAt === undefined &&
      this.fields === undefined &&
      (reason === 'timeout' ||
        (reason === 'aborted' && this.#state.breaker?.isNewTimeout(operation.limits.reason) === true));
    const done = reason === 'success';
    const judged = done || reason === 'permanent';
    const cause = late ? operation.limits.reason : undefined;
    this.#tell(operation, done ? SUCCESS : late ? FAILURE : NOTHING, NaN, undefined, judged, cause);
  }

  /**
   * Passes on the verdict on the attempt, once.
   * @param {Operation} operation
   * @param {number} verdict
   * @param {number} [hintMs] time that the server asked for; NaN for none
   * @param {number} [status]
   * @param {boolean} [judged] whether the caller's function is called
   * @param {unknown} [cause] the failure
   */
  #tell(
    operation,
    verdict,
    hintMs = NaN,
    status,
    judged = true,
    cause = operation.failed ? operation.outcome : undefined,
  ) {
    const { breaker, hedge } = this.#state;
    this.pending = false;
    this.verdict = verdict;
    hedge?.follow(operation, verdict === SUCCESS || this.fields?.superseded === true);
    if (breaker === undefined) return;
    const { settings, failed, outcome } = operation;
    if (judged && breaker.isFailure !== undefined)
      verdict = breaker.judge(verdict, {
        [failed ? 'error' : 'result']: outcome,
        ...(status !== undefined && { status }),
        attempt: operation.attempts,
        durationMs: (operation.endedAt ?? now()) - /** @type {number} */ (operation.attemptAt),
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
    breaker.ended(now(), this.ticket, verdict, atMost(settings, hintMs), cause, draw);
  }
}

/**
 * No hint is followed further than the policy says.
 * @param {import('../options/settings.js').Settings} settings
 * @param {number} hintMs
 */
export function atMost({ maxRetryAfterMs }, hintMs) {
  return Math.min(hintMs, maxRetryAfterMs >= 0 ? maxRetryAfterMs : DEFAULT_MAX_RETRY_AFTER_MS);
}

/**
 * Returns what the core answers. Without a core nothing is retried, and any answer will do.
 * @param {() => number} ask
 * @param {number} otherwise
 */
export function fromCore(ask, otherwise) {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}

/** Returns a draw. Throws the errors of random(). @param {Operation} operation */
export function drawFor(operation) {
  const { settings, attempts } = operation;
  const draw = () => drawBeside(settings, operation, attempts);
  return settings.random === undefined ? fromCore(draw, 0.5) : draw();
}
