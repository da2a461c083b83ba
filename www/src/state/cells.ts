/** The cells of the grid: which strategies it shows, and where the arrow keys lead. */
import { ALL_BACKOFFS, sameChoice, type Backoff, type Choice, type Jitter } from './strategy';

/** Jitters that draw from a curve, a column each. */
export const CURVE_JITTERS: readonly Jitter[] = ['none', 'full', 'equal', 'proportional'];
/** In the last row. Additive jitter has the chosen backoff; the others replace it. */
const LAST_ROW: readonly Jitter[] = ['additiveRatio', 'decorrelatedBounded', 'pollyV2'];

export interface Cells {
  /** A row for each backoff, a cell for each of `CURVE_JITTERS`. */
  readonly rows: readonly { readonly backoff: Backoff; readonly choices: readonly Choice[] }[];
  /** One strategy whatever the backoff: a cell as tall as all rows. */
  readonly decorrelated: Choice;
  readonly last: readonly Choice[];
  /** All of them, in the order of the page. */
  readonly all: readonly Choice[];
}

export function cellsOf({ backoff: chosen, jitter }: Choice): Cells {
  const rows = ALL_BACKOFFS.map((backoff) => ({
    backoff,
    choices: CURVE_JITTERS.map((one): Choice => ({ backoff, jitter: one })),
  }));
  // Where no curve acts, the backoff is kept for the reader who comes back to one.
  const decorrelated: Choice = { backoff: chosen, jitter: 'decorrelated' };
  const isFurther = ![...CURVE_JITTERS, ...LAST_ROW, 'decorrelated'].includes(jitter);
  const last = [...LAST_ROW, ...(isFurther ? [jitter] : [])].map((one): Choice => ({ backoff: chosen, jitter: one }));
  return { rows, decorrelated, last, all: [...rows.flatMap(({ choices }) => choices), decorrelated, ...last] };
}

/** Whether a cell stands for this choice. A jitter without a row stands for all backoffs. */
export function isCellOf(cell: Choice, choice: Choice): boolean {
  return CURVE_JITTERS.includes(cell.jitter) ? sameChoice(cell, choice) : cell.jitter === choice.jitter;
}

export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

/**
 * Where an arrow key leads from a cell: by columns and rows, over the edge to the other side. `row` is the row that the
 * reader came from, because the tall cell is in all of them.
 */
export function neighbour({ rows, decorrelated, last }: Cells, from: Choice, arrow: Arrow, row: number): Choice {
  const table: readonly (readonly Choice[])[] = [...rows.map(({ choices }) => [...choices, decorrelated]), last];
  const isTall = from.jitter === 'decorrelated';
  const y = isTall
    ? Math.min(row, rows.length - 1)
    : table.findIndex((cells) => cells.some((cell) => isCellOf(cell, from)));
  const x = (table[y] ?? []).findIndex((cell) => isCellOf(cell, from));
  const [dx, dy] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[arrow] as [
    number,
    number,
  ];
  // Up and down from the tall cell there is only the last row.
  const nextY = isTall && dy !== 0 ? table.length - 1 : (y + dy + table.length) % table.length;
  const cells = table[nextY] ?? [];
  return cells[(x + dx + cells.length) % cells.length] ?? from;
}
