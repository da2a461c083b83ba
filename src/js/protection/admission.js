// @ts-check
// One attempt that protection lets pass: the numbers that the breaker gave it, and what its end tells each part.

import { outcomeOf } from '../run/hooks.js';
import { now } from '../run/timer.js';
import { FAILURE, NOTHING, SUCCESS } from './machines.js';

/** @typedef {import('../run/operation.js').Operation} Operation */
/** @typedef {import('../run/contracts.js').RecordFields} RecordFields */

const DEFAULT_MAX_RETRY_AFTER_MS = 60_000;

export class Admission {
  #state;
  /** The breaker's ticket, 1 without one; 0 once the attempt's end was told. */
  #ticket;
  verdict = NOTHING;
  /** Whether the failure asked to come less often. */
  throttled = false;
  /** The end of the cooldown that the failure set: its operation waits as the server asked it to. */
  ownUntil = -Infinity;

  /** @param {import('./state.js').State} state @param {number} ticket @param {RecordFields} [fields] of its record */
  constructor(state, ticket, fields) {
    this.#state = state;
    this.#ticket = ticket;
    this.fields = fields;
  }

  /**
   * Follows a server that may ask everyone to slow down.
   * @param {Operation} operation
   * @param {number} [hintMs] undefined or NaN if it does not
   */
  throttle(operation, hintMs = NaN) {
    if (hintMs >= 0) this.throttled = true;
    if (hintMs > 0) this.ownUntil = this.#state.cooldown?.start(operation, hintMs) ?? this.ownUntil;
  }

  /**
   * Follows the decision about an outcome.
   * @param {Operation} operation
   * @param {boolean} again whether another attempt may follow
   */
  ended(operation, again) {
    const { task } = operation;
    const fails = task?.failed || (again && !task?.preparing && !this.throttled);
    // Who asks to come later works.
    const verdict = fails ? FAILURE : operation.failed ? NOTHING : SUCCESS;
    this.#tell(operation, task?.response === undefined ? verdict : verdictOf(task.response.status));
  }

  /**
   * Passes on the verdict on an attempt that ends with its operation, or because another attempt has ended that.
   * @param {Operation} operation
   * @param {string} reason
   */
  close(operation, reason) {
    if (this.#ticket === 0) return;
    const { attempts, endedAt, limits } = operation;
    // The deadline ended a first attempt, or a signal that is one: unless it was held, it had all the time there was.
    const late =
      attempts === 1 &&
      endedAt === undefined &&
      this.fields === undefined &&
      (reason === 'timeout' || (reason === 'aborted' && this.#state.breaker?.isNewTimeout(limits.reason)));
    const done = reason === 'success';
    const verdict = done ? SUCCESS : late ? FAILURE : NOTHING;
    this.#tell(operation, verdict, done || reason === 'permanent', late ? limits.reason : undefined);
  }

  /**
   * Passes on the verdict on the attempt, once.
   * @param {Operation} operation
   * @param {number} verdict
   * @param {boolean} [judged] whether the caller's function is called
   * @param {unknown} [cause] the failure, unless it is the outcome
   */
  #tell(operation, verdict, judged = true, cause) {
    const { breaker, hedge } = this.#state;
    const { settings, task, failed, outcome, attempts, attemptAt = NaN, endedAt } = operation;
    const ticket = this.#ticket;
    this.#ticket = 0;
    this.verdict = verdict;
    hedge?.follow(operation, verdict === SUCCESS || this.fields?.superseded === true);
    if (breaker === undefined) return;
    const { hintMs = NaN } = (verdict === FAILURE && task) || {};
    if (judged && breaker.isFailure !== undefined) {
      const status = task?.response?.status;
      verdict = breaker.judge(verdict, {
        ...outcomeOf(operation),
        ...(status !== undefined && { status }),
        attempt: attempts,
        durationMs: (endedAt ?? now()) - attemptAt,
      });
    }
    breaker.ended(operation, ticket, verdict, atMost(settings, hintMs), cause ?? (failed ? outcome : undefined));
  }
}

/**
 * Returns what a status says about its destination, whatever the method and whether it is retried.
 * @param {number} status
 */
function verdictOf(status) {
  // The request came too often, which says nothing about whether the server works.
  if (status === 429) return NOTHING;
  // 501 and 505 say that the server does not know the request.
  return status === 408 || (status >= 500 && status < 600 && status !== 501 && status !== 505) ? FAILURE : SUCCESS;
}

/**
 * No hint is followed further than the policy says.
 * @param {import('../options/settings.js').Settings} settings
 * @param {number} hintMs
 */
export function atMost({ maxRetryAfterMs }, hintMs) {
  return Math.min(hintMs, maxRetryAfterMs >= 0 ? maxRetryAfterMs : DEFAULT_MAX_RETRY_AFTER_MS);
}
