/** Axes: a unit on every tick, at most six of them, grid lines behind the marks. */
import { label, rule, svg } from './dom';
import { duration } from './format';
import type { Scale, Span } from './scale';

const MOST_TICKS = 6;

/** Round values of a log scale's domain, at most six: as many as 1 to 9, 1-2-5, 1-3 or 1 times powers of ten give. */
export function logTicks([from, to]: Span): readonly number[] {
  const least = Math.floor(Math.log10(from));
  const powers = Array.from({ length: Math.ceil(Math.log10(to)) - least + 1 }, (_, i) => 10 ** (least + i));
  const series = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map((steps) =>
    powers.flatMap((power) => steps.map((step) => step * power)).filter((tick) => tick >= from && tick <= to),
  );
  const found = series.find((ticks) => ticks.length <= MOST_TICKS) ?? [];
  if (found.length > 0) return found;
  const all = series.at(-1) ?? [];
  return all.filter((_, i) => i % Math.ceil(all.length / MOST_TICKS) === 0);
}

/** Round values of a linear scale, so many that their labels have `room` pixels each. */
export function ticksOf(scale: Scale, room: number): readonly number[] {
  const most = mostTicks(scale, room);
  // d3 takes the number for a hint.
  for (let hint = most; hint > 1; hint--) if (scale.ticks(hint).length <= most) return scale.ticks(hint);
  return scale.ticks(1);
}

function mostTicks({ range: [from, to] }: Scale, room: number): number {
  return Math.max(1, Math.min(MOST_TICKS, Math.floor(Math.abs(to - from) / room)));
}

/** From two minutes on, all ticks have one unit, of which they are whole numbers. */
const UNITS = [
  [14_400_000, 3_600_000, 'h'],
  [240_000, 60_000, 'min'],
  [120_000, 1000, 's'],
] as const;
/** Steps of times that read well, in ms. */
const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 18_000, 36_000];

/** Round times of a linear scale of ms, so many that their labels have `room` pixels each. */
export function timeTicks(scale: Scale, room: number): readonly number[] {
  const [from, to] = scale.domain;
  const least = UNITS.find(([end]) => to >= end)?.[1] ?? 0;
  const most = mostTicks(scale, room);
  const step = TIME_STEPS.map((s) => 1000 * s).find(
    (ms) => ms >= least && Math.floor(to / ms) - Math.ceil(from / ms) < most,
  );
  // Less than a second, or days.
  if (step === undefined || to - from < 500) return ticksOf(scale, room);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
}

interface AxisOptions {
  readonly scale: Scale;
  readonly format: (value: number) => string;
  readonly title?: string;
  /** Where the grid lines start and end, across the axis. */
  readonly grid: Span;
  readonly ticks: readonly number[];
}

/** The axis at the bottom: tick labels below the grid, the title below them (38 px in all). */
export function bottomAxis({ scale, format, title, grid: [top, bottom], ticks }: AxisOptions): SVGGElement {
  const marks = ticks.flatMap((tick) => {
    const x = Math.round(scale(tick)) + 0.5;
    return [rule(x, top, x, bottom, 'grid'), label(x, bottom + 17, format(tick), 'middle')];
  });
  const [from, to] = scale.range;
  return svg('g', { class: 'axis' }, ...marks, title ? label((from + to) / 2, bottom + 35, title, 'middle') : null);
}

/** The axis at the left: tick labels before the grid, the title above it. */
export function leftAxis({ scale, format, title, grid: [left, right], ticks }: AxisOptions): SVGGElement {
  const marks = ticks.flatMap((tick) => {
    const y = Math.round(scale(tick)) + 0.5;
    return [rule(left, y, right, y, 'grid'), label(left - 8, y + 4, format(tick), 'end')];
  });
  return svg('g', { class: 'axis' }, ...marks, title ? label(0, Math.min(...scale.range) - 12, title) : null);
}

/** Axis of simulated time. */
export function timeAxis({ scale, ...options }: Pick<AxisOptions, 'scale' | 'grid' | 'title'>): SVGGElement {
  const [, unitMs, unit] = UNITS.find(([end]) => scale.domain[1] >= end) ?? [];
  const format = (ms: number): string => `${Number((ms / (unitMs ?? 1)).toFixed(1))}\u00a0${unit}`;
  return bottomAxis({ ...options, scale, ticks: timeTicks(scale, 64), format: unitMs ? format : seconds });
}

/** Zero seconds rather than zero milliseconds. */
export function seconds(ms: number): string {
  return ms === 0 ? '0\u00a0s' : duration(ms);
}
