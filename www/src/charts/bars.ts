/** Rows with a name, a bar and numbers: the price of each way to do something. */
import { svg } from './dom';

export interface BarRow {
  readonly id: string;
  readonly name: string;
  /** The name where there is no room for a bar. */
  readonly short: string;
  readonly value: number;
  /** The numbers, one for each column; bad ones stand out. `short` is for where there is no room. */
  readonly cells: readonly { readonly text: string; readonly short?: string; readonly bad?: boolean }[];
  readonly isChosen: boolean;
}

export interface Column {
  readonly head: string;
  readonly short: string;
  readonly width: number;
  readonly narrow: number;
}

const TOP = 26;
const ROW = 28;
const NARROW = 560;
const NAMES = 190;

export function barsHeight(rows: number): number {
  return TOP + rows * ROW;
}

export function bars(rows: readonly BarRow[], columns: readonly Column[], width: number): SVGElement[] {
  const isNarrow = width < NARROW;
  let end = width;
  const ends = columns.toReversed().map((column) => {
    const at = end;
    end -= isNarrow ? column.narrow : column.width;
    return at;
  });
  ends.reverse();
  const most = Math.max(1, ...rows.map(({ value }) => value));
  const room = end - NAMES - 16;
  return [
    ...columns.map(({ head, short }, i) =>
      svg('text', { x: ends[i], y: 12, 'text-anchor': 'end', class: 'head' }, isNarrow ? short : head),
    ),
    ...rows.map(({ id, name, short, value, cells, isChosen }, i) => {
      const y = TOP + i * ROW;
      return svg(
        'g',
        { class: isChosen ? 'row chosen' : 'row', 'data-row': id },
        svg('text', { x: 0, y: y + 13, class: 'name' }, isNarrow ? short : name),
        isNarrow
          ? null
          : svg('rect', {
              x: NAMES,
              y: y + 2,
              width: Math.max(1, (room * value) / most),
              height: 14,
              class: 'failures',
            }),
        ...cells.map(({ text, short: less = text, bad }, c) =>
          svg(
            'text',
            { x: ends[c], y: y + 13, 'text-anchor': 'end', class: bad ? 'number bad' : 'number' },
            isNarrow ? less : text,
          ),
        ),
      );
    }),
  ];
}
