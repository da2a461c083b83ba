// Rounds: an attempt, and its hedge if it is slow. The first of both that decides the operation ends it; if both have
// failed, the round has failed, with what ended last.

import { isReference } from '../options/checks.js';
import { attemptsLeft } from '../run/rows.js';
import { now, startTimer } from '../run/timer.js';
import { Admission } from './admission.js';
import { SupersededError } from './rejected.js';

/** @import { Attempt } from '../run/attempt.js' */
/** @import { Limits } from '../run/limits.js' */
/** @import { Driver, Limited } from '../run/run.js' */
/** @import { Stop } from '../run/steps.js' */
/** @import { Hedge } from './hedge.js' */
/** @import { State } from './state.js' */
/** @typedef {import('../run/operation.js').Operation<Limited>} Operation */
/** @typedef {import('../run/operation.js').AttemptRun<Limits>} AttemptRun */

/** In place of the task of a fetch. @type {{ mayHedge: boolean, another: () => AttemptRun['task'] }} */
const NO_TASK = { mayHedge: true, another: () => undefined };

/** Fields of the records and events of a hedge. */
const OF_HEDGE = { hedge: /** @type {const} */ (true) };

/** The rounds of one operation. */
export class Rounds {
  #op;
  #driver;
  #state;
  /** Number of hedges so far. */
  hedges = 0;
  /** The attempt, and the hedge if there is one. @type {AttemptRun[]} */
  #runs = [];
  /** Those that may still decide something. @type {Set<AttemptRun>} */
  #undecided = new Set();
  /** The one that ended last. @type {AttemptRun | undefined} */
  #last;
  #task = NO_TASK;
  /** Cancels the hedge's start. @type {(() => void) | undefined} */
  #cancel;

  /** @param {Operation} op @param {Driver} driver @param {State} state */
  constructor(op, driver, state) {
    this.#op = op;
    this.#driver = driver;
    this.#state = /** @type {State & { hedge: Hedge }} */ (state);
  }

  /** Makes a round, whose attempt has been let pass. @type {(time: number) => Promise<Stop> | Stop} */
  run(time) {
    const { limits, settings } = this.#op;
    const run = /** @type {AttemptRun} */ (this.#op.run);
    this.#task = run.task ?? NO_TASK;
    this.#last = undefined;
    limits.attempt = undefined;
    limits.onStop = () => {
      this.#cancel?.();
      for (const { limits: own } of this.#undecided) own.stop(limits.stopped ? limits.reason : superseded(), true);
    };
    const stop = this.#begin(run, time);
    if (stop) return stop;
    this.#op.metrics?.attempted(run.number);
    return new Promise((resolve, reject) => {
      if (attemptsLeft(settings, run.number, this.#op.row.before) > 0 && this.#task.mayHedge) {
        const from = now();
        const delayMs = this.#state.hedge.delayMs(from);
        if (delayMs !== undefined && from + delayMs < limits.deadlineAt)
          this.#cancel = startTimer(delayMs, () => this.#tryHedge(resolve, reject), settings.unref, from);
      }
      // Rejects if the host's clock throws.
      this.#drive(run).then(resolve, reject);
    });
  }

  /**
   * Begins an attempt, with limits of its own. Returns a reason to stop if a hook has aborted it, or has taken the time
   * that was left.
   * @type {(run: AttemptRun, time: number) => Stop}
   */
  #begin(run, time) {
    const { Limits, begin, courseOf } = this.#driver;
    run.limits = Object.assign(new Limits([]), { deadlineAt: this.#op.limits.deadlineAt });
    run.task = this.#task.another();
    this.#runs.push(run);
    this.#undecided.add(run);
    const stop = begin(run, time);
    if (stop) this.#undecided.delete(/** @type {AttemptRun} */ (this.#runs.pop()));
    else courseOf(/** @type {Attempt} */ (run.attempt)).onCommit = () => this.#goOnWith(run);
    return stop;
  }

  /** Ends the other attempt, and makes none: this one must not be repeated. @param {AttemptRun} run */
  #goOnWith(run) {
    this.#cancel?.();
    const others = this.#runs.filter((other) => other !== run);
    for (const { limits } of others.filter((other) => this.#undecided.delete(other))) limits.stop(superseded(), true);
    // For the deadline's error and report, as below.
    const { failed, outcome } = this.#op.run;
    const { hintMs } = this.#last ?? this.#op.run;
    this.#op.run = Object.assign(/** @type {Operation['run']} */ (run), { failed, outcome, hintMs });
    this.#last = undefined;
    this.#runs = [run];
    for (const other of others) this.#end(other, 'superseded');
  }

  /**
   * Starts the hedge, for which the caller may be asked: that may throw.
   * @type {(resolve: (stop: Stop) => void, reject: (error: unknown) => void) => void}
   */
  #tryHedge(resolve, reject) {
    try {
      this.#startHedge()?.then(resolve, reject);
    } catch (error) {
      reject(error);
    }
  }

  /** Starts the hedge, unless something forbids it. Returns the end of the round, if the hedge is that. */
  #startHedge() {
    const { limits } = this.#op;
    const time = now();
    // A clock that is moved by hand may fire a timer before the end of the attempt is known.
    if (limits.stopReason || !this.#task.mayHedge || this.#runs[0].attempt?.signal.aborted) return undefined;
    const putBack = this.#state.hedge.take(this.#state, time, this.#op);
    if (!putBack) return undefined;
    const run = /** @type {AttemptRun} */ (new this.#driver.AttemptRun(this.#op));
    const ticket = this.#state.admit(time, false);
    const admission = (run.admission = new Admission(this.#state, ticket, false, OF_HEDGE));
    admission.eventFields = OF_HEDGE;
    const stop = this.#begin(run, time);
    if (stop) {
      admission.close(run, stop);
      putBack();
      return undefined;
    }
    this.hedges++;
    this.#state.hedge.hedges++;
    this.#op.metrics?.hedged();
    return this.#drive(run);
  }

  /**
   * Drives an attempt to its end, as the loop of run.js does. Never settles unless that ends the round: its promise is
   * the link from the attempt to what the caller awaits, by which V8 finds the caller's frames.
   * @type {(run: AttemptRun) => Promise<Stop>}
   */
  async #drive(run) {
    const { review, classify, callbackFailed } = this.#driver;
    const { fn } = this.#op;
    const { task, limits, attempt } = /** @type {AttemptRun & { attempt: Attempt }} */ (run);
    /** @type {any} */
    let next;
    try {
      let threw = false;
      try {
        next = await limits.race(task ? task.send(attempt) : fn(attempt));
      } catch (thrown) {
        next = thrown;
        threw = true;
      }
      next = review(run, next, threw);
      if (isReference(next)) next = classify(run, await limits.race(next));
    } catch (thrown) {
      next = callbackFailed(run, thrown, limits);
    }
    return this.#isLast(run, next) ? next : new Promise(() => {});
  }

  /**
   * Follows an attempt that has ended with a failure, or with a result that may be one.
   * @param {import('../run/operation.js').AttemptRun} ended
   */
  failed(ended) {
    const run = /** @type {AttemptRun} */ (ended);
    if (!this.#undecided.has(run)) return;
    this.#cancel?.();
    this.#last = run;
    // For the deadline's error: the attempt that runs, and its cause.
    const running = this.#runs.find(runs);
    if (running !== undefined) Object.assign(running, { failed: run.failed, outcome: run.outcome });
    this.#op.run = /** @type {Operation['run']} */ (running ?? run);
  }

  /** Whether an end decides the operation, or all have failed. @type {(run: AttemptRun, stop: Stop) => boolean} */
  #isLast(run, stop) {
    const { limits } = this.#op;
    if (!this.#undecided.delete(run) || limits.stopped) return false;
    if (stop !== undefined) {
      // From here on, nothing interrupts the operation.
      limits.dispose();
      if (stop === 'success' && run.admission?.eventFields) this.#state.hedge.won++;
      run.admission?.close(run, stop);
      run.endedAt ??= now();
      this.#choose(run, 'superseded');
      return true;
    }
    if (this.#undecided.size > 0) return false;
    const all = this.#choose(this.#last, '');
    const chosen = this.#op.run;
    for (const { hintMs = NaN, admission } of all) {
      if (hintMs >= 0) chosen.hintMs = Math.max(hintMs, chosen.hintMs || 0);
      /** @type {Admission} */ (chosen.admission).join(/** @type {Admission} */ (admission));
    }
    return true;
  }

  /**
   * Ends the round: chooses the attempt whose outcome is that of the operation, and records the other. Returns both.
   * @param {AttemptRun | undefined} chosen undefined if none has ended
   * @param {string} reason for which an attempt that runs ends
   */
  #choose(chosen, reason) {
    const op = this.#op;
    const all = this.#runs;
    this.#runs = [];
    this.#undecided.clear();
    for (const other of all) if (other !== chosen) this.#end(other, reason);
    const run = chosen ?? all[0];
    op.run = /** @type {Operation['run']} */ (run);
    // An abort in the wait is one of its signal, too, as without rounds.
    op.run.limits = op.limits;
    if (run.admission) run.admission.eventFields = undefined;
    op.limits.attempt = run.attempt;
    return all;
  }

  /** Ends an attempt that is not the operation's outcome. @param {AttemptRun} run @param {string} reason */
  #end(run, reason) {
    const admission = /** @type {Admission} */ (run.admission);
    const running = runs(run);
    if (running && reason === 'superseded') admission.fields = { ...admission.fields, superseded: true };
    // The caller may not have classified it yet.
    admission.close(run, reason);
    if (running) run.endedAt = now();
    this.#record(run, running || run.failed, running ? run.limits.reason : run.outcome);
    run.task?.discard();
  }

  /** Keeps the records in the order of the attempts, which may end in another. @type {Driver['record']} */
  #record(...args) {
    this.#driver.record(...args);
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
    if (reason !== 'success' || op.run.task) this.#record(op.run);
    return reason;
  }
}

const superseded = () => new SupersededError('rejitter: another attempt has ended the operation');

/** Returns whether an attempt still runs. @param {AttemptRun} run */
const runs = ({ endedAt }) => endedAt === undefined;
