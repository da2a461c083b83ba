/** When retries land: of many clients that began together and keep failing, how many retries come at the same time. */
import { area, curveStepAfter, line } from 'd3-shape';
import { leftAxis } from '../charts/axis';
import { labelWidth } from '../charts/labels';
import { linear } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { count, duration } from '../charts/format';
import type { Totals, TotalsResult } from '../compute/totals';
import { sameChoice, title } from '../state/strategy';
import { waitAxis } from './time-axis';

const CLIENTS = 1000;
const HEIGHT = 340;
const TOP = 64;
const BELOW = 44;

export const landing: FigureSpec<TotalsResult> = {
  id: 'landing',
  title: 'When do retries land?',
  subtitle: ({ binMs }) => [
    `retries in each ${duration(binMs)}, of ${count(CLIENTS)} clients that start together and keep failing`,
  ],
  height: () => HEIGHT,

  draw({ binMs, totals }, width) {
    const [left, right, bottom] = [44, width - 12, HEIGHT - BELOW];
    const end = binMs * Math.max(1, ...totals.map(({ landings }) => 1 + lastBin(landings)));
    const x = linear([0, end], [left, right]);
    // From zero: on a log scale the last few retries look like the edge of many.
    const y = linear([0, Math.max(1, ...totals.map(busiest))], [bottom, TOP]);
    const marks: SVGElement[] = [
      leftAxis({ scale: y, format: count, title: 'retries', grid: [left, right] }),
      waitAxis({ scale: x, title: 'time since the first attempt (waits only)', grid: [bottom, bottom] }),
    ];
    for (const [i, { strategy, landings }] of [...totals.entries()].reverse()) {
      const points = stepsOf(landings, binMs, end);
      const fill = area<Point>()
        .x((p) => x(p.ms))
        .y0(bottom)
        .y1((p) => y(p.retries))
        .curve(curveStepAfter)(points);
      const edge = line<Point>()
        .x((p) => x(p.ms))
        .y((p) => y(p.retries))
        .curve(curveStepAfter)(points);
      const group = svg('g', { 'data-jitter': strategy.jitter, class: i === 0 ? 'chosen' : 'compared' });
      if (i === 0) group.append(svg('path', { d: fill ?? '', class: 'area' }));
      group.append(svg('path', { d: edge ?? '', class: 'line' }));
      marks.push(group);
    }
    for (const [i, totalsOf] of totals.entries()) {
      const { strategy } = totalsOf;
      const most = `at most ${count(busiest(totalsOf))}`;
      const text = `${title(strategy)}: ${most}`;
      marks.push(
        svg(
          'text',
          { x: right, y: 14 + 18 * i, 'text-anchor': 'end', class: 'value hued', 'data-jitter': strategy.jitter },
          labelWidth(text) <= right ? text : most,
        ),
      );
    }
    return marks;
  },

  describe: ({ binMs, totals }) =>
    totals
      .map(
        (one) =>
          `${title(one.strategy)}: in the busiest ${duration(binMs)} there are ${count(busiest(one))} retries of ` +
          `${count(CLIENTS)} clients; the last retry starts at ${duration(one.lastMs)}.`,
      )
      .join(' '),

  table({ binMs, totals }) {
    const bins = 1 + Math.max(...totals.map(({ landings }) => lastBin(landings)));
    return {
      caption: `Retries in each ${duration(binMs)}, of ${count(CLIENTS)} clients`,
      columns: [
        { name: 'from', unit: 'ms' },
        ...totals.map(({ strategy }) => ({ name: title(strategy), unit: 'count' as const })),
      ],
      rows: Array.from({ length: bins }, (_, i) => [
        i * binMs,
        ...totals.map(({ landings }) => CLIENTS * (landings[i] ?? 0)),
      ]),
    };
  },

  note: ({ totals: [chosen, compared] }) => {
    if (chosen && busiest(chosen) === 0)
      return [
        chosen.strategy.maxAttempts === 1
          ? 'No retry is made: there is only one attempt.'
          : 'No retry is made: the first wait would end after the deadline.',
      ];
    const { maxAttempts, totalTimeoutMs } = chosen?.strategy ?? {};
    const cut =
      maxAttempts === Infinity && totalTimeoutMs === Infinity
        ? 'Nothing limits the attempts, so only the first retries are shown. '
        : '';
    if (!chosen || !compared || sameChoice(chosen.strategy, compared.strategy)) return [cut];
    return [`${cut}A spike is a moment at which many clients retry together.`];
  },
};

interface Point {
  readonly ms: number;
  readonly retries: number;
}

function stepsOf(landings: Float64Array, binMs: number, end: number): Point[] {
  const points = Array.from(landings, (share, i) => ({ ms: i * binMs, retries: CLIENTS * share })).filter(
    ({ ms }) => ms < end,
  );
  return [...points, { ms: end, retries: points.at(-1)?.retries ?? 0 }];
}

function lastBin(landings: Float64Array): number {
  return landings.findLastIndex((share) => share > 0);
}

function busiest({ landings }: Totals): number {
  return Math.round(CLIENTS * Math.max(...landings));
}
