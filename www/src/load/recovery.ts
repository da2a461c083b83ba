/** Load and answers over time with the chosen protection, and the breaker's phases below. */
import { area, curveStepAfter, line } from 'd3-shape';
import { leftAxis, ticksOf } from '../charts/axis';
import { html, svg } from '../charts/dom';
import { count, duration, rate } from '../charts/format';
import { labelWidth } from '../charts/labels';
import { legendPlaces, type Place } from '../charts/legend';
import { linear, type Scale } from '../charts/scale';
import type { FigureSpec } from '../charts/spec';
import { DOWN_FROM_MS, type LoadResult, type LoadRun } from './compute';
import { rateAt, timeReadout } from '../charts/time-readout';
import { loadSettings, nameOf } from './figure';
import { timeAxis } from '../charts/time-axis';

const [LEFT, RIGHT] = [60, 10];
const TOP = 22;
const PLOT = 190;
const BAND = { top: TOP + PLOT + 10, height: 12 } as const;
const BOTTOM = BAND.top + BAND.height;
const PHASES = ['closed', 'open', 'half-open'] as const;

export const recovery: FigureSpec<LoadResult> = {
  id: 'recovery',
  title: 'Load and answers over time',
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data))],
  height: (width) => BOTTOM + 52 + KEY_LINE * (1 + (keyPlaces(width).at(-1)?.line ?? 0)),

  draw(data, width) {
    const { run, binMs, capacityPerS, input, band } = data;
    const x = scaleOf(data, width);
    const right = width - RIGHT;
    const perS = (calls: number): number => (1000 * calls) / binMs;
    const highest =
      Math.max(capacityPerS, ...Array.from(run.arrivals, perS), ...Array.from(band?.high ?? [], perS)) * 1.1;
    const y = linear([0, highest], [TOP + PLOT, TOP]);
    const level = Math.round(y(capacityPerS)) + 0.5;
    const at = (_: number, bin: number): number => x(bin * binMs);
    const arrivals = Array.from(run.arrivals);
    const answers = Array.from(run.answers);
    const down = [x(DOWN_FROM_MS), x(DOWN_FROM_MS + input.herd.downMs)] as const;
    return [
      svg('rect', { x: down[0], y: TOP, width: down[1] - down[0], height: PLOT, class: 'down' }),
      leftAxis({ scale: y, format: rate, ticks: ticksOf(y, 34), grid: [LEFT, right] }),
      svg('path', {
        d:
          area<number>()
            .x(at)
            .y0(y(0))
            .y1((calls) => y(perS(calls)))
            .curve(curveStepAfter)(answers) ?? '',
        class: 'answered',
      }),
      svg('path', {
        d:
          area<number>()
            .x(at)
            .y0((_, bin) => y(perS(band?.low[bin] ?? 0)))
            .y1((_, bin) => y(perS(band?.high[bin] ?? 0)))
            .curve(curveStepAfter)(Array.from(band?.high ?? [])) ?? '',
        class: 'seeds',
      }),
      svg('path', {
        d:
          line<number>()
            .x(at)
            .y((calls) => y(perS(calls)))
            .curve(curveStepAfter)(arrivals) ?? '',
        class: 'reached',
      }),
      svg('line', { x1: LEFT, x2: right, y1: level, y2: level, class: 'capacity' }),
      svg(
        'text',
        { x: right, y: level < TOP + 26 ? level + 14 : level - 5, 'text-anchor': 'end', class: 'halo strong' },
        `capacity ${rate(capacityPerS)}`,
      ),
      ...phases(data, x, width),
      ...annotation(data, x, right),
      timeAxis({ scale: x, title: 'time', grid: [BOTTOM, BOTTOM] }),
      ...legend(width),
    ];
  },

  readout: (data, width) =>
    timeReadout(
      data,
      data.input.herd.downMs + DOWN_FROM_MS,
      scaleOf(data, width),
      [TOP, BAND.top + BAND.height],
      (ms) => [
        { name: 'reach the server', value: rate(rateAt(data.run.arrivals, data, ms)) },
        { name: 'answered in time', value: rate(rateAt(data.run.answers, data, ms)) },
        ...(data.run.phases.timesMs.length === 0
          ? []
          : [
              { name: 'rejected', value: rate(rateAt(data.run.rejected, data, ms)) },
              { name: 'breaker', value: phaseAt(data.run, ms) },
            ]),
      ],
    ),

  describe: (data) => finding(data),

  settings: loadSettings,
};

/** Whether the server recovered, in the numbers of the run. */
export function finding(result: LoadResult): string {
  const { run, horizonMs, band } = result;
  const { recoveredAfterMs, failed, requests } = run;
  const seeds = band && band.seeds > 1 ? ` ${bandInWords(band, horizonMs)}` : '';
  const recovers =
    recoveredAfterMs === undefined
      ? `calls are late to the end, ${duration(horizonMs)}`
      : recoveredAfterMs === 0
        ? result.input.herd.downMs === 0
          ? 'all calls are answered in time'
          : 'all calls are answered in time as soon as the server is back'
        : `all calls are answered in time from ${duration(recoveredAfterMs)} after the outage on`;
  return (
    `${nameOf(run.shared, result)}: ${recovers}. ${count(failed)} of ${count(requests)} requests ` +
    `${failed === 1 ? 'fails' : 'fail'}.${seeds}`
  );
}

function bandInWords({ failed, recovered, seeds }: NonNullable<LoadResult['band']>, horizonMs: number): string {
  const fails =
    failed.p5 === failed.p95 ? `${count(failed.p5)} fail` : `${count(failed.p5)} to ${count(failed.p95)} fail`;
  const recover = recovered === seeds ? 'all recover' : recovered === 0 ? 'none recovers' : `${recovered} recover`;
  return `Of ${seeds} seeds ${recover} within ${duration(horizonMs)}; in 90% of them ${fails}.`;
}

/** When the breaker first opens. */
function opening({ phases }: LoadRun): number {
  return phases.timesMs[phases.phases.indexOf(1)] ?? Infinity;
}

/** The moment that teaches: the outage is over, the queue is not. */
function annotation({ run, input }: LoadResult, x: Scale, right: number): SVGElement[] {
  const backMs = DOWN_FROM_MS + input.herd.downMs;
  if (input.herd.downMs === 0) return [];
  const openMs = opening(run);
  const late = openMs > backMs && openMs !== Infinity;
  const at = Math.round(x(backMs)) + 0.5;
  const words = late ? 'server back; soon the breaker opens' : 'server back, with all that has queued';
  return [
    svg('line', { x1: at, x2: at, y1: TOP, y2: BOTTOM, class: 'bound' }),
    svg(
      'text',
      { x: at + 6, y: TOP + 14, class: 'halo strong' },
      at + 6 + labelWidth(words) <= right ? words : 'server back',
    ),
  ];
}

function scaleOf({ horizonMs }: LoadResult, width: number): Scale {
  return linear([0, horizonMs], [LEFT, width - RIGHT]);
}

/** The breaker's phase at a time. */
function phaseAt({ phases }: LoadRun, ms: number): string {
  const last = phases.timesMs.findLastIndex((time) => time <= ms);
  return PHASES[phases.phases[last] ?? 0] ?? 'closed';
}

/** The breaker's phases: dark while it is open, grey while it lets probes through. */
function phases({ run, horizonMs }: LoadResult, x: Scale, width: number): SVGElement[] {
  const { timesMs, phases: kinds } = run.phases;
  const { top, height } = BAND;
  const left = x(0);
  const pieces = Array.from(timesMs, (from, i) => {
    const to = timesMs[i + 1] ?? horizonMs;
    const [start, end] = [x(from), x(to)];
    return kinds[i] === 0
      ? null
      : svg('rect', {
          x: start,
          y: top,
          // A probe that is answered at once is seen, too.
          width: Math.max(1, end - start),
          height,
          class: kinds[i] === 1 ? 'phase-open' : 'phase-half-open',
        });
  });
  return [
    svg('g', {}, svg('rect', { x: left, y: top, width: width - RIGHT - left, height, class: 'ground' }), ...pieces),
    svg('text', { x: LEFT - 8, y: top + 10, 'text-anchor': 'end' }, 'breaker'),
  ];
}

const KEYS = [
  ['reach the server', 'reached'],
  ['middle 90% of seeds', 'seeds'],
  ['answered in time', 'answered'],
  ['breaker open', 'phase-open'],
  ['half-open', 'phase-half-open'],
] as const;
const SWATCH = 18;
const KEY_LINE = 18;

function keyPlaces(width: number): Place[] {
  const labels = KEYS.map(([label]) => label);
  return legendPlaces(labels, SWATCH + 6, width);
}

/** Meaning of the marks. */
function legend(width: number): SVGElement[] {
  const places = keyPlaces(width);
  return KEYS.map(([label, mark], i) => {
    const { left, line } = places[i] ?? { left: 0, line: 0 };
    const y = BOTTOM + 60 + KEY_LINE * line;
    return svg(
      'g',
      {},
      mark === 'reached'
        ? svg('path', { d: `M${left},${y - 4}h${SWATCH}`, class: mark })
        : svg('rect', { x: left, y: y - 9, width: SWATCH, height: 10, class: mark }),
      svg('text', { x: left + SWATCH + 6, y, class: 'value' }, label),
    );
  });
}
