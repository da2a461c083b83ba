// @ts-check
// The state of a protection for one destination, and of all its destinations.

import { failure, problemOf } from '../options/messages.js';
import { RULES } from '../options/rules.js';
import { now } from '../run/timer.js';
import { teller } from './events.js';
import { Gate } from './gate.js';

/** Destinations that a protection keeps at most. */
const MOST_KEYS = 1000;

/**
 * What makes the parts of each state.
 * @typedef {Record<string, (time: number) => any>} Makers
 */

/** The destinations of one protection, from the one that was used least recently. */
export class States {
  /** @type {Map<string, State>} */
  byKey = new Map();

  /**
   * @param {Makers} makers
   * @param {((event: object) => unknown) | undefined} onEvent
   */
  constructor(makers, onEvent) {
    this.makers = makers;
    this.onEvent = onEvent;
  }

  /** @param {string} key */
  get(key) {
    return this.byKey.get(key) ?? this.#add(new State(this, key), key);
  }

  /**
   * Returns the state that an operation of this key begins with: an older one may have been forgotten.
   * @param {State} state
   * @param {string} key
   */
  use(state, key) {
    const live = this.byKey.get(key);
    if (live === undefined) return this.#add(state, key);
    this.byKey.delete(key);
    this.byKey.set(key, live);
    return live;
  }

  /**
   * @param {State} state
   * @param {string} key
   */
  #add(state, key) {
    if (this.byKey.size >= MOST_KEYS) this.#forget();
    this.byKey.set(key, state);
    return state;
  }

  /** Forgets a state that is as good as a new one; if there is none, one that is not open. */
  #forget() {
    const time = now();
    /** @type {string | undefined} */
    let other;
    for (const [key, state] of this.byKey) {
      if (state.isFresh(time)) {
        this.byKey.delete(key);
        return;
      }
      if (!state.breaker?.isOpen) other ??= key;
    }
    const [oldest] = this.byKey.keys();
    this.byKey.delete(other ?? oldest);
  }
}

/** What all operations with one destination share. The driver calls it (options/settings.js, Protection). */
export class State {
  #states;

  /**
   * @param {States} states
   * @param {string | undefined} key undefined for the root
   */
  constructor(states, key) {
    this.#states = states;
    this.key = key;
    const { makers, onEvent } = states;
    const time = now();
    this.budget = makers.budget?.(time);
    this.breaker = makers.breaker?.(time);
    this.cooldown = makers.cooldown?.(time);
    this.tell = teller(onEvent, key);
  }

  /** @param {any} key */
  of(key) {
    if (this.key !== undefined)
      throw failure(TypeError, 'this Protection has a key already: call for() on the one that protect() returned');
    if (typeof key !== 'string') throw problemOf('key', key, RULES.name);
    return this.#states.get(key);
  }

  use() {
    return this.key === undefined ? this : this.#states.use(this, this.key);
  }

  /** The state of this key, if another one took its place. */
  live() {
    return this.key === undefined ? this : (this.#states.byKey.get(this.key) ?? this);
  }

  keys() {
    return this.key === undefined ? [...this.#states.byKey.keys()] : [];
  }

  /** @param {number} time */
  pass(time) {
    if (this.cooldown !== undefined && this.cooldown.left(time) > 0) return -1;
    return this.breaker === undefined ? 0 : this.breaker.pass(time);
  }

  /** @param {number} pass */
  passed(pass) {
    this.budget?.succeeded(0, this.tell);
    this.breaker?.passed(now(), pass, this.tell);
  }

  /** @param {number} [pass] */
  gate(pass) {
    return new Gate(this, pass);
  }

  /** Whether forgetting it would change nothing. @param {number} time */
  isFresh(time) {
    return [this.budget, this.breaker, this.cooldown].every((part) => part === undefined || part.isFresh(time));
  }

  status() {
    const { budget, breaker, cooldown } = this;
    const time = now();
    return Object.freeze({
      ...(budget && { budget: Object.freeze(budget.status()) }),
      ...(breaker && { breaker: Object.freeze(breaker.status(time)) }),
      ...(cooldown && { cooldown: Object.freeze(cooldown.status(time)) }),
    });
  }
}
