// @ts-check
// The machines of protection over plain numbers: the one module that knows their JavaScript, which the build makes of
// Rust (src/bindings/protection.rs). They keep nothing between two calls: a state is an array of the caller's.
//
// `now` is a monotonic time in ms, a draw is in [0, 1).

import * as core from './generated.js';

/** @typedef {number[]} State a plain array: a typed one takes two to three times the memory */

// --- Budget. All amounts are thousandths of a token: whole numbers.

/** Place of the credits in a budget's state. To give tokens, add to it: for a success, or to put back unused ones. */
export const PENDING = 1;

/** Returns the state of a full budget. @param {number} capacity */
export const newBudget = (capacity) => [capacity, 0];

/** Takes the cost of a retry if the budget has it, pending credits included. Returns 1 if it did, and else 0. */
export { take as takeTokens } from './generated.js';

/** Returns the tokens that are left, pending credits included. Changes nothing. */
export { tokens as tokensOf } from './generated.js';

// --- Cooldown.

/** Place of the time until which it holds attempts. */
export const UNTIL = 0;

/** Returns the state of a cooldown that holds no attempt. */
export const newCooldown = () => [0, 0];

/**
 * Holds attempts for `hintMs`, which is at most the policy's `maxRetryAfterMs`, and returns 1; 0 if the present hint
 * ends as late, and rules on.
 */
export { start as startCooldown } from './generated.js';

/** Returns the rest of the cooldown in ms, 0 after its end. */
export { left as cooldownLeft } from './generated.js';

/**
 * Returns how long to hold an attempt in ms: the rest of the cooldown and a drawn share of half of what the server
 * asked for, or of `baseMs` if that is more. 0 without a cooldown.
 */
export { hold as holdMs } from './generated.js';

// --- Breaker.

/**
 * @typedef {number[]} Options of a breaker: failureRatio, minimumCalls, windowMs, consecutiveFailures, openMs,
 *   maxOpenMs, closeAfter
 */

const BEGUN = 2;
const STARTED_AT = 8;
/** Place of the phase in a breaker's state: {@link CLOSED}, {@link OPEN} or {@link HALF_OPEN}. */
export const PHASE = 9;
const CHANGED_AT = 18;
const STATE = 22;

const WINDOW_MS = 2;

export const CLOSED = 0;
export const OPEN = 1;
export const HALF_OPEN = 2;

/** Verdicts on an attempt, for {@link endedIn}. After the first one, it is as if it had never been admitted. */
export const NOTHING = 0;
export const SUCCESS = 1;
export const FAILURE = 2;

/** Results of {@link endedIn}: the phase is the same, the circuit opened, it closed. */
export const SAME = 0;
export const HAS_OPENED = 1;
export const HAS_CLOSED = 2;

/** Returns the state of a closed breaker without calls. @param {number} now */
export function newBreaker(now) {
  const state = Array(STATE).fill(0);
  state[STARTED_AT] = state[CHANGED_AT] = now;
  return state;
}

/**
 * Returns the time in ms during which the circuit certainly admits no attempt, 0 if it may admit one. Takes no probe. A
 * running probe is not certain: it may end any time.
 */
export { look as lookAtBreaker } from './generated.js';

/**
 * Asks for an attempt, the first one of its operation or not. Returns the time in ms until asking again makes sense, or
 * if it is admitted a number below 0: its ticket with the sign changed. Each ticket must be handed to {@link endedIn},
 * once. An open circuit may become half-open or closed by this.
 */
export { admit } from './generated.js';

/**
 * Takes in the end of an attempt, with its ticket. Returns {@link SAME}, {@link HAS_OPENED} or {@link HAS_CLOSED}.
 *
 * The draw varies the length of an opening. A failing probe opens the circuit for at least `hintMs`, the time that the
 * server asked for, but for no longer than maxOpenMs; 0 or NaN if it did not ask.
 */
export { ended as endedIn } from './generated.js';

/** Opens the circuit by hand, for a positive number of ms; Infinity until {@link closeByHand}. */
export { open as openByHand } from './generated.js';

/** Closes the circuit by hand, with an empty window, as if it had never opened. */
export { close as closeByHand } from './generated.js';

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
  return (
    !(state[BEGUN] > 0 && now - state[STARTED_AT] < options[WINDOW_MS]) && !!core.fresh(state.slice(), options, now)
  );
}
