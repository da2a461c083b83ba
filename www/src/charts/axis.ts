/** Axes: a unit on every tick, at most six of them, grid lines behind the marks. */
import { svg } from './dom';
import type { Scale, Span } from './scale';

const MOST_TICKS = 6;

/** Round values of the scale, so many that their labels have `room` pixels each. */
export function ticksOf(scale: Scale, room: number): readonly number[] {
  const [from, to] = scale.range;
  const most = Math.max(1, Math.min(MOST_TICKS, Math.floor(Math.abs(to - from) / room)));
  // d3 takes the number for a hint; on a log scale it may give every multiple of each power of ten.
  for (let hint = most; hint > 0; hint--) {
    const ticks = scale.ticks(hint);
    if (ticks.length <= most) return ticks;
  }
  const powers = scale.ticks(1).filter((tick) => Number.isInteger(Math.log10(tick)));
  const every = Math.ceil(powers.length / most);
  return powers.filter((_, i) => i % every === 0);
}

/** Round values of a log scale's domain, at most six: as many as 1 to 9, 1-2-5, 1-3 or 1 times powers of ten give. */
export function logTicks([from, to]: Span): readonly number[] {
  const powers = Array.from(
    { length: Math.ceil(Math.log10(to)) - Math.floor(Math.log10(from)) + 1 },
    (_, i) => 10 ** (Math.floor(Math.log10(from)) + i),
  );
  const series = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map((steps) =>
    powers.flatMap((power) => steps.map((step) => step * power)).filter((tick) => tick >= from && tick <= to),
  );
  const found = series.find((ticks) => ticks.length <= MOST_TICKS) ?? [];
  if (found.length > 0) return found;
  const all = series.at(-1) ?? [];
  return all.filter((_, i) => i % Math.ceil(all.length / MOST_TICKS) === 0);
}

/** Steps of seconds, minutes and hours that read well, in ms. */
const TIME_STEPS = [10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 14_400, 21_600].map(
  (s) => 1000 * s,
);

/** Round times of a linear scale of ms, so many that their labels have `room` pixels each. */
export function timeTicks(scale: Scale, room: number): readonly number[] {
  const [from, to] = scale.domain;
  const most = Math.max(1, Math.min(MOST_TICKS, Math.floor(Math.abs(scale.range[1] - scale.range[0]) / room)));
  // From two minutes on, times are written in minutes, from two hours on in hours.
  const steps = to < 120_000 ? TIME_STEPS : TIME_STEPS.filter((ms) => ms >= (to < 7_200_000 ? 30_000 : 1_800_000));
  const step = steps.find((ms) => Math.floor(to / ms) - Math.ceil(from / ms) < most);
  // Below ten seconds the powers of ten do.
  if (step === undefined || to - from < most * 5000) return ticksOf(scale, room);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
}

export interface AxisOptions {
  readonly scale: Scale;
  readonly format: (value: number) => string;
  readonly title?: string;
  /** Where the grid lines start and end, across the axis. */
  readonly grid: Span;
  readonly ticks: readonly number[];
}

/** The axis at the bottom: tick labels below the grid, the title below them (38 px in all). */
export function bottomAxis({ scale, format, title, grid: [top, bottom], ticks }: AxisOptions): SVGGElement {
  const group = svg('g', { class: 'axis' });
  for (const tick of ticks) {
    const x = Math.round(scale(tick)) + 0.5;
    group.append(
      svg('line', { x1: x, x2: x, y1: top, y2: bottom, class: 'grid' }),
      svg('text', { x, y: bottom + 17, 'text-anchor': 'middle' }, format(tick)),
    );
  }
  const [from, to] = scale.range;
  if (title) group.append(svg('text', { x: (from + to) / 2, y: bottom + 35, 'text-anchor': 'middle' }, title));
  return group;
}

/** The axis at the left: tick labels before the grid, the title above it. */
export function leftAxis({ scale, format, title, grid: [left, right], ticks }: AxisOptions): SVGGElement {
  const group = svg('g', { class: 'axis' });
  for (const tick of ticks) {
    const y = Math.round(scale(tick)) + 0.5;
    group.append(
      svg('line', { x1: left, x2: right, y1: y, y2: y, class: 'grid' }),
      svg('text', { x: left - 8, y: y + 4, 'text-anchor': 'end' }, format(tick)),
    );
  }
  const top = Math.min(...scale.range);
  if (title) group.append(svg('text', { x: 0, y: top - 12 }, title));
  return group;
}
