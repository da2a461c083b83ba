/** The distribution of one wait as marks on a baseline: a shape where it is spread, sticks where it is not. */
import { svg } from './dom';
import type { Scale } from './scale';

interface Point {
  readonly ms: number;
  readonly probability: number;
}

export interface Spread {
  /** Three numbers a cell: where it starts and ends, and its probability. */
  readonly cells: Float64Array;
  /** Where many clients meet. */
  readonly atoms: readonly Point[];
  /** Other single waits: whole slots. */
  readonly slots: readonly Point[];
}

export interface DensityBox {
  readonly scale: Scale;
  readonly base: number;
  /** Height of the shape at its densest. */
  readonly height: number;
  /** Radius of the heads that stand on atoms; 0 for none. */
  readonly head?: number;
}

/** From this probability on, an atom is taller than the densest shape. */
const TALL_FROM = 0.25;

/** The marks of a wait. What lies beyond the scale is cut off. */
export function densityMarks({ cells, atoms, slots }: Spread, box: DensityBox): SVGElement[] {
  const { scale, base, height, head = 0 } = box;
  const marks: SVGElement[] = [];
  const outline = outlineOf(cells, box);
  if (outline) marks.push(svg('path', { d: outline, class: 'shape' }));
  const [, most] = scale.domain;
  const stick = (ms: number, top: number, name: string): SVGElement => {
    const x = scale(ms).toFixed(1);
    return svg('line', { x1: x, x2: x, y1: base, y2: top.toFixed(1), class: name });
  };
  for (const { ms } of slots) if (ms <= most) marks.push(stick(ms, base - height, 'slot'));
  const isAlone = !outline && slots.length === 0;
  for (const atom of atoms) {
    if (atom.ms > most) continue;
    const top = isAlone ? base - height : atomTop(atom, box);
    marks.push(stick(atom.ms, top, 'spike'));
    if (head > 0 && !isAlone)
      marks.push(svg('circle', { cx: scale(atom.ms).toFixed(1), cy: top.toFixed(1), r: head, class: 'atom' }));
  }
  return marks;
}

/** The upper end of an atom next to a shape. */
export function atomTop({ probability }: Point, { base, height }: DensityBox): number {
  return base - height * (0.5 + 0.65 * Math.min(1, probability / TALL_FROM));
}

function outlineOf(cells: Float64Array, { scale, base, height }: DensityBox): string | undefined {
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
