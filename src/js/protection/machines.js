// @ts-check
// The machines of protection over plain numbers: the one module that knows their wasm (src/bindings/protection.rs).
// The state of a machine is an array, which a call copies into the registers of the wasm instance and back. Calls that
// every successful attempt makes stay in JavaScript as long as they are a comparison and an increment.
//
// Functions that may need the wasm take what loads it first. `now` is a monotonic time in ms, a draw is in [0, 1).

/**
 * @typedef {object} Core the wasm file's exports, or those of its JavaScript
 * @property {{ buffer: ArrayBuffer }} memory
 * @property {() => number} registers
 * @property {(capacity: number, cost: number) => number} take
 * @property {(capacity: number) => number} tokens
 * @property {(now: number, hintMs: number) => void} start
 * @property {(now: number) => number} left
 * @property {(now: number, baseMs: number, draw: number) => number} hold
 * @property {(now: number) => number} look
 * @property {(now: number) => number} admit
 * @property {(now: number, draw: number, generation: number, lease: number, verdict: number, hintMs: number) => number}
 *   ended
 * @property {(now: number, ms: number) => void} open
 * @property {(now: number) => void} close
 * @property {(now: number) => void} numbers
 * @property {(now: number) => number} fresh
 *
 * @typedef {number[]} State a plain array: a typed one takes two to three times the memory
 * @typedef {() => Core} Load returns the same core until it has to be made again; throws if the host compiles no wasm
 */

// Places in the registers: each machine's state, then what the breaker takes and gives.
const BREAKER = 0;
const OPTIONS = 18;
const NUMBERS = 24;
const BUDGET = 28;
const COOLDOWN = 30;
const REGISTERS = 32;

/** @type {Core | undefined} */
let linked;
/** Registers of `linked`. Its memory never grows. @type {Float64Array} */
let registers;

/**
 * Copies a state into the registers.
 * @param {Load} load
 * @param {number} at
 * @param {State} state
 * @returns {Core}
 */
function enter(load, at, state) {
  const core = load();
  if (core !== linked) {
    linked = core;
    registers = new Float64Array(core.memory.buffer, core.registers(), REGISTERS);
  }
  registers.set(state, at);
  return core;
}

/**
 * Copies a state back. Returns the answer of the call.
 * @template T
 * @param {number} at
 * @param {State} state
 * @param {T} answer
 */
function leave(at, state, answer) {
  for (let i = 0; i < state.length; i++) state[i] = registers[at + i];
  return answer;
}

// --- Budget. All amounts are thousandths of a token: whole numbers.

/** Place of the credits in a budget's state. To give tokens, add to it: for a success, or to put back unused ones. */
export const PENDING = 1;

/**
 * Returns the state of a full budget.
 * @param {number} capacity
 */
export const newBudget = (capacity) => [capacity, 0];

/**
 * Takes the cost of a retry if the budget has it, pending credits included. Returns whether it did.
 * @param {Load} load
 * @param {State} state
 * @param {number} capacity
 * @param {number} cost
 */
export function takeTokens(load, state, capacity, cost) {
  const core = enter(load, BUDGET, state);
  return leave(BUDGET, state, !!core.take(capacity, cost));
}

/**
 * Returns the tokens that are left, pending credits included. Changes nothing.
 * @param {Load} load
 * @param {State} state
 * @param {number} capacity
 */
export const tokensOf = (load, state, capacity) => enter(load, BUDGET, state).tokens(capacity);

// --- Cooldown.

/** Place of the time until which it holds attempts. */
export const UNTIL = 0;

/** Returns the state of a cooldown that holds no attempt. */
export const newCooldown = () => [0, 0];

/**
 * Holds attempts for `hintMs`. A hint that ends before the present one changes nothing.
 * @param {Load} load
 * @param {State} state
 * @param {number} now
 * @param {number} hintMs at most the policy's `maxRetryAfterMs`
 */
export function startCooldown(load, state, now, hintMs) {
  const core = enter(load, COOLDOWN, state);
  leave(COOLDOWN, state, core.start(now, hintMs));
}

/**
 * Returns the rest of the cooldown in ms, 0 after its end.
 * @param {Load} load
 * @param {State} state
 * @param {number} now
 */
export function cooldownLeft(load, state, now) {
  if (state[UNTIL] <= now) return 0;
  const core = enter(load, COOLDOWN, state);
  return leave(COOLDOWN, state, core.left(now));
}

/**
 * Returns how long to hold an attempt in ms: the rest of the cooldown and a drawn share of half of what the server
 * asked for, or of `baseMs` if that is more. 0 without a cooldown.
 * @param {Load} load
 * @param {State} state
 * @param {number} now
 * @param {number} baseMs
 * @param {number} draw
 */
export function holdMs(load, state, now, baseMs, draw) {
  if (state[UNTIL] <= now) return 0;
  const core = enter(load, COOLDOWN, state);
  return leave(COOLDOWN, state, core.hold(now, baseMs, draw));
}

// --- Breaker. Its options are [failureRatio, minimumCalls, windowMs, consecutiveFailures, openMs, closeAfter].

const SUCCESSES = 0;
const BEGUN = 2;
const STARTED_AT = 6;
/** Place of the phase in a breaker's state: {@link CLOSED}, {@link OPEN} or {@link HALF_OPEN}. */
export const PHASE = 7;
const IN_ROW = 8;
const CLOSED_AT = 13;
/** Places of what {@link admit} gives an attempt, to hand back to {@link endedIn}. */
export const GENERATION = 14;
export const LEASE = 15;
const STATE = 18;

const WINDOW_MS = 2;

export const CLOSED = 0;
export const OPEN = 1;
export const HALF_OPEN = 2;

/** Verdicts on an attempt, for {@link endedIn}. The first one frees the place of a probe and says nothing else. */
export const NOTHING = 0;
export const SUCCESS = 1;
export const FAILURE = 2;

/** Results of {@link endedIn}: the phase is the same, the circuit opened, it closed. */
export const SAME = 0;
export const HAS_OPENED = 1;
export const HAS_CLOSED = 2;

/**
 * Returns the state of a closed breaker without calls.
 * @param {number} now
 */
export function newBreaker(now) {
  const state = Array(STATE).fill(0);
  state[STARTED_AT] = state[CLOSED_AT] = now;
  return state;
}

/**
 * Copies a breaker's state and options into the registers.
 * @param {Load} load
 * @param {State} state
 * @param {Float64Array} options
 */
function enterWith(load, state, options) {
  const core = enter(load, BREAKER, state);
  registers.set(options, OPTIONS);
  return core;
}

/**
 * Returns whether the circuit is closed and `now` lies in the present slice of its window: then to count is all there
 * is to do.
 * @param {State} state
 * @param {Float64Array} options
 * @param {number} now
 */
function onlyCounts(state, options, now) {
  const age = now - state[STARTED_AT];
  return state[PHASE] === CLOSED && age >= 0 && age < options[WINDOW_MS];
}

/**
 * Returns the time in ms during which the circuit certainly admits no attempt, 0 if it may admit one. Takes no probe. A
 * running probe is not certain: it may end any time.
 * @param {Load} load
 * @param {State} state
 * @param {number} now
 */
export function lookAtBreaker(load, state, now) {
  if (state[PHASE] !== OPEN) return 0;
  const core = enter(load, BREAKER, state);
  return leave(BREAKER, state, core.look(now));
}

/**
 * Asks for an attempt. Returns 0 if it is admitted, and else the time in ms until asking again makes sense. After 0,
 * `state[GENERATION]` and `state[LEASE]` are the attempt's: each admitted attempt must be handed to
 * {@link endedIn} or {@link succeeded}, once. The generation grows if the circuit became half-open by this.
 * @param {Load} load
 * @param {State} state
 * @param {Float64Array} options
 * @param {number} now
 */
export function admit(load, state, options, now) {
  if (onlyCounts(state, options, now)) {
    state[BEGUN]++;
    return 0;
  }
  const core = enterWith(load, state, options);
  return leave(BREAKER, state, core.admit(now));
}

/**
 * Counts a successful attempt if that is all there is to do. Returns whether it was: if not, call {@link endedIn}.
 * @param {State} state
 * @param {Float64Array} options
 * @param {number} now
 * @param {number} generation
 */
export function succeeded(state, options, now, generation) {
  if (generation !== state[GENERATION] || !onlyCounts(state, options, now)) return false;
  state[SUCCESSES]++;
  state[IN_ROW] = 0;
  return true;
}

/**
 * Takes in the end of an attempt. Returns {@link SAME}, {@link HAS_OPENED} or {@link HAS_CLOSED}.
 * @param {Load} load
 * @param {State} state
 * @param {Float64Array} options
 * @param {number} now
 * @param {number} draw varies the length of an opening
 * @param {number} generation
 * @param {number} lease
 * @param {number} verdict
 * @param {number} hintMs time that the server asked for: a failing probe opens the circuit for at least that. 0 or NaN
 *   if it did not ask
 */
export function endedIn(load, state, options, now, draw, generation, lease, verdict, hintMs) {
  if (generation !== state[GENERATION]) return SAME;
  const core = enterWith(load, state, options);
  return leave(BREAKER, state, core.ended(now, draw, generation, lease, verdict, hintMs));
}

/**
 * Opens the circuit by hand.
 * @param {Load} load
 * @param {State} state
 * @param {number} now
 * @param {number} ms positive; Infinity until {@link closeByHand}
 */
export function openByHand(load, state, now, ms) {
  const core = enter(load, BREAKER, state);
  leave(BREAKER, state, core.open(now, ms));
}

/**
 * Closes the circuit by hand, with an empty window.
 * @param {Load} load
 * @param {State} state
 * @param {number} now
 */
export function closeByHand(load, state, now) {
  const core = enter(load, BREAKER, state);
  leave(BREAKER, state, core.close(now));
}

/**
 * Returns the breaker's numbers at `now`. Changes nothing.
 * @param {Load} load
 * @param {State} state
 * @param {Float64Array} options
 * @param {number} now
 */
export function breakerNumbers(load, state, options, now) {
  const core = enterWith(load, state, options);
  core.numbers(now);
  const [retryAfterMs, failures, calls, opens] = registers.subarray(NUMBERS);
  return { phase: state[PHASE], retryAfterMs, failures, calls, opens };
}

/**
 * Returns whether the breaker behaves as a new one would. Changes nothing.
 * @param {Load} load
 * @param {State} state
 * @param {Float64Array} options
 * @param {number} now
 */
export function breakerIsFresh(load, state, options, now) {
  if (state[BEGUN] > 0 && onlyCounts(state, options, now)) return false;
  const core = enterWith(load, state, options);
  return !!core.fresh(now);
}
