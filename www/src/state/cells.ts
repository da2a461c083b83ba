/** The cells of the grid: which strategies it shows. */
import { ALL_BACKOFFS, sameChoice, type Choice, type Jitter } from './strategy';

/** Jitters that draw from a curve, a column each. */
export const CURVE_JITTERS: readonly Jitter[] = ['none', 'full', 'equal', 'proportional'];
/** In the last row. Additive jitter has the chosen backoff; the others replace it. */
const LAST_ROW: readonly Jitter[] = ['additiveRatio', 'decorrelatedBounded', 'pollyV2'];

export interface Cells {
  /** A row for each backoff, with a cell for each of `CURVE_JITTERS`. */
  readonly rows: readonly (readonly Choice[])[];
  /** One cell in all of these rows, because it is one strategy whatever the backoff. */
  readonly tall: Choice;
  readonly last: readonly Choice[];
  /** Each cell once, in the order of the page. */
  readonly all: readonly Choice[];
}

export function cellsOf({ backoff, jitter: chosen }: Choice): Cells {
  // Where no curve acts, the backoff is kept for the reader who comes back to one.
  const cell = (jitter: Jitter): Choice => ({ backoff, jitter });
  const tall = cell('decorrelated');
  const rows = ALL_BACKOFFS.map((one) => CURVE_JITTERS.map((jitter): Choice => ({ backoff: one, jitter })));
  const isFurther = ![...CURVE_JITTERS, ...LAST_ROW, tall.jitter].includes(chosen);
  const last = [...LAST_ROW, ...(isFurther ? [chosen] : [])].map(cell);
  return { rows, tall, last, all: [...rows.flat(), tall, ...last] };
}

/** Whether a cell stands for this choice. A jitter without a row stands for all backoffs. */
export function isCellOf(cell: Choice, choice: Choice): boolean {
  return CURVE_JITTERS.includes(cell.jitter) ? sameChoice(cell, choice) : cell.jitter === choice.jitter;
}
