/** Server work against recovery time: a mark per strategy; who is lower or further left is better. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks, timeTicks } from '../charts/axis';
import { linear, log } from '../charts/scale';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { count, duration, plural, share } from '../charts/format';
import { along, around, leader, placed, type Label, type Rect } from '../charts/labels';
import { legendPlaces } from '../charts/legend';
import { symbolMark } from '../charts/symbols';
import type { Costs } from './compute';
import { BACKOFFS, JITTERS, capitalised, curveActs, sameChoice, title, type Choice } from '../state/strategy';
import { front, levels, reachesTarget, type CostData } from './data';
import { verdictWords } from './words';

const TOP = 26;
/** Above the axis of time: the strategies that never serve 99%, by the share that they leave unserved. */
const UNSERVED = 92;
/** Gap between both, with the title of the lower one. */
const GAP = 34;
const PLOT = 236;
/** The part of the plot below the bound, where only its name is. */
const BOUND = 30;
const BELOW = 44;
const LEGEND_ROW = 22;
const LEFT = 52;
/** Narrower, the axis has no room for its whole title. */
const VERY_NARROW = 300;

export const cost: FigureSpec<CostData> = {
  id: 'cost',
  title: 'Server work against recovery time',
  subtitle: ({ seeds, herd }) => [
    `one mark per strategy: the median of ${plural(seeds, 'seed')}, ${plural(herd.clients, 'client')}`,
  ],
  height: (width) => TOP + UNSERVED + GAP + PLOT + BELOW + LEGEND_ROW * (1 + (legendEntries(width).at(-1)?.line ?? 0)),

  draw(data, width) {
    const { costs, chosen, fastestMs, herd, recommendation } = data;
    const [right, bottom] = [width - 8, TOP + UNSERVED + GAP + PLOT];
    const calls = costs.flatMap(({ callsPerClient }) => [callsPerClient.p5, callsPerClient.p95]);
    const least = Math.min(...calls);
    const reach: [number, number] = [least / 1.1, Math.max(...calls, 1.5 * least) * 1.1];
    const x = log(reach, [LEFT, right]);
    const served = costs.filter(reachesTarget);
    const hasUnserved = served.length < costs.length;
    const hasServed = served.length > 0;
    const timeTop = hasUnserved ? TOP + UNSERVED + GAP : TOP;
    const unservedBottom = hasServed ? TOP + UNSERVED : bottom - 8;
    const slowest = Math.max(
      1.2 * fastestMs,
      ...served.flatMap(({ timeMs }) => [timeMs.p50, timeMs.p95 === Infinity ? timeMs.p50 : timeMs.p95]),
    );
    const fastestY = bottom - BOUND;
    const y = linear([fastestMs, slowest], [fastestY, timeTop + 8]);
    const unserved = linear([0, 1], [unservedBottom, TOP]);
    const left = (n: number): number => unserved(1 - n / herd.clients);
    const at = (one: Costs): [number, number] => [
      x(one.callsPerClient.p50),
      reachesTarget(one) ? y(one.timeMs.p50) : left(one.served.p50),
    ];
    const span = (one: Costs): [number, number] =>
      reachesTarget(one)
        ? [y(one.timeMs.p5), one.timeMs.p95 === Infinity ? timeTop : y(one.timeMs.p95)]
        : [left(one.served.p5), left(one.served.p95)];

    const isChosen = (one: Costs): boolean => sameChoice(one.choice, chosen);
    // With the ring around the chosen one.
    const radius = (one: Costs): number => (isChosen(one) ? 12 : 6);
    const best = front(costs);
    const own = costs.filter(isChosen);
    const { pick } = recommendation;
    const alsoNamed = (one: Costs): boolean =>
      !best.includes(one) &&
      (isChosen(one) ||
        one === pick ||
        (!reachesTarget(one) &&
          one.choice.jitter !== 'full' &&
          one.choice.jitter !== 'equal' &&
          (one.choice.backoff === chosen.backoff || !curveActs(one.choice))));
    // The chosen one names those that are level with it.
    const named = [...costs.filter(alsoNamed).map((one) => [one]), ...levels(costs)].map((level) => ({
      one: level.find(isChosen) ?? (level[0] as Costs),
      others: level.length - 1,
    }));
    const labels = named.map(
      ({ one, others }): Label => ({
        text: shortTitle(one.choice) + more(others),
        x: at(one)[0],
        y: at(one)[1],
        radius: radius(one),
      }),
    );
    const obstacles = [
      ...costs.map((one) => around(...at(one), radius(one) + 4)),
      ...costs.map(
        (one): Rect => ({
          x: x(one.callsPerClient.p5),
          y: Math.min(...span(one)),
          width: x(one.callsPerClient.p95) - x(one.callsPerClient.p5),
          height: Math.abs(span(one)[0] - span(one)[1]),
        }),
      ),
      ...along(best.map(at), 3),
      ...(hasUnserved && hasServed ? [{ x: 0, y: TOP + UNSERVED - 2, width, height: GAP }] : []),
    ];
    const rects = placed(labels, obstacles, {
      x: LEFT + 4,
      y: TOP + 2,
      width: right - LEFT - 4,
      height: (hasServed ? fastestY : bottom) - 2 - TOP - 2,
    });

    return [
      ...(hasUnserved
        ? [
            leftAxis({
              scale: unserved,
              format: share,
              ticks: hasServed ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1],
              grid: [LEFT, right],
            }),
            svg(
              'text',
              { x: 0, y: 12, class: 'axis-title' },
              hasServed ? 'clients never served' : 'clients never served: no strategy serves 99%',
            ),
          ]
        : []),
      ...(hasServed
        ? [
            leftAxis({ scale: y, format: duration, ticks: timeTicks(y, 34), grid: [LEFT, right] }),
            svg('text', { x: 0, y: timeTop - 14, class: 'axis-title' }, 'time until 99% are served'),
            svg('line', { x1: LEFT, x2: right, y1: fastestY, y2: fastestY, class: 'bound' }),
            svg(
              'text',
              { x: LEFT + 6, y: fastestY + 20, class: 'bound-label' },
              `fastest possible: ${duration(fastestMs)}`,
            ),
          ]
        : []),
      bottomAxis({
        scale: x,
        ticks: logTicks(reach),
        format: count,
        title:
          width < VERY_NARROW ? 'calls per client (log scale)' : 'calls the server must answer per client (log scale)',
        grid: [TOP, bottom],
      }),
      svg('path', { d: line()(best.map(at)) ?? '', class: 'front' }),
      ...labels.flatMap((label, i) => labelMarks(label, rects[i], named[i]?.one.choice)),
      ...[...costs.filter((one) => !isChosen(one)), ...own].map((one) =>
        mark(
          one,
          at(one),
          [x(one.callsPerClient.p5), x(one.callsPerClient.p95)],
          span(one),
          isChosen(one),
          herd.clients,
        ),
      ),
      ...legend(width, bottom + BELOW),
    ];
  },

  describe(data) {
    const { costs, chosen, fastestMs, herd, seeds, seed } = data;
    const described = (one: Costs): string => `${title(one.choice)}: ${finish(one, herd.clients)}`;
    const own = costs.find((one) => sameChoice(one.choice, chosen));
    return [
      verdictWords(data).headline,
      `${plural(herd.clients, 'client')}, medians of ${plural(seeds, 'seed')} from ${seed} on. No strategy can ` +
        `serve 99% before ${duration(fastestMs)}.`,
      `Not beaten on both counts: ${front(costs).map(described).join('; ') || 'none'}.`,
      own ? `Chosen: ${described(own)}.` : '',
    ].join(' ');
  },

  table({ costs, herd, seeds, seed }) {
    const best = front(costs);
    return {
      caption:
        `Two costs of ${plural(herd.clients, 'client')}: median and 5th to 95th percentile of ` +
        `${plural(seeds, 'seed')}, from seed ${seed} on`,
      columns: [
        { name: 'strategy' },
        { name: 'served', unit: 'count' },
        { name: 'calls per client', unit: 'number' },
        { name: 'calls p5', unit: 'number' },
        { name: 'calls p95', unit: 'number' },
        { name: '99% served', unit: 'ms' },
        { name: 'time p5', unit: 'ms' },
        { name: 'time p95', unit: 'ms' },
        { name: 'best in', unit: 'count' },
        { name: 'beaten' },
      ],
      rows: costs.map((one) => [
        title(one.choice),
        one.served.p50,
        one.callsPerClient.p50,
        one.callsPerClient.p5,
        one.callsPerClient.p95,
        ...[one.timeMs.p50, one.timeMs.p5, one.timeMs.p95].map((ms) => (ms === Infinity ? 'never' : ms)),
        one.bestIn,
        best.includes(one) ? 'no' : 'yes',
      ]),
      isBad: (row, column) =>
        column >= 5 &&
        column <= 7 &&
        [costs[row]?.timeMs.p50, costs[row]?.timeMs.p5, costs[row]?.timeMs.p95][column - 5] === Infinity,
    };
  },

  note: ({ costs, seeds }) => [
    `Lower and further left is better. Crosses: 5th to 95th percentile of ${plural(seeds, 'seed')}. The line ` +
      'joins the strategies that no other beats on both counts.',
    ...(costs.some(({ isCut }) => isCut)
      ? [' Strategies with very many calls were stopped: they make more than is drawn.']
      : []),
  ],
};

function more(others: number): string {
  return others > 0 ? ` and ${others} more` : '';
}

function finish(one: Costs, clients: number): string {
  const end = reachesTarget(one)
    ? `99% served after ${duration(one.timeMs.p50)}`
    : `${count(one.served.p50)} of ${count(clients)} served`;
  return `${end}, ${plural(Number(one.callsPerClient.p50.toPrecision(3)), 'call')} per client`;
}

function shortTitle({ backoff, jitter }: Choice): string {
  if (!curveActs({ backoff, jitter })) return title({ backoff, jitter }).replace(/ jitter$/, '');
  return title({ backoff, jitter }).replace(/(?<! no) jitter$/, '');
}

function mark(
  one: Costs,
  [x, y]: readonly [number, number],
  [from, to]: readonly [number, number],
  [low, high]: readonly [number, number],
  isChosen: boolean,
  clients: number,
): SVGGElement {
  const { choice } = one;
  const ring = isChosen ? symbolMark(choice, x, y, 360) : undefined;
  ring?.classList.replace('symbol', 'ring');
  return svg(
    'g',
    { 'data-jitter': choice.jitter, class: 'mark' },
    svg('title', {}, `${title(choice)}: ${finish(one, clients)}`),
    ring,
    symbolMark(choice, x, y, isChosen ? 190 : 108),
    // Above the symbol, which is wider than most intervals.
    svg('path', {
      d: `M${from.toFixed(1)},${y.toFixed(1)}H${to.toFixed(1)}M${x.toFixed(1)},${low.toFixed(1)}V${high.toFixed(1)}`,
      class: 'interval',
    }),
  );
}

function labelMarks(label: Label, rect: Rect | undefined, choice: Choice | undefined): SVGElement[] {
  if (!rect) return [];
  const line = leader(label, rect);
  // A label at the left of its mark ends there.
  const atLeft = rect.x + rect.width <= label.x;
  const [x, anchor] = atLeft ? [rect.x + rect.width, 'end'] : [rect.x, 'start'];
  return [
    ...(line
      ? [svg('line', { x1: line.from[0], y1: line.from[1], x2: line.to[0], y2: line.to[1], class: 'leader' })]
      : []),
    svg(
      'text',
      { x, y: rect.y + 12, 'text-anchor': anchor, class: 'value hued direct', 'data-jitter': choice?.jitter },
      label.text,
    ),
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
  JITTERS.map((jitter) => ({
    name: jitter === 'none' ? 'No jitter' : capitalised(jitter),
    sample: { backoff: 'exponential', jitter },
    hued: true,
  })),
];

/** Each half starts a row, and goes on in another one where the width does not suffice. */
function legendEntries(width: number): (Entry & { readonly x: number; readonly line: number })[] {
  let first = 0;
  return LEGEND.flatMap((half) => {
    const names = half.map(({ name }) => name);
    const places = legendPlaces(names, 17, width, 10);
    const entries = places.map(({ left, line }, i) => ({ ...(half[i] as Entry), x: left, line: first + line }));
    first = (entries.at(-1)?.line ?? first) + 1;
    return entries;
  });
}

function legend(width: number, top: number): SVGElement[] {
  return legendEntries(width).map(({ x, line, name, sample, hued }) => {
    const y = top + LEGEND_ROW * line + 10;
    return svg(
      'g',
      { 'data-jitter': hued ? sample.jitter : undefined, class: hued ? 'mark' : 'mark neutral' },
      symbolMark(sample, x + 6, y, 80),
      svg('text', { x: x + 17, y: y + 4 }, name),
    );
  });
}
