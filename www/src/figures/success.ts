/** Time until a call succeeds: the share that has, over time. It ends on a plateau: the others give up. */
import { curveStepAfter, line } from 'd3-shape';
import { leftAxis } from '../charts/axis';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { duration, share } from '../charts/format';
import { labelWidth } from '../charts/labels';
import { linear, type Scale } from '../charts/scale';
import type { Totals, TotalsResult } from '../compute/totals';
import { title } from '../state/strategy';
import { waitAxis } from './time-axis';

export interface SuccessData extends TotalsResult {
  readonly failureRate: number;
}

const PLOT = 230;
const BELOW = 44;
const LEFT = 48;
const LINE = 18;
/** Names of the percentiles of all calls, whether they succeed or not. */
const MARKED = [0.5, 0.95] as const;

export const success: FigureSpec<SuccessData> = {
  id: 'success',
  title: 'How long until a call succeeds?',
  subtitle: ({ failureRate }) => [`if each attempt fails with a chance of ${share(failureRate)}`],
  height: (width, data) => topOf(width, data) + PLOT + BELOW,

  draw(data, width) {
    const { totals } = data;
    const top = topOf(width, data);
    const [right, bottom] = [width - 12, top + PLOT];
    const end = Math.max(1, ...totals.map(({ success }) => success.timesMs.at(-1) ?? 0));
    const x = linear([0, end], [LEFT, right]);
    const y = linear([0, 1], [bottom, top]);
    const marks: SVGElement[] = [
      leftAxis({ scale: y, format: share, ticks: [0, 0.25, 0.5, 0.75, 0.95], grid: [LEFT, right] }),
      waitAxis({ scale: x, title: 'time since the first attempt (waits only)', grid: [top, bottom] }),
    ];
    for (const [i, { strategy, success, plateau }] of [...totals.entries()].reverse()) {
      const points = [...success.timesMs].map((ms, at) => ({ ms, part: success.shares[at] ?? 0 }));
      points.push({ ms: end, part: plateau });
      const path = line<(typeof points)[number]>()
        .x((p) => x(p.ms))
        .y((p) => y(p.part))
        .curve(curveStepAfter)(points);
      marks.push(
        svg(
          'g',
          { 'data-jitter': strategy.jitter, class: i === 0 ? 'chosen' : 'compared' },
          svg('path', { d: path ?? '', class: 'line' }),
        ),
      );
    }
    const [chosen] = totals;
    if (chosen) {
      const level = y(chosen.plateau);
      marks.push(svg('line', { x1: LEFT, x2: right, y1: level, y2: level, class: 'plateau' }));
      const { totalTimeoutMs } = chosen.strategy;
      if (totalTimeoutMs <= end) marks.push(deadlineLine(x(totalTimeoutMs), [top, bottom], totalTimeoutMs));
      marks.push(...percentileMarks(chosen, x, y));
    }
    for (const [i, text] of headOf(data, width).entries()) {
      marks.push(
        svg(
          'text',
          { x: 0, y: 12 + LINE * i, class: text.jitter ? 'value hued' : 'value', 'data-jitter': text.jitter },
          text.text,
        ),
      );
    }
    return marks;
  },

  describe: ({ failureRate, totals }) =>
    `Each attempt fails with a chance of ${share(failureRate)}. ` +
    totals.map((one) => `${title(one.strategy)}: ${percentiles(one)}. ${outcomes(one)}.`).join(' '),

  table({ totals }) {
    return {
      caption: 'Share of all calls that have succeeded by each time',
      columns: [
        { name: 'strategy' },
        { name: 'percentile of all calls' },
        { name: 'time', unit: 'ms' },
        { name: 'succeeded', unit: 'share' },
      ],
      rows: totals.flatMap(({ strategy, success, p50Ms, p95Ms }) => [
        ...[p50Ms, p95Ms].flatMap((ms, i) =>
          ms === undefined ? [] : [[title(strategy), `p${100 * (MARKED[i] ?? 0)}`, ms, MARKED[i]]],
        ),
        ...[...success.timesMs].map((ms, i) => [title(strategy), '', ms, success.shares[i]]),
      ]),
    };
  },

  note({ totals: [chosen] }) {
    if (!chosen) return [];
    const { totalTimeoutMs, maxAttempts } = chosen.strategy;
    if (totalTimeoutMs !== Infinity)
      return [
        `No wait may end at or after the deadline of ${duration(totalTimeoutMs)}. The time that attempts take ` +
          'adds to the waits.',
      ];
    if (maxAttempts === Infinity)
      return ['There is no deadline and no limit of attempts, so every call succeeds in the end.'];
    return [`There is no deadline. In this sample, the last retry starts after ${duration(chosen.lastMs)}.`];
  },
};

interface Line {
  readonly text: string;
  readonly jitter?: Totals['strategy']['jitter'];
}

/** Above the plot, where nothing is covered. On a phone, names and numbers have a line each. */
function headOf({ totals }: SuccessData, width: number): Line[] {
  const lines = totals.flatMap((one): Line[] => {
    const { jitter } = one.strategy;
    const [name, numbers] = [title(one.strategy), percentiles(one)];
    const both = `${name}: ${numbers}`;
    return labelWidth(both) <= width
      ? [{ text: both, jitter }]
      : [
          { text: `${name}:`, jitter },
          { text: numbers, jitter },
        ];
  });
  const [chosen] = totals;
  return chosen ? [...lines, { text: outcomes(chosen) }] : lines;
}

function topOf(width: number, data: SuccessData | undefined): number {
  const lines = data ? headOf(data, width).length : width < 460 ? 5 : 3;
  return LINE * lines + 10;
}

function outcomes({ plateau }: Totals): string {
  return `${share(plateau)} of all calls succeed, ${share(1 - plateau)} give up`;
}

/** Both of all calls. A call that gives up never succeeds. */
export function percentiles({ p50Ms, p95Ms }: Totals): string {
  return `50% of calls ${within(p50Ms)}, 95% ${within(p95Ms)}`;
}

function within(ms: number | undefined): string {
  return ms === undefined ? 'never' : `in ${duration(ms)}`;
}

/** Where the curve reaches 50% and 95% of all calls. */
function percentileMarks({ strategy, p50Ms, p95Ms }: Totals, x: Scale, y: Scale): SVGElement[] {
  const [, right] = x.range;
  return [p50Ms, p95Ms].flatMap((ms, i) => {
    if (ms === undefined) return [];
    const part = MARKED[i] ?? 0;
    const text = `${share(part)} in ${duration(ms)}`;
    const [px, py] = [x(ms), y(part)];
    const isLeft = px + 8 + labelWidth(text) > right;
    return [
      svg(
        'g',
        { 'data-jitter': strategy.jitter, class: 'percentile', 'data-share': part },
        svg('circle', { cx: px.toFixed(1), cy: py.toFixed(1), r: 4.5, class: 'atom' }),
        svg(
          'text',
          {
            x: isLeft ? right : px + 9,
            y: py + (i === 0 ? 4 : 18),
            'text-anchor': isLeft ? 'end' : 'start',
            class: 'value hued halo',
          },
          text,
        ),
      ),
    ];
  });
}

function deadlineLine(x: number, [top, bottom]: readonly [top: number, bottom: number], ms: number): SVGGElement {
  const text = `deadline ${duration(ms)}`;
  const isLeft = x - 6 - labelWidth(text) > LEFT;
  return svg(
    'g',
    { class: 'limit' },
    svg('line', { x1: x, x2: x, y1: top, y2: bottom }),
    svg(
      'text',
      { x: isLeft ? x - 6 : x + 6, y: bottom - 8, 'text-anchor': isLeft ? 'end' : 'start', class: 'halo' },
      text,
    ),
  );
}
