// The machines as JavaScript: the build makes it of src/bindings/protection.rs (xtask/npm/machines.mjs). A state, its
// options and its numbers are arrays in the order of the fields of the Rust structs. `now` is a monotonic time in ms, a
// draw is in [0, 1), amounts of a budget are thousandths of a token: whole numbers.

type Numbers = number[];

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
 * Asks for an attempt. Returns the time in ms until asking again makes sense, or its ticket with the sign changed,
 * which `ended` must get, once. An open circuit may become half-open or closed by this.
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
