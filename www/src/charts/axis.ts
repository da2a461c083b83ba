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
  const [from, to] = scale.range;
  const most = Math.max(1, Math.min(MOST_TICKS, Math.floor(Math.abs(to - from) / room)));
  // d3 takes the number for a hint.
  for (let hint = most; hint > 1; hint--) if (scale.ticks(hint).length <= most) return scale.ticks(hint);
  return scale.ticks(1);
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

/** Axis of time in ms, which is shown in seconds. */
export function timeAxis(options: Pick<AxisOptions, 'scale' | 'grid' | 'title'>): SVGGElement {
  const format = (ms: number): string => `${Number((ms / 1000).toFixed(2))}\u00a0s`;
  return bottomAxis({ ...options, ticks: ticksOf(options.scale, 64), format });
}

/** Zero seconds rather than zero milliseconds. */
export function seconds(ms: number): string {
  return ms === 0 ? '0\u00a0s' : duration(ms);
}
