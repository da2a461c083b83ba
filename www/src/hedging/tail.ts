/** The tail: how many requests take longer than a time, with a hedge and without. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks } from '../charts/axis';
import { label, path, rule, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, share } from '../charts/format';
import { log, type Scale, type Span } from '../charts/scale';
import { MAX_RATIO, REQUESTS, SERVICE, type TailResult, type TailRun } from './compute';

const NARROW = 420;
/** At the top, for the axis' title, and the name of the vertical line below it. */
const [TOP, PLOT, BELOW, LEFT, RIGHT] = [44, 280, 44, 52, 12];

const TIMES: Span = [1, 10_000];
/** Down to one request in 10,000, of which there are some in the sample. */
const SHARES: Span = [1e-4, 1];
/** How many times as many requests take longer without a hedge where the lines are named. */
const APART = 3;
/** From one ring of the sampled curve to the next, in pixels of the axis. */
const RING_GAP = 9;

const RUNS = ['plain', 'hedged'] as const;
type RunName = (typeof RUNS)[number];
const NAMES: Readonly<Record<RunName, string>> = { plain: 'no hedge', hedged: 'hedge' };

/** With the curve of the hedge if it is chosen. */
export interface TailData extends TailResult {
  readonly isHedged: boolean;
}

function shown({ isHedged }: TailData): readonly RunName[] {
  return isHedged ? RUNS : ['plain'];
}

export const tailFigure: FigureSpec<TailData> = {
  id: 'tail',
  title: 'What does a hedge do to the tail?',
  finding,
  subtitle: (data) => [sampledInWords(data)],
  height: () => TOP + PLOT + BELOW,

  draw: curves,

  readout(data, width) {
    const { x } = scalesOf(width);
    const first = data.plain.timesMs.findIndex(isShown);
    const times = data.plain.timesMs.filter(isShown);
    const value = ({ exact, survival }: TailRun, i: number): string =>
      `${percent(exact.survival[first + i] ?? 0)}, sampled ${percent(survival[first + i] ?? 0)}`;
    return {
      xs: Array.from(times, x),
      top: TOP,
      bottom: TOP + PLOT,
      start: Math.max(
        0,
        times.findIndex((ms) => ms >= data.input.delayMs),
      ),
      place: (i) => `longer than ${duration(times[i] ?? 0)}`,
      rows: (i) => shown(data).map((name) => ({ name: NAMES[name], value: value(data[name], i) })),
    };
  },

  settings: ({ input, isHedged }) =>
    `${serviceInWords()}; ${isHedged ? `hedge after ${duration(input.delayMs)}` : 'no hedge'}`,

  note: () => [
    `${serviceInWords()}; none waits for another. The faster one of attempt and hedge counts. Lines: exact, the ` +
      `chance that both are slow. Rings: ${count(REQUESTS)} sampled requests. All slow attempts are hedged; the ` +
      `default maxRatio of ${MAX_RATIO} stops at ${share(MAX_RATIO)} of the requests.`,
  ],
};

/** The exact cost of the hedge, and its gain. */
export function finding({ plain: { exact: plain }, hedged: { exact: hedged }, input, isHedged }: TailData): string {
  if (!isHedged) return `Without a hedge p99 is ${time(plain.p99Ms)}, and p99.9 ${time(plain.p999Ms)}.`;
  return (
    `A hedge after ${duration(input.delayMs)} sends ${percent(hedged.extra)} more requests, and cuts p99 from ` +
    `${time(plain.p99Ms)} to ${time(hedged.p99Ms)} and p99.9 from ${time(plain.p999Ms)} to ${time(hedged.p999Ms)}.`
  );
}

function sampledInWords({ plain, hedged, isHedged }: TailData): string {
  const { totals, p99Ms, p999Ms } = isHedged ? hedged : plain;
  const extra = isHedged ? `${percent(totals.hedges / totals.requests)}, ` : '';
  return `Sampled: ${extra}${time(p99Ms)} and ${time(p999Ms)}, of ${count(REQUESTS)} requests.`;
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

function scalesOf(width: number): { readonly x: Scale; readonly y: Scale } {
  return { x: log(TIMES, [LEFT, width - RIGHT]), y: log(SHARES, [TOP + PLOT, TOP]) };
}

/** Both distributions, exact and sampled. */
function curves(data: TailData, width: number): SVGElement[] {
  const { input, isHedged, ...runs } = data;
  const names = shown(data);
  const { x, y } = scalesOf(width);
  const [right, bottom] = [width - RIGHT, TOP + PLOT];
  const isNarrow = width < NARROW;
  // Each line is named where it has left the other.
  const { timesMs, exact } = runs.plain;
  const apart = timesMs.findIndex((_, i) => APART * (runs.hedged.exact.survival[i] ?? 0) < (exact.survival[i] ?? 0));
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
      const times = runs[name].timesMs;
      const rings = ringsOf(pathOf(times, runs[name].survival, x, y)).map(([cx, cy]) =>
        svg('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2.5, class: 'ring' }),
      );
      const drawn = path(line()(pathOf(times, runs[name].exact.survival, x, y)), 'line');
      return svg('g', { class: 'series', 'data-hedges': name }, drawn, ...rings);
    }),
    ...names.flatMap((name) => {
      const { p99Ms, p999Ms, survival } = runs[name].exact;
      const own = { 'data-hedges': name };
      const isLower = name === 'hedged';
      // The curve falls: its rings are free of the labels above it at the right, and of those below it at the left.
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

function isShown(ms: number): boolean {
  return ms >= TIMES[0] && ms <= TIMES[1];
}

/** A curve's points within the axes. */
function pathOf(timesMs: Float64Array, survival: Float64Array, x: Scale, y: Scale): [number, number][] {
  return Array.from(timesMs, (ms, i): [number, number] => [ms, survival[i] ?? 0])
    .filter(([ms, part]) => isShown(ms) && part >= SHARES[0])
    .map(([ms, part]) => [x(ms), y(part)]);
}

/** Points of a curve that leave room between them. */
function ringsOf(points: readonly [number, number][]): [number, number][] {
  const [[first] = [0], [second] = [RING_GAP]] = points;
  return points.filter((_, i) => i % Math.ceil(RING_GAP / (second - first)) === 0);
}
