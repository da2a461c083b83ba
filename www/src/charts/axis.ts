/** A linear time axis from 0, with a unit on every tick. */
import { svg } from './dom';
import { duration } from './format';

export interface TimeScale {
  /** The position of a time, in pixels. */
  x(ms: number): number;
  readonly ticks: readonly number[];
  readonly left: number;
  readonly right: number;
}

export function timeScale(maxMs: number, left: number, right: number): TimeScale {
  const room = Math.max(1, Math.min(6, Math.floor((right - left) / 50)));
  const step = niceStep(maxMs / room);
  const ticks = Array.from({ length: Math.floor(maxMs / step + 1e-9) + 1 }, (_, i) => i * step);
  return { x: (ms) => left + ((right - left) * ms) / maxMs, ticks, left, right };
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 2.5, 5, 10].find((m) => m * power >= least * (1 - 1e-9)) ?? 10) * power;
}

/** Grid lines from `top` to `bottom`, tick labels and the axis title below. */
export function timeAxis(scale: TimeScale, top: number, bottom: number, axisTitle: string): SVGGElement {
  const group = svg('g', { class: 'axis' });
  for (const tick of scale.ticks) {
    const x = Math.round(scale.x(tick)) + 0.5;
    group.append(
      svg('line', { x1: x, x2: x, y1: top, y2: bottom, class: 'grid' }),
      svg('text', { x, y: bottom + 18, 'text-anchor': 'middle' }, duration(tick)),
    );
  }
  group.append(
    svg('text', { x: (scale.left + scale.right) / 2, y: bottom + 38, 'text-anchor': 'middle', class: 'axis-title' }, axisTitle),
  );
  return group;
}
