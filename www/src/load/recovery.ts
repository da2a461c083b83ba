/** Load and answers over time with the chosen protection, and the breaker's phases below. */
import { area, curveStepAfter, line } from 'd3-shape';
import { leftAxis, ticksOf, timeAxis } from '../charts/axis';
import { label, path, rect, rule } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, rate } from '../charts/format';
import { labelWidth } from '../charts/labels';
import { linear, type Scale } from '../charts/scale';
import { DOWN_FROM_MS, type LoadResult } from './compute';
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
  subtitle: ({ run }) => [
    `Line: calls that reach the server; area: those answered in time${
      run.phases.timesMs.length > 0 ? '; below: the breaker, filled while open, grey while half-open' : ''
    }.`,
  ],
  height: () => BOTTOM + 44,

  draw(data, width) {
    const { run, binMs, input } = data;
    const { downMs, capacityPerS } = input.herd;
    const right = width - RIGHT;
    const x = linear([0, data.horizonMs], [LEFT, right]);
    const perS = (calls: number): number => (1000 * calls) / binMs;
    const y = linear([0, 1.1 * Math.max(capacityPerS, ...[...run.arrivals].map(perS))], [TOP + PLOT, TOP]);
    const level = Math.round(y(capacityPerS)) + 0.5;
    const at = (_: number, bin: number): number => x(bin * binMs);
    const high = (calls: number): number => y(perS(calls));
    const answered = area(at, y(0), high).curve(curveStepAfter);
    const reached = line(at, high).curve(curveStepAfter);
    return [
      rect(x(DOWN_FROM_MS), TOP, x(DOWN_FROM_MS + downMs) - x(DOWN_FROM_MS), PLOT, 'down'),
      leftAxis({ scale: y, format: rate, ticks: ticksOf(y, 34), grid: [LEFT, right] }),
      path(answered([...run.answers]), 'answered'),
      path(reached([...run.arrivals]), 'reached'),
      rule(LEFT, level, right, level, 'capacity'),
      label(right, level < TOP + 26 ? level + 14 : level - 5, `capacity ${rate(capacityPerS)}`, 'halo strong end'),
      ...phases(data, x, right),
      ...annotation(data, x, right),
      timeAxis({ scale: x, title: 'time', grid: [BOTTOM, BOTTOM] }),
    ];
  },

  settings: loadSettings,
};

/** Whether the server recovered, in the numbers of the run. */
export function finding(result: LoadResult): string {
  const { run, horizonMs } = result;
  const { recoveredAfterMs: afterMs, failed, requests } = run;
  const { downMs } = result.input.herd;
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
    `${failed === 1 ? 'fails' : 'fail'}.`
  );
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
