// @ts-check
// One attempt that protection lets pass: the numbers that the breaker gave it, and what its end tells each part.

import { statusOf } from '../failures/status.js';
import { FAILURE, NOTHING, SUCCESS } from './machines.js';

/** @typedef {import('../run/operation.js').Operation} Operation */
/** @typedef {import('../run/contracts.js').RecordFields} RecordFields */

const DEFAULT_MAX_RETRY_AFTER_MS = 60_000;

/** Statuses that say that the server failed. 501 and 505 say that it does not know the request. */
const FAULTS = /^(408|5(?!0[15])..)$/;

export class Admission {
  #state;
  #ticket;
  /** Whether the parts know of the attempt's end. */
  #told = false;
  #first;
  #until;
  verdict = NOTHING;
  /** Whether the failure asked to come less often. */
  throttled = false;
  /** Whether its own timeout ended it. */
  timedOut = false;
  /** Whether the end is an answer of the destination: another attempt is no retry of what failed. */
  answered = false;
  /** Whether a retry takes tokens, and is no first attempt. In a round, one end that is no answer is enough. */
  pays = true;
  /** The end of the cooldown that the failure set: its operation waits as the server asked it to. */
  ownUntil = -Infinity;

  /**
   * @param {import('./state.js').State} state
   * @param {number} ticket
   * @param {boolean} first whether it is the first attempt of its operation, or follows an answer
   * @param {RecordFields} [fields] of its record
   * @param {number} [until] the end of the hold in which it was admitted
   */
  constructor(state, ticket, first, fields, until = NaN) {
    this.#state = state;
    this.#ticket = ticket;
    this.#first = first;
    this.#until = until;
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
   * Follows the decision about an outcome, once.
   * @param {Operation} operation
   * @param {boolean} again whether another attempt may follow
   */
  ended(operation, again) {
    if (this.#told) return;
    const { task, failed, outcome } = operation;
    // Accepted results are not read.
    const status = task ? task.response?.status : failed || again ? statusOf(outcome, failed) : undefined;
    // The request came too often, which says nothing about whether the server works.
    if (status === 429) this.throttled = true;
    const fails = this.timedOut || task?.failed || (again && !task?.preparing);
    const silent = !failed ? SUCCESS : fails ? FAILURE : NOTHING;
    const verdict = this.throttled ? NOTHING : status === undefined ? silent : FAULTS.test(status) ? FAILURE : SUCCESS;
    const works = verdict === SUCCESS && !((task?.slowsMs ?? NaN) > 0);
    const answered = works && (task ? !task.isCurable() : !failed);
    this.#tell(operation, this.#classify(operation, verdict, answered, status), works);
  }

  /**
   * Passes on the verdict on an attempt that ends with its operation, or because another attempt has ended that.
   * @param {Operation} operation
   * @param {string} reason
   */
  close(operation, reason) {
    if (reason === 'success') return this.ended(operation, false);
    if (this.#told) return undefined;
    const { attempts, endedAt, limits, outcome } = operation;
    // The deadline ended a first attempt, or a signal that is one: unless it was held, it had all the time there was.
    const late =
      attempts === 1 &&
      endedAt === undefined &&
      this.fields === undefined &&
      (reason === 'timeout' || (reason === 'aborted' && this.#state.breaker?.isNewTimeout(limits.reason)));
    if (late) return this.#tell(operation, FAILURE, false, limits.reason);
    const isOutcome = reason === 'permanent';
    const verdict = isOutcome ? this.#classify(operation, NOTHING, false, statusOf(outcome)) : NOTHING;
    return this.#tell(operation, verdict, this.fields?.superseded);
  }

  /**
   * Returns the verdict on an end: the caller's, or else the one that the rules have.
   * @param {Operation} operation
   * @param {number} verdict
   * @param {boolean} answered
   * @param {number | undefined} status
   */
  #classify(operation, verdict, answered, status) {
    const said = this.#state.classify(operation, status);
    this.answered = said === undefined ? answered : said !== FAILURE;
    this.pays = !this.answered;
    return said ?? verdict;
  }

  /**
   * Passes on the verdict on the attempt.
   * @param {Operation} operation
   * @param {number} verdict
   * @param {boolean} [recorded] whether it says how long attempts take
   * @param {unknown} [cause] the failure, unless it is the outcome
   */
  #tell(operation, verdict, recorded = false, cause) {
    const { breaker, cooldown, hedge } = this.#state;
    const { settings, task, failed, outcome } = operation;
    this.#told = true;
    this.verdict = verdict;
    if (this.#first) hedge?.follow(operation, recorded);
    const hintMs = task?.slowsMs ?? NaN;
    if (verdict === SUCCESS && !this.throttled && !(hintMs > 0)) cooldown?.succeeded(this.#until);
    breaker?.ended(operation, this.#ticket, verdict, atMost(settings, hintMs), cause ?? (failed ? outcome : undefined));
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
