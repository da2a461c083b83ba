// @ts-check
// Rounds: an attempt, and its hedge if it is slow. The first of both that decides the operation ends it; if both have
// failed, the round has failed.
//
// Each contender of a round is an operation of its own, which makes one attempt and goes through the same steps as any
// other. At the end of the round, the operation takes over the data of one contender, and records the other one.

import { now, startTimer } from '../run/timer.js';
import { Admission } from './admission.js';

/** @typedef {import('../run/operation.js').Operation<import('../run/limits.js').Limits>} Operation */
/** @typedef {import('../run/steps.js').Stop} Stop */

/** Reason with which the signal of an attempt is aborted when the other one of its round has ended the operation. */
export class SupersededError extends Error {
  name = 'SupersededError';
}

/** End of an attempt whose operation another one has ended. */
const SUPERSEDED = 'superseded';

/** Members in which an operation keeps its last attempt. */
const OF_ATTEMPT = /** @type {const} */ ([
  'failed',
  'outcome',
  'attempt',
  'number',
  'attemptAt',
  'endedAt',
  'hintMs',
  'demandedMs',
  'task',
  'admission',
]);

/** The rounds of one operation. */
export class Rounds {
  #op;
  #driver;
  #state;
  #hedge;
  /** Number of hedges so far. */
  hedges = 0;
  /** The attempt, and the hedge if there is one. @type {Operation[]} */
  #contenders = [];
  /** Those that may still decide something. @type {Set<Operation>} */
  #undecided = new Set();
  /** The one that ended last. @type {Operation | undefined} */
  #last;
  /** Cancels the hedge's start. @type {(() => void) | undefined} */
  #cancel;

  /**
   * @param {Operation} op
   * @param {import('../run/run.js').Driver} driver
   * @param {import('./state.js').State} state
   * @param {import('./hedge.js').Hedge} hedge
   */
  constructor(op, driver, state, hedge) {
    this.#op = op;
    this.#driver = driver;
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
    limits.onStop = () => this.#stop();
    const first = this.#begin(time, op.admission);
    if (typeof first === 'string') return first;
    const { attempts } = first;
    op.attempts = attempts;
    limits.metrics?.attempted(attempts);
    return new Promise((resolve, reject) => {
      if (attempts < settings.maxAttempts && mayHedge(op)) {
        const from = now();
        const delayMs = this.#hedge.delayMs(from);
        if (delayMs !== undefined && from + delayMs < limits.deadlineAt)
          this.#cancel = startTimer(delayMs, () => this.#startHedge()?.then(resolve, reject), settings.unref, from);
      }
      // Rejects if the host's clock throws.
      this.#drive(first).then(resolve, reject);
    });
  }

  /**
   * Begins an attempt. Returns a reason to stop if a hook has aborted it, or has taken the time that was left.
   * @param {number} time
   * @param {import('../run/contracts.js').Admission | undefined} admission
   * @param {object} [fields] of its events
   */
  #begin(time, admission, fields) {
    const { settings, fn, index, startedAt, limits, attempts, records, task } = this.#op;
    const { Limits, Operation, begin } = this.#driver;
    const own = new Operation(settings, fn, index, new Limits([]), startedAt);
    Object.assign(own.limits, { deadlineAt: limits.deadlineAt, fields });
    Object.assign(own, { attempts, records, admission });
    if (task !== undefined) {
      const another = (own.task = task.another());
      own.fn = (attempt) => another.send(attempt);
    }
    this.#contenders.push(own);
    this.#undecided.add(own);
    const stop = begin(own, time);
    if (stop === undefined) return own;
    this.#contenders.pop();
    this.#undecided.delete(own);
    return stop;
  }

  /** Starts the hedge, unless something forbids it. Returns the end of the round, if the hedge is that. */
  #startHedge() {
    const { limits } = this.#op;
    const hedge = this.#hedge;
    const { budget, breaker, cooldown } = this.#state;
    const time = now();
    // A clock that is moved by hand may fire a timer before the end of the attempt is known.
    if (limits.ended !== undefined || !mayHedge(this.#op) || this.#contenders[0].attempt?.signal.aborted)
      return undefined;
    const isCalm = (breaker?.phase ?? 'closed') === 'closed' && !(cooldown && cooldown.left(time) > 0);
    const own = isCalm ? hedge.budget.take() : -1;
    const taken = own < 0 ? own : (budget?.take() ?? 0);
    if (taken < 0) {
      if (own > 0) hedge.budget.putBack(own);
      hedge.rejected++;
      return undefined;
    }
    const fields = { hedge: /** @type {const} */ (true) };
    const admission = new Admission(this.#state, this.#state.admit(time, false), false, fields);
    const second = this.#begin(time, admission, fields);
    if (typeof second === 'string') {
      admission.close(this.#op, second);
      hedge.budget.putBack(own);
      budget?.putBack(taken);
      return undefined;
    }
    this.hedges++;
    hedge.hedges++;
    const { metrics } = limits;
    if (metrics !== undefined) {
      metrics.attempts++;
      metrics.hedges++;
    }
    return this.#drive(second);
  }

  /**
   * Drives a contender to its end, as the loop of run.js does. Never settles unless that is the end of the round: its
   * promise is the link from the attempt to what the caller awaits, by which V8 finds the caller's frames.
   * @param {Operation} own
   * @returns {Promise<Stop>}
   */
  async #drive(own) {
    const { review, ask, classify, callbackFailed } = this.#driver;
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
      if (own.endedAt !== undefined && this.#undecided.has(own)) this.#failed(own);
      if (stop === undefined) {
        answer = ask(own);
        stop = classify(own, typeof answer === 'boolean' ? answer : await own.limits.race(answer));
      }
    } catch (thrown) {
      this.#record(own, () => (stop = callbackFailed(own, thrown)));
    }
    return this.#ended(own, stop) ? stop : new Promise(() => {});
  }

  /**
   * Follows an attempt that has ended with a failure, or with a result that may be one.
   * @param {Operation} own
   */
  #failed(own) {
    const op = this.#op;
    this.#cancel?.();
    this.#last = own;
    // For the deadline's error: its cause, and the attempt that runs.
    op.failed = own.failed;
    op.outcome = own.outcome;
    op.attempts = (this.#contenders.find(runs) ?? own).attempts;
  }

  /**
   * Follows the end of a contender. Returns whether it ends the round: if it decides the operation, or if all have
   * failed.
   * @param {Operation} own
   * @param {Stop} stop
   */
  #ended(own, stop) {
    const op = this.#op;
    const { limits } = op;
    if (!this.#undecided.delete(own) || limits.stopped) return false;
    if (stop !== undefined) {
      // From here on, nothing interrupts the operation.
      limits.dispose();
      if (stop === 'success' && own.limits.fields) this.#hedge.won++;
      own.admission?.close(own, stop);
      own.endedAt ??= now();
      this.#end(own, SUPERSEDED);
      return true;
    }
    if (this.#undecided.size > 0) return false;
    const all = this.#end(this.#last, '');
    const common = /** @type {Admission} */ (op.admission);
    for (const { hintMs = NaN, admission } of all) {
      const { throttled, pays, ownUntil } = /** @type {Admission} */ (admission);
      if (hintMs >= 0) op.hintMs = Math.max(hintMs, op.hintMs || 0);
      common.throttled ||= throttled;
      common.pays ||= pays;
      if (ownUntil > common.ownUntil) common.ownUntil = ownUntil;
    }
    return true;
  }

  /** Aborts the attempts that run. */
  #stop() {
    const { stopped, reason } = this.#op.limits;
    this.#cancel?.();
    const superseded = 'rejitter: another attempt has ended the operation';
    for (const { limits } of this.#undecided) limits.stop(stopped ? reason : new SupersededError(superseded), true);
  }

  /**
   * Ends the round: the operation takes over the data of one contender, and the other one is recorded.
   * @param {Operation | undefined} chosen undefined if no attempt has ended
   * @param {string} reason for which an attempt that runs ends
   */
  #end(chosen, reason) {
    const op = this.#op;
    const all = this.#contenders;
    this.#contenders = [];
    this.#undecided.clear();
    for (const own of all) if (own !== chosen) this.#leave(own, reason);
    if (chosen !== undefined) {
      for (const name of OF_ATTEMPT) /** @type {any} */ (op)[name] = chosen[name];
      // An abort in the wait is one of its signal, too, as without rounds.
      op.limits.attempt = chosen.attempt;
    }
    op.attempts = /** @type {Operation} */ (all.at(-1)).attempts;
    return all;
  }

  /** Ends a contender whose outcome is not the round's. @param {Operation} own @param {string} reason */
  #leave(own, reason) {
    const admission = /** @type {Admission} */ (own.admission);
    const running = runs(own);
    if (running && reason === SUPERSEDED) admission.fields = { ...admission.fields, superseded: true };
    // The caller may not have classified it yet.
    admission.close(own, reason);
    if (running) Object.assign(own, { endedAt: now(), failed: true, outcome: own.limits.reason });
    this.#record(own);
    own.task?.discard();
  }

  /**
   * Has an attempt recorded in the operation's own list. What ended last may stand last until the next round, whose
   * attempts read it.
   * @param {Operation} own
   * @param {() => void} [record]
   */
  #record(own, record = () => this.#driver.record(own)) {
    own.records = this.#op.records;
    record();
    this.#op.records = own.records.sort((a, b) => a.number - b.number);
  }

  /** Follows the end of the operation. Returns its reason. @param {string} reason */
  settle(reason) {
    const op = this.#op;
    if (this.#contenders.length > 0) {
      // A signal or the deadline has ended the round.
      op.limits.endAttempt();
      const last = this.#last;
      if (reason === 'deadline' && this.#contenders.some(runs)) reason = 'timeout';
      last?.admission?.close(last, reason);
      // There is no result.
      if (last === undefined && op.records.length === 0) op.failed = true;
      this.#end(last, reason);
    }
    if (reason !== 'success' || op.task) this.#record(op);
    return reason;
  }
}

/** Returns whether two attempts at a time do no more than one. @param {Operation} op */
function mayHedge({ task }) {
  return task === undefined || task.mayHedge;
}

/** Returns whether an attempt still runs. @param {Operation} own */
function runs({ endedAt }) {
  return endedAt === undefined;
}
