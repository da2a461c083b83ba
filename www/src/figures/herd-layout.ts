/** Where the parts of the herd table are: for its drawing, and for what can be pressed on it. */
import type { HerdResult, HerdRun } from '../compute/herd';
import { BACKOFFS, CHOICES, JITTERS, sameChoice, type Choice } from '../state/strategy';
import { legendHeight } from './traffic';

export type SortKey = 'strategy' | 'served' | 'gaveUp' | 'peakPerS' | 'timeTo99Ms' | 'rejectedShare';

export interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

export interface HerdColumn {
  readonly key: SortKey;
  readonly name: string;
  /** Where its numbers end, or its names start. */
  readonly x: number;
  /** The base line of its head. */
  readonly y: number;
  /** The area that sorts by it when pressed. */
  readonly from: number;
  readonly to: number;
}

export interface HerdLayout {
  /** Whether the names and the numbers have a line each. */
  readonly isNarrow: boolean;
  readonly isStacked: boolean;
  readonly columns: readonly HerdColumn[];
  readonly strip: { readonly x: number; readonly width: number; readonly height: number };
  /** From a row's top to the base lines of its name and its numbers, and to its strip. */
  readonly nameY: number;
  readonly numberY: number;
  readonly stripY: number;
  /** The curve of the served, below the strip. */
  readonly curveY: number;
  readonly curveHeight: number;
  readonly rowHeight: number;
  /** Where the mark of the server's return starts. */
  readonly backY: number;
  readonly rows: readonly { readonly choice: Choice; readonly y: number }[];
  readonly bottom: number;
  readonly height: number;
}

/** A strip stands next to text only if it is at least this wide. */
const LEAST_STRIP = 300;
/** Narrower, the numbers have no room next to the names. */
const NARROW = 560;
/** Room for the mark of the sorted column. */
const MARK = 12;
const NAMES = 196;
/** From the base line of the rows to the legend. */
const BELOW = 54;

/** The widths of the columns, and on a phone their shares of the card. */
const NUMBERS: readonly (readonly [key: SortKey, name: string, width: number, part: number])[] = [
  ['served', 'Served', 74, 0.18],
  ['gaveUp', 'Gave up', 78, 0.21],
  ['peakPerS', 'Peak', 72, 0.19],
  ['timeTo99Ms', '99%\u00a0served', 94, 0.18],
  ['rejectedShare', 'Rejected', 76, 0.24],
];
const ALL_NUMBERS = NUMBERS.reduce((sum, [, , width]) => sum + width, 0);

/**
 * In a wide card the strip stands between names and numbers, in others below them; on a phone the numbers below the
 * names.
 */
export function layoutOf(width: number, order: readonly Choice[], isGrouped: boolean): HerdLayout {
  const right = width - MARK;
  const room = right - ALL_NUMBERS - NAMES - 8;
  const isStacked = room < LEAST_STRIP;
  const isNarrow = width < NARROW;
  const [top, pitch, gap] = isNarrow ? [72, 66, 6] : isStacked ? [52, 52, 8] : [34, 29, 8];
  const [nameY, numberY, stripY] = isNarrow ? [12, 28, 36] : isStacked ? [12, 12, 20] : [15, 15, 0];
  const strip = isStacked ? { x: 0, width: width - 14, height: 14 } : { x: NAMES, width: room, height: 14 };
  const rowHeight = stripY + strip.height + 1 + CURVE;
  const numbersX = isNarrow ? 0 : right - ALL_NUMBERS;
  let end = numbersX;
  const columns: HerdColumn[] = [{ key: 'strategy', name: 'Strategy', x: 0, y: 16, from: 0, to: 80 }];
  for (const [key, name, wide, part] of NUMBERS) {
    const from = end;
    end += isNarrow ? part * right : wide;
    // On a phone the heads have no room for more.
    const short = isNarrow && key === 'timeTo99Ms' ? '99%' : name;
    columns.push({ key, name: short, x: end, y: isNarrow ? 40 : 16, from: from + 2, to: Math.min(end + MARK, width) });
  }
  let y = top;
  const rows = order.map((choice, i) => {
    if (isGrouped && i > 0 && choice.backoff !== order[i - 1]?.backoff) y += gap;
    const row = { choice, y };
    y += pitch;
    return row;
  });
  const bottom = y - (pitch - rowHeight);
  return {
    isNarrow,
    isStacked,
    columns,
    strip,
    nameY,
    numberY,
    stripY,
    curveY: stripY + strip.height + 1,
    curveHeight: CURVE,
    rowHeight,
    backY: isNarrow ? 50 : isStacked ? 30 : 8,
    rows,
    bottom,
    height: bottom + BELOW + legendHeight(strip.width, HERD_LEGEND),
  };
}

const CURVE = 8;
/** From the rows to the legend below the time axis. */
export const LEGEND_Y = BELOW;
export const HERD_LEGEND = { above: 'rejected after the outage', hasServed: true } as const;

/** The strategies in the order that the table shows; those that never serve 99% come after those that do. */
export function orderOf(runs: readonly HerdRun[], { key, descending }: Sort): Choice[] {
  // The chosen strategy may be missing in the grid.
  const column = ({ jitter }: Choice): number => [...JITTERS, jitter].indexOf(jitter);
  const further = runs
    .map(({ choice }) => choice)
    .filter((choice) => !CHOICES.some((cell) => sameChoice(cell, choice)))
    .sort((a, b) => column(a) - column(b));
  if (key === 'strategy') {
    const backoffs = descending ? [...BACKOFFS].reverse() : BACKOFFS;
    return [...further, ...backoffs.flatMap((backoff) => CHOICES.filter((choice) => choice.backoff === backoff))];
  }
  const sign = descending ? -1 : 1;
  const value = (choice: Choice): number => runOf(runs, choice)?.[key] ?? Infinity;
  // Infinity − Infinity is NaN; equal ones stay in the order of the grid.
  const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -sign : sign);
  return [...further, ...CHOICES].sort((a, b) => compare(value(a), value(b)));
}

export function runOf(runs: readonly HerdRun[], choice: Choice): HerdRun | undefined {
  return runs.find((run) => sameChoice(run.choice, choice));
}

export interface HerdData {
  readonly result: HerdResult;
  readonly sort: Sort;
}
