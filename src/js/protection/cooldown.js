// The cooldown: one server's "too many requests" holds everyone who would ask it.

import { read } from '../options/reader.js';
import { LONGEST, SWITCH } from '../options/rules.js';
import { baseOf, drawFor } from '../run/decision.js';
import { elapsed } from '../run/timer.js';
import { atMost } from './admission.js';
import { ABORTED, misses } from './guard.js';
import * as machine from './machines.js';
import { recipe } from './part.js';

/** @import { Answer, Guard, Guarded, GuardedRun } from './guard.js' */

/** Attempts that may be held at a time. */
const MOST_HELD = 1000;

/** @param {unknown} [options] */
export function cooldown(options) {
  const given = read(options, { maxHoldMs: LONGEST, probe: SWITCH });
  return recipe('cooldown', given, (_, state) => new Cooldown(given, state));
}

/** The cooldown of one destination. */
export class Cooldown {
  #maxHoldMs;
  /** Whether an attempt passes each hold, and one that was held is not held again. */
  #probes;
  #state = machine.newCooldown();
  #protection;
  /** Guards of operations that are held now, and when their attempts asked first. @type {Map<Guard, number>} */
  #held = new Map();
  rejected = 0;
  /** The failure that set it. @type {unknown} */
  cause = undefined;

  /** @param {{ maxHoldMs?: number, probe?: boolean }} options @param {import('./state.js').State} protection */
  constructor({ maxHoldMs, probe = true }, protection) {
    this.#maxHoldMs = maxHoldMs;
    this.#probes = probe;
    this.#protection = protection;
  }

  /** The time until which it holds. */
  get until() {
    return this.#state[machine.UNTIL];
  }

  /**
   * Follows a hint. Returns its end if a failure gave it: one that ends no later than the present one changes nothing.
   * A success that foretells it says when, and nobody has to find out.
   * @type {(run: GuardedRun, hintMs: number, time: number, foretold?: true) => any}
   */
  pause({ op, failed, outcome }, hintMs, time, foretold) {
    if (machine.start(this.#state, time, atMost(op.settings, hintMs)) === 0) return undefined;
    this.cause = failed ? outcome : undefined;
    if (foretold) this.#probed();
    return this.until;
  }

  /**
   * Asks for the start of an attempt. By default, an attempt is held once, and the first one that a hold would hold is
   * its probe, whose success ends the hold. The queue of a limiter stands until the hold ends, for all.
   * @type {(guard: Guard, op: Guarded, time: number, first: boolean) => Answer}
   */
  enter(guard, op, time, first) {
    const leftMs = this.left(time);
    const heldAt = this.#held.get(guard);
    const { limiter } = this.#protection;
    const isProbe = first && this.#state[machine.PROBED] === 0;
    if (leftMs === 0 || (!limiter && this.#probes && (isProbe || heldAt !== undefined))) return undefined;
    this.#held.delete(guard);
    if (!this.mayHold(leftMs, op.settings)) return leftMs;
    if (limiter) return undefined;
    const answer = this.#hold(op, time, 0);
    if (typeof answer === 'object' && answer.do === 'hold') {
      this.#held.set(guard, heldAt ?? time);
      this.#protection.tell('held', { holdMs: answer.ms });
    }
    return answer;
  }

  /**
   * Asks for a retry, which waits for the end of the hold, unless its own failure has set that.
   * @type {(guard: Guard, op: Guarded, time: number, delayMs: number) => Answer}
   */
  retry(_, op, time, delayMs) {
    const goesOn = this.left(time) === 0 || this.#protection.limiter || this.until === op.run.admission?.ownUntil;
    return goesOn ? undefined : this.#hold(op, time, delayMs);
  }

  /**
   * Holds for at least so long, unless the deadline comes first.
   * @type {(op: Guarded, time: number, leastMs: number) => Answer}
   */
  #hold(op, time, leastMs) {
    // Without a core nothing is retried, and any base will do.
    const ms = Math.max(leastMs, machine.hold(this.#state, time, baseOf(op), drawFor(op)));
    // random() may have aborted.
    if (op.limits.aborted) return ABORTED;
    return ms > leastMs && misses(op, ms, time) ? this.left(time) : { do: 'hold', ms };
  }

  /**
   * Follows the start of an attempt. Returns the fields of its record.
   * @type {(guard: Guard, time: number) => import('./admission.js').RecordFields | undefined}
   */
  begin(guard, time) {
    const heldAt = this.#held.get(guard);
    if (this.leave(guard)) return { heldMs: elapsed(/** @type {number} */ (heldAt), time) };
    if (this.left(time) > 0) this.#probed();
    return undefined;
  }

  /** Has an attempt leave that is held. Returns whether it was. @param {Guard} guard */
  leave(guard) {
    return this.#held.delete(guard);
  }

  /** Notes that the present hold has let its probe pass, or has none. */
  #probed() {
    this.#state[machine.PROBED] = 1;
  }

  /** Ends the hold that an attempt was admitted in, unless another hint has made it longer. @param {number} [until] */
  succeeded(until) {
    if (this.until === until) this.#state[machine.UNTIL] = -Infinity;
  }

  /** Returns the rest in ms. The state sees the time: it bounds that when a clock is set back. @param {number} time */
  left(time) {
    return machine.left(this.#state, time);
  }

  /**
   * Returns whether an attempt may be held, without the draw for no longer than the one that was asked to wait would.
   * @type {(ms: number, settings: import('../options/settings.js').Settings) => boolean}
   */
  mayHold(ms, settings) {
    return ms <= (this.#maxHoldMs ?? atMost(settings, Infinity)) && this.#held.size < MOST_HELD;
  }

  /** @param {number} time */
  isFresh(time) {
    return this.until <= time && this.#held.size === 0;
  }

  /** @param {number} time */
  status(time) {
    // Reading changes nothing.
    return { remainingMs: machine.left(this.#state.slice(), time), held: this.#held.size, rejected: this.rejected };
  }
}
