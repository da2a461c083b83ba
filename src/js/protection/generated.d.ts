// The machines as JavaScript: the build makes it of src/bindings/protection.rs (xtask/npm/machines.mjs), and the
// structs of core/protection say what each does. A state, its options and its numbers are arrays in the order of their
// fields. `now` is a monotonic time in ms, a draw is in [0, 1), amounts of a budget are thousandths of a token: whole
// numbers.

type Numbers = number[];

/** Place of the credits in a budget. To give tokens, add to it: for a success, or to put back unused ones. */
export const PENDING: number;
/**
 * Places of a cooldown: the time until which it holds attempts, and 1 if the present hold has had its probe, else 0.
 */
export const UNTIL: number, PROBED: number, COOLDOWN_FIELDS: number;
/** Place of a limiter: the time until which the server asked everyone to wait. */
export const PAUSED_UNTIL: number, LIMITER_FIELDS: number;
/** Place of the phase in a breaker: closed, open or half-open, from 0. */
export const PHASE: number;
/** Places of what says that it is in use, in a breaker and in its options, and of the times that a new one has. */
export const BEGUN: number, ROW_BEGUN: number, WINDOW_MS: number, STARTED_AT: number, CHANGED_AT: number;
export const BREAKER_FIELDS: number;
/** Verdicts on an attempt, for `ended`. After the first one, it is as if it had never been admitted. */
export const NOTHING: number, SUCCESS: number, FAILURE: number;
/** Result of `ended` if the circuit opened. */
export const HAS_OPENED: number;

/** Returns 1 if the budget had the cost, pending credits included. */
export function take(budget: Numbers, capacity: number, cost: number): number;
export function tokens(budget: Numbers, capacity: number): number;

/** Returns 0 if the present hint ends as late, and rules on. */
export function start(cooldown: Numbers, now: number, hintMs: number): number;
export function left(cooldown: Numbers, now: number): number;
/** Returns the rest of the cooldown and a drawn share of half of the hint, or of `baseMs` if that is more. */
export function hold(cooldown: Numbers, now: number, baseMs: number, draw: number): number;

/**
 * Returns how long the start of `weight` units has to wait, in ms, at least, if `queued` units start before; 0 if it
 * may start. The rate is the time of one unit in ms, 0 without a limit, and the units of a burst.
 */
export function rest(limiter: Numbers, rate: Numbers, now: number, weight: number, queued: number): number;
/** Follows a start. `waited`: a timer, which may have been late, had it wait for the rate. */
export function begin(limiter: Numbers, rate: Numbers, now: number, weight: number, waited: boolean): void;
/** Lets nothing start for the time of a hint, and a drawn share of that. Returns 0 if an earlier one ends as late. */
export function pause(limiter: Numbers, now: number, hintMs: number, baseMs: number, draw: number): number;

/** Returns the time in ms during which the circuit admits no attempt for certain; 0 if it may. Takes no probe. */
export function look(breaker: Numbers, now: number): number;
/** Returns the ticket of an attempt, which `ended` must get, once; 0 if it must not start. May change the phase. */
export function admit(breaker: Numbers, options: Numbers, now: number, first: boolean): number;
/** Follows the end of an attempt. Returns what it changed. */
export function ended(
  breaker: Numbers,
  options: Numbers,
  now: number,
  draw: number,
  ticket: number,
  verdict: number,
  hintMs: number,
): number;
export function open(breaker: Numbers, options: Numbers, now: number, ms: number): void;
export function close(breaker: Numbers, now: number): void;
export function numbers(breaker: Numbers, options: Numbers, to: Numbers, now: number): void;
