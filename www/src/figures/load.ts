/** Independent arrivals: whether the server ever gets over the outage, per jitter and with a retry budget. */
import { linear } from '../charts/scale';
import { html, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { duration, plural, rate, share, short } from '../charts/format';
import { BUDGET_BUCKET, BUDGET_RATIO, DEMAND, DOWN_FROM_MS, TIMEOUT_MS, type Budget, type LoadResult, type LoadRun } from '../compute/load';
import { capitalised } from '../state/strategy';
import { seconds, timeAxis } from './time-axis';
import { createPainter, serverBack, trafficLegend } from './traffic';

/** Four jitters, then two budgets. */
const GROUPS: readonly (readonly [name: string, rows: number])[] = [
  ['Without a retry budget', 4],
  ['With a retry budget', 2],
];
const NARROW = 640;
const BELOW = 72;
/** The legend has two lines on a phone. */
const BELOW_NARROW = 90;

export const load: FigureSpec<LoadResult> = {
  id: 'load',
  title: 'When new requests keep coming',
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data))],
  height(width) {
    const { bottom, isNarrow } = layout(width);
    return bottom + (isNarrow ? BELOW_NARROW : BELOW);
  },

  draw(data, width) {
    const { runs, horizonMs, binMs, capacityPerS, input } = data;
    const { isNarrow, strip, columns, heads, rows, bottom } = layout(width);
    const paint = createPainter();
    const x = linear([0, horizonMs], [strip.x, strip.x + strip.width]);
    const marks: SVGElement[] = [
      ...(isNarrow ? [] : [svg('text', { x: columns.last, y: 16, 'text-anchor': 'end', class: 'head' }, 'Load at the end, of capacity')]),
      svg('text', { x: columns.outcome, y: 16, 'text-anchor': 'end', class: 'head' }, 'The server'),
      serverBack(x(DOWN_FROM_MS + input.herd.downMs), 6),
      ...heads.map(({ name, y }) => svg('text', { x: 0, y: y + 14, class: 'head' }, name)),
    ];
    for (const [i, run] of runs.entries()) {
      const y = rows[i] ?? 0;
      const { jitter, budget, arrivals, timeouts, recoveredAfterMs, lastLoad } = run;
      const middle = y + (isNarrow ? 13 : 15);
      const isStuck = recoveredAfterMs === undefined;
      marks.push(
        svg(
          'g',
          { class: 'row', 'data-jitter': jitter },
          svg('circle', { cx: 5, cy: middle - 4.5, r: 4.5, class: 'mark' }),
          svg('text', { x: 17, y: middle, class: 'name' }, rowName(jitter, budget)),
          paint(
            { arrivals, late: timeouts, binMs, capacityPerS, downFromMs: DOWN_FROM_MS, downToMs: DOWN_FROM_MS + input.herd.downMs },
            { ...strip, y: y + (isNarrow ? 20 : 0) },
          ),
          isNarrow ? null : svg('text', { x: columns.last, y: middle, 'text-anchor': 'end', class: lastLoad > 1 ? 'number bad' : 'number' }, share(lastLoad)),
          svg('text', { x: columns.outcome, y: middle, 'text-anchor': 'end', class: isStuck ? 'number bad' : 'number' }, outcome(run, horizonMs, isNarrow)),
        ),
      );
    }
    marks.push(
      timeAxis({ scale: x, title: 'time', grid: [bottom, bottom] }),
      trafficLegend(paint, strip, bottom + 54, { taken: 'up to capacity', above: 'above capacity or late' }),
    );
    return marks;
  },

  describe: (data) =>
    `${finding(data)} ${data.runs.map((run) => `${rowName(run.jitter, run.budget)}: ${outcome(run, data.horizonMs, false)}, load at the end ${share(run.lastLoad)} of capacity`).join('. ')}.`,

  table({ runs, binMs, input }) {
    const bins = runs[0]?.arrivals.length ?? 0;
    return {
      caption: `Calls that arrive in each ${duration(binMs)}, seed ${input.seed}`,
      columns: [{ name: 'from', unit: 'ms' }, ...runs.map(({ jitter, budget }) => ({ name: rowName(jitter, budget), unit: 'count' as const }))],
      rows: Array.from({ length: bins }, (_, i) => [i * binMs, ...runs.map(({ arrivals }) => arrivals[i])]),
    };
  },

  note({ perS, capacityPerS, input }) {
    const { strategy, herd } = input;
    const said = [
      `${short(perS)} new requests a second, evenly spaced, on a server that works off ${short(capacityPerS)} a second in the order of their arrival: ${share(DEMAND)} of what it can.`,
      `From ${seconds(DOWN_FROM_MS)} on it stands still for ${duration(herd.downMs)}. A client waits ${duration(TIMEOUT_MS)} for an answer, then retries, with ${plural(strategy.maxAttempts, 'attempt')} at most; the server does the abandoned work all the same. Late: answers that nobody waits for any more.`,
      `A budget allows a retry for every ${Math.round(1 / BUDGET_RATIO)} requests, or for every ${Math.round(1 / BUDGET_RATIO)} successes, and saves up ${BUDGET_BUCKET}.`,
    ];
    if (capacityPerS < herd.capacityPerS) said.push(`Simulated at ${rate(capacityPerS)} instead of ${rate(herd.capacityPerS)}: what counts is demand against capacity.`);
    return [said.join(' ')];
  },
};

function rowName(jitter: string, budget: Budget): string {
  const name = capitalised(jitter);
  return budget === 'unlimited' ? name : `${name} · ${share(BUDGET_RATIO)} per ${budget}`;
}

function outcome({ recoveredAfterMs }: LoadRun, horizonMs: number, isShort: boolean): string {
  if (recoveredAfterMs !== undefined) return `recovers after ${duration(recoveredAfterMs)}`;
  return isShort ? 'never recovers' : `never recovers within ${duration(horizonMs)}`;
}

function finding({ runs, input }: LoadResult): string {
  const of = (budget: Budget): LoadRun[] => runs.filter((run) => run.budget === budget);
  const jitters = of('unlimited');
  const recovering = jitters.filter(({ recoveredAfterMs }) => recoveredAfterMs !== undefined);
  const budgeted = of('success')[0];
  if (input.herd.downMs === 0) return 'Without an outage nothing happens.';
  if (recovering.length === jitters.length) return 'This outage is over with every jitter.';
  const first =
    recovering.length === 0
      ? 'Backoff does not help, whatever its jitter: retries keep the server overloaded.'
      : `Only ${recovering.map(({ jitter }) => jitter).join(' and ')} gets over it without a budget.`;
  return budgeted?.recoveredAfterMs === undefined ? first : `${first} A retry budget credited by successes does.`;
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
  const strip = isNarrow ? { x: 0, width: width - 14, height: 16 } : { x: 200, width: last - 200 - 80, height: 20 };
  return { isNarrow, rows, heads, bottom, strip, columns: { outcome: outcomeX, last } };
}
