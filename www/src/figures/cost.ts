/** Server work against recovery time: a mark per strategy; who is lower or further left is better. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, linear, log, logTicks } from '../charts/axis';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, plural } from '../charts/format';
import { LABEL_HEIGHT, along, around, labelWidth, leader, placed, type Label, type Rect } from '../charts/labels';
import { symbolMark } from '../charts/symbols';
import { BACKOFFS, JITTERS, capitalised, sameChoice, title, type Choice } from '../state/strategy';
import { front, type Cost, type CostData } from './cost-data';

const TOP = 26;
/** The row of those that never finish, above the axis of time. */
const NEVER = 34;
const PLOT = 264;
const BELOW = 44;
const LEGEND_ROW = 22;
const LEFT = 52;

export const cost: FigureSpec<CostData> = {
  id: 'cost',
  title: 'Server work against recovery time',
  subtitle: ({ clients }) => [`one mark per strategy, from the herd of ${count(clients)} clients above`],
  height: (width) => TOP + NEVER + PLOT + BELOW + legendRows(width).length * LEGEND_ROW,

  draw(data, width) {
    const { costs, chosen, horizonMs, fastestMs } = data;
    const [right, bottom] = [width - 8, TOP + NEVER + PLOT];
    const calls = costs.map(({ callsPerClient }) => callsPerClient);
    const reach: [number, number] = [Math.min(...calls, 10) / 1.25, Math.max(...calls, 11) * 1.25];
    const x = log(reach, [LEFT, right]);
    const times = costs.flatMap(({ servedMs }) => servedMs ?? []);
    const slowest = Math.max(1.2 * fastestMs, ...times);
    const margin = 0.14 * (slowest - fastestMs);
    const y = linear([Math.max(0, fastestMs - margin), slowest + margin / 2], [bottom, TOP + NEVER]);
    const at = ({ callsPerClient, servedMs }: Cost): [number, number] => [x(callsPerClient), servedMs === undefined ? TOP + NEVER / 2 : y(servedMs)];

    const best = front(costs);
    const named = [...best, ...costs.filter((one) => sameChoice(one.choice, chosen) && !best.includes(one))];
    const radius = (one: Cost): number => (sameChoice(one.choice, chosen) ? 9 : 6);
    const labels = named.map((one): Label => ({ text: shortTitle(one.choice), x: at(one)[0], y: at(one)[1], radius: radius(one) }));
    const fastest = `fastest possible: ${duration(fastestMs)}`;
    const fastestY = y(fastestMs);
    const obstacles = [
      ...costs.map((one) => around(...at(one), radius(one) + 2)),
      ...along(best.map(at), 3),
      { x: LEFT, y: fastestY - 2, width: right - LEFT, height: 4 },
      { x: right - labelWidth(fastest), y: fastestY, width: labelWidth(fastest), height: LABEL_HEIGHT },
    ];
    const rects = placed(labels, obstacles, { x: LEFT + 4, y: TOP + 2, width: right - LEFT - 4, height: bottom - TOP - 4 });

    return [
      leftAxis({ scale: y, format: duration, grid: [LEFT, right] }),
      svg('text', { x: 0, y: 12, class: 'axis-title' }, 'time until 99 % are served'),
      bottomAxis({ scale: x, ticks: logTicks(reach), format: count, title: 'calls the server must answer per client (log scale)', grid: [TOP, bottom] }),
      ...(times.length < costs.length ? neverRow(right, horizonMs) : []),
      svg('line', { x1: LEFT, x2: right, y1: fastestY, y2: fastestY, class: 'bound' }),
      svg('text', { x: right, y: fastestY + 14, 'text-anchor': 'end', class: 'bound-label' }, fastest),
      svg('path', { d: line()(best.map(at)) ?? '', class: 'front' }),
      ...costs.map((one) => mark(one, at(one), radius(one), sameChoice(one.choice, chosen))),
      ...labels.flatMap((label, i) => labelMarks(label, rects[i], named[i]?.choice)),
      ...legend(width, bottom + BELOW),
    ];
  },

  describe({ costs, chosen, horizonMs, fastestMs, clients, seed }) {
    const told = (one: Cost): string => `${title(one.choice)}: ${calls(one.callsPerClient)} per client, ${finish(one, horizonMs)}`;
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
      columns: [{ name: 'strategy' }, { name: 'calls per client', unit: 'number' }, { name: '99 % served', unit: 'ms' }, { name: 'beaten on both counts' }],
      rows: costs.map((one) => [title(one.choice), one.callsPerClient, one.servedMs ?? 'never', best.includes(one) ? 'no' : 'yes']),
      isBad: (row, column) => column === 2 && costs[row]?.servedMs === undefined,
    };
  },

  note({ costs, chosen }) {
    const best = front(costs);
    const [leastWork, fastest] = [best[0], best.at(-1)];
    if (!leastWork || !fastest) return ['With these settings no strategy serves 99 % of the clients.'];
    const own = costs.find((one) => sameChoice(one.choice, chosen));
    const better = own && best.filter((one) => one.callsPerClient <= own.callsPerClient && (one.servedMs ?? 0) <= (own.servedMs ?? Infinity));
    const said =
      leastWork === fastest
        ? `${title(fastest.choice)} asks the least of the server and is done first.`
        : `${title(leastWork.choice)} asks the least of the server, ${title(fastest.choice)} is done first.`;
    if (!own || better?.includes(own)) return [said];
    return [said, ` ${title(own.choice)} is beaten on both counts by ${better?.map(({ choice }) => title(choice)).join(', ')}.`];
  },
};

function finish({ servedMs }: Cost, horizonMs: number): string {
  return servedMs === undefined ? `not finished within ${duration(horizonMs)}` : `99 % served after ${duration(servedMs)}`;
}

function calls(n: number): string {
  return `${Number(n.toPrecision(3))}\u00a0calls`;
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

function mark(one: Cost, [x, y]: readonly [number, number], radius: number, isChosen: boolean): SVGGElement {
  const { choice, callsPerClient, servedMs } = one;
  const told = servedMs === undefined ? 'never done' : `99 % served after ${duration(servedMs)}`;
  return svg(
    'g',
    { 'data-jitter': choice.jitter, class: isChosen ? 'mark chosen' : 'mark' },
    svg('title', {}, `${title(choice)}: ${calls(callsPerClient)} per client, ${told}`),
    symbolMark(choice, x, y, 3 * radius * radius),
  );
}

function labelMarks(label: Label, rect: Rect | undefined, choice: Choice | undefined): SVGElement[] {
  if (!rect) return [];
  const end = leader(label, rect);
  // A label at the left of its mark ends there.
  const atLeft = rect.x + rect.width <= label.x;
  const [x, anchor] = atLeft ? [rect.x + rect.width, 'end'] : [rect.x, 'start'];
  return [
    ...(end ? [svg('line', { x1: label.x, y1: label.y, x2: end[0], y2: end[1], class: 'leader' })] : []),
    svg('text', { x, y: rect.y + 12, 'text-anchor': anchor, class: 'value hued direct', 'data-jitter': choice?.jitter }, label.text),
  ];
}

/** Shapes for backoffs, hues for jitters. */
const LEGEND: readonly (readonly [name: string, shape: Choice, hue: boolean])[] = [
  ...BACKOFFS.map((backoff) => [capitalised(backoff), { backoff, jitter: 'none' }, false] as const),
  ...JITTERS.map((jitter) => [jitter === 'none' ? 'No jitter' : capitalised(jitter), { backoff: 'exponential', jitter }, true] as const),
];

function legendRows(width: number): (typeof LEGEND)[number][][] {
  const rows: (typeof LEGEND)[number][][] = [[]];
  let used = 0;
  for (const entry of LEGEND) {
    const needed = legendWidth(entry[0]);
    // The hues begin a row of their own.
    if (used + needed > width || (entry[2] && !rows.at(-1)?.at(-1)?.[2] && used > 0)) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(entry);
    used += needed;
  }
  return rows;
}

function legendWidth(name: string): number {
  return labelWidth(name) + 34;
}

function legend(width: number, top: number): SVGElement[] {
  return legendRows(width).flatMap((row, r) => {
    const y = top + LEGEND_ROW * r + 10;
    let x = 0;
    return row.map(([name, shape, hue]) => {
      const entry = svg('g', { 'data-jitter': hue ? shape.jitter : undefined, class: hue ? 'mark' : 'mark neutral' }, symbolMark(shape, x + 6, y, 80), svg('text', { x: x + 17, y: y + 4 }, name));
      x += legendWidth(name);
      return entry;
    });
  });
}
