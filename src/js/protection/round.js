// @ts-check
// Rounds: an attempt, and its hedge if it is slow. The first of both that decides the operation ends it; if
// both have failed, the round has failed.
//
// Each attempt of a round runs in a lane, which inherits from the operation and has numbers and limits of its own. It
// goes through the same steps as an operation without rounds, until it decides the operation or has failed. The
// operation waits for the end of the round, and then takes over the numbers of one lane.

import { now, startTimer } from '../run/timer.js';
import { Admission } from './admission.js';

/** Reason with which the signal of an attempt is aborted when the other one of its round has ended the operation. */
export class SupersededError extends Error {
  name = 'SupersededError';
}

/** End of a lane after which another attempt may follow. */
const FAILED = 'failed';

/** End of a lane whose operation another one has ended. */
const SUPERSEDED = 'superseded';

/** The rounds of one operation. */
export class Race {
  #gate;
  #state;
  /** The round's lanes: the attempt, and the hedge if there is one. @type {any[]} */
  #lanes = [];
  /** The lane that ended last. @type {any} */
  #last;
  /** Cancels the hedge's start. @type {(() => void) | undefined} */
  #cancel;
  /** Ends the operation's wait for the round. @type {any} */
  #resolve;
  /** The callback: while there are rounds, the operation's own starts one. @type {any} */
  #fn;

  /**
   * @param {import('./gate.js').Gate} gate
   * @param {import('./state.js').State} state
   */
  constructor(gate, state) {
    this.#gate = gate;
    this.#state = state;
  }

  /**
   * Prepares a round, whose attempt has been let pass. Returns the step that starts it, or a reason to stop.
   * @param {any} operation
   * @param {number} round
   */
  begin(operation, round) {
    const { limits, settings } = operation;
    this.#last = undefined;
    limits.attempt = undefined;
    this.#fn ??= operation.fn;
    limits.cancelWait = () => this.#stop(limits);
    const lane = this.#add(operation, this.#gate);
    // The attempt has read the last record.
    sort(operation);
    if (typeof lane.step === 'string') return lane.step;
    operation.attempts = lane.attempts;
    const end = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    // Called by the driver as a callback is, which keeps the caller's frame among the first ten.
    operation.fn = () => {
      this.#drive(operation, lane).then(this.#resolve);
      return end;
    };
    limits.metrics?.attempted(lane.attempts);
    if (lane.attempts < settings.maxAttempts && operation.mayHedge !== false) {
      const time = now();
      const delayMs = this.#state.hedge.delayMs(time);
      if (time + delayMs < limits.deadlineAt)
        this.#cancel = startTimer(delayMs, () => this.#hedge(operation), settings.unref, time);
    }
    return round;
  }

  /**
   * Adds a lane to the round, and starts its attempt. If a hook has aborted that, or has taken the time that was left,
   * `step` is the reason, and the round is without the lane.
   * @param {any} operation
   * @param {Admission} admission
   * @param {object} [own] what the lane has otherwise than the operation
   */
  #add(operation, admission, own) {
    const { limits } = operation;
    const lane = Object.assign(Object.create(operation), {
      fn: this.#fn,
      // It is not asked for again.
      gate: undefined,
      limits: Object.assign(new limits.constructor([]), { deadlineAt: limits.deadlineAt }),
      /** Whether it takes no step any more. */
      over: false,
      /** The wait that the caller demands after its failure. */
      exactlyMs: NaN,
      note: () => {
        operation.note.call(lane);
        this.#noted(operation, lane);
      },
      plan: (/** @type {number} */ exactlyMs) => {
        lane.exactlyMs = exactlyMs;
        return FAILED;
      },
      settle: (/** @type {string} */ reason) => this.#settled(operation, lane, reason),
      ...own,
    });
    lane.limits.operation = lane;
    operation.copyTo?.(lane);
    this.#lanes.push(lane);
    lane.step = lane.begin();
    lane.gate = admission;
    if (typeof lane.step === 'string') this.#lanes.pop();
    return lane;
  }

  /**
   * Starts the hedge, unless something forbids it.
   * @param {any} operation
   */
  #hedge(operation) {
    const { limits } = operation;
    const state = this.#state;
    const { hedge, budget, breaker, cooldown } = state;
    const time = now();
    // A clock that is moved by hand may fire a timer before the end of the attempt is known.
    if (limits.ended !== undefined || operation.mayHedge === false || this.#lanes[0].attempt.signal.aborted) return;
    const closed = breaker === undefined || breaker.isClosed;
    if (!closed || cooldown?.left(time) > 0 || !hedge.take()) {
      hedge.refused++;
      return;
    }
    const taken = budget?.take(false, state) ?? 0;
    if (taken < 0) {
      hedge.putBack();
      hedge.refused++;
      return;
    }
    const admission = new Admission(state);
    admission.held = { hedge: true };
    admission.admit(time);
    const lane = this.#add(operation, admission, {
      attemptAt: time,
      /** @param {number} attempt @param {object} [fields] */
      event: (attempt, fields) => operation.event(attempt, { ...fields, hedge: true }),
    });
    if (typeof lane.step === 'string') {
      admission.close(lane, lane.step);
      hedge.putBack();
      if (taken > 0) budget.putBack(taken, state);
      return;
    }
    this.#gate.hedges++;
    hedge.hedges++;
    if (limits.metrics !== undefined) {
      limits.metrics.attempts++;
      limits.metrics.hedges++;
    }
    this.#drive(operation, lane).then(this.#resolve);
  }

  /**
   * Drives a lane until it takes no step any more. Never settles, because the end of a lane may not be the round's: it
   * is the link from the attempt to what the caller awaits, by which V8 finds the caller's frames.
   * @param {any} operation
   * @param {any} lane
   * @returns {Promise<never>}
   */
  async #drive(operation, lane) {
    let work = lane.fn;
    try {
      while (!lane.over) {
        /** @type {unknown} */
        let answer;
        let threw = false;
        try {
          answer = await lane.limits.race(work(lane.attempt));
        } catch (thrown) {
          answer = thrown;
          threw = true;
        }
        lane.next(answer, threw);
        work = () => lane.pending;
      }
    } catch (fault) {
      // The host's clock throws.
      lane.failed = true;
      lane.outcome = fault;
      this.#settled(operation, lane, 'callback');
    }
    return new Promise(() => {});
  }

  /**
   * Follows an attempt that has ended with a failure, or with a result that may be one.
   * @param {any} operation
   * @param {any} lane
   */
  #noted(operation, lane) {
    this.#cancel?.();
    this.#last = lane;
    // For the deadline's error: its cause, and the attempt that runs.
    operation.failed = lane.failed;
    operation.outcome = lane.outcome;
    operation.attempts = (this.#lanes.find(runs) ?? lane).attempts;
  }

  /**
   * Follows the end of a lane. It ends the round if it decides the operation, or if all have failed.
   * @param {any} operation
   * @param {any} lane
   * @param {string} reason
   */
  #settled(operation, lane, reason) {
    const { limits } = operation;
    const tooLate = lane.over || limits.stopped;
    lane.over = true;
    if (tooLate) return;
    if (reason !== FAILED) {
      // Ends the other one. From here on, nothing interrupts the operation.
      limits.dispose();
      if (reason === 'success' && lane.gate.held?.hedge) this.#state.hedge.won++;
      lane.gate.close(lane, reason);
      if (runs(lane)) operation.note.call(lane);
      // It comes first: it may have recorded itself.
      lane.record();
      this.#end(operation, lane, SUPERSEDED);
      sort(operation);
      this.#resolve(() => reason);
    } else if (this.#lanes.every(({ over }) => over)) {
      const { exactlyMs } = this.#last;
      const lanes = this.#end(operation, this.#last, FAILED);
      const hints = lanes.map(({ hintMs }) => hintMs).filter((ms) => ms >= 0);
      if (hints.length > 0) operation.hintMs = Math.max(...hints);
      this.#gate.throttled = lanes.some(({ gate }) => gate.throttled);
      this.#gate.ownUntil = Math.max(...lanes.map(({ gate }) => gate.ownUntil));
      this.#resolve(() => (limits.aborted ? 'aborted' : operation.plan(exactlyMs)));
    }
  }

  /**
   * Aborts the attempts that run.
   * @param {any} limits of the operation
   */
  #stop({ aborted, reason, expired }) {
    this.#cancel?.();
    const by = { reason: aborted ? reason : (expired ?? superseded()) };
    for (const lane of this.#lanes) if (!lane.over) lane.limits.abort(by);
  }

  /**
   * Ends the round: the operation takes over the numbers of one lane, and the other one is recorded. Returns the lanes.
   * @param {any} operation
   * @param {any} chosen undefined if no attempt has ended
   * @param {string} reason for which an attempt that runs ends
   */
  #end(operation, chosen, reason) {
    const lanes = this.#lanes;
    this.#lanes = [];
    for (const lane of lanes) if (lane !== chosen) this.#leave(operation, lane, reason);
    if (chosen !== undefined) {
      const { failed, outcome, attempt, attemptAt, ended, endedAt, hintMs, gate } = chosen;
      Object.assign(operation, { failed, outcome, attempt, attemptAt, ended, endedAt, hintMs });
      // An abort in the wait is one of its signal, too, as without rounds.
      operation.limits.attempt = attempt;
      this.#gate.held = gate.held;
      this.#gate.verdict = gate.verdict;
      operation.copyFrom?.(chosen);
    }
    operation.attempts = lanes.at(-1).attempts;
    return lanes;
  }

  /**
   * Ends a lane whose outcome is not the round's.
   * @param {any} operation
   * @param {any} lane
   * @param {string} reason
   */
  #leave(operation, lane, reason) {
    const { gate } = lane;
    lane.over = true;
    if (runs(lane)) {
      if (reason === SUPERSEDED) gate.held = { ...gate.held, superseded: true };
      gate.close(lane, reason);
      operation.note.call(lane);
      lane.failed = true;
      lane.outcome = lane.limits.reason;
    } else {
      // The caller has not yet classified it.
      gate.close(lane, SUPERSEDED);
    }
    lane.record();
    lane.drop?.();
  }

  /**
   * Follows the end of the operation. Returns its reason.
   * @param {any} operation
   * @param {string} reason
   */
  settle(operation, reason) {
    if (this.#lanes.length > 0) {
      // A signal or the deadline has ended the round.
      operation.limits.endAttempt();
      const last = this.#last;
      if (reason === 'deadline' && this.#lanes.some(runs)) reason = 'timeout';
      last?.gate.close(last, SUPERSEDED);
      last?.record();
      this.#end(operation, last, reason);
      // There is no result.
      if (last === undefined && operation.ended === 0) operation.failed = true;
    } else if (reason !== 'success') {
      operation.record();
    }
    sort(operation);
    return reason;
  }
}

const superseded = () => new SupersededError('rejitter: another attempt has ended the operation');

/**
 * Returns whether the attempt of a lane still runs.
 * @param {any} lane
 */
function runs({ ended, attempts }) {
  return ended !== attempts;
}

/**
 * Puts the records, which were made in the order of the ends, in that of the attempts. Lanes add to the same list: it
 * must be the operation's own.
 * @param {any} operation
 */
function sort(operation) {
  const records = [...operation.records].sort((a, b) => a.attempt - b.attempt);
  operation.records = records;
  operation.ended = records.at(-1)?.attempt ?? 0;
}
