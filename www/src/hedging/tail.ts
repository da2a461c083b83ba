/** The tail: how many requests take longer than a time, with a hedge and without. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks } from '../charts/axis';
import { html, svg } from '../charts/dom';
import { count, duration, share } from '../charts/format';
import { log, stops, type Scale, type Span } from '../charts/scale';
import type { FigureSpec } from '../charts/spec';
import { MAX_RATIO, REQUESTS, SERVICE, type TailResult, type TailRun } from './compute';

const NARROW = 420;
/** For the axis' title, and the name of the vertical line below it. */
const TOP = 44;
const PLOT = 280;
const BELOW = 44;
const PANEL = TOP + PLOT + BELOW;
const LEFT = 52;
const RIGHT = 12;

const TIMES: Span = [1, 10_000];
/** Down to one request in 10,000, of which there are some in the sample. */
const SHARES: Span = [1e-4, 1];
/** How many times as many requests take longer without a hedge where the lines are named. */
const APART = 3;
/** From one ring of the sampled curve to the next, in pixels. */
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
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data)), ` ${sampledInWords(data)}`],
  height: () => PANEL,

  draw: curves,

  readout(data, width) {
    const { x } = scalesOf(width);
    const inAxis = [...data.plain.timesMs.keys()].filter((i) => isShown(data.plain.timesMs[i] ?? 0));
    const times = inAxis.map((i) => data.plain.timesMs[i] ?? 0);
    const value = ({ exact, survival }: TailRun, place: number): string => {
      const i = inAxis[Math.round(place)] ?? 0;
      return `${percent(exact.survival[i] ?? 0)}, sampled ${percent(survival[i] ?? 0)}`;
    };
    return {
      scale: stops(times, x),
      top: TOP,
      bottom: TOP + PLOT,
      step: 1,
      start: Math.max(
        0,
        times.findIndex((ms) => ms >= data.input.delayMs),
      ),
      place: (place) => `longer than ${duration(times[Math.round(place)] ?? 0)}`,
      rows: (place) => shown(data).map((name) => ({ name: NAMES[name], value: value(data[name], place) })),
    };
  },

  describe: (data) => `${finding(data)} ${sampledInWords(data)}`,

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
  const { p99Ms, p999Ms } = isHedged ? hedged : plain;
  return (
    `Sampled: ${isHedged ? `${percent(extraOf(hedged))}, ` : ''}${time(p99Ms)} and ${time(p999Ms)}, of ` +
    `${count(REQUESTS)} requests.`
  );
}

function serviceInWords(): string {
  const { meanMs, slowShare, slowFromMs, slowMeanMs } = SERVICE;
  return (
    `${share(1 - slowShare)} of the attempts take ${duration(meanMs)} on average, the others ` +
    `${duration(slowFromMs + slowMeanMs)}, and at least ${duration(slowFromMs)}`
  );
}

function extraOf({ totals }: TailRun): number {
  return totals.hedges / totals.requests;
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
  const paths = names.map((name) => pathOf(runs[name].timesMs, runs[name].exact.survival, x, y));
  const isNarrow = width < NARROW;
  // Beside the curve, which falls: the percentiles of the upper curve at its right, those of the lower one at its left.
  const marks = names.flatMap((run) => {
    const { p99Ms, p999Ms } = runs[run].exact;
    const anchor = run === 'hedged' ? 'end' : 'start';
    return [
      { run, anchor, text: `p99 ${time(p99Ms)}`, x: x(p99Ms), y: y(0.01) },
      // The sentence has it, too.
      ...(isNarrow ? [] : [{ run, anchor, text: `p99.9 ${time(p999Ms)}`, x: x(p999Ms), y: y(0.001) }]),
    ];
  });
  // Each line is named where it has left the other.
  const { timesMs, exact } = runs.plain;
  const apart = timesMs.findIndex((_, i) => APART * (runs.hedged.exact.survival[i] ?? 0) < (exact.survival[i] ?? 0));
  const named = names.map((run) => ({
    run,
    text: NAMES[run],
    x: x(timesMs[apart] ?? 1),
    y: y(runs[run].exact.survival[apart] ?? 1),
  }));
  const here = Math.round(x(input.delayMs)) + 0.5;
  return [
    leftAxis({ scale: y, format: percent, ticks: [1, 0.1, 0.01, 0.001, 0.0001], grid: [LEFT, right] }),
    svg('text', { x: 0, y: 12 }, 'requests that take longer (log scale)'),
    bottomAxis({
      scale: x,
      format: duration,
      ticks: isNarrow ? [1, 100, 10_000] : logTicks(TIMES),
      title: 'time (log scale)',
      grid: [TOP, bottom],
    }),
    ...(isHedged
      ? [
          svg('line', { x1: here, x2: here, y1: TOP - 6, y2: bottom, class: 'bound' }),
          svg('text', { x: here, y: TOP - 12, 'text-anchor': 'middle' }, `hedge after ${duration(input.delayMs)}`),
        ]
      : []),
    ...names.map((name, i) =>
      svg(
        'g',
        { class: 'series', 'data-hedges': name },
        svg('path', { d: line()(paths[i] ?? []) ?? '', class: 'line' }),
        ...rings(pathOf(runs[name].timesMs, runs[name].survival, x, y)).map(([cx, cy]) =>
          svg('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2.5, class: 'sampled' }),
        ),
      ),
    ),
    ...marks.map(({ run, x: cx, y: cy }) => svg('circle', { cx, cy, r: 4.5, class: 'marked', 'data-hedges': run })),
    ...marks.map(({ run, anchor, text, x: cx, y: cy }) =>
      svg(
        'text',
        {
          x: cx + (anchor === 'end' ? -9 : 9),
          y: cy + 4,
          'text-anchor': anchor,
          class: 'strong halo',
          'data-hedges': run,
        },
        text,
      ),
    ),
    ...named.map(({ run, text, x: left, y: top }) =>
      svg(
        'text',
        {
          x: left + (run === 'hedged' ? 24 : 10),
          y: top + (run === 'hedged' ? 34 : -9),
          class: 'strong halo',
          'data-hedges': run,
        },
        text,
      ),
    ),
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
function rings(points: readonly [number, number][]): [number, number][] {
  let last: readonly [number, number] | undefined;
  return points.filter((point) => {
    if (last && Math.hypot(point[0] - last[0], point[1] - last[1]) < RING_GAP) return false;
    last = point;
    return true;
  });
}
