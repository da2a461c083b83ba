/** New requests keep coming: whether the server ever gets over the outage, per jitter and per protection. */
import { linear, type Scale } from '../charts/scale';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { duration, plural, rate, share } from '../charts/format';
import { DOWN_FROM_MS, TIMEOUT_MS, type LoadResult, type LoadRun } from '../compute/load';
import { capitalised } from '../state/strategy';
import { rateAt, timeReadout } from './herd-readout';
import { SHARED_NAMES, loadInWords, tooMuch } from './shared-words';
import { seconds, timeAxis } from './time-axis';
import { createPainter, legendHeight, serverBack, trafficLegend } from './traffic';

/** Four jitters, then three protections. */
const GROUPS: readonly (readonly [name: string, rows: number])[] = [
  ['Without protection', 4],
  ['With protection', 3],
];
const NARROW = 640;
/** From the rows to the legend, below the time axis. */
const BELOW = 54;
const LEGEND = { taken: 'up to capacity', above: 'above capacity or late' };

export const load: FigureSpec<LoadResult> = {
  id: 'load',
  title: 'Load on the server, with and without protection',
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data))],
  height(width) {
    const { bottom, strip } = layout(width);
    return bottom + BELOW + legendHeight(strip.width, LEGEND);
  },

  draw(data, width) {
    const { runs, horizonMs, binMs, capacityPerS, input } = data;
    const { isNarrow, strip, columns, heads, rows, bottom } = layout(width);
    const paint = createPainter();
    const x = scaleOf(data, width);
    const marks: SVGElement[] = [
      ...(isNarrow
        ? []
        : [svg('text', { x: columns.last, y: 16, 'text-anchor': 'end', class: 'head' }, 'load at the end')]),
      svg('text', { x: columns.outcome, y: 16, 'text-anchor': 'end', class: 'head' }, 'outcome'),
      serverBack(x(DOWN_FROM_MS + input.herd.downMs), 6),
      ...heads.map(({ name, y }) => svg('text', { x: 0, y: y + 14, class: 'head' }, name)),
    ];
    for (const [i, run] of runs.entries()) {
      const y = rows[i] ?? 0;
      const { jitter, arrivals, timeouts, recoveredAfterMs, lastLoad } = run;
      const middle = y + (isNarrow ? 13 : 15);
      const isStuck = recoveredAfterMs === undefined;
      marks.push(
        svg(
          'g',
          { class: 'row', 'data-jitter': jitter },
          svg('circle', { cx: 5, cy: middle - 4.5, r: 4.5, class: 'mark' }),
          svg('text', { x: 17, y: middle, class: 'name' }, rowName(run)),
          paint(
            {
              arrivals,
              late: timeouts,
              binMs,
              capacityPerS,
              downFromMs: DOWN_FROM_MS,
              downToMs: DOWN_FROM_MS + input.herd.downMs,
            },
            { ...strip, y: y + (isNarrow ? 20 : 0) },
          ),
          isNarrow
            ? null
            : svg(
                'text',
                { x: columns.last, y: middle, 'text-anchor': 'end', class: lastLoad > 1 ? 'number bad' : 'number' },
                share(lastLoad),
              ),
          svg(
            'text',
            { x: columns.outcome, y: middle, 'text-anchor': 'end', class: isStuck ? 'number bad' : 'number' },
            outcome(run, horizonMs, isNarrow),
          ),
        ),
      );
    }
    marks.push(
      timeAxis({ scale: x, title: 'time', grid: [bottom, bottom] }),
      trafficLegend(paint, strip, bottom + BELOW, LEGEND),
    );
    return marks;
  },

  readout(data, width) {
    const { rows, bottom } = layout(width);
    return timeReadout(
      'load',
      data,
      data.input.herd.downMs + DOWN_FROM_MS,
      scaleOf(data, width),
      [rows[0] ?? 0, bottom],
      (ms) =>
        data.runs.map((run) => ({
          name: rowName(run),
          value: rate(rateAt(run.arrivals, data, ms)),
          jitter: run.jitter,
        })),
    );
  },

  describe: (data) => `${finding(data)} ${data.runs.map((run) => inWords(run, data.horizonMs)).join('. ')}.`,

  table({ runs, binMs, input }) {
    const bins = runs[0]?.arrivals.length ?? 0;
    return {
      caption: `Calls that arrive in each ${duration(binMs)}, seed ${input.seed}`,
      columns: [{ name: 'from', unit: 'ms' }, ...runs.map((run) => ({ name: rowName(run), unit: 'count' as const }))],
      rows: Array.from({ length: bins }, (_, i) => [i * binMs, ...runs.map(({ arrivals }) => arrivals[i])]),
    };
  },

  note({ horizonMs, capacityPerS, input }) {
    const { strategy, herd } = input;
    const said = [
      `The server stops for ${duration(herd.downMs)} at ${seconds(DOWN_FROM_MS)}. A client waits ` +
        `${duration(TIMEOUT_MS)} for an answer, then retries, with at most ` +
        `${plural(strategy.maxAttempts, 'attempt')}.`,
      'The server also handles calls whose client no longer waits: their answers are late.',
      `Load at the end: calls in the last ${duration(horizonMs / 10)}, as a share of the capacity.`,
    ];
    if (capacityPerS < herd.capacityPerS)
      said.push(`Simulated with ${rate(capacityPerS)} instead of ${rate(herd.capacityPerS)}: only the ratio matters.`);
    return [said.join(' ')];
  },
};

function scaleOf({ horizonMs }: LoadResult, width: number): Scale {
  const { strip } = layout(width);
  return linear([0, horizonMs], [strip.x, strip.x + strip.width]);
}

function rowName({ jitter, shared }: LoadRun): string {
  if (shared !== 'none') return capitalised(SHARED_NAMES[shared]);
  return jitter === 'none' ? 'No jitter' : capitalised(jitter);
}

function outcome({ recoveredAfterMs }: LoadRun, horizonMs: number, isShort: boolean): string {
  if (recoveredAfterMs !== undefined) return `${isShort ? 'back in' : 'recovers after'} ${duration(recoveredAfterMs)}`;
  return isShort ? 'never recovers' : `never recovers within ${duration(horizonMs)}`;
}

function inWords(run: LoadRun, horizonMs: number): string {
  const recovery = outcome(run, horizonMs, false);
  return `${rowName(run)}: ${recovery}, load at the end ${share(run.lastLoad)} of capacity`;
}

/** The finding about backoff. */
export function finding({ runs, input }: LoadResult): string {
  const { demand, downMs } = input.herd;
  if (downMs === 0) return 'Without an outage there is nothing to recover from.';
  if (demand > 1) return tooMuch(demand);
  return ofBackoff(runs.filter(({ shared }) => shared === 'none'));
}

function ofBackoff(jitters: readonly LoadRun[]): string {
  const recovering = jitters.filter(({ recoveredAfterMs }) => recoveredAfterMs !== undefined);
  if (recovering.length === jitters.length) {
    const slowest = Math.max(...jitters.map(({ recoveredAfterMs }) => recoveredAfterMs ?? 0));
    return `Backoff is enough here: with every jitter the server recovers within ${duration(slowest)}.`;
  }
  if (recovering.length > 0)
    return (
      'Without protection, the server recovers only with ' +
      `${listed(recovering.map(({ jitter }) => (jitter === 'none' ? 'no jitter' : `${jitter} jitter`)))}.`
    );
  const least = Math.min(...jitters.map(({ lastLoad }) => lastLoad));
  return (
    `Backoff hardly helps: whatever the jitter, retries keep the load at ${loadInWords(least)}, and the server never ` +
    'recovers.'
  );
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function layout(width: number) {
  const isNarrow = width < NARROW;
  const [pitch, height] = isNarrow ? [42, 36] : [24, 20];
  const rows: number[] = [];
  const heads: { name: string; y: number }[] = [];
  let y = isNarrow ? 26 : 0;
  for (const [name, count] of GROUPS) {
    heads.push({ name, y });
    y += 26;
    for (let i = 0; i < count; i++, y += pitch) rows.push(y);
    y += 8;
  }
  const bottom = y - 8 - (pitch - height);
  const outcomeX = width;
  const last = width - 210;
  const strip = isNarrow ? { x: 16, width: width - 32, height: 16 } : { x: 200, width: last - 200 - 80, height: 20 };
  return { isNarrow, rows, heads, bottom, strip, columns: { outcome: outcomeX, last } };
}
