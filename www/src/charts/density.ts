/** The distribution of one wait as marks on a baseline: a shape where it is spread, a spike where it is not. */
import { svg } from './dom';
import type { Scale } from './scale';

export interface Spread {
  /** Three numbers a cell: where it begins and ends, and its probability. */
  readonly cells: Float64Array;
  readonly atoms: readonly { readonly ms: number; readonly probability: number }[];
}

/**
 * The shape has the height `height` at its densest; a spike is as high as its probability, next to
 * a shape at least a third. What lies beyond the scale is cut off.
 */
export function densityMarks({ cells, atoms }: Spread, scale: Scale, base: number, height: number): SVGElement[] {
  const marks: SVGElement[] = [];
  const outline = outlineOf(cells, scale, base, height);
  if (outline) marks.push(svg('path', { d: outline, class: 'shape' }));
  const [, most] = scale.domain;
  for (const { ms, probability } of atoms) {
    if (ms > most) continue;
    const x = scale(ms).toFixed(1);
    const top = base - height * (outline ? Math.max(1 / 3, probability) : 1);
    marks.push(svg('line', { x1: x, x2: x, y1: base, y2: top.toFixed(1), class: 'spike' }));
  }
  return marks;
}

function outlineOf(cells: Float64Array, scale: Scale, base: number, height: number): string | undefined {
  const [, most] = scale.domain;
  let densest = 0;
  for (let i = 0; i < cells.length; i += 3) densest = Math.max(densest, densityAt(cells, i));
  if (densest === 0) return undefined;
  const x = (ms: number): string => scale(Math.min(ms, most)).toFixed(1);
  let path = `M${x(cells[0] ?? 0)},${base}`;
  let end = 0;
  for (let i = 0; i < cells.length && (cells[i] ?? 0) < most; i += 3) {
    end = cells[i + 1] ?? 0;
    path += `V${(base - (height * densityAt(cells, i)) / densest).toFixed(1)}H${x(end)}`;
  }
  // A shape that goes on beyond the scale is left open there.
  return end > most ? path : `${path}V${base}`;
}

function densityAt(cells: Float64Array, i: number): number {
  const width = (cells[i + 1] ?? 0) - (cells[i] ?? 0);
  return width > 0 ? (cells[i + 2] ?? 0) / width : 0;
}
