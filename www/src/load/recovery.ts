/** Load and answers over time with the chosen protection, and the breaker's phases below. */
import { area, curveStepAfter, line } from 'd3-shape';
import { leftAxis, seconds, ticksOf, timeAxis } from '../charts/axis';
import { label, path, rect, rule } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, doing, duration, rate } from '../charts/format';
import { labelWidth, legendPlaces } from '../charts/labels';
import { linear, type Scale } from '../charts/scale';
import type { Range } from '../compute/outage';
import { DOWN_FROM_MS, type Band, type LoadResult, type LoadRun } from './compute';
import { loadSettings, nameOf } from './figure';

const [LEFT, RIGHT, TOP, PLOT] = [60, 10, 22, 190];
/** The breaker's phases. */
const BAND = { top: TOP + PLOT + 10, height: 12 } as const;
const BOTTOM = BAND.top + BAND.height;
const PHASES = ['closed', 'open', 'half-open'] as const;

export const recovery: FigureSpec<LoadResult> = {
  id: 'recovery',
  title: 'Load and answers over time',
  finding,
  height: (width) => BOTTOM + 52 + KEY_LINE * (1 + (keyPlaces(width).at(-1)?.line ?? 0)),

  draw(data, width) {
    const { run, binMs, capacityPerS, input, band } = data;
    const { downMs } = input.herd;
    const x = scaleOf(data, width);
    const right = width - RIGHT;
    const perS = (calls: number): number => (1000 * calls) / binMs;
    const seeds = band?.arrivals ?? [];
    const rates = [...run.arrivals, ...seeds.map(({ p95 }) => p95)].map(perS);
    const y = linear([0, 1.1 * Math.max(capacityPerS, ...rates)], [TOP + PLOT, TOP]);
    const level = Math.round(y(capacityPerS)) + 0.5;
    const steps = area<Pick<Range, 'p5' | 'p95'>>(
      (_, bin) => x(bin * binMs),
      ({ p5 }) => y(perS(p5)),
      ({ p95 }) => y(perS(p95)),
    ).curve(curveStepAfter);
    const arrivals = line<number>(
      (_, bin) => x(bin * binMs),
      (calls) => y(perS(calls)),
    ).curve(curveStepAfter);
    return [
      rect(x(DOWN_FROM_MS), TOP, x(DOWN_FROM_MS + downMs) - x(DOWN_FROM_MS), PLOT, 'down'),
      leftAxis({ scale: y, format: rate, ticks: ticksOf(y, 34), grid: [LEFT, right] }),
      path(steps([...run.answers].map((p95) => ({ p5: 0, p95 }))), 'answered'),
      path(steps(seeds), 'seeds'),
      path(arrivals(Array.from(run.arrivals)), 'reached'),
      rule(LEFT, level, right, level, 'capacity'),
      label(right, level < TOP + 26 ? level + 14 : level - 5, `capacity ${rate(capacityPerS)}`, 'halo strong end'),
      ...phases(data, x, right),
      ...annotation(data, x, right),
      timeAxis({ scale: x, title: 'time', grid: [BOTTOM, BOTTOM] }),
      ...legend(width, run.phases.timesMs.length > 0),
    ];
  },

  readout(data, width) {
    const { run, binMs, input } = data;
    const x = scaleOf(data, width);
    const at = (counts: Uint32Array, bin: number): string => rate((1000 * (counts[bin] ?? 0)) / binMs);
    return {
      xs: Array.from(run.arrivals, (_, bin) => x(bin * binMs)),
      top: TOP,
      bottom: BOTTOM,
      start: Math.floor((input.herd.downMs + DOWN_FROM_MS) / binMs),
      place: (bin) => `at ${seconds(binMs * bin)}`,
      rows: (bin) => [
        { name: 'reach the server', value: at(run.arrivals, bin) },
        { name: 'answered in time', value: at(run.answers, bin) },
        ...(run.phases.timesMs.length === 0
          ? []
          : [
              { name: 'rejected', value: at(run.rejected, bin) },
              { name: 'breaker', value: phaseAt(run, binMs * bin) },
            ]),
      ],
    };
  },

  settings: loadSettings,
};

/** Whether the server recovered, in the numbers of the run. */
export function finding(result: LoadResult): string {
  const { run, horizonMs, band } = result;
  const { recoveredAfterMs: afterMs, failed, requests } = run;
  const { downMs } = result.input.herd;
  const seeds = band && band.seeds > 1 ? ` ${bandInWords(band, horizonMs)}` : '';
  const from = (ms: number): string => {
    if (ms === 0) return downMs === 0 ? '' : ' as soon as the server is back';
    return ` from ${downMs === 0 ? duration(DOWN_FROM_MS + ms) : `${duration(ms)} after the outage`} on`;
  };
  const recovers =
    afterMs === undefined
      ? `calls are late to the end, ${duration(horizonMs)}`
      : `all calls are answered in time${from(afterMs)}`;
  return (
    `${nameOf(run.shared, result)}: ${recovers}. ${count(failed)} of ${count(requests)} requests ` +
    `${failed === 1 ? 'fails' : 'fail'}.${seeds}`
  );
}

function bandInWords({ failed: { p5, p95 }, recovered, seeds }: Band, horizonMs: number): string {
  const within = `within ${duration(horizonMs)}`;
  // What fails in an overload says how long the run was.
  if (recovered === 0) return `Of ${seeds} seeds none recovers ${within}.`;
  const fails = p5 === p95 ? doing(p5, 'fail') : `${count(p5)} to ${count(p95)} fail`;
  return `Of ${seeds} seeds ${recovered === seeds ? 'all' : recovered} recover ${within}; in 90% of them ${fails}.`;
}

/** The moment that teaches: the outage is over, the queue is not. */
function annotation({ run, input }: LoadResult, x: Scale, right: number): SVGElement[] {
  const backMs = DOWN_FROM_MS + input.herd.downMs;
  if (input.herd.downMs === 0) return [];
  const late = (run.phases.timesMs[run.phases.phases.indexOf(1)] ?? 0) > backMs;
  const at = Math.round(x(backMs)) + 0.5;
  const words = late ? 'server back; soon the breaker opens' : 'server back, with all that has queued';
  const said = at + 6 + labelWidth(words) <= right ? words : 'server back';
  return [rule(at, TOP, at, BOTTOM, 'bound'), label(at + 6, TOP + 14, said, 'halo strong')];
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
function phases({ run, horizonMs }: LoadResult, x: Scale, right: number): SVGElement[] {
  const { timesMs, phases: kinds } = run.phases;
  if (timesMs.length === 0) return [];
  const pieces = Array.from(timesMs, (from, i) => {
    // A probe that is answered at once is seen, too.
    const width = Math.max(1, x(timesMs[i + 1] ?? horizonMs) - x(from));
    return kinds[i] ? [rect(x(from), BAND.top, width, BAND.height, `phase-${PHASES[kinds[i] ?? 0]}`)] : [];
  });
  const ground = rect(LEFT, BAND.top, right - LEFT, BAND.height, 'ground');
  return [ground, ...pieces.flat(), label(LEFT - 8, BAND.top + 10, 'breaker', 'end')];
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

const keyPlaces = (width: number) =>
  legendPlaces(
    KEYS.map(([text]) => text),
    SWATCH + 6,
    width,
  );

/** Meaning of the marks; without a breaker, it has no phases. */
function legend(width: number, hasBreaker: boolean): SVGElement[] {
  const places = keyPlaces(width).slice(0, hasBreaker ? undefined : -2);
  return places.flatMap(({ left, line: at }, i) => {
    const [text = '', mark] = KEYS[i] ?? [];
    const y = BOTTOM + 60 + KEY_LINE * at;
    const swatch = mark === 'reached' ? path(`M${left},${y - 4}h${SWATCH}`, mark) : rect(left, y - 9, SWATCH, 10, mark);
    return [swatch, label(left + SWATCH + 6, y, text)];
  });
}
