// One attempt that protection lets pass: the numbers that the breaker gave it, and what its end tells each part.

import { statusOf } from '../failures/status.js';
import { throttles } from '../failures/throttles.js';
import { now } from '../run/timer.js';
import { FAILURE, NOTHING, SUCCESS } from './machines.js';

/** @import { GuardedRun } from './guard.js' */
/** @import { State } from './state.js' */

const DEFAULT_MAX_RETRY_AFTER_MS = 60_000;

/**
 * Fields that protection adds to records.
 * @typedef {{ heldMs?: number, queuedMs?: number, hedge?: true, superseded?: true }} RecordFields
 */

/** Statuses that say that the server failed. 501 and 505 say that it does not know the request. */
const FAULTS = /^(408|5(?!0[15])..)$/;

export class Admission {
  #state;
  /** The limiter in which it has a place among those that may run at a time. */
  #limiter;
  #ticket;
  /** Whether the parts know of the attempt's end. */
  #told = false;
  #first;
  #until;
  verdict = NOTHING;
  /** Further fields of its events, until its round has ended. @type {RecordFields | undefined} */
  eventFields;
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
   * `first`: it is its operation's first attempt, or follows an answer. `until`: the end of the hold that admitted it.
   * @param {State} state @param {number} ticket @param {boolean} first @param {RecordFields} [fields]
   * @param {number} [until]
   */
  constructor(state, ticket, first, fields, until) {
    this.#state = state;
    this.#limiter = state.limiter;
    this.#ticket = ticket;
    this.#first = first;
    this.#until = until;
    this.fields = fields;
  }

  /** Gives the place of the attempt back, once: it has ended for its caller. */
  #leave() {
    this.#limiter?.release();
    this.#limiter = undefined;
  }

  /**
   * Follows the end of an attempt, and a server that may ask everyone to slow down.
   * @param {GuardedRun} run @param {number} [hintMs] @param {number} [time] from which it asks to wait
   */
  throttle(run, hintMs = NaN, time = run.endedAt ?? NaN) {
    if (hintMs >= 0) this.throttled = true;
    if (hintMs > 0) this.ownUntil = this.#state.pause(run, hintMs, time) ?? this.ownUntil;
    this.#leave();
  }

  /** Whether a server's word can hold everyone. */
  get cools() {
    return (this.#state.cooldown ?? this.#state.limiter) !== undefined;
  }

  /**
   * Follows a success that was the last one which a limit allows: all wait for its end, without a probe, because the
   * server has said when.
   * @param {GuardedRun} run @param {number} hintMs
   */
  foretell(run, hintMs) {
    this.#until = undefined;
    this.#state.pause(run, hintMs, now(), true);
  }

  /** Joins what another end in the round tells: an operation has one admission. @param {Admission} other */
  join({ throttled, pays, ownUntil }) {
    this.throttled ||= throttled;
    this.pays ||= pays;
    this.ownUntil = Math.max(ownUntil, this.ownUntil);
  }

  /** Follows the verdict on an outcome, once: may an attempt follow? @param {GuardedRun} run @param {boolean} again */
  classified(run, again) {
    if (this.#told) return;
    const { task, failed, outcome } = run;
    // Accepted results are not read.
    const status = task ? task.response?.status : failed || again ? statusOf(outcome, failed) : undefined;
    // The request came too often, which says nothing about whether the server works.
    if (status === 429 || (failed && !task && throttles(outcome))) {
      this.throttled = true;
      // A response was followed before its verdict, which may have taken its time.
      if (!task) this.throttle(run, run.hintMs, now());
    }
    const fails = this.timedOut || task?.failed || (again && !task?.preparing);
    const silent = !failed ? SUCCESS : fails ? FAILURE : NOTHING;
    const verdict = this.throttled ? NOTHING : status === undefined ? silent : FAULTS.test(status) ? FAILURE : SUCCESS;
    const works = verdict === SUCCESS && !(hintIn(task) > 0);
    const answered = works && (task ? !task.isCurable() : !failed);
    this.#tell(run, this.#classify(run, verdict, answered, status), works);
  }

  /**
   * Passes on the verdict on an attempt that ends with its operation, or because another attempt has ended that.
   * @type {(run: GuardedRun, reason: string) => void}
   */
  close(run, reason) {
    this.#leave();
    if (reason === 'success') return this.classified(run, false);
    if (this.#told) return undefined;
    const { number, endedAt, limits, outcome } = run;
    // The deadline ended a first attempt, or a signal that is one: unless it was held, it had all the time there was.
    const late =
      number === 1 &&
      endedAt === undefined &&
      this.fields === undefined &&
      (reason === 'timeout' || (reason === 'aborted' && this.#state.breaker?.isNewTimeout(limits.reason)));
    if (late) return this.#tell(run, FAILURE, false, limits.reason);
    const isOutcome = reason === 'permanent';
    const verdict = isOutcome ? this.#classify(run, NOTHING, false, statusOf(outcome)) : NOTHING;
    return this.#tell(run, verdict, this.fields?.superseded);
  }

  /**
   * Returns the verdict on an end: the caller's, or else the one that the rules have.
   * @type {(run: GuardedRun, verdict: number, answered: boolean, status: number | undefined) => number}
   */
  #classify(run, verdict, answered, status) {
    const said = this.#state.classify(run, status);
    this.answered = said === undefined ? answered : said !== FAILURE;
    this.pays = !this.answered;
    return said ?? verdict;
  }

  /**
   * Passes on the verdict on the attempt, which may say how long attempts take. The cause is a failure but no outcome.
   * @type {(run: GuardedRun, verdict: number, recorded?: boolean, cause?: unknown) => void}
   */
  #tell(run, verdict, recorded = false, cause) {
    const { breaker, cooldown, hedge } = this.#state;
    const { op, limits, task, failed, outcome } = run;
    // The process was late, and not the destination.
    const late = limits.late || op.limits.late;
    if (late) verdict = NOTHING;
    this.#told = true;
    this.verdict = verdict;
    if (this.#first && !late) hedge?.follow(run, recorded || this.timedOut);
    const hintMs = hintIn(task);
    if (verdict === SUCCESS && !this.throttled && !(hintMs > 0)) cooldown?.succeeded(this.#until);
    breaker?.record(run, this.#ticket, verdict, atMost(op.settings, hintMs), cause ?? (failed ? outcome : undefined));
  }
}

/** Returns the hint of a request that failed, in ms; NaN for none. @param {GuardedRun['task']} task */
const hintIn = (task) => (task?.response?.status >= 400 ? /** @type {{ hintMs: number }} */ (task).hintMs : NaN);

/** The policy bounds a hint. @param {import('../options/settings.js').Settings} settings @param {number} hintMs */
export function atMost({ maxRetryAfterMs }, hintMs) {
  return Math.min(hintMs, maxRetryAfterMs >= 0 ? maxRetryAfterMs : DEFAULT_MAX_RETRY_AFTER_MS);
}
