/** When retries land: of many clients that began together and keep failing, how many retry at the same time. */
import { area, curveStepAfter, line } from 'd3-shape';
import { bottomAxis, leftAxis, linear, log } from '../charts/axis';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration } from '../charts/format';
import type { Totals, TotalsResult } from '../compute/totals';
import { sameChoice, title } from '../state/strategy';

const CLIENTS = 1000;
const HEIGHT = 340;
const TOP = 72;
const BELOW = 44;
/** What is less than this many clients lies on the axis: the scale has no zero. */
const FLOOR = 0.5;

export const landing: FigureSpec<TotalsResult> = {
  id: 'landing',
  title: 'When do retries land?',
  subtitle: ({ binMs }) => [`of ${count(CLIENTS)} clients that began together, those that retry in the same ${duration(binMs)}, while everything fails`],
  height: () => HEIGHT,

  draw({ binMs, totals }, width) {
    const [left, right, bottom] = [44, width - 12, HEIGHT - BELOW];
    const end = binMs * (1 + Math.max(...totals.map(({ landings }) => lastBin(landings))));
    const x = linear([0, end], [left, right]);
    const y = log([FLOOR, 2 * CLIENTS], [bottom, TOP]);
    const ticks = [1, 10, 100, CLIENTS];
    const marks: SVGElement[] = [
      leftAxis({ scale: y, format: count, ticks, title: 'clients (log scale)', grid: [left, right] }),
      bottomAxis({ scale: x, format: duration, title: 'time since the first attempt (waits only)', grid: [bottom, bottom] }),
    ];
    for (const [i, { strategy, landings }] of [...totals.entries()].reverse()) {
      const points = stepsOf(landings, binMs, end);
      const at = (value: number): number => y(Math.max(FLOOR, value));
      const fill = area<Point>().x((p) => x(p.ms)).y0(bottom).y1((p) => at(p.clients)).curve(curveStepAfter)(points);
      const edge = line<Point>().x((p) => x(p.ms)).y((p) => at(p.clients)).curve(curveStepAfter)(points);
      const group = svg('g', { 'data-jitter': strategy.jitter, class: i === 0 ? 'chosen' : 'compared' });
      if (i === 0) group.append(svg('path', { d: fill ?? '', class: 'area' }));
      group.append(svg('path', { d: edge ?? '', class: 'line' }));
      marks.push(group);
    }
    for (const [i, totalsOf] of totals.entries()) {
      const { strategy } = totalsOf;
      marks.push(svg('text', { x: right, y: 14 + 18 * i, 'text-anchor': 'end', class: 'value hued', 'data-jitter': strategy.jitter }, `${title(strategy)}: at most ${count(busiest(totalsOf))} at once`));
    }
    return marks;
  },

  describe: ({ binMs, totals }) =>
    totals.map((one) => `${title(one.strategy)}: in the busiest ${duration(binMs)} ${count(busiest(one))} of ${count(CLIENTS)} clients retry; the last retry is made at ${duration(one.lastMs)}.`).join(' '),

  table({ binMs, totals }) {
    const bins = 1 + Math.max(...totals.map(({ landings }) => lastBin(landings)));
    return {
      caption: `Clients of ${count(CLIENTS)} that retry in each ${duration(binMs)}`,
      columns: [{ name: 'from', unit: 'ms' }, ...totals.map(({ strategy }) => ({ name: title(strategy), unit: 'count' as const }))],
      rows: Array.from({ length: bins }, (_, i) => [i * binMs, ...totals.map(({ landings }) => CLIENTS * (landings[i] ?? 0))]),
    };
  },

  note: ({ totals: [chosen, compared] }) => {
    if (!chosen || !compared || sameChoice(chosen.strategy, compared.strategy)) return [];
    return [html('span', {}, 'A spike is a moment at which many clients meet again.')];
  },
};

interface Point {
  readonly ms: number;
  readonly clients: number;
}

function stepsOf(landings: Float64Array, binMs: number, end: number): Point[] {
  const points = Array.from(landings, (share, i) => ({ ms: i * binMs, clients: CLIENTS * share })).filter(({ ms }) => ms < end);
  return [...points, { ms: end, clients: points.at(-1)?.clients ?? 0 }];
}

function lastBin(landings: Float64Array): number {
  return landings.findLastIndex((share) => share > 0);
}

function busiest({ landings }: Totals): number {
  return Math.round(CLIENTS * Math.max(...landings));
}
