/** One cell of the grid: all waits of one strategy, a row each. */
import { linear } from '../charts/scale';
import { densityMarks } from '../charts/density';
import { svg } from '../charts/dom';
import type { Distribution } from '../compute/waits';

export interface CellSize {
  readonly width: number;
  readonly height: number;
}

const INSET = 8;

export function cellDrawing({ choice, waits }: Distribution, mostMs: number, { width, height }: CellSize): SVGSVGElement {
  const scale = linear([0, mostMs], [INSET, width - INSET]);
  const row = (height - INSET) / waits.length;
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true', 'data-jitter': choice.jitter });
  for (const [i, wait] of waits.entries()) {
    const base = Math.round(INSET + row * (i + 1)) - 0.5;
    drawing.append(
      svg('line', { x1: INSET, x2: width - INSET, y1: base, y2: base, class: 'baseline' }),
      ...densityMarks(wait, scale, base, row - 1),
    );
  }
  return drawing;
}

/**
 * Where the scale of a row of cells ends: at the longest wait of its curve. Decorrelated jitter has no
 * curve and a long tail; its scale ends where 95 % of the last waits do.
 */
export function mostOf(cells: readonly Distribution[]): number {
  return Math.max(
    1,
    ...cells.flatMap(({ choice, waits }) => waits.map((wait) => (choice.jitter === 'decorrelated' ? wait.p95Ms : wait.hiMs))),
  );
}
