/** The cells of the grid: which strategies it shows, and where the arrow keys lead. */
import { ALL_BACKOFFS, sameChoice, type Choice, type Jitter } from './strategy';

/** Jitters that draw from a curve, a column each. */
export const CURVE_JITTERS: readonly Jitter[] = ['none', 'full', 'equal', 'proportional'];
/** In the last row. Additive jitter has the chosen backoff; the others replace it. */
const LAST_ROW: readonly Jitter[] = ['additiveRatio', 'decorrelatedBounded', 'pollyV2'];

export interface Cells {
  /**
   * A row for each backoff, a cell for each of `CURVE_JITTERS`, and then decorrelated jitter: one cell in all of these
   * rows, because it is one strategy whatever the backoff. The last row has the others.
   */
  readonly table: readonly (readonly Choice[])[];
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
  return { table: [...rows.map((row) => [...row, tall]), last], all: [...rows.flat(), tall, ...last] };
}

/** Whether a cell stands for this choice. A jitter without a row stands for all backoffs. */
export function isCellOf(cell: Choice, choice: Choice): boolean {
  return CURVE_JITTERS.includes(cell.jitter) ? sameChoice(cell, choice) : cell.jitter === choice.jitter;
}

/** How many columns and rows an arrow key goes. */
export const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/**
 * Where an arrow key leads from a cell: by columns and rows, over the edge to the other side. `row` is the row that the
 * reader came from, because the tall cell is in many.
 */
export function neighbour({ table }: Cells, from: Choice, key: string, row: number): Choice {
  const [dx, dy] = ARROWS[key] ?? [0, 0];
  const rows = table.flatMap((cells, y) => (cells.some((cell) => isCellOf(cell, from)) ? [y] : []));
  const y = rows.includes(row) ? row : (rows[0] ?? 0);
  const x = table[y]?.findIndex((cell) => isCellOf(cell, from)) ?? 0;
  // Up and down from the tall cell there is only the last row.
  const next = rows.length > 1 && dy !== 0 ? table.length - 1 : (y + dy + table.length) % table.length;
  const cells = table[next] ?? [];
  return cells[(x + dx + cells.length) % cells.length] ?? from;
}
