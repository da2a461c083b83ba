// The limiter: attempts start no faster than a server takes them, and no more run at a time. Those that have to wait
// start in the order in which their operations came.

import { isFunction, isWhole } from '../options/checks.js';
import { MAX_MS } from '../options/codes.js';
import { leftOut, mistake, problemOf } from '../options/messages.js';
import { read } from '../options/reader.js';
import { FUNCTION, LIMIT } from '../options/rules.js';
import { baseOf, drawFor } from '../run/decision.js';
import { reportFailure } from '../run/hooks.js';
import { elapsed, now, startTimer } from '../run/timer.js';
import { OtherLimiter } from './acquire.js';
import { atMost } from './admission.js';
import { misses } from './guard.js';
import * as machine from './machines.js';
import { COUNT, recipe } from './part.js';
import { Place, isUnits, join, weightAhead } from './queue.js';

/** @import { Settings } from '../options/settings.js' */
/** @import { Answer, Guard, Guarded, GuardedRun } from './guard.js' */
/** @import { Pass } from './state.js' */

/**
 * Options of all limiters of a recipe. The rate is the machine's: ms of a unit, 0 without a limit, and units of a
 * burst.
 * @typedef {{ concurrency: number, maxQueue: number } & import('./acquire.js').Options} Options
 */

/** @param {unknown} options */
export function limiter(options) {
  const rules = /** @satisfies {import('../options/reader.js').Rules} */ ({
    limit: ['number', isUnits, 'units'],
    perMs: ['number', (value) => isUnits(value) && value <= MAX_MS, 'openMs'],
    burst: ['number', (value) => isWhole(value) && value > 0],
    concurrency: COUNT,
    maxQueue: ['number', (value) => value === Infinity || isWhole(value)],
    acquire: FUNCTION,
    acquireTimeoutMs: LIMIT,
  });
  const given = read(options, rules, 'limiter');
  const { limit, perMs = 1000, burst = 1, acquire } = given;
  if (!limit) {
    if (!acquire && !given.concurrency) throw mistake('limiter()', 'noLimit');
    for (const name of ['perMs', 'burst']) if (given[name]) throw leftOut(name, given[name], 'needsLimit');
  } else if (burst > Math.max(1, limit)) {
    throw problemOf('burst', burst, rules.burst);
  }
  const all = {
    ...(limit && { limit, perMs, burst }),
    concurrency: Infinity,
    maxQueue: 1000,
    ...(acquire && { acquireTimeoutMs: 1000 }),
    ...given,
  };
  const rate = [limit ? Math.min(perMs / limit, MAX_MS) : 0, burst];
  // Without `acquire`, the field is there all the same: none is found on a prototype.
  const shared = /** @type {any} */ ({ acquire, ...all, rate, reportedAt: -Infinity });
  return recipe('limiter', all, (_, state) => new Limiter(shared, state));
}

/** The limiter of one destination. */
export class Limiter {
  /** Of the recipe; the lab reads its numbers. */
  options;
  #state;
  #numbers = machine.newLimiter();
  /** Those that wait. @type {Place[]} */
  #queue = [];
  #arrivals = 0;
  #running = 0;
  #drained = false;
  rejected = 0;
  /** The failure with which the server asked everyone to wait last. @type {unknown} */
  #cause;
  /** Cancels the timer of the first place. @type {(() => void) | undefined} */
  #cancel;
  /** When that was due, during the starts that it brings: real timers are late, and fake clocks stand still. */
  #dueAt = -Infinity;
  /** @type {OtherLimiter | undefined} */
  #other;

  /** @param {Options} options @param {import('./state.js').State} state */
  constructor(options, state) {
    this.options = options;
    this.#state = state;
    if (options.acquire !== undefined) this.#other = new OtherLimiter(options, state.key, () => this.#wakeFirst());
  }

  /**
   * Lets a first attempt start that need not wait. Returns its ticket, and the number of its operation, or 0.
   * @type {(time: number, settings: Settings) => Pass}
   */
  pass(time, { weight = 1 }) {
    // A function is called once per attempt.
    if (isFunction(weight) || !this.isFree(time, weight)) return 0;
    const ticket = this.#state.passBreaker(time);
    if (ticket === 0) return 0;
    this.start(time, weight);
    return { ticket, arrival: ++this.#arrivals };
  }

  /**
   * Returns the place of an operation, which comes now, unless it has passed.
   * @type {(op: Guarded, pass: Pass) => Place}
   */
  placeOf(op, pass) {
    return new Place(pass === 0 ? ++this.#arrivals : /** @type {number} */ (pass.arrival), op);
  }

  /** Whether nobody waits, and a start need not. @param {number} time @param {number} weight */
  isFree(time, weight) {
    return this.#queue.length === 0 && !this.#other && this.#mayStart(time, weight);
  }

  /** @param {number} time @param {number} weight */
  #mayStart(time, weight) {
    return !this.#isDrained && this.#running < this.options.concurrency && this.#waitMs(time, weight) <= 0;
  }

  get #isDrained() {
    return this.#drained || this.#state.shared.drained;
  }

  /**
   * Returns how long a start has to wait, in ms: at least so long.
   * @type {(time: number, weight: number, ahead?: number, numbers?: number[]) => number}
   */
  #waitMs(time, weight, ahead = 0, numbers = this.#numbers) {
    const ms = machine.rest(numbers, this.options.rate, time, weight, ahead);
    return Math.max(ms, this.#other?.left(time) ?? 0);
  }

  /** Follows a start. @param {number} time @param {number} weight */
  start(time, weight) {
    machine.begin(this.#numbers, this.options.rate, time, weight, this.#dueAt > -Infinity);
    this.#running++;
  }

  /** Gives a place back, in the turn in which its attempt has ended. */
  release() {
    this.#running--;
    // The timer runs while the rate has all wait.
    if (!this.#cancel) this.#wakeFirst();
  }

  /**
   * Asks for the start of an attempt. Returns undefined if it may start now; what to wait for, to ask again then; or
   * the time in ms after which asking again makes sense, if it is rejected.
   * @type {(guard: Guard, op: Guarded, time: number) => Answer}
   */
  enter({ place }, op, time) {
    const { since } = place;
    const first = this.#queue[0] ?? place;
    // A retry comes before operations that came after its own.
    const isFirst = place.arrival <= first.arrival;
    const isNew = since === undefined;
    const ahead = weightAhead(this.#queue, place.arrival);
    time = Math.max(time, this.#dueAt);
    const refusedMs = this.#refuses(place, time, 0, ahead);
    if (refusedMs !== undefined) return refusedMs;
    if (op.limits.blocks) {
      // Nobody else can start while its thread is blocked; a fake clock stands still.
      const ms = isNew ? this.#waitMs(time, place.weight) : 0;
      if (ms <= 0) return undefined;
      place.since = time;
      this.#dueAt = time + ms;
      return { do: 'hold', ms };
    }
    const mayStart = isFirst && this.#mayStart(time, place.weight);
    if (mayStart && this.#other?.grants(place, time) !== false) return undefined;
    // To be asked about is not to wait.
    if (isNew && this.#queue.length >= this.options.maxQueue && this.#other?.asked !== place)
      return this.#waitMs(time, first.weight);
    const turn = new Promise((resolve) => {
      place.wake = /** @type {() => void} */ (resolve);
    });
    if (isNew) {
      const waitMs = this.#waitMs(time, place.weight, ahead);
      place.since = time;
      join(this.#queue, place);
      this.#state.tell('queued', waitMs > 0 ? { waitMs } : {});
    }
    if (isFirst) this.#arm(place, time);
    return { do: 'hold', ms: turn };
  }

  /** Asks for a retry. @type {(guard: Guard, op: Guarded, time: number, delayMs: number) => Answer} */
  retry({ place }, _, time, delayMs) {
    return this.#refuses(place, time, delayMs, weightAhead(this.#queue, place.arrival));
  }

  /**
   * Returns the time in ms after which asking again makes sense, if an attempt cannot start before its deadline; it may
   * have to wait for something else as well. `ahead` is the weight of those before it.
   * @type {(place: Place, time: number, otherMs: number, ahead: number) => number | undefined}
   */
  #refuses(place, time, otherMs, ahead) {
    const { op } = place;
    const weight = place.weigh();
    if (this.#isDrained) return Infinity;
    const ms = this.#waitMs(time, weight, op.limits.blocks ? 0 : ahead);
    return ms > otherMs && misses(op, ms, time) ? ms : undefined;
  }

  /**
   * Starts an attempt that `enter` lets start. Returns the fields of its record.
   * @type {(guard: Guard, time: number) => import('./admission.js').RecordFields | undefined}
   */
  begin(guard, time) {
    const { place } = guard;
    const { since } = place;
    this.start(Math.max(time, this.#dueAt), place.weight);
    this.leave(guard);
    return since === undefined ? undefined : { queuedMs: elapsed(since, time) };
  }

  /**
   * Has a place leave the queue, if it waits: nobody loses time by that. Returns whether it has waited.
   * @param {Guard} guard
   */
  leave({ place }) {
    const { since, op } = place;
    place.since = undefined;
    if (op.limits.blocks) this.#dueAt = -Infinity;
    else if (since !== undefined) {
      const first = this.#queue[0];
      this.#queue.splice(this.#queue.indexOf(place), 1);
      place.granted = false;
      if (first === place) this.#disarm();
      const wasAsked = this.#other?.leave(place);
      if (wasAsked || first === place) this.#wakeFirst();
    }
    return since !== undefined;
  }

  /** Has the first operation ask again. All that may end its wait calls this. */
  #wakeFirst() {
    const first = this.#queue[0];
    if (first) first.wake();
    else this.#dueAt = -Infinity;
  }

  #disarm() {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /**
   * Sets the timer of the first place, if it waits for a time. Its own operation calls this: workerd ends the timers of
   * a request with that request, so those of another one would never fire.
   * @type {(place: Place, time: number) => void}
   */
  #arm({ op, weight, wake }, time) {
    this.#disarm();
    this.#dueAt = -Infinity;
    const ms = this.#waitMs(time, weight);
    if (ms <= 0 || this.#running >= this.options.concurrency) return;
    const due = () => {
      this.#cancel = undefined;
      this.#dueAt = time + ms;
      wake();
    };
    this.#cancel = startTimer(ms, due, op.settings.unref, time);
  }

  /**
   * Lets nothing start for the time of a hint.
   * @type {(run: GuardedRun, hintMs: number, time: number, foretold?: true) => void}
   */
  pause(run, hintMs, time) {
    const { op, number, failed, outcome } = run;
    const { cooldown } = this.#state;
    let draw = 0;
    try {
      draw = drawFor(op, number);
    } catch (error) {
      // Where the operation itself needs a draw, this ends it.
      reportFailure(error);
    }
    if (!machine.pause(this.#numbers, time, atMost(op.settings, hintMs), baseOf(op), draw)) return;
    this.#cause = failed ? outcome : undefined;
    // Those that are now known to be too late ask again, and are rejected.
    let ahead = 0;
    for (const place of this.#queue) {
      const isTooLate = this.#refuses(place, time, 0, ahead) !== undefined;
      if (isTooLate || cooldown?.mayHold(cooldown.left(time), place.op.settings) === false) place.wake();
      ahead += place.weight;
    }
  }

  /** Rejects all who wait, and all who come; the state without a key also does so for all keys. */
  drain() {
    const { key, shared } = this.#state;
    this.#drained = true;
    if (key === undefined) {
      shared.drained = true;
      for (const { limiter } of shared.byKey.values()) limiter?.drain();
    }
    for (const place of this.#queue) place.wake();
  }

  /** The failure by which the server has everyone wait now. */
  get cause() {
    return this.#numbers[machine.PAUSED_UNTIL] > now() ? this.#cause : undefined;
  }

  /** Returns how long the next start has to wait at least, in ms. @param {number} time @param {number[]} [numbers] */
  left(time, numbers) {
    return this.#waitMs(time, this.#queue[0]?.weight ?? 1, 0, numbers);
  }

  /** Whether forgetting it would let too many start. */
  get isBusy() {
    return this.#running + this.#queue.length > 0 || this.#drained;
  }

  /** @param {number} time */
  isFresh(time) {
    return !this.isBusy && this.#waitMs(time, this.options.rate[1]) <= 0;
  }

  /** Whether an operation that blocks its thread could wait for ever. */
  get needsOthers() {
    return this.options.concurrency < Infinity || this.#other !== undefined;
  }

  /** @param {number} time */
  status(time) {
    // Reading changes nothing.
    const nextMs = this.left(time, this.#numbers.slice());
    return { running: this.#running, queued: this.#queue.length, nextMs, rejected: this.rejected };
  }
}
