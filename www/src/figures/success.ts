/** Time until a call succeeds: the share that has, over time. It ends on a plateau: the others give up. */
import { curveStepAfter, line } from 'd3-shape';
import { leftAxis } from '../charts/axis';
import { linear } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { duration, share } from '../charts/format';
import type { Totals, TotalsResult } from '../compute/totals';
import { title } from '../state/strategy';
import { waitAxis } from './time-axis';

export interface SuccessData extends TotalsResult {
  readonly failureRate: number;
}

const HEIGHT = 320;
const TOP = 40;
const BELOW = 44;

export const success: FigureSpec<SuccessData> = {
  id: 'success',
  title: 'How long until a call succeeds?',
  subtitle: ({ failureRate }) => [`when each attempt fails with a chance of ${share(failureRate)}`],
  height: () => HEIGHT,

  draw({ totals }, width) {
    const [left, right, bottom] = [52, width - 12, HEIGHT - BELOW];
    const end = Math.max(1, ...totals.map(({ lastMs }) => lastMs));
    const x = linear([0, end], [left, right]);
    const y = linear([0, 1], [bottom, TOP]);
    const marks: SVGElement[] = [
      leftAxis({ scale: y, format: share, ticks: [0, 0.25, 0.5, 0.75, 1], grid: [left, right] }),
      waitAxis({ scale: x, title: 'time since the first attempt (waits only)', grid: [TOP, bottom] }),
    ];
    for (const [i, { strategy, success, plateau }] of [...totals.entries()].reverse()) {
      const points = [...success.timesMs].map((ms, at) => ({ ms, part: success.shares[at] ?? 0 }));
      points.push({ ms: end, part: plateau });
      const path = line<(typeof points)[number]>().x((p) => x(p.ms)).y((p) => y(p.part)).curve(curveStepAfter)(points);
      marks.push(svg('g', { 'data-jitter': strategy.jitter, class: i === 0 ? 'chosen' : 'compared' }, svg('path', { d: path ?? '', class: 'line' })));
    }
    const [chosen] = totals;
    if (chosen) {
      const level = y(chosen.plateau);
      marks.push(
        svg('line', { x1: left, x2: right, y1: level, y2: level, class: 'plateau' }),
        svg('text', { x: right, y: 14, 'text-anchor': 'end', class: 'value' }, `${share(chosen.plateau)} succeed, ${share(1 - chosen.plateau)} give up`),
      );
      const { totalTimeoutMs } = chosen.strategy;
      if (totalTimeoutMs <= end) marks.push(deadlineLine(x(totalTimeoutMs), bottom, totalTimeoutMs));
    }
    for (const [i, one] of totals.entries()) {
      marks.push(svg('text', { x: right - 6, y: bottom - 12 - 18 * (totals.length - 1 - i), 'text-anchor': 'end', class: 'value hued halo', 'data-jitter': one.strategy.jitter }, `${title(one.strategy)}: ${percentiles(one)}`));
    }
    return marks;
  },

  describe: ({ failureRate, totals }) =>
    `Each attempt fails with a chance of ${share(failureRate)}. ` +
    totals.map((one) => `${title(one.strategy)}: ${percentiles(one)}, ${share(one.plateau)} succeed and ${share(1 - one.plateau)} give up.`).join(' '),

  table({ totals }) {
    return {
      caption: 'Share of the calls that has succeeded',
      columns: [{ name: 'strategy' }, { name: 'time', unit: 'ms' }, { name: 'succeeded', unit: 'share' }],
      rows: totals.flatMap(({ strategy, success }) => [...success.timesMs].map((ms, i) => [title(strategy), ms, success.shares[i]])),
    };
  },

  note({ totals: [chosen] }) {
    if (!chosen) return [];
    const { totalTimeoutMs } = chosen.strategy;
    if (totalTimeoutMs === Infinity) return [`There is no deadline: the last retry is made after ${duration(chosen.lastMs)} at most in this sample.`];
    return [`No wait may end at or after the deadline of ${duration(totalTimeoutMs)}. The time that attempts take comes on top of the waits.`];
  },
};

function percentiles({ p50Ms, p95Ms }: Totals): string {
  const half = p50Ms === undefined ? 'fewer than half succeed' : `p50 ${duration(p50Ms)}`;
  return `${half}, p95 ${duration(p95Ms)}`;
}

function deadlineLine(x: number, bottom: number, ms: number): SVGGElement {
  return svg(
    'g',
    { class: 'limit' },
    svg('line', { x1: x, x2: x, y1: TOP - 8, y2: bottom }),
    svg('text', { x: x - 6, y: TOP - 2, 'text-anchor': 'end' }, `deadline ${duration(ms)}`),
  );
}
