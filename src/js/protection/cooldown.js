// The cooldown: one server's "too many requests" holds everyone who would ask it.

import { read } from '../options/reader.js';
import { LONGEST, SWITCH } from '../options/rules.js';
import { baseOf, drawFor } from '../run/decision.js';
import { atMost } from './admission.js';
import * as machine from './machines.js';
import { recipe } from './part.js';

/** Attempts that may be held at a time. */
const MOST_HELD = 1000;

/** @param {unknown} [options] */
export function cooldown(options) {
  const given = read(options, { maxHoldMs: LONGEST, probe: SWITCH });
  return recipe('cooldown', given, () => new Cooldown(given));
}

/** The cooldown of one destination. */
export class Cooldown {
  #maxHoldMs;
  /** Whether an attempt passes each hold, and one that was held is not held again. */
  #probes;
  #state = machine.newCooldown();
  /** Guards of operations that are held now, and when their attempts asked first. @type {Map<object, number>} */
  held = new Map();
  rejected = 0;
  /** The failure that set it. @type {unknown} */
  cause = undefined;

  /** @param {{ maxHoldMs?: number, probe?: boolean }} options */
  constructor({ maxHoldMs, probe = true }) {
    this.#maxHoldMs = maxHoldMs;
    this.#probes = probe;
  }

  /** The time until which it holds. */
  get until() {
    return this.#state[machine.UNTIL];
  }

  /**
   * Returns its end if the hint of a failure set it: one that ends no later than the present one changes nothing.
   * @type {(run: import('../run/operation.js').AttemptRun, hintMs: number, time?: number) => any}
   */
  start({ op, failed, outcome }, hintMs, time = NaN) {
    if (machine.start(this.#state, time, atMost(op.settings, hintMs)) === 0) return undefined;
    this.cause = failed ? outcome : undefined;
    return this.until;
  }

  /**
   * Whether an attempt passes the present hold, which may be held already: as its probe, if it is a first one, whose
   * success ends the hold.
   * @type {(first: boolean, held: boolean) => boolean}
   */
  passes(first, held) {
    return this.#probes && (held || (first && this.#state[machine.PROBED] === 0));
  }

  /** Notes that the present hold has let its probe pass, or has none. */
  probe() {
    this.#state[machine.PROBED] = 1;
  }

  /** Ends the hold that an attempt was admitted in, unless another hint has made it longer. @param {number} until */
  succeeded(until) {
    if (this.until === until) this.#state[machine.UNTIL] = -Infinity;
  }

  /** Returns the rest in ms. The state sees the time: it bounds that when a clock is set back. @param {number} time */
  left(time) {
    return machine.left(this.#state, time);
  }

  /** Returns for how long to hold. @type {(time: number, op: import('../run/operation.js').Operation) => number} */
  holdMs(time, op) {
    // Without a core nothing is retried, and any base will do.
    return machine.hold(this.#state, time, baseOf(op), drawFor(op));
  }

  /**
   * Returns whether an attempt may be held, without the draw for no longer than the one that was asked to wait would.
   * @type {(ms: number, settings: import('../options/settings.js').Settings) => boolean}
   */
  mayHold(ms, settings) {
    return ms <= (this.#maxHoldMs ?? atMost(settings, Infinity)) && this.held.size < MOST_HELD;
  }

  /** @param {number} time */
  isFresh(time) {
    return this.until <= time && this.held.size === 0;
  }

  /** @param {number} time */
  status(time) {
    // Reading changes nothing.
    return { remainingMs: machine.left(this.#state.slice(), time), held: this.held.size, rejected: this.rejected };
  }
}
