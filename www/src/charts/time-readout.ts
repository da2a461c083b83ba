/** The crosshair of the figures over time: one moment in all of them. */
import type { Readout, ReadoutRow } from './readout';
import type { Scale, Span } from './scale';
import { seconds } from './time-axis';

interface Bins {
  readonly binMs: number;
  readonly horizonMs: number;
}

type Rows = (ms: number, y: number | undefined) => readonly ReadoutRow[];

/** Steps of the arrow keys from one end to the other. */
const STEPS = 100;

export function timeReadout(
  axis: string,
  { binMs, horizonMs }: Bins,
  start: number,
  scale: Scale,
  [top, bottom]: Span,
  rows: Rows,
): Readout {
  const step = binMs * Math.max(1, Math.round(horizonMs / STEPS / binMs));
  return {
    axis,
    scale,
    top,
    bottom,
    step,
    start,
    place: (ms) => `at ${seconds(binMs * Math.floor(ms / binMs))}`,
    rows,
  };
}

/** The calls per second in the bin at this time. */
export function rateAt(counts: Uint32Array, { binMs }: Bins, ms: number): number {
  return (1000 * (counts[Math.floor(ms / binMs)] ?? 0)) / binMs;
}

/** The sum up to this time, its bin included. */
export function upTo(counts: Uint32Array, { binMs }: Bins, ms: number): number {
  return counts.subarray(0, Math.floor(ms / binMs) + 1).reduce((a, b) => a + b, 0);
}
