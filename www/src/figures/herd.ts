/** The herd table: what each strategy sends to the server, over time and in three numbers. */
import { linear } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, rate, short } from '../charts/format';
import { FIRST_CALLS_MS, LATENCY_MS, WINDOW_MS, type HerdRun } from '../compute/herd';
import { CHOICES, capitalised, sameChoice, type Choice } from '../state/strategy';
import { layoutOf, orderOf, runOf, type HerdData, type HerdLayout } from './herd-layout';
import { timeAxis } from './time-axis';
import { createPainter, serverBack, trafficLegend } from './traffic';

/** A peak of more than so many times the capacity is bad. */
const BAD_PEAK = 4;

export const herd: FigureSpec<HerdData> = {
  id: 'herd',
  title: 'Calls reaching the server',
  subtitle: ({ result }) => [`each strip is one strategy over the same ${duration(result.horizonMs)}; pick one to choose it`],
  height: (width, data) => layout(width, data).height,

  draw(data, width) {
    const { result, sort } = data;
    const { herd: outage, strategy } = result.input;
    const at = layout(width, data);
    const paint = createPainter();
    const x = linear([0, result.horizonMs], [at.strip.x, at.strip.x + at.strip.width]);
    const marks: SVGElement[] = at.columns.map(({ key, name, x: end }) =>
      svg('text', { x: end, y: 16, 'text-anchor': key === 'strategy' ? 'start' : 'end', class: `head${key === sort.key ? ' sorted' : ''}${at.isNarrow ? ' small' : ''}` }, name),
    );
    marks.push(sortMark(at, data), serverBack(x(outage.downMs), at.isNarrow ? 26 : 6));
    for (const { choice, y } of at.rows) {
      const run = runOf(result.runs, choice);
      const middle = at.isNarrow ? y + 13 : y + 15;
      const row = svg('g', { class: `row${sameChoice(choice, strategy) ? ' chosen' : ''}${at.isNarrow ? ' small' : ''}`, 'data-jitter': choice.jitter });
      row.append(svg('circle', { cx: 5, cy: middle - 4.5, r: 4.5, class: 'mark' }), svg('text', { x: 17, y: middle, class: 'name' }, nameOf(choice)));
      const box = { ...at.strip, y: y + at.stripY };
      const traffic = { binMs: result.binMs, capacityPerS: outage.capacityPerS, downFromMs: 0, downToMs: outage.downMs };
      row.append(run ? paint({ ...traffic, arrivals: run.arrivals }, box) : svg('rect', { ...box, class: 'ground' }));
      if (run) {
        for (const { key, x: end } of at.columns) {
          if (key === 'strategy') continue;
          row.append(svg('text', { x: end, y: middle, 'text-anchor': 'end', class: isBad(key, run, outage.capacityPerS) ? 'number bad' : 'number' }, written(key, run)));
        }
      }
      marks.push(row);
    }
    marks.push(
      timeAxis({ scale: x, title: 'time since the outage began', grid: [at.bottom, at.bottom] }),
      trafficLegend(paint, at.strip, at.bottom + 54),
    );
    return marks;
  },

  describe: ({ result }) => {
    const { clients, downMs, capacityPerS } = result.input.herd;
    const rows = result.runs.map((run) => rowInWords(run));
    return `${count(clients)} clients, server down for ${duration(downMs)}, then ${rate(capacityPerS)}, over ${duration(result.horizonMs)}. ${rows.join('. ')}.`;
  },

  table({ result, sort }) {
    const runs = orderOf(result.runs, sort).flatMap((choice) => runOf(result.runs, choice) ?? []);
    return {
      caption: `${count(result.input.herd.clients)} clients, seed ${result.input.seed}`,
      columns: [
        { name: 'strategy' },
        { name: 'peak after recovery', unit: 'perS' },
        { name: '99\u00a0% served', unit: 'ms' },
        { name: 'rejected calls', unit: 'share' },
        { name: 'calls per client', unit: 'number' },
      ],
      rows: runs.map((run) => [nameOf(run.choice), run.peakPerS, run.timeTo99Ms, run.rejectedShare, run.meanAttempts]),
      isBad: (row, column) => {
        const run = runs[row];
        const key = ([, 'peakPerS', 'timeTo99Ms'] as const)[column];
        return run !== undefined && key !== undefined && isBad(key, run, result.input.herd.capacityPerS);
      },
    };
  },

  series({ result, sort }) {
    const { binMs } = result;
    return {
      caption: `Calls in each ${duration(binMs)}`,
      columns: [{ name: 'strategy' }, { name: 'from', unit: 'ms' }, { name: 'calls', unit: 'count' }, { name: 'served', unit: 'count' }],
      rows: orderOf(result.runs, sort).flatMap((choice) => {
        const run = runOf(result.runs, choice);
        return Array.from(run?.arrivals ?? [], (calls, i) => [nameOf(choice), i * binMs, calls, run?.accepted[i]]);
      }),
    };
  },

  note({ result }) {
    const { strategy, herd: outage } = result.input;
    const cut = result.runs.filter(({ untilMs }) => untilMs < result.horizonMs);
    const said = [
      `All clients make their first call within ${duration(FIRST_CALLS_MS)}, learn of its outcome after ${duration(LATENCY_MS)}, and retry until they are served: the attempt limit and the deadline do not act here.`,
      `Peak: the busiest ${duration(WINDOW_MS)} after the outage, as a rate; pink above ${BAD_PEAK} times the capacity of ${rate(outage.capacityPerS)}.`,
      `Decorrelated jitter replaces the backoff, so its four rows are one strategy.`,
    ];
    const names = cut.length === CHOICES.length ? 'All strategies' : cut.map(({ choice }) => nameOf(choice)).join(', ');
    if (cut.length > 0) said.push(`${names}: cut off after ${short(Math.min(...cut.map(({ calls }) => calls)))} calls.`);
    if (strategy.capMs <= strategy.baseMs) said.push('With the cap at the base, all backoffs are fixed.');
    return [said.join(' ')];
  },
};

export function nameOf({ backoff, jitter }: Choice): string {
  return `${capitalised(backoff)} · ${jitter}`;
}

export function rowInWords(run: HerdRun): string {
  const { choice, peakPerS, timeTo99Ms, untilMs, rejectedShare } = run;
  const served = timeTo99Ms === undefined ? `not 99\u00a0% served within ${duration(untilMs)}` : `99\u00a0% served after ${duration(timeTo99Ms)}`;
  return `${nameOf(choice)}: ${peakPerS === undefined ? '' : `peak after recovery ${rate(peakPerS)}, `}${served}, ${precise(rejectedShare)} of the calls rejected`;
}

function layout(width: number, data: HerdData | undefined): HerdLayout {
  return layoutOf(width, data ? orderOf(data.result.runs, data.sort) : CHOICES, (data?.sort.key ?? 'strategy') === 'strategy');
}

type Measure = 'peakPerS' | 'timeTo99Ms' | 'rejectedShare';

function isBad(key: Measure, run: HerdRun, capacityPerS: number): boolean {
  if (key === 'peakPerS') return (run.peakPerS ?? 0) > BAD_PEAK * capacityPerS;
  return key === 'timeTo99Ms' && run.timeTo99Ms === undefined;
}

function written(key: Measure, { peakPerS, timeTo99Ms, rejectedShare, untilMs }: HerdRun): string {
  if (key === 'peakPerS') return peakPerS === undefined ? '–' : rate(peakPerS);
  if (key === 'rejectedShare') return precise(rejectedShare);
  return timeTo99Ms === undefined ? `>\u00a0${duration(untilMs)}` : duration(timeTo99Ms);
}

/** Never rounded up to all of them. */
function precise(part: number): string {
  return `${(Math.floor(1000 * part) / 10).toFixed(1)}\u00a0%`;
}

function sortMark({ columns, isNarrow }: HerdLayout, { sort }: HerdData): SVGPathElement {
  const { key, x = 0 } = columns.find((column) => column.key === sort.key) ?? {};
  // On a phone below the head: beside it is the next one.
  const [left, top] = key === 'strategy' ? [isNarrow ? 0 : 58, isNarrow ? 21 : 8] : isNarrow ? [x - 8, 21] : [x + 3, 8];
  return svg('path', { d: sort.descending ? `M${left},${top}h8l-4,6z` : `M${left},${top + 6}h8l-4,-6z`, class: 'sort-mark' });
}
