// @ts-check
// Rounds: an attempt, and its hedge if it is slow. The first of both that decides the operation ends it; if both have
// failed, the round has failed, with what ended last.

import { now, startTimer } from '../run/timer.js';
import { Admission } from './admission.js';

/** @typedef {import('../run/operation.js').Operation<import('../run/run.js').Limited>} Operation */
/** @typedef {import('../run/operation.js').AttemptRun} AttemptRun */
/** @typedef {import('../run/limits.js').Limits} Limits */
/** @typedef {import('../run/steps.js').Stop} Stop */

/** Reason with which the signal of an attempt is aborted when the other one of its round has ended the operation. */
export class SupersededError extends Error {
  name = 'SupersededError';
}

/** End of an attempt whose operation another one has ended. */
const SUPERSEDED = 'superseded';

/** The rounds of one operation. */
export class Rounds {
  #op;
  #driver;
  #state;
  #hedge;
  /** Number of hedges so far. */
  hedges = 0;
  /** The attempt, and the hedge if there is one. @type {AttemptRun[]} */
  #runs = [];
  /** Those that may still decide something. @type {Set<AttemptRun>} */
  #undecided = new Set();
  /** The one that ended last. @type {AttemptRun | undefined} */
  #last;
  /** Makes the attempts of a fetch. @type {import('../run/contracts.js').Task | undefined} */
  #task;
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
    const { limits, settings, run } = this.#op;
    this.#task = run.task;
    this.#last = undefined;
    limits.attempt = undefined;
    limits.onStop = () => this.#stop();
    const stop = this.#begin(run, time);
    if (stop !== undefined) return stop;
    limits.metrics?.attempted(run.number);
    return new Promise((resolve, reject) => {
      if (run.number < settings.maxAttempts && this.#mayHedge()) {
        const from = now();
        const delayMs = this.#hedge.delayMs(from);
        if (delayMs !== undefined && from + delayMs < limits.deadlineAt)
          this.#cancel = startTimer(delayMs, () => this.#startHedge()?.then(resolve, reject), settings.unref, from);
      }
      // Rejects if the host's clock throws.
      this.#drive(run).then(resolve, reject);
    });
  }

  /** Returns whether two attempts at a time do no more than one. */
  #mayHedge() {
    return this.#task === undefined || this.#task.mayHedge;
  }

  /**
   * Begins an attempt, with limits of its own. Returns a reason to stop if a hook has aborted it, or has taken the time
   * that was left.
   * @param {AttemptRun} run
   * @param {number} time
   * @param {object} [fields] of its events
   */
  #begin(run, time, fields) {
    const { Limits, begin } = this.#driver;
    run.limits = Object.assign(new Limits([]), { deadlineAt: this.#op.limits.deadlineAt, fields });
    run.task = this.#task?.another();
    this.#runs.push(run);
    this.#undecided.add(run);
    const stop = begin(run, time);
    if (stop === undefined) return undefined;
    this.#runs.pop();
    this.#undecided.delete(run);
    return stop;
  }

  /** Starts the hedge, unless something forbids it. Returns the end of the round, if the hedge is that. */
  #startHedge() {
    const op = this.#op;
    const hedge = this.#hedge;
    const { budget, breaker, cooldown } = this.#state;
    const time = now();
    // A clock that is moved by hand may fire a timer before the end of the attempt is known.
    if (op.limits.stopReason !== undefined || !this.#mayHedge() || this.#runs[0].attempt?.signal.aborted)
      return undefined;
    const isCalm = (breaker?.phase ?? 'closed') === 'closed' && !(cooldown && cooldown.left(time) > 0);
    const own = isCalm ? hedge.budget.take() : 0;
    const taken = own > 0 ? budget?.take() : 0;
    if (own === 0 || taken === 0) {
      if (own > 0) hedge.budget.putBack(own);
      hedge.rejected++;
      return undefined;
    }
    const fields = { hedge: /** @type {const} */ (true) };
    const run = new this.#driver.AttemptRun(op);
    const admission = (run.admission = new Admission(this.#state, this.#state.admit(time, false), false, fields));
    const stop = this.#begin(run, time, fields);
    if (stop !== undefined) {
      admission.close(run, stop);
      hedge.budget.putBack(own);
      budget?.putBack(taken ?? 0);
      return undefined;
    }
    this.hedges++;
    hedge.hedges++;
    op.limits.metrics?.hedged();
    return this.#drive(run);
  }

  /**
   * Drives an attempt to its end, as the loop of run.js does. Never settles unless that ends the round: its promise is
   * the link from the attempt to what the caller awaits, by which V8 finds the caller's frames.
   * @param {AttemptRun} run
   * @returns {Promise<Stop>}
   */
  async #drive(run) {
    const { review, ask, classify, callbackFailed } = this.#driver;
    const { fn } = this.#op;
    const { task } = run;
    const limits = /** @type {Limits} */ (run.limits);
    const attempt = /** @type {import('../run/attempt.js').Attempt} */ (run.attempt);
    /** @type {Stop} */
    let stop;
    try {
      /** @type {any} */
      let answer;
      let threw = false;
      try {
        answer = await limits.race(task ? task.send(attempt) : fn(attempt));
      } catch (thrown) {
        answer = thrown;
        threw = true;
      }
      stop = review(run, answer, threw);
      if (run.endedAt !== undefined && this.#undecided.has(run)) this.#failed(run);
      if (stop === undefined) {
        answer = ask(run);
        stop = classify(run, typeof answer === 'boolean' ? answer : await limits.race(answer));
      }
    } catch (thrown) {
      stop = callbackFailed(run, thrown, limits);
      this.#sort();
    }
    return this.#isLast(run, stop) ? stop : new Promise(() => {});
  }

  /** Follows an attempt that has ended with a failure, or with a result that may be one. @param {AttemptRun} run */
  #failed(run) {
    this.#cancel?.();
    this.#last = run;
    // For the deadline's error: the attempt that runs, and its cause.
    const running = this.#runs.find(runs);
    if (running !== undefined) Object.assign(running, { failed: run.failed, outcome: run.outcome });
    this.#op.run = /** @type {Operation['run']} */ (running ?? run);
  }

  /**
   * Returns whether the end of an attempt ends the round: it decides the operation, or all have failed.
   * @param {AttemptRun} run
   * @param {Stop} stop
   */
  #isLast(run, stop) {
    const { limits } = this.#op;
    if (!this.#undecided.delete(run) || limits.stopped) return false;
    if (stop !== undefined) {
      // From here on, nothing interrupts the operation.
      limits.dispose();
      if (stop === 'success' && run.limits.fields) this.#hedge.won++;
      run.admission?.close(run, stop);
      run.endedAt ??= now();
      this.#choose(run, SUPERSEDED);
      return true;
    }
    if (this.#undecided.size > 0) return false;
    const all = this.#choose(this.#last, '');
    const chosen = this.#op.run;
    const common = /** @type {Admission} */ (chosen.admission);
    for (const { hintMs = NaN, admission } of all) {
      const { throttled, pays, ownUntil } = /** @type {Admission} */ (admission);
      if (hintMs >= 0) chosen.hintMs = Math.max(hintMs, chosen.hintMs || 0);
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
    for (const run of this.#undecided) {
      const limits = /** @type {Limits} */ (run.limits);
      limits.stop(stopped ? reason : new SupersededError(superseded), true);
    }
  }

  /**
   * Ends the round: chooses the attempt whose outcome is that of the operation, and records the other one. Returns both.
   * @param {AttemptRun | undefined} chosen undefined if none has ended
   * @param {string} reason for which an attempt that runs ends
   */
  #choose(chosen, reason) {
    const op = this.#op;
    const all = this.#runs;
    this.#runs = [];
    this.#undecided.clear();
    for (const run of all) if (run !== chosen) this.#leave(run, reason);
    const run = chosen ?? all[0];
    op.run = /** @type {Operation['run']} */ (run);
    // An abort in the wait is one of its signal, too, as without rounds.
    run.limits = op.limits;
    op.limits.attempt = run.attempt;
    return all;
  }

  /** Ends an attempt whose outcome is not the round's. @param {AttemptRun} run @param {string} reason */
  #leave(run, reason) {
    const admission = /** @type {Admission} */ (run.admission);
    const running = runs(run);
    if (running && reason === SUPERSEDED) admission.fields = { ...admission.fields, superseded: true };
    // The caller may not have classified it yet.
    admission.close(run, reason);
    if (running) {
      run.endedAt = now();
      this.#driver.record(run, true, run.limits.reason);
    } else this.#driver.record(run);
    this.#sort();
    run.task?.discard();
  }

  /** Sorts the records. What ended last may stand last until the next round, whose attempts read it. */
  #sort() {
    this.#op.records.sort((a, b) => a.number - b.number);
  }

  /** Follows the end of the operation. Returns its reason. @param {string} reason */
  settle(reason) {
    const op = this.#op;
    if (this.#runs.length > 0) {
      // A signal or the deadline has ended the round.
      op.limits.endAttempt();
      const last = this.#last;
      if (reason === 'deadline' && this.#runs.some(runs)) reason = 'timeout';
      last?.admission?.close(last, reason);
      this.#choose(last, reason);
    }
    if (reason !== 'success' || op.run.task) {
      this.#driver.record(op.run);
      this.#sort();
    }
    return reason;
  }
}

/** Returns whether an attempt still runs. @param {AttemptRun} run */
function runs({ endedAt }) {
  return endedAt === undefined;
}
