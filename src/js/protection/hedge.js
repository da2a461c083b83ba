// Hedging: a second attempt while a slow one is running. When to start it, and how many there may be.

import { MAX_MS } from '../options/codes.js';
import { leftOut } from '../options/messages.js';
import { read } from '../options/reader.js';
import { now } from '../run/timer.js';
import { Budget, thousandths } from './budget.js';
import { Latency, peek } from './latency.js';
import { range, recipe } from './part.js';
import { Rounds } from './rounds.js';

/** @import { Amounts } from './budget.js' */
/** @import { Guard } from './guard.js' */

/** A hedge, and those that may start before an operation has succeeded, in thousandths. */
const HEDGE = 1000;
const CAPACITY = 10_000;

/** @param {unknown} [options] */
export function hedge(options) {
  const rules = {
    quantile: range(Number.MIN_VALUE, 1 - Number.EPSILON / 2),
    delayMs: range(0, MAX_MS),
    maxRatio: range(0.001, 1),
  };
  const { maxRatio = 0.1, delayMs, quantile } = read(options, rules, 'hedge');
  if (quantile !== undefined && delayMs !== undefined) throw leftOut('quantile', quantile, 'delayInstead');
  const shown = { ...(delayMs === undefined ? { quantile: quantile ?? 0.95 } : { delayMs }), maxRatio };
  const perSuccess = thousandths(maxRatio);
  const budget = { capacity: CAPACITY, perSuccess, cost: HEDGE, throttledCost: HEDGE, refund: false };
  return recipe('hedge', shown, (time) => new Hedge(budget, shown, time));
}

/** The hedges of one destination. */
export class Hedge {
  #delayMs;
  #quantile;
  #latency;
  /** Bounds the number of hedges: without it, they would make an overload out of a slow server. */
  budget;
  /** Hedges that were started, that ended their operations with success, and that protection rejected. */
  hedges = 0;
  won = 0;
  rejected = 0;

  /** @param {Amounts} budget @param {{ delayMs?: number, quantile?: number }} options @param {number} time */
  constructor(budget, { delayMs, quantile = 0 }, time) {
    this.#delayMs = delayMs;
    this.#quantile = quantile;
    this.#latency = delayMs === undefined ? new Latency(time) : undefined;
    this.budget = new Budget(budget);
  }

  /** Returns the rounds of an operation. @type {(...args: ConstructorParameters<typeof Rounds>) => Rounds} */
  rounds(op, driver, state) {
    return new Rounds(op, driver, state);
  }

  /** Returns how long after an attempt its hedge starts, in ms, once enough is known. @param {number} time */
  delayMs(time) {
    return this.#delayMs ?? this.#latency?.delayMs(time, this.#quantile);
  }

  /**
   * Takes the tokens and the place of a hedge. Returns what puts the tokens back, unless there are too few, the server
   * is in trouble, or it would have to wait.
   * @type {(state: import('./state.js').State, time: number, op: import('../run/operation.js').Operation) =>
   *   (() => void) | undefined}
   */
  take({ budget, breaker, cooldown, limiter }, time, op) {
    const { place } = /** @type {Guard} */ (op.guard);
    const isCalm = (breaker?.phase ?? 'closed') === 'closed' && !(cooldown && cooldown.left(time) > 0);
    const isFree = isCalm && limiter?.isFree(time, place.weigh()) !== false;
    const own = isFree ? this.budget.take() : 0;
    const taken = own && budget?.take();
    const putBack = () => {
      if (own) this.budget.putBack(own);
      if (taken) budget?.putBack(taken);
    };
    if (taken !== 0) {
      limiter?.start(time, place.weight);
      return putBack;
    }
    putBack();
    this.rejected++;
    return undefined;
  }

  /**
   * Follows the end of an attempt: how long a first one took that succeeded or timed out, or had taken when its hedge
   * won. How fast one failed says nothing: only one that succeeded or was superseded is a sample.
   * @type {(run: import('./guard.js').GuardedRun, isSample: boolean) => void}
   */
  follow({ op, startedAt = NaN, endedAt }, isSample) {
    if (this.#latency === undefined) return;
    const time = now();
    const ms = (endedAt ?? time) - startedAt;
    if (isSample || ms >= op.settings.attemptTimeoutMs) this.#latency.record(time, ms);
  }

  /** @param {number} time */
  isFresh(time) {
    return this.budget.isFresh() && this.#latency?.isEmpty(time) !== false;
  }

  /** @param {number} time */
  status(time) {
    const { hedges, won, rejected } = this;
    // Reading changes nothing.
    return { delayMs: this.#delayMs ?? peek(this.#latency, time, this.#quantile), hedges, won, rejected };
  }
}
