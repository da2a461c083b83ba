/** The herd table: what each strategy sends to the server over time, and what becomes of its clients. */
import { linear, type Scale } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { count, duration, rate, short } from '../charts/format';
import { FIRST_CALLS_MS, LATENCY_MS, WINDOW_MS, type HerdResult, type HerdRun, type Outage } from '../compute/herd';
import { CHOICES, capitalised, curveActs, jitterName, sameChoice, type Choice } from '../state/strategy';
import {
  HERD_LEGEND,
  LEGEND_Y,
  layoutOf,
  orderOf,
  runOf,
  type HerdData,
  type HerdLayout,
  type SortKey,
} from './herd-layout';
import { herdReadout, rateAt, upTo } from './herd-readout';
import { limitsInWords, outcomeOf } from './hero';
import { timeAxis } from './time-axis';
import { createPainter, lastAttempt, servedCurve, serverBack, trafficLegend } from './traffic';

/** A peak above this multiple of the capacity is bad. */
const BAD_PEAK = 4;

export const herd: FigureSpec<HerdData> = {
  id: 'herd',
  title: 'Calls reaching the server',
  subtitle: ({ result }) => [
    `each strip is one strategy over the same ${duration(result.horizonMs)}, ${limitsOf(result)}; pick one to ` +
      'choose it',
  ],
  height: (width, data) => layout(width, data).height,

  draw(data, width) {
    const { result, sort } = data;
    const { herd: outage, strategy } = result.input;
    const at = layout(width, data);
    const paint = createPainter();
    const x = scaleOf(result, at);
    const marks: SVGElement[] = at.columns.map(({ key, name, x: end, y }) =>
      svg(
        'text',
        {
          x: end,
          y,
          'text-anchor': key === 'strategy' ? 'start' : 'end',
          class: `head${key === sort.key ? ' sorted' : ''}${at.isNarrow ? ' small' : ''}`,
        },
        name,
      ),
    );
    marks.push(sortMark(at, data), serverBack(x(outage.downMs), at.backY));
    for (const { choice, y } of at.rows) {
      const run = runOf(result.runs, choice);
      const row = svg('g', {
        class: `row${sameChoice(choice, strategy) ? ' chosen' : ''}${at.isNarrow ? ' small' : ''}`,
        'data-jitter': choice.jitter,
      });
      row.append(
        svg('circle', { cx: 5, cy: y + at.nameY - 4.5, r: 4.5, class: 'mark' }),
        svg('text', { x: 17, y: y + at.nameY, class: 'name' }, nameOf(choice)),
      );
      const box = { ...at.strip, y: y + at.stripY };
      const curve = { ...at.strip, y: y + at.curveY, height: at.curveHeight };
      marks.push(row);
      if (!run) {
        row.append(...[box, curve].map((place) => svg('rect', { ...place, class: 'ground' })));
        continue;
      }
      const traffic = {
        arrivals: run.arrivals,
        accepted: run.accepted,
        binMs: result.binMs,
        capacityPerS: outage.capacityPerS,
        downFromMs: 0,
        downToMs: outage.downMs,
      };
      row.append(paint(traffic, box), servedCurve(run.accepted, outage.clients, curve));
      const last = run.lastAttemptMs === undefined ? null : lastAttempt(x(run.lastAttemptMs), box);
      if (last) row.append(last);
      for (const { key, x: end } of at.columns) {
        if (key === 'strategy') continue;
        row.append(
          svg(
            'text',
            {
              x: end,
              y: y + at.numberY,
              'text-anchor': 'end',
              class: isBad(key, run, outage) ? 'number bad' : 'number',
            },
            written(key, run, outage),
          ),
        );
      }
    }
    marks.push(
      timeAxis({ scale: x, title: 'time since the outage began', grid: [at.bottom, at.bottom] }),
      trafficLegend(paint, at.strip, at.bottom + LEGEND_Y, HERD_LEGEND),
    );
    return marks;
  },

  readout(data, width) {
    const { result } = data;
    const at = layout(width, data);
    const chosen: Choice = result.input.strategy;
    return herdReadout(result, scaleOf(result, at), [at.rows[0]?.y ?? 0, at.bottom], (ms, y) => {
      const choice = at.rows.find((row) => y !== undefined && y >= row.y && y < row.y + at.rowHeight)?.choice ?? chosen;
      const run = runOf(result.runs, choice);
      if (!run) return [];
      return [
        { name: nameOf(choice), value: `${rate(rateAt(run.arrivals, result, ms))} arrive`, jitter: choice.jitter },
        {
          name: 'served so far',
          value: `${count(upTo(run.accepted, result, ms))} of ${count(result.input.herd.clients)}`,
        },
      ];
    });
  },

  describe: ({ result }) => {
    const { clients, downMs, capacityPerS } = result.input.herd;
    const rows = result.runs.map((run) => rowInWords(run, result));
    return (
      `${count(clients)} clients, server down for ${duration(downMs)}, then ${rate(capacityPerS)}, over ` +
      `${duration(result.horizonMs)}, ${limitsOf(result)}. ${rows.join('. ')}.`
    );
  },

  table({ result, sort }) {
    const runs = orderOf(result.runs, sort).flatMap((choice) => runOf(result.runs, choice) ?? []);
    return {
      caption: `${count(result.input.herd.clients)} clients, seed ${result.input.seed}`,
      columns: [
        { name: 'strategy' },
        { name: 'served', unit: 'count' },
        { name: 'gave up', unit: 'count' },
        { name: 'peak after recovery', unit: 'perS' },
        { name: '99\u00a0% served', unit: 'ms' },
        { name: 'rejected calls', unit: 'share' },
        { name: 'calls per client', unit: 'number' },
      ],
      rows: runs.map((run) => [
        nameOf(run.choice),
        run.served,
        run.gaveUp,
        run.peakPerS,
        run.timeTo99Ms,
        run.rejectedShare,
        run.meanAttempts,
      ]),
      isBad: (row, column) => {
        const run = runs[row];
        const key = ([, 'served', , 'peakPerS', 'timeTo99Ms'] as const)[column];
        return run !== undefined && key !== undefined && isBad(key, run, result.input.herd);
      },
    };
  },

  series({ result, sort }) {
    const { binMs } = result;
    return {
      caption: `Calls in each ${duration(binMs)}`,
      columns: [
        { name: 'strategy' },
        { name: 'from', unit: 'ms' },
        { name: 'calls', unit: 'count' },
        { name: 'served', unit: 'count' },
      ],
      rows: orderOf(result.runs, sort).flatMap((choice) => {
        const run = runOf(result.runs, choice);
        return Array.from(run?.arrivals ?? [], (calls, i) => [nameOf(choice), i * binMs, calls, run?.accepted[i]]);
      }),
    };
  },

  note({ result }) {
    const { strategy, herd: outage } = result.input;
    const cut = result.runs.filter(({ isCut }) => isCut);
    const cost =
      outage.rejectionCost > 0
        ? ` A rejected call takes ${percent(outage.rejectionCost)} of a served one's capacity.`
        : '';
    const said = [
      `All clients make their first call within ${duration(FIRST_CALLS_MS)}, learn of its outcome after ` +
        `${duration(LATENCY_MS)}, and retry ${limitsOf(result)}.${cost}`,
      `Peak: the busiest ${duration(WINDOW_MS)} after the outage, as a rate; pink above ${BAD_PEAK} times the ` +
        `capacity of ${rate(outage.capacityPerS)}.`,
      `Decorrelated jitter replaces the backoff, so its four rows are one strategy.`,
    ];
    const late = result.runs.some(
      ({ lastAttemptMs = 0, lastServedMs = 0 }) => Math.max(lastAttemptMs, lastServedMs) > result.horizonMs,
    );
    if (late)
      said.push(
        `Some clients retry for longer than ${duration(result.horizonMs)}: the numbers count them to their end.`,
      );
    const names =
      cut.length === result.runs.length ? 'All strategies' : cut.map(({ choice }) => nameOf(choice)).join(', ');
    if (cut.length > 0)
      said.push(
        `${names}: cut off after ${short(Math.min(...cut.map(({ calls }) => calls)))} calls, so the outcome is ` +
          'unknown.',
      );
    if (strategy.capMs <= strategy.baseMs) said.push('With the cap at the base, all backoffs are fixed.');
    return [said.join(' ')];
  },
};

function scaleOf({ horizonMs }: HerdResult, { strip }: HerdLayout): Scale {
  return linear([0, horizonMs], [strip.x, strip.x + strip.width]);
}

function limitsOf({ input }: HerdResult): string {
  const limits = limitsInWords(input.strategy);
  return input.herd.limits === 'set' && limits !== ''
    ? `as set, with ${limits} at most`
    : 'until served, without a limit';
}

export function nameOf(choice: Choice): string {
  const isOfGrid = CHOICES.some((cell) => sameChoice(cell, choice));
  return isOfGrid || curveActs(choice)
    ? `${capitalised(choice.backoff)} · ${jitterName(choice)}`
    : capitalised(jitterName(choice));
}

export function rowInWords(run: HerdRun, result: HerdResult): string {
  const { choice, peakPerS, timeTo99Ms, rejectedShare } = run;
  const { text, rest } = outcomeOf(run, result);
  const words = [
    `${text}${rest && `, ${rest}`}`,
    ...(timeTo99Ms === undefined ? [] : [`99% served after ${duration(timeTo99Ms)}`]),
    ...(peakPerS === undefined ? [] : [`peak after recovery ${rate(peakPerS)}`]),
    `${precise(rejectedShare)} of the calls rejected`,
  ];
  return `${nameOf(choice)}: ${words.join(', ')}`;
}

function layout(width: number, data: HerdData | undefined): HerdLayout {
  return layoutOf(
    width,
    data ? orderOf(data.result.runs, data.sort) : CHOICES,
    (data?.sort.key ?? 'strategy') === 'strategy',
  );
}

type Measure = Exclude<SortKey, 'strategy'>;

function isBad(key: Measure, run: HerdRun, { clients, capacityPerS }: Outage): boolean {
  if (key === 'peakPerS') return (run.peakPerS ?? 0) > BAD_PEAK * capacityPerS;
  if (key === 'served') return run.served < 0.99 * clients;
  return key === 'timeTo99Ms' && run.timeTo99Ms === undefined;
}

function written(key: Measure, run: HerdRun, { clients }: Outage): string {
  const { peakPerS, timeTo99Ms, rejectedShare, served, gaveUp, isCut, untilMs } = run;
  if (key === 'served') return count(served);
  if (key === 'gaveUp') return count(gaveUp);
  if (key === 'peakPerS') return peakPerS === undefined ? '–' : rate(peakPerS);
  if (key === 'rejectedShare') return precise(rejectedShare);
  if (timeTo99Ms !== undefined) return duration(timeTo99Ms);
  // The end is unknown, no client is left, or the rest still retries.
  return isCut ? '–' : served + gaveUp === clients ? 'never' : `>\u00a0${duration(untilMs)}`;
}

/** Never rounded up to all of them. */
function precise(part: number): string {
  return `${(Math.floor(1000 * part) / 10).toFixed(1)}%`;
}

function percent(part: number): string {
  return `${Number((100 * part).toPrecision(3))}%`;
}

function sortMark({ columns }: HerdLayout, { sort }: HerdData): SVGPathElement {
  const { key, x = 0, y = 16 } = columns.find((column) => column.key === sort.key) ?? {};
  const [left, top] = [key === 'strategy' ? 58 : x + 3, y - 8];
  return svg('path', {
    d: sort.descending ? `M${left},${top}h8l-4,6z` : `M${left},${top + 6}h8l-4,-6z`,
    class: 'sort-mark',
  });
}
