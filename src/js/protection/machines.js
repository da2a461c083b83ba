// The machines of protection over plain numbers: the one module that knows their JavaScript, which the build makes of
// Rust (generated.d.ts). They keep nothing between two calls: a state is an array of the caller's.

import * as core from './generated.js';

export * from './generated.js';

/** @typedef {number[]} State a plain array: a typed one takes two to three times the memory */

/** Returns the state of a full budget. @param {number} capacity in thousandths of tokens */
export const newBudget = (capacity) => [capacity, 0];

/** Returns the state of a cooldown that holds no attempt. */
export const newCooldown = () => Array(core.COOLDOWN_FIELDS).fill(0);

/** Returns the state of a limiter from which nothing has started. */
export const newLimiter = () => Array(core.LIMITER_FIELDS).fill(0);

/** Returns the state of a closed breaker without calls. @param {number} now */
export function newBreaker(now) {
  const state = Array(core.BREAKER_FIELDS).fill(0);
  state[core.STARTED_AT] = state[core.CHANGED_AT] = now;
  return state;
}

/**
 * Returns the breaker's numbers at `now`. They do not change by this. Its options are failureRatio, minimumCalls,
 * windowMs, consecutiveFailures, openMs, maxOpenMs, closeAfter, and the failures that are enough if they last.
 * @param {State} state @param {number[]} options @param {number} now
 */
export function breakerNumbers(state, options, now) {
  /** @type {number[]} */
  const to = [];
  core.numbers(state.slice(), options, to, now);
  const [retryAfterMs, failures, calls, opens] = to;
  return { retryAfterMs, failures, calls, opens };
}

/** Whether the breaker behaves as a new one. @param {State} state @param {number[]} options @param {number} now */
export function breakerIsFresh(state, options, now) {
  // A key that is forgotten is looked for among a thousand. Of most this says at once that they are in use.
  if (state[core.BEGUN] > 0 && now - state[core.STARTED_AT] < options[core.WINDOW_MS]) return false;
  const { calls, opens } = breakerNumbers(state, options, now);
  return state[core.PHASE] + state[core.ROW_BEGUN] + calls + opens === 0;
}
