/** Rows with a name, a bar and numbers: the price of each way to do something. */
import { label, rect, svg } from './dom';

export interface BarRow {
  readonly id: string;
  /** The name, and a short one where there is no room for a bar. */
  readonly names: readonly [name: string, short: string];
  readonly value: number;
  /** The numbers, one for each column; bad ones stand out. `short` is for where there is no room. */
  readonly cells: readonly { readonly text: string; readonly short?: string; readonly bad?: boolean }[];
  readonly isChosen: boolean;
}

/** Head and width of a column, and both where there is no room. */
export type Column = readonly [head: string, width: number, short: string, narrow: number];

const [TOP, ROW, NAMES, NARROW] = [26, 28, 190, 560];

export function barsHeight(rows: number): number {
  return TOP + rows * ROW;
}

export function bars(rows: readonly BarRow[], columns: readonly Column[], width: number): SVGElement[] {
  const isNarrow = width < NARROW;
  const widths = columns.map(([, wide, , narrow]) => (isNarrow ? narrow : wide));
  const ends = widths.map((_, i) => width - widths.slice(i + 1).reduce((a, b) => a + b, 0));
  const room = width - widths.reduce((a, b) => a + b, 0) - NAMES - 16;
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return [
    ...columns.map(([head, , short], i) => label(ends[i] ?? 0, 12, isNarrow ? short : head, 'head end')),
    ...rows.map(({ id, names, value, cells, isChosen }, i) => {
      const y = TOP + i * ROW;
      const bar = rect(NAMES, y + 2, Math.max(1, (room * value) / most), 14, 'failures');
      return svg(
        'g',
        { class: isChosen ? 'row chosen' : 'row', 'data-row': id },
        label(0, y + 13, names[isNarrow ? 1 : 0], 'name'),
        isNarrow ? null : bar,
        ...cells.map(({ text, short = text, bad }, c) =>
          label(ends[c] ?? 0, y + 13, isNarrow ? short : text, bad ? 'number bad end' : 'number end'),
        ),
      );
    }),
  ];
}
