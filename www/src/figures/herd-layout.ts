/** Where the parts of the herd table are: for its drawing, and for what can be pressed on it. */
import type { HerdResult, HerdRun } from '../compute/herd';
import { BACKOFFS, CHOICES, sameChoice, type Choice } from '../state/strategy';

export type SortKey = 'strategy' | 'peakPerS' | 'timeTo99Ms' | 'rejectedShare';

export interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

export interface HerdColumn {
  readonly key: SortKey;
  readonly name: string;
  /** Where its numbers end, or its names begin. */
  readonly x: number;
  /** What can be pressed to sort by it. */
  readonly from: number;
  readonly to: number;
}

export interface HerdLayout {
  readonly isNarrow: boolean;
  readonly columns: readonly HerdColumn[];
  readonly strip: { readonly x: number; readonly width: number; readonly height: number };
  /** From a row's top to its strip's. */
  readonly stripY: number;
  readonly rowHeight: number;
  readonly rows: readonly { readonly choice: Choice; readonly y: number }[];
  readonly bottom: number;
  readonly height: number;
}

const NARROW = 600;
/** Room for the mark of the sorted column. */
const MARK = 12;
const BELOW = 72;
/** The legend has two lines on a phone. */
const BELOW_NARROW = 90;

/** On a phone a row has two lines: names and numbers, then the strip. */
export function layoutOf(width: number, order: readonly Choice[], isGrouped: boolean): HerdLayout {
  const isNarrow = width < NARROW;
  const right = width - MARK;
  const [top, rowHeight, pitch, gap] = isNarrow ? [48, 36, 40, 6] : [30, 20, 24, 8];
  const columns = isNarrow
    ? [
        { key: 'strategy', name: 'Strategy', x: 0, from: 0, to: right - 130 },
        { key: 'peakPerS', name: 'Peak', x: right - 98, from: right - 130, to: right - 88 },
        { key: 'timeTo99Ms', name: '99\u00a0%', x: right - 54, from: right - 86, to: right - 44 },
        { key: 'rejectedShare', name: 'Rejected', x: right, from: right - 42, to: width },
      ] as const
    : [
        { key: 'strategy', name: 'Strategy', x: 0, from: 0, to: 80 },
        { key: 'peakPerS', name: 'Peak after recovery', x: right - 220, from: right - 342, to: right - 206 },
        { key: 'timeTo99Ms', name: '99\u00a0% served', x: right - 116, from: right - 200, to: right - 102 },
        { key: 'rejectedShare', name: 'Rejected calls', x: right, from: right - 96, to: width },
      ] as const;
  let y = top;
  const rows = order.map((choice, i) => {
    if (isGrouped && i > 0 && choice.backoff !== order[i - 1]?.backoff) y += gap;
    const row = { choice, y };
    y += pitch;
    return row;
  });
  const bottom = y - (pitch - rowHeight);
  const strip = isNarrow ? { x: 0, width: width - 14, height: 16 } : { x: 196, width: right - 354 - 196, height: 20 };
  return { isNarrow, columns, strip, stripY: rowHeight - strip.height, rowHeight, rows, bottom, height: bottom + (isNarrow ? BELOW_NARROW : BELOW) };
}

/** The strategies in the order that the table shows; those that never serve 99 % come after those that do. */
export function orderOf(runs: readonly HerdRun[], { key, descending }: Sort): Choice[] {
  if (key === 'strategy') {
    const backoffs = descending ? [...BACKOFFS].reverse() : BACKOFFS;
    return backoffs.flatMap((backoff) => CHOICES.filter((choice) => choice.backoff === backoff));
  }
  const sign = descending ? -1 : 1;
  const value = (choice: Choice): number => runOf(runs, choice)?.[key] ?? Infinity;
  // Infinity − Infinity is NaN; equal ones stay in the order of the grid.
  const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -sign : sign);
  return [...CHOICES].sort((a, b) => compare(value(a), value(b)));
}

export function runOf(runs: readonly HerdRun[], choice: Choice): HerdRun | undefined {
  return runs.find((run) => sameChoice(run.choice, choice));
}

export interface HerdData {
  readonly result: HerdResult;
  readonly sort: Sort;
}
