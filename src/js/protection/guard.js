// The guard of one operation keeps the numbers that protection needs. The driver calls it before each attempt, when one
// has ended, before a wait, and at the end.

import { restack } from '../run/report.js';
import { now } from '../run/timer.js';
import { Admission } from './admission.js';
import { SUCCESS } from './machines.js';
import { RejectedError, rejecters, warnOfLayers } from './rejected.js';

/** @import { OperationLimits } from '../run/limits.js' */
/** @import { AttemptRun, Operation } from '../run/operation.js' */
/** @import { State } from './state.js' */

/**
 * An operation and its attempt, as far as protection needs them: a connection, which is no operation, can be guarded
 * by these, too.
 * @typedef {Pick<Operation, 'settings' | 'index' | 'attempts'> & { limits: GuardedLimits, run: GuardedRun }} Guarded
 * @typedef {{ op: Guarded, limits: GuardedLimits, number: number } & Partial<Pick<AttemptRun, 'startedAt' | 'endedAt' |
 *   'failed' | 'outcome' | 'hintMs' | 'told' | 'task' | 'admission'>>} GuardedRun
 * @typedef {{ deadlineAt: number } & Partial<Pick<OperationLimits, 'aborted' | 'reason' | 'late' | 'blocks'>>
 *   } GuardedLimits
 *
 * Protection answers what to do, and the driver does it: begin the attempt, hold it for a time, or until a promise is
 * settled, and ask again, wait before the retry, or stop, for a reason and with the error of an operation that has no
 * outcome of its own.
 * @typedef {{ do: 'begin', admission: Admission }} Beginning
 * @typedef {{ do: 'hold', ms: number | Promise<void> }} Holding
 * @typedef {{ do: 'wait', ms: number }} Waiting
 * @typedef {{ do: 'stop', reason: string, error: RejectedError | undefined }} Stopping
 *
 * Parts that may hold an attempt answer so: undefined to go on, or with the time in ms after which asking again makes
 * sense, if they reject it.
 * @typedef {Holding | Stopping | number | undefined} Answer
 */

/** Parts that may hold an attempt. Where there are both, the queue of the limiter holds. */
const HOLDING = /** @type {const} */ (['cooldown', 'limiter']);

export class Guard {
  #state;
  /** Tokens that the last retry took that had to, and its number. */
  #taken = 0;
  #takenFor = 0;
  /** When asking again makes sense, for the report of a rejection. @type {{ retryAfterMs: number } | undefined} */
  rejection = undefined;

  /**
   * With the rounds of an operation that may have hedges, and with its place in a limiter.
   * @param {State} state @param {import('./rounds.js').Rounds} [rounds] @param {any} [place]
   */
  constructor(state, rounds, place) {
    this.#state = state;
    this.rounds = rounds;
    /** @type {import('./queue.js').Place} */
    this.place = place;
  }

  /** @param {Guarded} op @param {number} time now @returns {Beginning | Holding | Stopping} */
  enter(op, time) {
    const state = this.#state;
    const { breaker, cooldown, limiter } = state;
    const openMs = breaker?.look(time) ?? 0;
    if (openMs > 0) return this.#reject(op, 'breaker', openMs);

    // After an answer as before any attempt: no retry of what failed.
    const first = op.run.admission?.pays !== true;
    const answer = this.#ask('enter', op, time, first);
    if (answer) return answer;

    // Last, so that an attempt which waits never holds the place of a probe.
    const ticket = state.admit(time, first);
    if (breaker && ticket === 0) return this.#reject(op, 'breaker', breaker.numbers(time).retryAfterMs);
    const fields = cooldown?.begin(this, time) ?? limiter?.begin(this, time);
    // A hold that is over may run again once the clock is set back: it is none of this attempt's.
    const until = cooldown && cooldown.left(time) > 0 ? cooldown.until : undefined;
    return { do: 'begin', admission: new Admission(state, ticket, first, fields, until) };
  }

  /** @param {Operation} op @param {number} delayMs @returns {Waiting | Stopping} */
  retry(op, delayMs) {
    const state = this.#state;
    const { budget, breaker } = state;
    const { admission } = op.run;
    const time = now();
    // An end of the round has progressed.
    if (op.row.before === op.attempts - 1) this.#giveBack();
    const answer = this.#ask('retry', op, time, delayMs);
    if (answer?.do === 'stop') return answer;
    const ms = /** @type {number} */ (answer?.ms ?? delayMs);
    const openMs = breaker?.look(time) ?? 0;
    if (openMs > ms) return this.#reject(op, 'breaker', openMs);
    // After an answer, it is no retry: it adds nothing to an overload.
    if (budget !== undefined && admission?.pays) {
      const taken = budget.take(admission.throttled);
      if (taken === 0) {
        state.tell('rejected', { by: 'budget' });
        return stopping('budget');
      }
      this.#taken = taken;
      this.#takenFor = op.attempts + 1;
    }
    return { do: 'wait', ms };
  }

  /**
   * Asks the parts that may hold an attempt. Returns the first answer; a number of ms rejects it.
   * @type {(question: 'enter' | 'retry', op: Guarded, time: number, detail: any) => Holding | Stopping | undefined}
   */
  #ask(question, op, time, detail) {
    for (const by of HOLDING) {
      const answer = /** @type {any} */ (this.#state[by])?.[question](this, op, time, detail);
      if (answer !== undefined) return typeof answer === 'number' ? this.#reject(op, by, answer) : answer;
    }
    return undefined;
  }

  /** @param {Guarded} op @param {string} stop @returns {Stopping} */
  settle(op, stop) {
    const state = this.#state;
    const { budget, hedge } = state;
    stop = this.rounds?.settle(stop) ?? stop;
    const waitedFor = HOLDING.find((by) => state[by]?.leave(this));
    // Timers were late: when the hold began, it was to end before the deadline. A queue may end at any time.
    const answer =
      waitedFor && (stop === 'timeout' || stop === 'deadline')
        ? this.#reject(op, waitedFor, state[waitedFor]?.left(now()) ?? 0, this.settle)
        : stopping(stop);
    const { reason } = answer;
    const { run } = op;
    run.admission?.close(run, reason);
    if (reason === 'notRetryable') warnOfLayers(run.outcome, state);
    // The tokens of the present attempt came back when it progressed.
    if (this.#takenFor > op.attempts) budget?.putBack(this.#taken);
    else if (reason === 'success' && run.admission?.verdict === SUCCESS) {
      budget?.succeeded(this.#taken);
      hedge?.budget.succeeded();
    } else if (run.told?.progressed) this.#giveBack();
    return answer;
  }

  /** Gives back what the last retry took: it has progressed. */
  #giveBack() {
    this.#state.budget?.progressed(this.#taken);
    this.#taken = 0;
  }

  /**
   * Rejects an attempt in a method that the driver has called. The operation ends with its own last outcome. Before the
   * first attempt, it ends with a RejectedError, and after an answer, which nobody is to take for the last word.
   * @type {(op: Guarded, by: import('./rejected.js').By, retryAfterMs: number, asked?: Function) => Stopping}
   */
  #reject({ attempts, run }, by, retryAfterMs, asked = this.enter) {
    const state = this.#state;
    const part = /** @type {{ rejected: number, cause: unknown }} */ (state[by]);
    part.rejected++;
    this.rejection = { retryAfterMs };
    /** @type {RejectedError | undefined} */
    let error;
    if (attempts === 0 || (run.admission?.answered && !run.failed && run.task === undefined)) {
      error = new RejectedError(by, retryAfterMs, part.cause, state.key);
      rejecters.set(error, state);
      // Without our own frames, the caller's is among the first ten.
      restack(error, asked);
    }
    state.tell('rejected', { by, retryAfterMs });
    return stopping(by, error);
  }
}

/** @param {string} reason @param {RejectedError} [error] @returns {Stopping} */
const stopping = (reason, error) => ({ do: 'stop', reason, error });

export const ABORTED = stopping('aborted');

/** Whether a wait would end too late for the deadline. @type {(op: Guarded, ms: number, now: number) => boolean} */
export function misses({ limits }, ms, time) {
  return Math.ceil(ms) + 1 > limits.deadlineAt - time;
}
