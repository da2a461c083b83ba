// Protection of the reference: the state of each destination, and what is told of it.

import { Breaker, Budget, Cooldown, Hedging } from './machines.mjs';

/** Calls what may not change anything. */
export function tell(hook, event) {
  try {
    const answer = hook(Object.freeze(event));
    if (typeof answer === 'object' && answer !== null) Promise.resolve(answer).then(undefined, console.error);
    return answer;
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

/** The state of one destination. */
class State {
  constructor({ budget, breaker, cooldown, hedge }, { onEvent, isFailure }, key) {
    const time = performance.now();
    // In the order in which they decide: of several differences, the first is what the others come of.
    this.breaker = breaker && new Breaker(breaker, time);
    this.cooldown = cooldown && new Cooldown(cooldown);
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

  take(throttled) {
    const { budget } = this;
    const taken = budget?.take(throttled);
    if (taken === 0 && !this.empty && budget.capacity > 0) {
      this.empty = true;
      this.tells('budget-empty');
    }
    return taken;
  }

  putBack(tokens) {
    this.budget.putBack(tokens);
    this.fills();
  }

  succeeded(taken) {
    this.budget?.succeeded(taken);
    if (this.budget) this.fills();
  }

  fills() {
    if (!this.empty || this.budget.tokens < this.budget.capacity) return;
    this.empty = false;
    this.tells('budget-full');
  }

  tells(type) {
    const { tokens, capacity } = this.budget.status();
    this.tell({ type, tokens, capacity });
  }

  status() {
    const parts = Object.entries(this).filter(([, part]) => typeof part?.status === 'function');
    const read = parts.map(([name, part]) => [name, Object.freeze(part.status(performance.now()))]);
    return Object.freeze(Object.fromEntries(read));
  }
}

/** Of an operation without protection. */
export const FREE = new State({}, {});

class Protection {
  #states = new Map();

  constructor(parts, options) {
    this.make = (key) => new State(parts, options, key);
    this.use(undefined);
  }

  /** The state of a key, made where it is first used. */
  use(key) {
    if (!this.#states.has(key)) this.#states.set(key, this.make(key));
    return this.#states.get(key);
  }

  for(key) {
    return {
      use: () => this.use(key),
      // To read the numbers of one that is not made keeps none.
      status: () => (this.#states.get(key) ?? this.make(key)).status(),
      open: (ms) => this.open(ms, key),
      close: () => this.close(key),
    };
  }

  status() {
    return this.use(undefined).status();
  }

  open(ms, key) {
    const state = this.use(key);
    state.breaker.cause = undefined;
    state.changes((breaker) => breaker.openFor(performance.now(), ms ?? Infinity));
  }

  close(key) {
    this.use(key).changes((breaker) => breaker.close(performance.now(), true));
  }
}

export const protect = (...parts) => new Protection(Object.assign({}, ...parts), parts.at(-1));
export const budget = (options) => ({ budget: options });
export const breaker = (options) => ({ breaker: options });
export const cooldown = (options) => ({ cooldown: options });
export const hedge = (options) => ({ hedge: options });
