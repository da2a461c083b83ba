// The state of a protection for one destination, and of all its destinations.

import { mistake, problemOf } from '../options/messages.js';
import { RULES } from '../options/table.js';
import { outcomeOf, reportFailure, tell } from '../run/hooks.js';
import { elapsed, now } from '../run/timer.js';
import { channelOf } from '../run/tracing.js';
import { Admission } from './admission.js';
import { Guard } from './guard.js';
import { FAILURE, NOTHING, SUCCESS } from './machines.js';

/** Destinations that a protection keeps at most. */
const MOST_KEYS = 1000;
/** Names of the parts, in the order of the status. */
const PARTS = /** @type {const} */ (['budget', 'breaker', 'cooldown', 'limiter', 'hedge']);
/** Events that a channel of Node publishes: changes of a breaker, and rejections. */
const PUBLISHED = ['opened', 'half-open', 'closed', 'rejected'];

/** The ticket of all attempts where there is no breaker. */
const NO_BREAKER = 1;

/** @type {{ hasSubscribers: boolean, publish: (message: object) => void } | null | undefined} */
let channel;

/** @typedef {{ tell: (type: string, fields: object) => void }} Teller follows what happens to a part */

/**
 * The driver keeps this of a first attempt that passed: its ticket; with a limiter, the number of its operation, too.
 * @typedef {number & { ticket?: undefined, arrival?: undefined } | { ticket: number, arrival: number }} Pass
 */

/** @template Part @typedef {(time: number, state: State) => Part} Make */

/**
 * Functions that make the parts of each state, which tells what happens to them.
 * @typedef {{ budget?: Make<import('./budget.js').Budget>, breaker?: Make<import('./breaker.js').Breaker>,
 *   cooldown?: Make<import('./cooldown.js').Cooldown>, limiter?: Make<import('./limiter.js').Limiter>,
 *   hedge?: Make<import('./hedge.js').Hedge> }} Makers
 *
 * All destinations of one protection share this: `make` returns a new state, without a key the root; `byKey` has the
 * states that were used, the least recently used one first; `drained` says that nothing may start in any of them.
 * @typedef {{ make: (key?: string) => State, byKey: Map<string, State>, last: State | undefined, drained?: boolean,
 *   onEvent?: (event: object) => unknown, isFailure?: (end: object) => unknown }} Shared
 */

/**
 * Forgets the state that was used least recently of those as good as new; without any, of those that are not open; if
 * all are open, of all. Those in whose limiter somebody waits, or has a place, or that was drained, are kept.
 * @param {Map<string, State>} byKey
 */
function forget(byKey) {
  const time = now();
  const states = [...byKey.values()].filter(({ limiter }) => !limiter?.isBusy);
  const victim = states.find((state) => state.isFresh(time)) ?? states.find(({ breaker }) => breaker?.phase !== 'open');
  byKey.delete(/** @type {string} */ ((victim ?? states[0])?.key));
}

/** State that all operations with one destination share. The driver calls it. */
export class State {
  /** @param {Shared} shared @param {Makers} makers @param {string} [key] */
  constructor(shared, makers, key) {
    this.shared = shared;
    this.key = key;
    const time = now();
    this.budget = makers.budget?.(time, this);
    this.breaker = makers.breaker?.(time, this);
    this.cooldown = makers.cooldown?.(time, this);
    this.limiter = makers.limiter?.(time, this);
    this.hedge = makers.hedge?.(time, this);
  }

  /** Returns the state of a key. A new one is kept when it is used: to read leaves no trace. @param {any} key */
  of(key) {
    if (this.key !== undefined) throw mistake('for()', 'keyed');
    if (typeof key !== 'string') throw problemOf('key', key, RULES.name);
    return this.shared.byKey.get(key) ?? this.shared.make(key);
  }

  /** Returns the state for an operation that starts: another one of this key may be kept. */
  use() {
    const shared = this.shared;
    const { byKey } = shared;
    const { key } = this;
    if (key === undefined) return this;
    const state = byKey.get(key) ?? this;
    // Most operations follow one of the same key: the last state is among those kept.
    if (state === shared.last) return state;
    if (!byKey.delete(key) && byKey.size >= MOST_KEYS) forget(byKey);
    byKey.set(key, state);
    return (shared.last = state);
  }

  /** For the caller's `onEvent`, and for the channel. @param {string} type of an event @param {object} fields */
  tell(type, fields) {
    const { onEvent } = this.shared;
    const { key } = this;
    const event = Object.freeze({ type, ...(key !== undefined && { key }), ...fields });
    if (onEvent !== undefined) tell(onEvent, event);
    if (!PUBLISHED.includes(type)) return;
    channel ??= /** @type {any} */ (channelOf('channel', 'rejitter:protection'));
    if (channel?.hasSubscribers) channel.publish(event);
  }

  keys() {
    return this.key === undefined ? [...this.shared.byKey.keys()] : [];
  }

  /**
   * Lets a first attempt pass, unless it may have to wait or be rejected: then this returns 0, and it has to ask.
   * Otherwise, its ticket. Without a limiter that is a number, because nearly all operations need no more.
   * @type {(time: number, settings: import('../options/settings.js').Settings) => Pass}
   */
  pass(time, settings) {
    // isFailure is told of each end, for which the driver needs an Admission.
    if (this.shared.isFailure !== undefined || (this.cooldown && this.cooldown.left(time) > 0)) return 0;
    return this.limiter ? this.limiter.pass(time, settings) : this.passBreaker(time);
  }

  /** Asks the breaker for the ticket of a first attempt; 0 unless the circuit is closed. @param {number} time */
  passBreaker(time) {
    return this.breaker?.pass(time) ?? NO_BREAKER;
  }

  /** Asks the breaker for a ticket; 0 if it gives none. @type {(time: number, first: boolean) => number} */
  admit(time, first) {
    return this.breaker?.admit(time, first) ?? NO_BREAKER;
  }

  /**
   * Follows a server's word to come later. Returns the end of a cooldown that it set.
   * @param {Parameters<import('./cooldown.js').Cooldown['pause']>} hint
   */
  pause(...hint) {
    const until = this.cooldown?.pause(...hint);
    this.limiter?.pause(...hint);
    return until;
  }

  /**
   * Returns what the caller says about the end of an attempt: a verdict, or undefined. A function that throws says
   * nothing, as a hook.
   * @type {(run: import('./guard.js').GuardedRun, status?: number) => number | undefined}
   */
  classify(run, status) {
    const { isFailure } = this.shared;
    if (isFailure === undefined) return undefined;
    const { number, startedAt = NaN, endedAt } = run;
    const end = { ...outcomeOf(run), ...(status !== undefined && { status }), attempt: number };
    const answer = tell(isFailure, { ...end, durationMs: elapsed(startedAt, endedAt) });
    if (answer === 'ignore') return NOTHING;
    if (typeof answer === 'boolean') return answer ? FAILURE : SUCCESS;
    if (answer !== undefined) reportFailure(problemOf('isFailure', answer, ['', 'isFailure'], 'return'));
    return undefined;
  }

  /** Follows the success of an attempt that has passed. @param {Pass} pass */
  passed(pass) {
    this.budget?.succeeded();
    this.breaker?.passed(ticketOf(pass));
    this.limiter?.release();
  }

  /**
   * Returns the guard of an operation, whose first attempt may have passed: then it gets an admission, now that it
   * needs one. Without a driver, it never has a hedge.
   * @type {(op: import('./guard.js').Guarded, driver?: import('../run/run.js').Driver, pass?: Pass) => Guard}
   */
  guard(op, driver, pass = 0) {
    if (pass !== 0) op.run.admission = new Admission(this, ticketOf(pass), true);
    const rounds = driver && this.hedge?.rounds(/** @type {import('./rounds.js').Operation} */ (op), driver, this);
    return new Guard(this, rounds, this.limiter?.placeOf(op, pass));
  }

  /** Whether forgetting it would change nothing. @param {number} time */
  isFresh(time) {
    return PARTS.every((name) => this[name]?.isFresh(time) !== false);
  }

  status() {
    const time = now();
    const keys = this.keys();
    // Another one may be kept.
    const live = this.shared.byKey.get(/** @type {string} */ (this.key)) ?? this;
    /** @type {Record<string, object>} */
    const status = {};
    // They have numbers of their own, which those of the root would hide.
    if (keys.length > 0) status.keys = Object.freeze(keys);
    for (const name of PARTS) if (live[name] !== undefined) status[name] = Object.freeze(live[name].status(time));
    return Object.freeze(status);
  }
}

/** A number may inherit anything. @type {(pass: Pass) => number} */
const ticketOf = (pass) => (typeof pass === 'object' ? pass.ticket : pass);
