/** Time at the bottom of a figure. */
import { bottomAxis, timeTicks, type AxisOptions } from './axis';
import type { Scale } from './scale';
import { duration } from './format';

const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000];
const MOST_STEPS = 5;
/** Width of a tick's label, and of the space to the next. */
const ROOM = 52;
const MINUTES_FROM_MS = 120_000;
const HOURS_FROM_MS = 7_200_000;

type TimeAxisOptions = Pick<AxisOptions, 'scale' | 'grid'> & { readonly title: string };

/** Axis of simulated time: ticks in seconds, or all of them in minutes or hours. */
export function timeAxis({ scale, title, grid }: TimeAxisOptions): SVGGElement {
  const [, end] = scale.domain;
  // Whole minutes, or half hours.
  const multipleOf = end < MINUTES_FROM_MS ? 0.1 : end < HOURS_FROM_MS ? 60 : 1800;
  const [left, right] = scale.range;
  const most = Math.max(1, Math.min(MOST_STEPS, Math.floor((right - left) / ROOM)));
  const step = 1000 * (STEPS_S.find((s) => s >= multipleOf && end / (1000 * s) <= most) ?? Infinity);
  const ticks = Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
  const format = end < MINUTES_FROM_MS ? seconds : inOneUnit(scale);
  return bottomAxis({ scale, title, grid, ticks, format });
}

/** Axis of waits, which may also be a few milliseconds. */
export function waitAxis({ scale, title, grid }: TimeAxisOptions): SVGGElement {
  return bottomAxis({ scale, title, grid, ticks: timeTicks(scale, 64), format: inOneUnit(scale) });
}

/** All ticks of a long axis in minutes, or all in hours. */
function inOneUnit(scale: Scale): (ms: number) => string {
  const [, end] = scale.domain;
  if (end < MINUTES_FROM_MS) return duration;
  const [unit, unitMs] = end < HOURS_FROM_MS ? ['min', 60_000] : ['h', 3_600_000];
  return (ms) => `${Number((ms / unitMs).toFixed(1))}\u00a0${unit}`;
}

/** Zero seconds rather than zero milliseconds. */
export function seconds(ms: number): string {
  return ms === 0 ? '0\u00a0s' : duration(ms);
}
