// The machines as JavaScript: the build makes it of src/bindings/protection.rs (xtask/npm/machines.mjs). A state, its
// options and its numbers are arrays in the order of the fields of the Rust structs.

type Numbers = number[];

export function take(budget: Numbers, capacity: number, cost: number): number;
export function tokens(budget: Numbers, capacity: number): number;

export function start(cooldown: Numbers, now: number, hintMs: number): number;
export function left(cooldown: Numbers, now: number): number;
export function hold(cooldown: Numbers, now: number, baseMs: number, draw: number): number;

export function look(breaker: Numbers, now: number): number;
export function admit(breaker: Numbers, options: Numbers, now: number, first: boolean): number;
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
export function fresh(breaker: Numbers, options: Numbers, now: number): number;
