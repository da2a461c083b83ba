/** The crosshair of a figure over time. */
import type { Readout, ReadoutRow } from './readout';
import type { Scale, Span } from './scale';
import { seconds } from './time-axis';

interface Bins {
  readonly binMs: number;
  readonly horizonMs: number;
}

type Rows = (ms: number) => readonly ReadoutRow[];

/** Steps of the arrow keys from one end to the other. */
const STEPS = 100;

export function timeReadout(
  { binMs, horizonMs }: Bins,
  start: number,
  scale: Scale,
  [top, bottom]: Span,
  rows: Rows,
): Readout {
  const step = binMs * Math.max(1, Math.round(horizonMs / STEPS / binMs));
  return {
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
