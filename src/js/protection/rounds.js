// @ts-check
// Rounds: an attempt, and its hedge if it is slow. The first of both that decides the operation ends it; if both have
// failed, the round has failed.
//
// Each contender of a round is an operation of its own, which makes one attempt and goes through the same steps as any
// other. At the end of the round, the operation takes over the data of one contender, and records the other one.

import { now, startTimer } from '../run/timer.js';
import { Admission } from './admission.js';

/** @typedef {import('../run/operation.js').Operation} Operation */
/** @typedef {import('../run/steps.js').Stop} Stop */

/** Reason with which the signal of an attempt is aborted when the other one of its round has ended the operation. */
export class SupersededError extends Error {
  name = 'SupersededError';
}

/** End of an attempt whose operation another one has ended. */
const SUPERSEDED = 'superseded';

/**
 * @typedef {object} Contender
 * @property {Operation} own its data
 * @property {Admission} admission
 * @property {boolean} over whether it takes no step any more
 */

/** The rounds of one operation. */
export class Rounds {
  #op;
  #driver;
  #guard;
  #state;
  #hedge;
  /** The attempt, and the hedge if there is one. @type {Contender[]} */
  #contenders = [];
  /** The one that ended last. @type {Contender | undefined} */
  #last;
  /** Cancels the hedge's start. @type {(() => void) | undefined} */
  #cancel;
  /** Ends the round. @type {(stop: Stop) => void} */
  #resolve = () => {};
  /** Ends it because the host's clock throws. @type {(fault: unknown) => void} */
  #reject = () => {};

  /**
   * @param {Operation} op
   * @param {import('../run/driver.js').Driver} driver
   * @param {import('./guard.js').Guard} guard
   * @param {import('./state.js').State} state
   * @param {import('./hedge.js').Hedge} hedge
   */
  constructor(op, driver, guard, state, hedge) {
    this.#op = op;
    this.#driver = driver;
    this.#guard = guard;
    this.#state = state;
    this.#hedge = hedge;
  }

  /**
   * Makes a round, whose attempt has been let pass.
   * @param {number} time now
   * @returns {Promise<Stop> | Stop} why the operation stops; undefined if another round may follow
   */
  run(time) {
    const op = this.#op;
    const { limits, settings } = op;
    this.#last = undefined;
    limits.attempt = undefined;
    limits.onStop(() => this.#stop());
    const first = this.#begin(time, this.#guard.admission);
    if (typeof first === 'string') return first;
    const { attempts } = first.own;
    op.attempts = attempts;
    limits.metrics?.attempted(attempts);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (attempts < settings.maxAttempts && mayHedge(op)) {
        const from = now();
        const delayMs = this.#hedge.delayMs(from);
        if (delayMs !== undefined && from + delayMs < limits.deadlineAt)
          this.#cancel = startTimer(delayMs, () => this.#startHedge(), settings.unref, from);
      }
      this.#drive(first).then(resolve, reject);
    });
  }

  /**
   * Begins an attempt. Returns a reason to stop if a hook has aborted it, or has taken the time that was left.
   * @param {number} time
   * @param {Admission} admission
   * @param {object} [fields] of its events
   * @returns {Contender | string}
   */
  #begin(time, admission, fields) {
    const { settings, fn, index, startedAt, limits, attempts, records, failed, outcome, hintMs, task } = this.#op;
    const { Limits, Operation, begin } = this.#driver;
    const own = new Operation(settings, fn, index, new Limits([]), startedAt);
    Object.assign(own.limits, { deadlineAt: limits.deadlineAt, fields });
    Object.assign(own, { attempts, records, failed, outcome, hintMs });
    if (task !== undefined) {
      const another = (own.task = task.another());
      own.fn = (attempt) => another.send(attempt);
    }
    const contender = { own, admission, over: false };
    this.#contenders.push(contender);
    const stop = begin(own, time);
    if (stop !== undefined) {
      this.#contenders.pop();
      return stop;
    }
    own.admission = admission;
    admission.onFailure = () => this.#failed(contender);
    return contender;
  }

  /** Starts the hedge, unless something forbids it. */
  #startHedge() {
    const { limits } = this.#op;
    const hedge = this.#hedge;
    const { budget, breaker, cooldown } = this.#state;
    const time = now();
    // A clock that is moved by hand may fire a timer before the end of the attempt is known.
    if (limits.ended !== undefined || !mayHedge(this.#op) || this.#contenders[0].own.attempt?.signal.aborted) return;
    const closed = breaker === undefined || breaker.isClosed;
    if (!closed || (cooldown !== undefined && cooldown.left(time) > 0) || !hedge.take()) {
      hedge.rejected++;
      return;
    }
    const taken = budget?.take(false) ?? 0;
    if (taken < 0) {
      hedge.putBack();
      hedge.rejected++;
      return;
    }
    const admission = new Admission(this.#state);
    admission.fields = { hedge: true };
    admission.admit(time, false);
    const contender = this.#begin(time, admission, { hedge: true });
    if (typeof contender === 'string') {
      admission.close(this.#op, contender);
      hedge.putBack();
      if (taken > 0) budget?.putBack(taken);
      return;
    }
    this.#guard.hedges++;
    hedge.hedges++;
    if (limits.metrics !== undefined) {
      limits.metrics.attempts++;
      limits.metrics.hedges++;
    }
    this.#drive(contender).then(this.#resolve, this.#reject);
  }

  /**
   * Drives a contender to its end, as the loop of run.js does. Never settles, because that may not be the end of the
   * round: its promise is the link from the attempt to what the caller awaits, by which V8 finds the caller's frames.
   * @param {Contender} contender
   * @returns {Promise<never>}
   */
  async #drive(contender) {
    const { review, ask, classify, callbackFailed } = this.#driver;
    const { own } = contender;
    /** @type {Stop} */
    let stop;
    try {
      /** @type {any} */
      let answer;
      let threw = false;
      try {
        const { fn } = own;
        answer = await own.limits.race(fn(/** @type {import('../run/attempt.js').Attempt} */ (own.attempt)));
      } catch (thrown) {
        answer = thrown;
        threw = true;
      }
      stop = review(own, answer, threw);
      if (stop === undefined) {
        answer = ask(own);
        stop = classify(own, typeof answer === 'boolean' ? answer : await own.limits.race(answer));
      }
    } catch (thrown) {
      this.#withRecords(own, () => (stop = callbackFailed(own, thrown)));
    }
    this.#ended(contender, stop);
    return new Promise(() => {});
  }

  /**
   * Follows an attempt that has ended with a failure, or with a result that may be one.
   * @param {Contender} contender
   */
  #failed(contender) {
    const op = this.#op;
    const { own } = contender;
    this.#cancel?.();
    this.#last = contender;
    // For the deadline's error: its cause, and the attempt that runs.
    op.failed = own.failed;
    op.outcome = own.outcome;
    op.attempts = (this.#contenders.find(runs) ?? contender).own.attempts;
  }

  /**
   * Follows the end of a contender. It ends the round, in the same turn, if it decides the operation, or if all have
   * failed.
   * @param {Contender} contender
   * @param {Stop} stop
   */
  #ended(contender, stop) {
    const op = this.#op;
    const { limits } = op;
    const tooLate = contender.over || limits.stopped;
    contender.over = true;
    if (tooLate) return;
    if (stop !== undefined) {
      const { own, admission } = contender;
      // From here on, nothing interrupts the operation.
      limits.dispose();
      if (stop === 'success' && admission.fields?.hedge) this.#hedge.won++;
      admission.close(own, stop);
      own.endedAt ??= now();
      this.#end(contender, SUPERSEDED);
      this.#resolve(stop);
      return;
    }
    if (!this.#contenders.every(({ over }) => over)) return;
    const all = this.#end(this.#last, '');
    const hints = all.map(({ own }) => /** @type {number} */ (own.hintMs)).filter((ms) => ms >= 0);
    if (hints.length > 0) op.hintMs = Math.max(...hints);
    this.#guard.admission.throttled = all.some(({ admission }) => admission.throttled);
    this.#guard.admission.ownUntil = Math.max(...all.map(({ admission }) => admission.ownUntil));
    this.#resolve(undefined);
  }

  /** Aborts the attempts that run. */
  #stop() {
    const { stopped, reason } = this.#op.limits;
    this.#cancel?.();
    for (const { own, over } of this.#contenders) {
      if (!over) own.limits.stop(stopped ? reason : superseded(), true);
    }
  }

  /**
   * Ends the round: the operation takes over the data of one contender, and the other one is recorded.
   * @param {Contender | undefined} chosen undefined if no attempt has ended
   * @param {string} reason for which an attempt that runs ends
   */
  #end(chosen, reason) {
    const op = this.#op;
    const all = this.#contenders;
    this.#contenders = [];
    for (const contender of all) if (contender !== chosen) this.#leave(contender, reason);
    if (chosen !== undefined) {
      const { fields, verdict } = chosen.admission;
      const { failed, outcome, attempt, number, attemptAt, endedAt, hintMs, demandedMs, task } = chosen.own;
      Object.assign(op, { failed, outcome, attempt, number, attemptAt, endedAt, hintMs, demandedMs, task });
      // An abort in the wait is one of its signal, too, as without rounds.
      op.limits.attempt = attempt;
      Object.assign(this.#guard.admission, { fields, verdict });
    }
    op.attempts = /** @type {Contender} */ (all.at(-1)).own.attempts;
    return all;
  }

  /** Ends a contender whose outcome is not the round's. @param {Contender} contender @param {string} reason */
  #leave(contender, reason) {
    const { own, admission } = contender;
    contender.over = true;
    if (runs(contender)) {
      if (reason === SUPERSEDED) admission.fields = { ...admission.fields, superseded: true };
      admission.close(own, reason);
      own.endedAt = now();
      own.failed = true;
      own.outcome = own.limits.reason;
    } else {
      // The caller has not yet classified it.
      admission.close(own, SUPERSEDED);
    }
    this.#withRecords(own, () => this.#driver.record(own));
    own.task?.discard();
  }

  /**
   * Has a contender record itself in the operation's own list. What ended last may stand last until the next round,
   * whose attempts read it.
   * @param {Operation} own
   * @param {() => void} record
   */
  #withRecords(own, record) {
    const op = this.#op;
    own.records = [...op.records];
    record();
    op.records = own.records.sort(byNumber);
  }

  /** Follows the end of the operation. Returns its reason. @param {string} reason */
  settle(reason) {
    const op = this.#op;
    if (this.#contenders.length > 0) {
      // A signal or the deadline has ended the round.
      op.limits.endAttempt();
      const last = this.#last;
      if (reason === 'deadline' && this.#contenders.some(runs)) reason = 'timeout';
      last?.admission.close(last.own, SUPERSEDED);
      // There is no result.
      if (last === undefined && op.records.length === 0) op.failed = true;
      this.#end(last, reason);
    }
    if (reason !== 'success') {
      this.#driver.record(op);
      op.records = [...op.records].sort(byNumber);
    }
    return reason;
  }
}

/** @param {import('../run/operation.js').AttemptRecord} a @param {import('../run/operation.js').AttemptRecord} b */
const byNumber = (a, b) => a.number - b.number;

const superseded = () => new SupersededError('rejitter: another attempt has ended the operation');

/** Returns whether two attempts at a time do no more than one. @param {Operation} op */
function mayHedge({ task }) {
  return task === undefined || task.mayHedge === true;
}

/** Returns whether an attempt still runs. @param {Contender} contender */
function runs({ own }) {
  return own.endedAt === undefined;
}
