// The names of options' values and the codes that stand for them in the core.

// Positions are the codes of crates/rejitter/src/core/kinds.rs.
export const BACKOFFS = ['fixed', 'linear', 'exponential', 'truncated', 'fibonacci'];
export const FIXED = 0;
export const LINEAR = 1;
export const EXPONENTIAL = 2;
export const TRUNCATED = 3;
export const CUSTOM = 5;

export const JITTERS = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];
export const NONE = 0;
export const FULL = 1;
export const EQUAL = 2;
export const DECORRELATED = 3;
export const SLOTTED = 5;
export const POLLY_V2 = 6;
export const PROPORTIONAL = 7;
export const ADDITIVE = 8;
export const ADDITIVE_MAX = 9;

// The value that the cap bounds.
export const CAP_RULES = ['bound', 'ceiling', 'draw'];
export const BOUND = 0;
export const CEILING = 1;
export const DRAW = 2;

/** Under this symbol, a preset and each copy of it have what is not an option. All copies of the package share it. */
export const ORIGIN = Symbol.for('rejitter.preset');

export const MAX_MS = 2 ** 53 - 1;
export const DEFAULT_CAP_MS = 10_000;

/** How many errors of a chain of causes are read. */
export const DEEPEST = 10;

/** The longest list as `backoff`: its last entry repeats anyway. */
export const MAX_LIST = 1000;

/** Whether a jitter replaces the backoff's curve. @param {number} jitter */
export function hasOwnCurve(jitter) {
  return jitter >= DECORRELATED && jitter <= POLLY_V2;
}
