// @ts-check
// Rounds: an attempt, and its hedge if it is slow. The first of both that decides the operation ends it; if
// both have failed, the round has failed.
//
// The attempt runs in the operation itself. The hedge runs in a copy of it, which goes through the same steps until it
// knows how the hedge ended: then this joins the two.

import { now, startTimer } from '../run/timer.js';
import { Gate } from './gate.js';

/** Reason with which the signal of an attempt is aborted when the other one of its round has ended the operation. */
export class SupersededError extends Error {
  name = 'SupersededError';
}

const superseded = () => new SupersededError('rejitter: another attempt has ended the operation');

/** The rounds of one operation. */
export class Race {
  #gate;
  #state;
  /** Number of the round's attempt. */
  #number = 0;
  /** The hedge of the round: a copy of the operation. @type {any} */
  #lane = undefined;
  /** Whether the attempt ended after the hedge, or without one. */
  #isLast = true;
  /** Cancels the hedge's start. @type {(() => void) | undefined} */
  #cancel = undefined;
  /** The step that waits. */
  #ask = 0;
  /** Why the operation has ended, if a hedge has ended it. @type {string | undefined} */
  #over = undefined;
  /** Goes on with the operation, whose attempt has failed and which waits for the hedge. @type {any} */
  #resume = undefined;
  /** Reason with which a hedge has aborted the attempt. @type {SupersededError | undefined} */
  #reason = undefined;

  /**
   * @param {Gate} gate
   * @param {import('./state.js').State} state
   */
  constructor(gate, state) {
    this.#gate = gate;
    this.#state = state;
  }

  /**
   * @param {any} operation
   * @param {number} ask
   */
  begins(operation, ask) {
    const { attempts, limits, settings } = operation;
    this.#ask = ask;
    sort(operation);
    this.#number = attempts;
    if (attempts >= settings.maxAttempts || operation.mayHedge === false) return;
    const time = now();
    const delayMs = this.#state.hedge.delayMs(time);
    if (!(time + delayMs < limits.deadlineAt)) return;
    this.#cancel = startTimer(delayMs, () => this.#start(operation), settings.unref, time);
  }

  /** The attempt has ended: no hedge starts any more. */
  attemptEnded() {
    this.#cancel?.();
    const lane = this.#lane;
    this.#isLast = lane === undefined || hasEnded(lane);
  }

  /**
   * Starts the hedge, unless something forbids it.
   * @param {any} operation
   */
  #start(operation) {
    const { limits, settings, attempt } = operation;
    const state = this.#state;
    const { hedge, budget, breaker, cooldown } = state;
    const time = now();
    // A clock that is moved by hand may fire a timer before the end of the attempt is known.
    if (limits.ended !== undefined || attempt.signal.aborted) return;
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
    const gate = new Gate(state);
    gate.pending = true;
    gate.held = { hedge: true };
    breaker?.admit(time, gate.admitted, state);
    const lane = this.#copy(operation, gate, time);
    if (settings.hooks) {
      lane.emit('onAttempt', lane.attempts);
      // A hook may have aborted, or taken the time that was left.
      if (limits.ended !== undefined) {
        gate.close(lane, 'aborted');
        hedge.putBack();
        if (taken > 0) budget.putBack(taken, state);
        return;
      }
      lane.attemptAt = now();
    }
    this.#lane = lane;
    operation.plan = (/** @type {number} */ exactlyMs) => this.#waitFor(operation, lane, exactlyMs);
    limits.stop = (/** @type {unknown} */ reason) => {
      lane.limits.stop.call(limits, reason);
      lane.limits.stop(reason);
    };
    this.#gate.hedges++;
    hedge.hedges++;
    if (limits.metrics !== undefined) {
      limits.metrics.attempts++;
      limits.metrics.hedges++;
    }
    lane.limits.begin(lane.attempt);
    drive(lane, (fault) => {
      lane.failed = true;
      lane.outcome = fault;
      this.#decides(operation, lane, 'callback');
    });
  }

  /**
   * Returns a copy of the operation, for one attempt more.
   * @param {any} operation
   * @param {Gate} gate
   * @param {number} time
   */
  #copy(operation, gate, time) {
    const { settings, startedAt, limits, records } = operation;
    const number = operation.attempts + 1;
    const Attempt = operation.attempt.constructor;
    const prototype = Object.getPrototypeOf(operation);
    const lane = Object.assign(Object.create(prototype), operation, {
      gate,
      attempts: number,
      attemptAt: time,
      attempt: new Attempt(settings, number, startedAt, limits.deadlineAt, records.at(-1)),
      /** Whether the hedge takes no step any more. */
      over: false,
      /** The wait that the caller demands after the hedge's failure. */
      exactlyMs: NaN,
      /** @param {number} attempt @param {object} [fields] */
      event: (attempt, fields) => prototype.event.call(lane, attempt, { ...fields, hedge: true }),
      plan: (/** @type {number} */ exactlyMs) => this.#failed(operation, lane, exactlyMs),
      settle: (/** @type {string} */ reason) => this.#decides(operation, lane, reason),
    });
    // Fields that it does not have of its own are the operation's: whether that was aborted, and its deadline.
    lane.limits = Object.assign(Object.create(limits), {
      operation: lane,
      attempt: undefined,
      timeout: undefined,
      stop: limits.stop,
      settleEarly: undefined,
      cancelTimeout: undefined,
      cancelWait: undefined,
    });
    Object.defineProperty(lane, 'records', {
      get: () => operation.records,
      set: (list) => {
        operation.records = list;
      },
    });
    operation.copyTo?.(lane);
    return lane;
  }

  /**
   * The hedge has failed, and another attempt may follow. Returns its last step.
   * @param {any} operation
   * @param {any} lane
   * @param {number} exactlyMs
   */
  #failed(operation, lane, exactlyMs) {
    lane.over = true;
    lane.exactlyMs = exactlyMs;
    delete operation.limits.stop;
    if (this.#resume !== undefined) {
      this.#resume(this.#join(operation, lane, NaN));
    } else if (operation.ended !== this.#number) {
      // The cause of the deadline's error.
      operation.failed = lane.failed;
      operation.outcome = lane.outcome;
    }
    return lane.step;
  }

  /**
   * The hedge ends the operation, unless that has ended.
   * @param {any} operation
   * @param {any} lane
   * @param {string} reason
   */
  #decides(operation, lane, reason) {
    const { limits } = operation;
    if (lane.over || limits.aborted || limits.expired !== undefined) return;
    lane.over = true;
    this.#over = reason;
    // The attempt may end in this turn, too.
    operation.review = operation.decide = operation.plan = () => reason;
    // The hedge's own signal stays as it is: its result may need it.
    delete limits.stop;
    limits.stop((this.#reason = superseded()));
  }

  /**
   * The attempt has failed, and another one may follow. Returns the step that waits for the end of the round.
   * @param {any} operation
   * @param {any} lane
   * @param {number} exactlyMs
   */
  #waitFor(operation, lane, exactlyMs) {
    // Its result may be the operation's in the end: from here on, only the caller's signal aborts it.
    operation.limits.attempt = undefined;
    operation.pending = lane.over
      ? this.#join(operation, lane, exactlyMs)
      : new Promise((resolve) => {
          this.#resume = resolve;
        });
    operation.attempts = lane.attempts;
    operation.decide = (/** @type {number} */ joinedMs) => {
      delete operation.decide;
      delete operation.plan;
      return operation.limits.aborted ? 'aborted' : operation.plan(joinedMs);
    };
    return this.#ask;
  }

  /**
   * Both attempts have failed. The round's outcome is the last failure, its hint the largest. Returns the wait that the
   * caller demands.
   * @param {any} operation
   * @param {any} lane
   * @param {number} exactlyMs
   */
  #join(operation, lane, exactlyMs) {
    const isLast = this.#isLast;
    const hints = [operation.hintMs, lane.hintMs].filter((ms) => ms >= 0);
    // The last one is recorded with the wait that follows.
    if (isLast) {
      lane.record();
      lane.drop?.();
    } else {
      operation.record();
    }
    this.#end(operation, lane, !isLast);
    if (hints.length > 0) operation.hintMs = Math.max(...hints);
    return isLast ? exactlyMs : lane.exactlyMs;
  }

  /**
   * Ends the round.
   * @param {any} operation
   * @param {any} lane
   * @param {boolean} last whether the hedge's outcome is the round's
   */
  #end(operation, lane, last) {
    const gate = this.#gate;
    const { throttled, ownUntil, verdict, held } = lane.gate;
    gate.throttled ||= throttled;
    if (ownUntil === this.#state.cooldown?.until) gate.ownUntil = ownUntil;
    if (last) {
      Object.assign(gate, { verdict, held });
      const { failed, outcome, attempt, attemptAt, ended, endedAt, hintMs } = lane;
      Object.assign(operation, { failed, outcome, attempt, attemptAt, ended, endedAt, hintMs });
      operation.copyFrom?.(lane);
    }
    operation.attempts = lane.attempts;
    this.#lane = this.#resume = undefined;
  }

  /**
   * The operation has ended. Returns why.
   * @param {any} operation
   * @param {string} reason
   */
  settle(operation, reason) {
    this.#cancel?.();
    const lane = this.#lane;
    if (lane !== undefined) {
      if (operation.limits.aborted) this.#cut(operation, lane, reason);
      else if (this.#over !== undefined) this.#won(operation, lane, (reason = this.#over));
      else if (reason === 'timeout' || reason === 'deadline') reason = this.#cut(operation, lane, reason);
      else this.#lost(operation, lane, reason);
    } else if (reason !== 'success') {
      operation.record();
    }
    sort(operation);
    return reason;
  }

  /**
   * The hedge ends the operation.
   * @param {any} operation
   * @param {any} lane
   * @param {string} reason
   */
  #won(operation, lane, reason) {
    const { hedge } = this.#state;
    const gate = this.#gate;
    lane.gate.close(lane, reason);
    if (reason === 'success') hedge.won++;
    gate.close(operation, 'superseded');
    if (operation.ended !== this.#number) {
      const time = now();
      if (this.#number === 1) hedge.record(time, time - (operation.attemptAt ?? operation.startedAt));
      gate.held = { ...gate.held, superseded: true };
      write(operation, this.#reason);
    }
    write(operation);
    if (reason !== 'success') write(lane);
    this.#end(operation, lane, true);
  }

  /**
   * The attempt ends the operation.
   * @param {any} operation
   * @param {any} lane
   * @param {string} reason
   */
  #lost(operation, lane, reason) {
    const gate = this.#gate;
    gate.close(operation, reason);
    const error = superseded();
    if (!lane.over) lane.limits.stop(error);
    lane.over = true;
    lane.drop?.();
    lane.gate.close(lane, 'superseded');
    if (!hasEnded(lane)) {
      lane.gate.held = { ...lane.gate.held, superseded: true };
      write(lane, error);
    }
    if (reason !== 'success') write(operation);
    write(lane);
    operation.attempts = lane.attempts;
    this.#lane = undefined;
  }

  /**
   * A signal or the deadline ends the operation. Returns why it ends.
   * @param {any} operation
   * @param {any} lane
   * @param {string} reason
   */
  #cut(operation, lane, reason) {
    const { limits } = operation;
    const gate = this.#gate;
    const error = limits.aborted ? limits.reason : limits.expired;
    const runs = operation.ended !== this.#number;
    const laneRuns = !hasEnded(lane);
    const last = !laneRuns && (runs || !this.#isLast);
    lane.over = true;
    if (reason === 'deadline' && (runs || laneRuns)) reason = 'timeout';
    gate.close(operation, reason);
    lane.gate.close(lane, 'aborted');
    write(operation, runs ? error : undefined, runs);
    write(lane, error, laneRuns);
    // Nothing has ended yet.
    if (runs && laneRuns && this.#number === 1) operation.failed = true;
    if (!last) lane.drop?.();
    this.#end(operation, lane, last);
    return reason;
  }
}

/** @param {any} lane */
function hasEnded(lane) {
  return lane.ended === lane.attempts;
}

/**
 * Records an attempt, unless that is done.
 * @param {any} operation
 * @param {unknown} [error] with which it ends now
 * @param {boolean} [runs]
 */
function write(operation, error, runs = error !== undefined) {
  if (runs) operation.note();
  const { records, ended, failed, outcome } = operation;
  if (ended === 0 || records.some((/** @type {any} */ record) => record.attempt === ended)) return;
  operation.record(runs || failed, runs ? error : outcome);
}

/**
 * Puts the records in the order of the attempts: they were made in that of their ends.
 * @param {any} operation
 */
function sort(operation) {
  const { records } = operation;
  if (records.length === 0) return;
  records.sort((/** @type {any} */ a, /** @type {any} */ b) => a.attempt - b.attempt);
  operation.ended = records.at(-1).attempt;
}

/**
 * Drives a hedge until it takes no step any more. Its outcome after that is ignored.
 * @param {any} lane
 * @param {(fault: unknown) => void} onFault
 */
async function drive(lane, onFault) {
  let work = () => lane.fn(lane.attempt);
  try {
    while (!lane.over) {
      /** @type {unknown} */
      let answer;
      let threw = false;
      try {
        answer = await lane.limits.race(work());
      } catch (thrown) {
        answer = thrown;
        threw = true;
      }
      if (!lane.over) lane.next(answer, threw);
      work = () => lane.pending;
    }
  } catch (fault) {
    // The host's clock throws.
    onFault(fault);
  }
}
