// The one crossing into the core, once per failed attempt.

import { isLongest, isWithin } from '../options/checks.js';
import { BOUND, CUSTOM, FIXED, LINEAR, NONE, POLLY_V2, TRUNCATED, hasOwnCurve } from '../options/codes.js';
import { capOf } from '../options/curve.js';
import { texts } from '../options/long.js';
import { problemOf } from '../options/messages.js';
import { inheriting } from '../options/settings.js';
import { load } from '../wasm/core.js';
import { courseOf } from './attempt.js';
import { FIRST_ROW } from './rows.js';
import { freshSeed } from './randomness.js';
import { elapsed, now } from './timer.js';

/** @import { Settings } from '../options/settings.js' */
/** @import { AttemptRun, Operation } from './operation.js' */

/**
 * State of an operation, or of an iterator of its waits, for the formulas.
 * @typedef {object} State
 * @property {number} index among the operations of a seed
 * @property {number} previous computed wait in ms, or the draw that it was made with, for jitters that look back at one
 *   of them; the last value of the caller's own curve; below 0 before the first
 * @property {{ endedAt?: number }} [run] the last attempt: when it ended
 */

const TWO_32 = 2 ** 32;

/** The core counts attempts in 32 bits. From this one on, no curve grows. */
const MAX_K = 2 ** 32 - 1;

/** The core's answer if a server asks for a longer wait than the policy follows. */
const HINT_TOO_LONG = -3;

/**
 * Returns the wait in ms that follows a failed attempt, or why there is none. Throws the errors of random() and
 * backoff(). A server may hint at a wait (below 0, NaN or undefined: it does not), the caller may ask for an exact one.
 * Hedges count among the attempts, but waits follow rounds.
 * @type {(op: Operation) => number | string}
 */
export function decide(op) {
  const { settings, attempts, row, run } = op;
  const { deadlineAt } = op.limits;
  // The last attempt needs neither the core nor the caller's callbacks.
  if (attempts - row.before >= settings.maxAttempts) return 'exhausted';
  const rounds = roundsOf(op);
  const delayMs = run.exactMs ?? computed(settings, op, rounds, run.hintMs, rounds - row.waits);
  if (delayMs === HINT_TOO_LONG) return 'hint';
  // A timer is armed for whole milliseconds and may fire one late: a wait that leaves less is wasted. The caller's
  // random() and backoff() may have taken their time.
  return deadlineAt < Infinity && Math.ceil(delayMs) + 1 > deadlineAt - now() ? 'deadline' : delayMs;
}

/** Returns the number of attempts without hedges, which waits follow. @param {Operation} op */
export const roundsOf = ({ attempts, guard }) => attempts - (guard?.rounds?.hedges ?? 0);

/** Rows after which an operation without a deadline may never end. */
const MANY_ROWS = 10;

/**
 * Begins another row with an attempt that has progressed and failed. The waits begin again, too, if it has lived as
 * long as the last one could be: who gains little and fails at once would otherwise come more often than who gains
 * nothing.
 * @param {AttemptRun} run
 */
export function beginRow({ op, attempt, startedAt = NaN, endedAt }) {
  const { settings, row } = op;
  const before = op.attempts - 1;
  const waits = roundsOf(op) - 1;
  const again = elapsed(startedAt, endedAt) >= ceilingOf(settings, op, waits - row.waits);
  if (again) op.previous = -1;
  // The other attempt of its round may have started it.
  const number = row.number + +(row === FIRST_ROW || before !== row.before);
  op.row = { before, waits: again ? waits : row.waits, number };
  courseOf(/** @type {import('./attempt.js').Attempt} */ (attempt)).before = before;
  if (number === MANY_ROWS && op.limits.deadlineAt === Infinity) texts?.advise('manyRows', number);
}

/**
 * Returns the ceiling of a wait that was computed, in ms; of a jitter that has no curve, the wait's longest draw.
 * @param {Settings} settings @param {State} state @param {number} k
 */
function ceilingOf(settings, state, k) {
  const { curve, jitter } = settings;
  const value = typeof curve === 'function' ? state.previous : curve ? curveOf(curve, k) : NaN;
  return formula(settings, state, k, hasOwnCurve(jitter) ? jitter : NONE, value, 1, 1);
}

/**
 * Returns the wait by the formulas; below 0 if the server asks for too long a wait. `k` is the number of the wait, if
 * that is not the attempt's.
 * @type {(settings: Settings, state: State, attempt: number, hintMs: number | undefined, k?: number) => number}
 */
export function computed(settings, state, attempt, hintMs, k = attempt) {
  const { backoff, curve, jitter, random } = settings;
  const hinted = /** @type {number} */ (hintMs) > 0;
  let r = 0;
  let r2 = 0;
  if (hinted || jitter !== NONE) {
    if (random === undefined) {
      r = seededDraw(settings, state, attempt, 0);
      if (jitter === POLLY_V2) r2 = seededDraw(settings, state, attempt, 1);
    } else {
      r = drawOf(random);
      // The second draw of pollyV2 from digits that do not decide whether it is needed: the caller's function is called
      // once.
      r2 = (r * 2 ** 26) % 1;
    }
  }
  const value = backoff === CUSTOM ? curveOf(curve, k) : NaN;
  const delayMs = formula(settings, state, k, jitter, value, r, r2, hintMs);
  // Only where it is read: a number that is no small integer takes memory in each operation that waits.
  if (!hasOwnCurve(jitter)) {
    if (typeof curve === 'function') state.previous = value;
  } else if (!hinted) state.previous = jitter === POLLY_V2 ? r : delayMs;
  return delayMs;
}

/**
 * Calls the core for wait `k`, with the value that the caller's own curve has there. In both calls of this module, the
 * numbers have Rust's names, in Rust's order, some in comments: a test compares them (xtask/npm/build.test.mjs).
 * @type {(settings: Settings, state: { previous: number }, k: number, jitter: number, value: number, r: number,
 *   r2: number, hintMs?: number) => number}
 */
function formula(settings, state, k, jitter, value, r, r2, hintMs) {
  const { backoff } = settings;
  return load().decide(
    /* attempt */ Math.min(k, MAX_K),
    r,
    backoff,
    jitter,
    settings.baseMs,
    /* capMs */ capOf(settings),
    /* growth */ backoff === CUSTOM ? value : backoff === LINEAR ? settings.stepMs : settings.factor,
    settings.capRule,
    settings.minMs,
    settings.truncateAt,
    settings.spread,
    settings.maxRetryAfterMs,
    /* capLongRetryAfter */ +(settings.longRetryAfter === 'cap'),
    state.previous,
    /** @type {number} */ (hintMs),
    r2,
  );
}

/**
 * Without a seed of the caller's, each draw has a fresh one, with an index of its own.
 * @type {(settings: Settings, state: Omit<State, 'previous'>, attempt: number, nth: number) => number}
 */
function seededDraw({ seed }, { index, run }, attempt, nth) {
  const [seedHigh, seedLow, operationLow = index] = seed ?? freshSeed(run?.endedAt);
  // The core takes the lower 32 bits of each.
  return load().draw(
    seedHigh,
    seedLow,
    /* operationHigh */ operationLow / TWO_32,
    operationLow,
    /* attemptHigh */ attempt / TWO_32,
    /* attemptLow */ attempt,
    nth,
  );
}

/** Returns the base: without jitter, the first wait. @param {Pick<Operation, 'settings'>} op */
export function baseOf({ settings }) {
  const backoff = settings.backoff === TRUNCATED ? TRUNCATED : FIXED;
  return formula(inheriting(settings, { backoff, capRule: BOUND, minMs: NaN }), { previous: -1 }, 1, NONE, NaN, 0, 0);
}

/** The draws of protection, next to those of waits. */
const PROTECTION_DRAW = 2;

/** @param {() => number} random */
function drawOf(random) {
  const draw = random();
  if (isWithin(draw, 0, 1) && draw < 1) return draw;
  throw problemOf('random()', draw, [typeof draw, 'draw'], 'return');
}

/**
 * Returns a draw for protection. Throws the errors of random().
 * @type {(op: Omit<State, 'previous'> & Pick<Operation, 'settings' | 'attempts'>, attempt?: number) => number}
 */
export function drawFor(op, attempt = op.attempts) {
  const { settings } = op;
  if (settings.random !== undefined) return drawOf(settings.random);
  return seededDraw(settings, op, attempt, PROTECTION_DRAW);
}

/** @param {Settings['curve']} curve @param {number} k */
function curveOf(curve, k) {
  if (typeof curve !== 'function') {
    const list = /** @type {readonly number[]} */ (curve);
    return list[Math.min(k, list.length) - 1];
  }
  const ms = curve(k);
  if (isLongest(ms)) return ms;
  throw problemOf(`backoff(${k})`, ms, [typeof ms, 'wait'], 'return');
}
