// @ts-check
// The state of a protection for one destination, and of all its destinations.

import { failure, problemOf } from '../options/messages.js';
import { RULES } from '../options/rules.js';
import { settle } from '../run/hooks.js';
import { now } from '../run/timer.js';
import { tellOf } from './events.js';
import { Gate } from './gate.js';

/** Destinations that a protection keeps at most. */
const MOST_KEYS = 1000;
/** Names of the parts, in the order of the status. */
const PARTS = /** @type {const} */ (['budget', 'breaker', 'cooldown', 'hedge']);
/** More than all uses of a protection. */
const WORSE = 2 ** 51;

/**
 * Functions that make the parts of each state.
 * @typedef {Record<string, (time: number) => any>} Makers
 */

/** The destinations of one protection. */
export class States {
  /** @type {Map<string, State>} */
  byKey = new Map();
  /** Uses so far: what was used least recently has the lowest number. */
  uses = 0;

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
    return this.byKey.get(key) ?? this.use(new State(this, key), key);
  }

  /**
   * Returns the state for an operation of this key that starts: an older one may have been forgotten.
   * @param {State} state
   * @param {string} key
   */
  use(state, key) {
    let live = this.byKey.get(key);
    if (live === undefined) {
      if (this.byKey.size >= MOST_KEYS) this.#forget();
      this.byKey.set(key, (live = state));
    }
    live.usedAt = ++this.uses;
    return live;
  }

  /**
   * Forgets the state that was used least recently of those as good as new; without any, of those that are not open; if
   * all are open, of all.
   */
  #forget() {
    const time = now();
    /** @type {State | undefined} */
    let victim;
    let least = Infinity;
    for (const state of this.byKey.values()) {
      // Its loss is at least that.
      if (state.usedAt > least) continue;
      const loss = (state.isFresh(time) ? 0 : state.breaker?.isOpen ? 2 : 1) * WORSE + state.usedAt;
      if (loss < least) {
        victim = state;
        least = loss;
      }
    }
    this.byKey.delete(/** @type {string} */ (victim?.key));
  }
}

/** State that all operations with one destination share. The driver calls it (options/seam.js, Protection). */
export class State {
  #states;
  /** Number of its last use. */
  usedAt = 0;

  /**
   * @param {States} states
   * @param {string | undefined} key undefined for the root
   */
  constructor(states, key) {
    this.#states = states;
    this.key = key;
    const { makers } = states;
    const time = now();
    this.budget = makers.budget?.(time);
    this.breaker = makers.breaker?.(time);
    this.cooldown = makers.cooldown?.(time);
    this.hedge = makers.hedge?.(time);
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

  /**
   * @param {string} type of an event
   * @param {object} fields
   */
  tell(type, fields) {
    tellOf(this.#states.onEvent, this.key, type, fields);
  }

  keys() {
    return this.key === undefined ? [...this.#states.byKey.keys()] : [];
  }

  /**
   * Runs an operation that nothing else watches, unless it has to wait. As without protection, a first
   * attempt that succeeds makes no operation object.
   * @param {import('../options/seam.js').Driver} driver
   * @param {import('../options/settings.js').Settings} settings
   * @param {(attempt: any) => unknown} fn
   * @param {number} index
   * @returns {Promise<any> | undefined}
   */
  run(driver, settings, fn, index) {
    const startedAt = now();
    const { budget, breaker, cooldown } = this;
    // The number of the breaker's phase, or -1 if the attempt has to wait.
    const pass = cooldown?.left(startedAt) > 0 ? -1 : (breaker?.pass(startedAt) ?? 0);
    if (pass < 0) return undefined;
    const attempt = new driver.Attempt(settings, 1, startedAt, Infinity, undefined);
    const goOn = (/** @type {unknown} */ outcome, failed = true) =>
      driver.resume(settings, fn, index, startedAt, attempt, outcome, failed, new Gate(this, pass));
    /** @param {unknown} value */
    const onValue = (value) => {
      if (driver.mistakeIn(value) !== undefined) return goOn(value, false);
      budget?.succeeded(0, this);
      breaker?.passed(now(), pass);
      return value;
    };
    try {
      return settle(fn(attempt), onValue, goOn);
    } catch (error) {
      return goOn(error);
    }
  }

  gate() {
    const gate = new Gate(this);
    gate.race = this.hedge?.race(gate, this);
    return gate;
  }

  /** Whether forgetting it would change nothing. @param {number} time */
  isFresh(time) {
    // The breaker first: of most keys it says at once that they are in use.
    const { breaker, budget, cooldown, hedge } = this;
    return (
      breaker?.isFresh(time) !== false &&
      budget?.isFresh() !== false &&
      cooldown?.isFresh(time) !== false &&
      hedge?.isFresh(time) !== false
    );
  }

  status() {
    const time = now();
    /** @type {Record<string, object>} */
    const status = {};
    for (const name of PARTS) if (this[name] !== undefined) status[name] = Object.freeze(this[name].status(time));
    return Object.freeze(status);
  }
}
