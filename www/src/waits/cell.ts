/** One cell of the grid: the waits of one strategy, a row each, on the scale of all cells. */
import { densityMarks } from '../charts/density';
import { svg } from '../charts/dom';
import { linear } from '../charts/scale';
import { MOST_DRAWN, type Distribution, type Wait } from './compute';
import { curveActs } from '../state/strategy';

export interface CellSize {
  readonly width: number;
  readonly height: number;
}

const INSET = 8;

export function cellDrawing(
  { choice, waits }: Distribution,
  mostMs: number,
  { width, height }: CellSize,
): SVGSVGElement {
  const drawn = waits.slice(0, MOST_DRAWN);
  const scale = linear([0, mostMs], [INSET, width - INSET]);
  const row = (height - INSET) / Math.max(1, drawn.length);
  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    'aria-hidden': 'true',
    'data-jitter': choice.jitter,
  });
  for (const [i, wait] of drawn.entries()) {
    const base = Math.round(INSET + row * (i + 1)) - 0.5;
    drawing.append(
      svg('line', { x1: INSET, x2: width - INSET, y1: base, y2: base, class: 'baseline' }),
      svg('g', { 'data-wait': wait.k }, ...densityMarks(wait, { scale, base, height: row - 1 })),
    );
  }
  return drawing;
}

/**
 * The end of the scale: the longest wait of all curves. A jitter without a curve may have a long tail of rare waits, so
 * for these 95% of the waits count.
 */
export function mostOf(cells: readonly Distribution[]): number {
  const ends = cells.flatMap(({ choice, waits }) =>
    waits.slice(0, MOST_DRAWN).map((wait) => (curveActs(choice) ? wait.hiMs : wait.p95Ms)),
  );
  return Math.max(1, ...ends);
}

/** The wait with the widest spread: how long the middle 90% of the clients are spread over. */
export function spreadOf({ waits }: Pick<Distribution, 'waits'>): number {
  return Math.max(0, ...waits.slice(0, MOST_DRAWN).map(widthOf));
}

export function widthOf({ p05Ms, p95Ms }: Wait): number {
  return p95Ms - p05Ms;
}
