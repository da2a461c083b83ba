/** The tail: how many requests take longer than a time, with a hedge and without. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks } from '../charts/axis';
import { label, path, rule, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { duration, share } from '../charts/format';
import { log, type Span } from '../charts/scale';
import { MAX_RATIO, SERVICE, type TailResult } from './compute';

const NARROW = 420;
/** At the top, for the axis' title, and the name of the vertical line below it. */
const [TOP, PLOT, BELOW, LEFT, RIGHT] = [44, 280, 44, 52, 12];

const TIMES: Span = [1, 10_000];
/** Down to one request in 10,000. */
const SHARES: Span = [1e-4, 1];
/** How many times as many requests take longer without a hedge where the lines are named. */
const APART = 3;

const NAMES = { plain: 'no hedge', hedged: 'hedge' } as const;

/** With the curve of the hedge if it is chosen. */
export interface TailData extends TailResult {
  readonly isHedged: boolean;
}

export const tailFigure: FigureSpec<TailData> = {
  id: 'tail',
  title: 'What does a hedge do to the tail?',
  finding,
  height: () => TOP + PLOT + BELOW,

  draw: curves,

  settings: ({ input, isHedged }) =>
    `${serviceInWords()}; ${isHedged ? `hedge after ${duration(input.delayMs)}` : 'no hedge'}`,

  note: () => [
    `${serviceInWords()}; none waits for another. The faster one of attempt and hedge counts. Exact: the chance ` +
      `that both are slow. All slow attempts are hedged; the default maxRatio of ${MAX_RATIO} stops at ` +
      `${share(MAX_RATIO)} of the requests.`,
  ],
};

/** The exact cost of the hedge, and its gain. */
export function finding({ plain, hedged, input, isHedged }: TailData): string {
  if (!isHedged) return `Without a hedge p99 is ${time(plain.p99Ms)}, and p99.9 ${time(plain.p999Ms)}.`;
  return (
    `A hedge after ${duration(input.delayMs)} sends ${percent(hedged.extra)} more requests, and cuts p99 from ` +
    `${time(plain.p99Ms)} to ${time(hedged.p99Ms)} and p99.9 from ${time(plain.p999Ms)} to ${time(hedged.p999Ms)}.`
  );
}

function serviceInWords(): string {
  const { meanMs, slowShare, slowFromMs, slowMeanMs } = SERVICE;
  return (
    `${share(1 - slowShare)} of the attempts take ${duration(meanMs)} on average, the others ` +
    `${duration(slowFromMs + slowMeanMs)}, and at least ${duration(slowFromMs)}`
  );
}

/** 9.7%, 0.01%: two digits, however small. */
function percent(part: number): string {
  return `${Number((100 * part).toPrecision(2))}%`;
}

function time(ms: number): string {
  return duration(Number(ms.toPrecision(2)));
}

/** Both distributions. */
function curves({ input, isHedged, ...runs }: TailData, width: number): SVGElement[] {
  const names = isHedged ? (['plain', 'hedged'] as const) : (['plain'] as const);
  const [right, bottom] = [width - RIGHT, TOP + PLOT];
  const [x, y] = [log(TIMES, [LEFT, right]), log(SHARES, [bottom, TOP])];
  const isNarrow = width < NARROW;
  // Each line is named where it has left the other.
  const { timesMs, survival: plain } = runs.plain;
  const apart = timesMs.findIndex((_, i) => APART * (runs.hedged.survival[i] ?? 0) < (plain[i] ?? 0));
  const here = Math.round(x(input.delayMs)) + 0.5;
  return [
    leftAxis({ scale: y, format: percent, ticks: [1, 0.1, 0.01, 0.001, 0.0001], grid: [LEFT, right] }),
    label(0, 12, 'requests that take longer (log scale)'),
    bottomAxis({
      scale: x,
      format: duration,
      ticks: isNarrow ? [1, 100, 10_000] : logTicks(TIMES),
      title: 'time (log scale)',
      grid: [TOP, bottom],
    }),
    ...(isHedged
      ? [
          rule(here, TOP - 6, here, bottom, 'bound'),
          label(here, TOP - 12, `hedge after ${duration(input.delayMs)}`, 'middle'),
        ]
      : []),
    ...names.map((name) => {
      const points = Array.from(timesMs, (ms, i): [number, number] => [ms, runs[name].survival[i] ?? 0])
        .filter(([ms, part]) => ms >= TIMES[0] && ms <= TIMES[1] && part >= SHARES[0])
        .map(([ms, part]): [number, number] => [x(ms), y(part)]);
      return svg('g', { class: 'series', 'data-hedges': name }, path(line()(points), 'line'));
    }),
    ...names.flatMap((name) => {
      const { p99Ms, p999Ms, survival } = runs[name];
      const own = { 'data-hedges': name };
      const isLower = name === 'hedged';
      // The curve falls: it is free of the labels above it at the right, and of those below it at the left.
      const [right, down, side] = isLower ? ([-7, 15, ' end'] as const) : ([9, -4, ''] as const);
      const mark = (text: string, ms: number, part: number): SVGElement[] => [
        svg('circle', { cx: x(ms), cy: y(part), r: 4.5, class: 'marked', ...own }),
        label(x(ms) + right, y(part) + down, text, `hued halo${side}`, own),
      ];
      const [left, top] = [x(timesMs[apart] ?? 1), y(survival[apart] ?? 1)];
      return [
        ...mark(`p99 ${time(p99Ms)}`, p99Ms, 0.01),
        // The sentence has the number, too.
        ...mark(isNarrow ? 'p99.9' : `p99.9 ${time(p999Ms)}`, p999Ms, 0.001),
        label(left + (isLower ? 18 : 10), top + (isLower ? 8 : -9), NAMES[name], 'hued halo', own),
      ];
    }),
  ];
}
