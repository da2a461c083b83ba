/** Server work against recovery time: a mark per strategy; who is lower or further left is better. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks, timeTicks } from '../charts/axis';
import { linear, log } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, plural } from '../charts/format';
import { along, around, labelWidth, leader, placed, type Label, type Rect } from '../charts/labels';
import { symbolMark } from '../charts/symbols';
import { BACKOFFS, JITTERS, capitalised, sameChoice, title, type Choice } from '../state/strategy';
import { beats, front, levels, type Cost, type CostData } from './cost-data';

const TOP = 26;
/** The row of those that never finish, above the axis of time. */
const NEVER = 34;
const PLOT = 264;
/** Of the plot, the part below the bound, where only its name is. */
const BOUND = 34;
const BELOW = 44;
const LEGEND_ROW = 22;
const LEFT = 52;
/** Narrower, the axis has no room for its whole title. */
const VERY_NARROW = 300;

export const cost: FigureSpec<CostData> = {
  id: 'cost',
  title: 'Server work against recovery time',
  subtitle: ({ clients }) => [`one mark per strategy, ${count(clients)} clients`],
  height: (width) => TOP + NEVER + PLOT + BELOW + legendRows(width).length * LEGEND_ROW,

  draw(data, width) {
    const { costs, chosen, horizonMs, fastestMs } = data;
    const [right, bottom] = [width - 8, TOP + NEVER + PLOT];
    const calls = costs.map(({ callsPerClient }) => callsPerClient);
    const least = Math.min(...calls);
    const reach: [number, number] = [least / 1.25, Math.max(...calls, 4 * least) * 1.25];
    const x = log(reach, [LEFT, right]);
    const times = costs.flatMap(({ servedMs }) => servedMs ?? []);
    const slowest = Math.max(1.2 * fastestMs, ...times);
    const fastestY = bottom - BOUND;
    const y = linear([fastestMs, slowest], [fastestY, TOP + NEVER + 20]);
    const at = ({ callsPerClient, servedMs }: Cost): [number, number] => [x(callsPerClient), servedMs === undefined ? TOP + NEVER / 2 : y(servedMs)];

    const isChosen = (one: Cost): boolean => sameChoice(one.choice, chosen);
    // With the ring around the chosen one.
    const radius = (one: Cost): number => (isChosen(one) ? 12 : 6);
    const best = front(costs);
    const own = costs.filter(isChosen);
    // The chosen one names those that are level with it.
    const named = [...own.filter((one) => !best.includes(one)).map((one) => [one]), ...levels(costs)].map((level) => ({
      one: level.find(isChosen) ?? (level[0] as Cost),
      others: level.length - 1,
    }));
    const labels = named.map(({ one, others }): Label => ({ text: shortTitle(one.choice) + more(others), x: at(one)[0], y: at(one)[1], radius: radius(one) }));
    const obstacles = [
      ...costs.map((one) => around(...at(one), radius(one) + 4)),
      ...along(best.map(at), 3),
    ];
    const rects = placed(labels, obstacles, { x: LEFT + 4, y: TOP + 2, width: right - LEFT - 4, height: fastestY - 2 - TOP - 2 });

    return [
      leftAxis({ scale: y, format: duration, ticks: timeTicks(y, 34), grid: [LEFT, right] }),
      svg('text', { x: 0, y: 12, class: 'axis-title' }, 'time until 99 % are served'),
      bottomAxis({ scale: x, ticks: logTicks(reach), format: count, title: width < VERY_NARROW ? 'calls per client (log scale)' : 'calls the server must answer per client (log scale)', grid: [TOP, bottom] }),
      ...(times.length < costs.length ? neverRow(right, horizonMs) : []),
      svg('line', { x1: LEFT, x2: right, y1: fastestY, y2: fastestY, class: 'bound' }),
      svg('text', { x: LEFT + 6, y: fastestY + 25, class: 'bound-label' }, `fastest possible: ${duration(fastestMs)}`),
      svg('path', { d: line()(best.map(at)) ?? '', class: 'front' }),
      ...labels.flatMap((label, i) => labelMarks(label, rects[i], named[i]?.one.choice)),
      ...[...costs.filter((one) => !isChosen(one)), ...own].map((one) => mark(one, at(one), isChosen(one))),
      ...legend(width, bottom + BELOW),
    ];
  },

  describe({ costs, chosen, fastestMs, clients, seed }) {
    const told = (one: Cost): string => `${title(one.choice)}: ${calls(one.callsPerClient)} per client, ${finish(one)}`;
    const own = costs.find((one) => sameChoice(one.choice, chosen));
    return [
      `${plural(clients, 'client')}, seed ${seed}. No strategy can serve 99 % before ${duration(fastestMs)}.`,
      `Not beaten on both counts: ${front(costs).map(told).join('; ') || 'none'}.`,
      own ? `Chosen: ${told(own)}.` : '',
    ].join(' ');
  },

  table({ costs, horizonMs, clients, seed }) {
    const best = front(costs);
    return {
      caption: `Two costs of ${plural(clients, 'client')}, up to ${duration(horizonMs)} after the outage began, seed ${seed}`,
      columns: [{ name: 'strategy' }, { name: 'calls per client', unit: 'number' }, { name: '99 % served', unit: 'ms' }, { name: 'beaten' }],
      rows: costs.map((one) => [title(one.choice), one.callsPerClient, one.servedMs ?? 'never', best.includes(one) ? 'no' : 'yes']),
      isBad: (row, column) => column === 2 && costs[row]?.servedMs === undefined,
    };
  },

  note({ costs, chosen }) {
    const best = levels(costs);
    const [leastWork, fastest] = [best[0], best.at(-1)];
    if (!leastWork || !fastest) return ['With these settings no strategy serves 99 % of the clients.'];
    const told = ([one, ...others]: readonly Cost[]): string =>
      one ? `${title(one.choice)}${more(others.length)} (${calls(one.callsPerClient)} per client, ${duration(one.servedMs ?? Infinity)})` : '';
    const said =
      leastWork === fastest
        ? `Least work for the server, and done first: ${told(fastest)}.`
        : `Least work for the server: ${told(leastWork)}. Done first: ${told(fastest)}.`;
    const own = costs.find((one) => sameChoice(one.choice, chosen));
    const better = best.flat().filter((one) => own && beats(one, own));
    if (!better[0]) return [said];
    return [`${said} ${title(chosen)} is matched or beaten on both counts by ${title(better[0].choice)}${more(better.length - 1)}.`];
  },
};

function more(others: number): string {
  return others > 0 ? ` and ${others} more` : '';
}

function finish({ servedMs, untilMs }: Cost): string {
  return servedMs === undefined ? `not within ${duration(untilMs)}` : `99 % served after ${duration(servedMs)}`;
}

function calls(n: number): string {
  return plural(Number(n.toPrecision(3)), 'call');
}

function shortTitle({ backoff, jitter }: Choice): string {
  return jitter === 'decorrelated' ? 'Decorrelated' : `${capitalised(backoff)} · ${jitter === 'none' ? 'no jitter' : jitter}`;
}

function neverRow(right: number, horizonMs: number): SVGElement[] {
  const y = TOP + NEVER + 0.5;
  return [
    svg('text', { x: right, y: 12, 'text-anchor': 'end', class: 'never' }, `never, within ${duration(horizonMs)}`),
    svg('line', { x1: LEFT, x2: right, y1: y - 6, y2: y - 6, class: 'never-line' }),
  ];
}

function mark(one: Cost, [x, y]: readonly [number, number], isChosen: boolean): SVGGElement {
  const { choice, callsPerClient } = one;
  const ring = isChosen ? symbolMark(choice, x, y, 360) : undefined;
  ring?.classList.replace('symbol', 'ring');
  return svg(
    'g',
    { 'data-jitter': choice.jitter, class: 'mark' },
    svg('title', {}, `${title(choice)}: ${calls(callsPerClient)} per client, ${finish(one)}`),
    ring,
    symbolMark(choice, x, y, isChosen ? 190 : 108),
  );
}

function labelMarks(label: Label, rect: Rect | undefined, choice: Choice | undefined): SVGElement[] {
  if (!rect) return [];
  const line = leader(label, rect);
  // A label at the left of its mark ends there.
  const atLeft = rect.x + rect.width <= label.x;
  const [x, anchor] = atLeft ? [rect.x + rect.width, 'end'] : [rect.x, 'start'];
  return [
    ...(line ? [svg('line', { x1: line.from[0], y1: line.from[1], x2: line.to[0], y2: line.to[1], class: 'leader' })] : []),
    svg('text', { x, y: rect.y + 12, 'text-anchor': anchor, class: 'value hued direct', 'data-jitter': choice?.jitter }, label.text),
  ];
}

interface Entry {
  readonly name: string;
  readonly sample: Choice;
  readonly hued: boolean;
}

/** Shapes for backoffs, then hues for jitters. */
const LEGEND: readonly (readonly Entry[])[] = [
  BACKOFFS.map((backoff) => ({ name: capitalised(backoff), sample: { backoff, jitter: 'none' }, hued: false })),
  JITTERS.map((jitter) => ({ name: jitter === 'none' ? 'No jitter' : capitalised(jitter), sample: { backoff: 'exponential', jitter }, hued: true })),
];

/** Each half begins a row, and goes on in another one where the width does not suffice. */
function legendRows(width: number): { x: number; entry: Entry }[][] {
  return LEGEND.flatMap((half) => {
    const rows: { x: number; entry: Entry }[][] = [];
    let x = Infinity;
    for (const entry of half) {
      const needed = 17 + labelWidth(entry.name);
      if (x + needed > width) {
        rows.push([]);
        x = 0;
      }
      rows.at(-1)?.push({ x, entry });
      x += needed + 10;
    }
    return rows;
  });
}

function legend(width: number, top: number): SVGElement[] {
  return legendRows(width).flatMap((row, r) => {
    const y = top + LEGEND_ROW * r + 10;
    return row.map(({ x, entry: { name, sample, hued } }) =>
      svg(
        'g',
        { 'data-jitter': hued ? sample.jitter : undefined, class: hued ? 'mark' : 'mark neutral' },
        symbolMark(sample, x + 6, y, 80),
        svg('text', { x: x + 17, y: y + 4 }, name),
      ),
    );
  });
}
