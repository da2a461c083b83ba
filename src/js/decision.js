// @ts-check
// The one crossing into the core, once per failed attempt.

import { CUSTOM, POLLY_V2, hasOwnCurve, problemOf } from './rules.js';
import { now } from './timer.js';

/**
 * The wasm's exports, as the driver uses them (src/js/numeric.rs).
 * @typedef {object} Core
 * @property {(...numbers: number[]) => number} decide
 * @property {(...numbers: number[]) => number} draw
 */

/**
 * What an operation, or an iterator of its waits, keeps for the formulas.
 * @typedef {object} State
 * @property {number} seedHigh
 * @property {number} seedLow
 * @property {number} index
 * @property {number} previousMs the previous computed wait; below 0 before the first
 * @property {number} previousR the draw that it was made with
 */

// What the core answers instead of a wait.
export const EXHAUSTED = -1;
export const DEADLINE = -2;
export const HINT = -3;

/**
 * The wait in ms that follows a failed attempt, or one of the codes above.
 * @param {import('./options.js').Settings} settings
 * @param {State} state
 * @param {number} attempt the failed one's number, from 1
 * @param {number} deadlineAt by the monotonic clock; Infinity without a deadline
 * @param {number} serverMs the wait that a server asks for; below 0, or NaN, for none
 * @param {number} exactlyMs the wait that the caller demands; NaN for none
 */
export function decide(settings, state, attempt, deadlineAt, serverMs, exactlyMs) {
  const computed = !(exactlyMs >= 0 || serverMs > 0);
  let r = 0;
  let r2 = 0;
  let curveMs = NaN;
  const core = settings.load();
  // Nothing of the caller's is asked for a wait that will not be.
  if (attempt < settings.maxAttempts && !(exactlyMs >= 0)) {
    r = drawOf(core, settings, state, attempt, 0);
    if (settings.jitter === POLLY_V2) r2 = drawOf(core, settings, state, attempt, 1);
    if (settings.backoff === CUSTOM) curveMs = curveOf(settings.curve, attempt);
  }
  const decision = core.decide(
    settings.backoff,
    settings.jitter,
    settings.capRule,
    settings.baseMs,
    settings.capMs,
    settings.minMs,
    settings.factor,
    settings.stepMs,
    settings.truncateAt,
    settings.spread,
    settings.maxRetryAfterMs,
    +(settings.longRetryAfter === 'cap'),
    settings.maxAttempts,
    attempt,
    state.previousMs,
    state.previousR,
    // Read here: the caller's random() and backoff() may have taken their time.
    deadlineAt === Infinity ? Infinity : deadlineAt - now(),
    curveMs,
    serverMs,
    exactlyMs,
    r,
    r2,
  );
  if (Number.isNaN(decision)) throw new Error('rejitter: the core refused settings that the driver had accepted; please report this');
  // Only these look back; for others it would be two numbers more in each operation that waits.
  if (computed && decision >= 0 && hasOwnCurve(settings.jitter)) {
    state.previousMs = decision;
    state.previousR = r;
  }
  return decision;
}

/**
 * @param {Core} core
 * @param {import('./options.js').Settings} settings
 * @param {State} state
 * @param {number} attempt
 * @param {number} lane
 */
function drawOf(core, settings, state, attempt, lane) {
  const { random } = settings;
  if (random === undefined) return core.draw(state.seedHigh, state.seedLow, state.index, attempt, lane);
  const draw = random();
  if (typeof draw === 'number' && draw >= 0 && draw < 1) return draw;
  throw problemOf('random()', draw, [typeof draw, 'a number in [0, 1)'], 'return');
}

/**
 * @param {((k: number) => number) | readonly number[] | undefined} curve
 * @param {number} k
 */
function curveOf(curve, k) {
  if (typeof curve !== 'function') {
    const list = /** @type {readonly number[]} */ (curve);
    return list[Math.min(k, list.length) - 1];
  }
  const ms = curve(k);
  if (typeof ms === 'number' && ms >= 0) return ms;
  throw problemOf(`backoff(${k})`, ms, [typeof ms, 'a non-negative number of milliseconds'], 'return');
}
