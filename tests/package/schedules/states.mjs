// Protection of the reference: the state of each destination, and what is told of it.

import { Limiter } from './limiter.mjs';
import { Breaker, Budget, Cooldown, Hedging } from './machines.mjs';
import { adopt } from './timer.mjs';

/** Calls what may not change anything. */
export function tell(hook, event) {
  try {
    const answer = hook(Object.freeze(event));
    if (Object(answer) === answer) adopt(answer, undefined, console.error);
    return answer;
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

/** The state of one destination. */
class State {
  constructor({ budget, breaker, cooldown, limiter, hedge }, { onEvent, isFailure }, key) {
    const time = performance.now();
    // In the order in which they decide: of several differences, the first is what the others come of.
    this.breaker = breaker && new Breaker(breaker, time);
    this.cooldown = cooldown && new Cooldown(cooldown);
    this.limiter = limiter && new Limiter(limiter);
    this.budget = budget && new Budget(budget);
    this.hedge = hedge && new Hedging(hedge, time);
    this.isFailure = isFailure;
    this.tell = (event) => onEvent && tell(onEvent, { ...event, ...(key !== undefined && { key }) });
    this.empty = false;
  }

  /** Tells of a change of the circuit. */
  changes(change, cause) {
    const { breaker } = this;
    const { phase } = breaker;
    const answer = change(breaker);
    if (breaker.phase === phase) return answer;
    if (breaker.phase === 'open') breaker.cause = cause;
    const { rejected, ...numbers } = breaker.status(performance.now());
    this.tell({ type: breaker.phase === 'open' ? 'opened' : breaker.phase, ...numbers });
    return answer;
  }

  admit(time, first) {
    return this.breaker ? this.changes((breaker) => breaker.admit(time, first)) : {};
  }

  ended(pass, verdict, draw, cause) {
    if (pass !== undefined)
      this.changes((breaker) => breaker.end(performance.now(), pass, verdict, draw, cause), cause);
  }

  /** Tells when the budget runs out, and when it is full again. Only to take has an answer. */
  spends(change) {
    if (this.budget === undefined) return undefined;
    const answer = change(this.budget);
    const { tokens, capacity } = this.budget.status();
    const out = answer === 0 && !this.empty && capacity > 0;
    const full = answer === undefined && this.empty && tokens >= capacity;
    if (!out && !full) return answer;
    this.empty = out;
    this.tell({ type: out ? 'budget-empty' : 'budget-full', tokens, capacity });
    return answer;
  }

  take(throttled) {
    return this.spends((budget) => budget.take(throttled));
  }

  /** A retry has gained something. */
  gained(taken) {
    this.spends((budget) => budget.gained(taken));
  }

  putBack(tokens) {
    this.spends((budget) => budget.putBack(tokens));
  }

  succeeded(taken) {
    this.spends((budget) => budget.succeeded(taken));
  }

  status() {
    const parts = Object.entries(this).filter(([, part]) => typeof part?.status === 'function');
    const read = parts.map(([name, part]) => [name, Object.freeze(part.status(performance.now()))]);
    return Object.freeze(Object.fromEntries(read));
  }
}

/** Of an operation without protection. */
export const FREE = new State({}, {});

/** A protection, or one of its keys. */
class Protection {
  constructor(states, make, key) {
    Object.assign(this, { states, make, key });
  }

  /** The state of a key, made where it is first used. */
  use(key = this.key) {
    if (!this.states.has(key)) this.states.set(key, this.make(key));
    const state = this.states.get(key);
    if (this.states.get(undefined).limiter?.drained) state.limiter.drained = true;
    return state;
  }

  for(key) {
    return new Protection(this.states, this.make, key);
  }

  /** To read the numbers of a state that is not made keeps none. */
  status() {
    return (this.states.get(this.key) ?? this.make(this.key)).status();
  }

  /** Of all keys, if it has none. */
  drain() {
    this.use();
    for (const [key, { limiter }] of this.states) if (this.key === undefined || this.key === key) limiter.drain();
  }

  open(ms = Infinity) {
    const state = this.use();
    state.breaker.cause = undefined;
    state.changes((breaker) => breaker.openFor(performance.now(), ms));
  }

  close() {
    this.use().changes((breaker) => breaker.close(performance.now(), true));
  }
}

export function protect(...parts) {
  const make = (key) => new State(Object.assign({}, ...parts), parts.at(-1), key);
  return new Protection(new Map([[undefined, make(undefined)]]), make, undefined);
}
export const budget = (options) => ({ budget: options });
export const breaker = (options) => ({ breaker: options });
export const cooldown = (options) => ({ cooldown: options });
export const hedge = (options) => ({ hedge: options });
export const limiter = (options) => ({ limiter: options });
