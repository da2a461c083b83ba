// @ts-check
// The machines of protection over plain numbers: the one module that knows their JavaScript, which the build makes of
// Rust (generated.d.ts). They keep nothing between two calls: a state is an array of the caller's.

import * as core from './generated.js';

export * from './generated.js';

/** @typedef {number[]} State a plain array: a typed one takes two to three times the memory */

/** Place of the credits in a budget's state. To give tokens, add to it: for a success, or to put back unused ones. */
export const PENDING = 1;

/** Returns the state of a full budget. @param {number} capacity in thousandths of tokens */
export const newBudget = (capacity) => [capacity, 0];

/** Place of the time until which a cooldown holds attempts. */
export const UNTIL = 0;

/** Place of 1, if the present hold has let its probe pass, and else 0. */
export const PROBED = 2;

/** Returns the state of a cooldown that holds no attempt. */
export const newCooldown = () => [0, 0, 0];

/**
 * @typedef {number[]} Options of a breaker: failureRatio, minimumCalls, windowMs, consecutiveFailures, openMs,
 *   maxOpenMs, closeAfter, and the failures that are enough if they last
 */

const BEGUN = 2;
const STARTED_AT = 8;
/** Place of the phase in a breaker's state: closed, open or half-open, from 0. */
export const PHASE = 9;
const ROW_BEGUN = 13;
const CHANGED_AT = 19;
const STATE = 23;

const WINDOW_MS = 2;

/** Verdicts on an attempt, for `ended`. After the first one, it is as if it had never been admitted. */
export const NOTHING = 0;
export const SUCCESS = 1;
export const FAILURE = 2;

/** Result of `ended` if the circuit opened. */
export const HAS_OPENED = 1;

/** Returns the state of a closed breaker without calls. @param {number} now */
export function newBreaker(now) {
  const state = Array(STATE).fill(0);
  state[STARTED_AT] = state[CHANGED_AT] = now;
  return state;
}

/**
 * Returns the breaker's numbers at `now`. They do not change by this.
 * @param {State} state
 * @param {Options} options
 * @param {number} now
 */
export function breakerNumbers(state, options, now) {
  /** @type {number[]} */
  const to = [];
  core.numbers(state.slice(), options, to, now);
  const [retryAfterMs, failures, calls, opens] = to;
  return { retryAfterMs, failures, calls, opens };
}

/**
 * Returns whether the breaker behaves as a new one would. It does not change by this.
 * @param {State} state
 * @param {Options} options
 * @param {number} now
 */
export function breakerIsFresh(state, options, now) {
  // A key that is forgotten is looked for among a thousand. Of most this says at once that they are in use.
  if (state[BEGUN] > 0 && now - state[STARTED_AT] < options[WINDOW_MS]) return false;
  const { calls, opens } = breakerNumbers(state, options, now);
  return state[PHASE] + state[ROW_BEGUN] + calls + opens === 0;
}
