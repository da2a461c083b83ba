/**
 * The distribution of one wait on a logarithmic axis: a ridge whose area is its probability, closed on the baseline
 * within the frame, and a stick where many clients meet.
 */
import { rule } from '../charts/dom';
import { log } from '../charts/scale';
import type { Distribution, Wait } from './compute';

/** The least wait of the axis; 0 has a place of its own before it. */
export const LEAST_MS = 1;

export type WaitScale = ReturnType<typeof waitScale>;

/** From `left`, where no wait is, to `right`. `at` is the place of a wait. */
export function waitScale(mostMs: number, left: number, right: number, gap: number) {
  const scale = log([LEAST_MS, mostMs], [left + gap, right]);
  return { log: scale, at: (ms: number): number => (ms < LEAST_MS ? left : scale(Math.min(ms, mostMs))) };
}

/** The longest wait that is drawn: the cap, or what nearly all waits and landings stay below. */
export function mostOf({ waits, landings }: Pick<Distribution, 'waits' | 'landings'>, capMs: number): number {
  const ends = waits.map(({ hiMs, quantiles: { p95 } }) => Math.min(hiMs, capMs === Infinity ? 2 * p95 : hiMs));
  return Math.max(100 * LEAST_MS, ...ends, ...landings.map(({ p95 }) => 1.1 * p95));
}

/** Width of a column, and the height of the lowest stick, in pixels. */
const [COLUMN, LEAST_STICK] = [2, 2];

type Ridge = NonNullable<ReturnType<typeof ridgeOf>>;

/** Places, with the probability there per e-fold of the wait; undefined where the wait is not spread. */
export function ridgeOf({ cells }: Pick<Wait, 'cells'>, { log: scale }: WaitScale) {
  if (cells.length === 0) return undefined;
  const [left, right] = scale.range;
  const columns = Math.max(8, Math.round((right - left) / COLUMN));
  const [from, to] = scale.domain;
  const edges = Array.from({ length: columns + 1 }, (_, i) => from * (to / from) ** (i / columns));
  const below = cumulative(cells, edges);
  const points: (readonly [number, number])[] = [];
  for (let i = 0; i < columns; i++) {
    const mass = (below[i + 1] ?? 0) - (below[i] ?? 0);
    if (mass <= 0) continue;
    const x = left + ((right - left) * (i + 0.5)) / columns;
    points.push([x, mass / Math.log((edges[i + 1] ?? 1) / (edges[i] ?? 1))]);
  }
  if (points.length === 0) return undefined;
  const end = cells.at(-2) ?? 0;
  const peak = Math.max(...points.map(([, density]) => density));
  // Whether some of it is beyond the axis.
  return { points, peak, isCut: end > to * 1.001 };
}

/** The probability below each of these ascending waits. */
function cumulative(cells: Float64Array, edges: readonly number[]): number[] {
  let [cell, sum] = [0, 0];
  return edges.map((edge) => {
    while (cell < cells.length && (cells[cell + 1] ?? 0) <= edge) {
      sum += cells[cell + 2] ?? 0;
      cell += 3;
    }
    const [from = 0, to = 0, probability = 0] = cells.subarray(cell, cell + 3);
    return edge > from && to > from ? sum + (probability * (edge - from)) / (to - from) : sum;
  });
}

export interface RidgeBox {
  readonly base: number;
  /** Height of a density of 1, and of anything at most. */
  readonly unit: number;
  readonly most: number;
}

/** The outline above the baseline, closed on it at both ends. */
export function ridgePath({ points }: Ridge, { base, unit, most }: RidgeBox): string {
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
  const line = points.map(([x, density]) => `L${x.toFixed(1)},${(base - Math.min(most, unit * density)).toFixed(1)}`);
  return `M${(first - COLUMN / 2).toFixed(1)},${base}${line.join('')}L${(last + COLUMN / 2).toFixed(1)},${base}z`;
}

/** Sticks of the waits of positive probability: as high as `most` where there is nothing else. */
export function sticks({ atoms, slots, cells }: Wait, { at }: WaitScale, { base, most }: RidgeBox): SVGElement[] {
  const isAlone = cells.length === 0 && slots.length === 0 && atoms.length === 1;
  const stick = (ms: number, height: number, name: string): SVGElement =>
    rule(at(ms), base, at(ms), base - height, name);
  return [
    ...slots.map(({ ms }) => stick(ms, most / 2, 'slot')),
    ...atoms.map(({ ms, probability }) => stick(ms, isAlone ? most : stickHeight(probability, most), 'spike')),
  ];
}

/** In proportion, but never too small to be seen. */
export function stickHeight(probability: number, most: number): number {
  return Math.max(LEAST_STICK, most * probability);
}
