// The breaker: rejects attempts while most of them fail, and lets one through now and then. It has no timer.

import { isCount, isLongest, isWithin } from '../options/checks.js';
import { MAX_MS } from '../options/codes.js';
import { problemOf } from '../options/messages.js';
import { read } from '../options/reader.js';
import { drawFor } from '../run/decision.js';
import { reportFailure } from '../run/hooks.js';
import { now } from '../run/timer.js';
import * as machine from './machines.js';
import { FAILURE, HAS_OPENED, PHASE, SUCCESS } from './machines.js';
import { COUNT, range, recipe } from './part.js';

/** In the order in which the machine has them. @type {Record<string, any>} */
const BREAKER_DEFAULTS = {
  failureRatio: 0.75,
  minimumCalls: 20,
  windowMs: 10_000,
  consecutiveFailures: 50,
  openMs: 1000,
  maxOpenMs: 4000,
  closeAfter: 1,
};
/** Failures in a row that open the circuit as well if it has lasted a second, unless the caller has set a number. */
const LASTING = 10;

/** Phases as callers see them, at the machine's codes. */
const PHASES = ['closed', 'open', 'half-open'];

/** @param {unknown} [options] */
export function breaker(options) {
  const rules = /** @satisfies {import('../options/reader.js').Rules} */ ({
    failureRatio: range(Number.MIN_VALUE, 1),
    minimumCalls: COUNT,
    windowMs: range(100, 3_600_000),
    consecutiveFailures: COUNT,
    openMs: range(Number.MIN_VALUE, MAX_MS),
    maxOpenMs: ['number', isLongest, 'maxOpenMs'],
    closeAfter: ['number', (value) => isWithin(value, 1, 1000) && isCount(value)],
  });
  const given = read(options, rules, 'breaker');
  const all = { ...BREAKER_DEFAULTS, ...given };
  all.maxOpenMs = given.maxOpenMs ?? Math.max(all.maxOpenMs, all.openMs);
  if (all.maxOpenMs < all.openMs) throw problemOf('maxOpenMs', all.maxOpenMs, rules.maxOpenMs);
  const numbers = Object.keys(BREAKER_DEFAULTS).map((name) => all[name]);
  numbers.push(given.consecutiveFailures === undefined ? LASTING : Infinity);
  // It is not one number then.
  if (given.consecutiveFailures === undefined) delete all.consecutiveFailures;
  return recipe('breaker', all, (time, teller) => new Breaker(numbers, time, teller));
}

/** The breaker of one destination. */
export class Breaker {
  #options;
  #teller;
  #state;
  rejected = 0;
  /** The failure that opened it. @type {unknown} */
  cause = undefined;
  /** Reasons of signals that have counted. @type {WeakSet<object> | undefined} */
  #timeouts;

  /** @param {number[]} options @param {number} time @param {import('./state.js').Teller} teller */
  constructor(options, time, teller) {
    this.#options = options;
    this.#teller = teller;
    this.#state = machine.newBreaker(time);
  }

  get phase() {
    return PHASES[this.#state[PHASE]];
  }

  /** Returns the time in ms for which it is open for certain, 0 for none. Takes no probe. @param {number} time */
  look(time) {
    return machine.look(this.#state, time);
  }

  /** Admits a first attempt while the circuit is closed. Returns its ticket, else 0. @param {number} time */
  pass(time) {
    if (this.phase !== 'closed') return 0;
    return machine.admit(this.#state, this.#options, time, true);
  }

  /** Follows the success of an attempt that passed, which changes no phase. @param {number} ticket */
  passed(ticket) {
    machine.ended(this.#state, this.#options, now(), 0, ticket, SUCCESS, NaN);
  }

  /** Asks for an attempt. Returns its ticket; 0 if it must not start. @param {number} time @param {boolean} first */
  admit(time, first) {
    return this.#change(time, (state) => machine.admit(state, this.#options, time, first));
  }

  /**
   * Returns whether a signal was aborted because time is up, and has not counted yet. It may have ended a whole batch,
   * however short a time each of these has had.
   * @param {any} reason
   */
  isNewTimeout(reason) {
    try {
      if (reason?.name !== 'TimeoutError' || this.#timeouts?.has(reason)) return false;
      (this.#timeouts ??= new WeakSet()).add(reason);
      return true;
    } catch {
      // A reason may be anything.
      return false;
    }
  }

  /**
   * Follows the end of an attempt, and the time that the server asked for, if any. The cause is the failure, if any.
   * @type {(run: import('./guard.js').GuardedRun, ticket: number, verdict: number, hintMs: number,
   *   cause: unknown) => void}
   */
  record(run, ticket, verdict, hintMs, cause) {
    const time = now();
    let draw = 0.5;
    const end = (/** @type {number[]} */ state) =>
      machine.ended(state, this.#options, time, draw, ticket, verdict, hintMs);
    // Tried on a copy: random() may call operations that change the state.
    if (verdict === FAILURE && end(this.#state.slice()) === HAS_OPENED) {
      try {
        draw = drawFor(run.op, run.number);
      } catch (error) {
        // The circuit opens all the same. Where the operation itself needs a draw, this ends it.
        reportFailure(error);
      }
    }
    this.#change(time, end, cause);
  }

  /** @param {number} time @param {number} ms */
  open(time, ms) {
    this.cause = undefined;
    this.#change(time, (state) => machine.open(state, this.#options, time, ms));
  }

  /** @param {number} time */
  close(time) {
    this.#change(time, (state) => machine.close(state, time));
  }

  /** @param {number} time */
  numbers(time) {
    return { state: this.phase, ...machine.breakerNumbers(this.#state, this.#options, time) };
  }

  /**
   * Changes the state, and tells of another phase. Returns the answer of the change. The cause may open the circuit.
   * @type {<Answer>(time: number, change: (state: number[]) => Answer, cause?: unknown) => Answer}
   */
  #change(time, change, cause) {
    const was = this.phase;
    const answer = change(this.#state);
    const { phase } = this;
    if (phase !== was) {
      if (phase === 'open') this.cause = cause;
      this.#teller.tell(phase === 'open' ? 'opened' : phase, this.numbers(time));
    }
    return answer;
  }

  /** @param {number} time */
  isFresh(time) {
    return machine.breakerIsFresh(this.#state, this.#options, time);
  }

  /** @param {number} time */
  status(time) {
    return { ...this.numbers(time), rejected: this.rejected };
  }
}
