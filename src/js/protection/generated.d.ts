// The machines as JavaScript: the build makes it of src/bindings/protection.rs (xtask/npm/machines.mjs). A state, its
// options and its numbers are arrays in the order of the fields of the Rust structs. `now` is a monotonic time in ms, a
// draw is in [0, 1), amounts of a budget are thousandths of a token: whole numbers.

type Numbers = number[];

/** Place of the credits in a budget. To give tokens, add to it: for a success, or to put back unused ones. */
export const PENDING: number;
/** Places of a cooldown: the time until which it holds attempts, and 1 if the present hold has had its probe, else 0. */
export const UNTIL: number;
export const PROBED: number;
export const COOLDOWN_FIELDS: number;

/** Place of the phase in a breaker: closed, open or half-open, from 0. */
export const PHASE: number;
/** Places of what says that it is in use, in a breaker and in its options, and of the times that a new one has. */
export const BEGUN: number, ROW_BEGUN: number, WINDOW_MS: number, STARTED_AT: number, CHANGED_AT: number;
export const BREAKER_FIELDS: number;
/** Verdicts on an attempt, for `ended`. After the first one, it is as if it had never been admitted. */
export const NOTHING: number, SUCCESS: number, FAILURE: number;
/** Result of `ended` if the circuit opened. */
export const HAS_OPENED: number;

/** Takes the cost of a retry if the budget has it, pending credits included. Returns 1 if it did, and else 0. */
export function take(budget: Numbers, capacity: number, cost: number): number;
/** Returns the tokens that are left, pending credits included. Changes nothing. */
export function tokens(budget: Numbers, capacity: number): number;

/** Holds attempts for `hintMs` and returns 1; 0 if the present hint ends as late, and rules on. */
export function start(cooldown: Numbers, now: number, hintMs: number): number;
/** Returns the rest of the cooldown in ms, 0 after its end. */
export function left(cooldown: Numbers, now: number): number;
/**
 * Returns how long to hold an attempt in ms: the rest of the cooldown and a drawn share of half of what the server
 * asked for, or of `baseMs` if that is more. 0 without a cooldown.
 */
export function hold(cooldown: Numbers, now: number, baseMs: number, draw: number): number;

/** Returns the time in ms during which the circuit admits no attempt for certain; 0 if it may. Takes no probe. */
export function look(breaker: Numbers, now: number): number;
/**
 * Asks for an attempt. Returns its ticket, which `ended` must get, once; 0 if it must not start: `numbers` says when
 * asking again makes sense. An open circuit may become half-open or closed by this.
 */
export function admit(breaker: Numbers, options: Numbers, now: number, first: boolean): number;
/**
 * Takes in the end of an attempt. Returns what it changed. The draw varies the length of an opening. A failing probe
 * opens the circuit for at least `hintMs`, but for no longer than maxOpenMs; NaN if the server did not ask.
 */
export function ended(
  breaker: Numbers,
  options: Numbers,
  now: number,
  draw: number,
  ticket: number,
  verdict: number,
  hintMs: number,
): number;
/** Opens the circuit for a positive number of ms; Infinity until `close`. */
export function open(breaker: Numbers, options: Numbers, now: number, ms: number): void;
/** Closes the circuit, with an empty window, as if it had never opened. */
export function close(breaker: Numbers, now: number): void;
export function numbers(breaker: Numbers, options: Numbers, to: Numbers, now: number): void;
