/** Time at the bottom of a figure of simulated seconds or minutes. */
import { bottomAxis, type AxisOptions } from '../charts/axis';
import { duration } from '../charts/format';

const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000];
const MOST_STEPS = 5;
const MINUTES_FROM_MS = 120_000;

/** Ticks in seconds, or all of them in minutes. */
export function timeAxis({ scale, title, grid }: Pick<AxisOptions, 'scale' | 'grid'> & { readonly title: string }): SVGGElement {
  const [, end = 0] = scale.domain();
  const inMinutes = end >= MINUTES_FROM_MS;
  const step = 1000 * (STEPS_S.find((s) => end / (1000 * s) <= MOST_STEPS && !(inMinutes && s % 60 > 0)) ?? Infinity);
  const ticks = Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
  return bottomAxis({ scale, title, grid, ticks, format: (ms) => (inMinutes ? `${ms / 60_000}\u00a0min` : seconds(ms)) });
}

/** Zero seconds rather than zero milliseconds. */
export function seconds(ms: number): string {
  return ms === 0 ? '0\u00a0s' : duration(ms);
}
