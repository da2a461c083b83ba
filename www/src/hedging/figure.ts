/** When hedging kills: servers that also do the work of hedges, from nearly idle to nearly full. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks } from '../charts/axis';
import { html, svg } from '../charts/dom';
import { count, duration, share } from '../charts/format';
import { LABEL_HEIGHT, along, labelWidth, placed, type Label } from '../charts/labels';
import { linear, log, stops, type Scale, type Span } from '../charts/scale';
import type { FigureSpec } from '../charts/spec';
import {
  HEDGES,
  HEDGE_MS,
  MAX_RATIO,
  MEAN_MS,
  SERVED,
  SERVERS,
  type HedgingData,
  type HedgingPoint,
  type Hedges,
} from './compute';

export interface HedgingFigure extends HedgingData {
  /** Where the slider stands. */
  readonly utilisation: number;
}

const NAMES: Readonly<Record<Hedges, string>> = {
  none: 'no hedge',
  limited: `maxRatio ${MAX_RATIO}`,
  unlimited: 'no limit',
};

/** The rows of those that are overloaded, above both plots; below the name of the vertical line. */
const OVERLOADED: Readonly<Partial<Record<Hedges, number>>> = { unlimited: 42, limited: 60 };
const ROWS: Span = [34, 68];
const PLOTS = [
  { measure: 'p99Ms', title: 'p99 (log scale)', top: 112, height: 150 },
  { measure: 'p50Ms', title: 'p50 (log scale)', top: 306, height: 130 },
] as const;
const [TOP, BOTTOM] = [PLOTS[0].top, PLOTS[1].top + PLOTS[1].height];
const LEFT = 52;
/** For the names at the ends of the lines; where that is too much, they are next to them. */
const [RIGHT, RIGHT_NARROW] = [104, 10];
const NARROW = 480;

export const hedgingFigure: FigureSpec<HedgingFigure> = {
  id: 'hedging',
  title: 'When hedging kills',
  subtitle: (data) => [html('b', { class: 'finding' }, finding(data)), ` ${limits(data.points)}`],
  height: () => BOTTOM + 44,

  draw({ points, utilisation }, width) {
    const isNarrow = width < NARROW;
    const x = scaleOf(points, width);
    const here = Math.round(x(utilisation)) + 0.5;
    const now = `now ${share(utilisation)}`;
    return [
      ...overloads(points, x, isNarrow),
      bottomAxis({
        scale: x,
        format: share,
        ticks: [0.2, 0.4, 0.6, 0.8],
        title: isNarrow ? 'utilisation' : 'utilisation of the servers without hedges',
        grid: [TOP, BOTTOM],
      }),
      ...PLOTS.flatMap((plot) => marksOf(points, plot, x, width)),
      svg('line', { x1: here, x2: here, y1: ROWS[0] - 6, y2: BOTTOM, class: 'bound' }),
      svg(
        'text',
        {
          x: Math.min(here, width - labelWidth(now) / 2),
          y: ROWS[0] - 10,
          'text-anchor': 'middle',
          class: 'bound-label halo',
        },
        now,
      ),
    ];
  },

  readout({ points }, width) {
    const utilisations = [...new Set(points.map(({ utilisation }) => utilisation))];
    const at = (place: number): number => utilisations[Math.round(place)] ?? 0;
    return {
      axis: 'hedging',
      scale: stops(utilisations, scaleOf(points, width)),
      top: ROWS[0] - 6,
      bottom: BOTTOM,
      step: 1,
      start: Math.floor(utilisations.length / 2),
      place: (place) => `at ${share(at(place))}`,
      rows: (place) =>
        pointsAt(points, at(place)).map((point) => ({
          name: NAMES[point.hedges],
          value: isOverloaded(point)
            ? `overloaded, ${share(point.extra)} hedged`
            : `p50 ${duration(point.p50Ms)}, p99 ${duration(point.p99Ms)}` +
              (point.hedges === 'none' ? '' : `, ${share(point.extra)} hedged`),
        })),
    };
  },

  describe: (data) => `${finding(data)} ${limits(data.points)}`,

  table({ points, input }) {
    return {
      caption:
        `${count(SERVED)} requests to ${SERVERS} servers, ${duration(MEAN_MS)} each on average, hedged after ` +
        `${duration(HEDGE_MS)}; seed ${input.seed}`,
      columns: [
        { name: 'utilisation', unit: 'share' },
        { name: 'hedges' },
        { name: 'hedges per request', unit: 'share' },
        { name: 'load with hedges', unit: 'share' },
        { name: 'p50', unit: 'ms' },
        { name: 'p99', unit: 'ms' },
      ],
      rows: points.map((point) => [
        point.utilisation,
        NAMES[point.hedges],
        point.extra,
        loadOf(point),
        point.p50Ms,
        point.p99Ms,
      ]),
      isBad: (row, column) => column > 2 && points[row] !== undefined && isOverloaded(points[row]),
    };
  },

  settings: (_, { hedging }) => `${settingInWords()}; ${share(hedging.utilisation)} utilisation`,

  note: () => [
    `${settingInWords()}, at another server. Servers do not know of hedges and work on the slower attempt, too. ` +
      'Overloaded: requests and hedges need more time than the servers have, and the longer that lasts, the longer ' +
      `all wait. Each point: ${count(SERVED)} requests.`,
  ],
};

/** The effect of hedges at the slider's utilisation, with and without their limit. */
export function finding({ points, utilisation }: HedgingFigure): string {
  const [none, limited, unlimited] = pointsAt(points, utilisation);
  if (!none || !limited || !unlimited) return '';
  return (
    `At ${share(utilisation)} utilisation, hedges with maxRatio ${MAX_RATIO} change p50 from ` +
    `${duration(none.p50Ms)} to ${duration(limited.p50Ms)} and p99 from ${duration(none.p99Ms)} to ` +
    `${duration(limited.p99Ms)}. Without this limit, ${share(unlimited.extra)} of the requests are hedged, and ` +
    (isOverloaded(unlimited)
      ? `half of them take longer than ${duration(unlimited.p50Ms)}.`
      : `p50 is ${duration(unlimited.p50Ms)}, p99 ${duration(unlimited.p99Ms)}.`)
  );
}

/** Up to which utilisation hedges pay, and between which two they begin to overload the servers. */
function limits(points: readonly HedgingPoint[]): string {
  const of = (hedges: Hedges): HedgingPoint[] => points.filter((point) => point.hedges === hedges);
  const plain = of('none');
  const worse = of('limited').findIndex(({ p99Ms }, i) => p99Ms >= (plain[i]?.p99Ms ?? 0));
  const best = plain[worse - 1]?.utilisation;
  const pays = best === undefined ? '' : `Hedges with maxRatio ${MAX_RATIO} shorten p99 up to ${share(best)}. `;
  const from = (hedges: Hedges): string => {
    const all = of(hedges).map(({ utilisation }) => share(utilisation));
    const first = of(hedges).findIndex(isOverloaded);
    if (first < 0) return `not up to ${all.at(-1)}`;
    return first === 0 ? `at ${all[0]} already` : `from between ${all[first - 1]} and ${all[first]}`;
  };
  return `${pays}They overload the servers ${from('limited')}, without the limit ${from('unlimited')}.`;
}

function settingInWords(): string {
  return (
    `${SERVERS} servers; requests come at random and take ${duration(MEAN_MS)} on average; a hedge starts after ` +
    `${duration(HEDGE_MS)}`
  );
}

/** The work that reaches the servers, as a share of what they can do. */
function loadOf({ utilisation, extra }: HedgingPoint): number {
  return utilisation * (1 + extra);
}

function isOverloaded(point: HedgingPoint): boolean {
  return loadOf(point) >= 1;
}

function pointsAt(points: readonly HedgingPoint[], utilisation: number): HedgingPoint[] {
  return points.filter((point) => point.utilisation === utilisation);
}

function scaleOf(points: readonly HedgingPoint[], width: number): Scale {
  const right = width - (width < NARROW ? RIGHT_NARROW : RIGHT);
  const all = points.map(({ utilisation }) => utilisation);
  return linear([Math.min(...all), Math.max(...all)], [LEFT + 8, right]);
}

/** Where the servers get more work than they can do. */
function overloads(points: readonly HedgingPoint[], x: Scale, isNarrow: boolean): SVGElement[] {
  const [, right] = x.range;
  return [
    isNarrow
      ? svg('text', { x: 0, y: 10, class: 'never' }, 'overloaded')
      : svg('text', { x: right + 9, y: (ROWS[0] + ROWS[1]) / 2 + 4, class: 'never' }, 'overloaded'),
    ...HEDGES.flatMap((hedges) => {
      const row = OVERLOADED[hedges];
      if (row === undefined) return [];
      return [
        svg('line', { x1: LEFT, x2: right, y1: row + 0.5, y2: row + 0.5, class: 'never-line' }),
        svg('text', { x: LEFT + 16, y: row + 4, class: 'halo' }, NAMES[hedges]),
        ...points
          .filter((point) => point.hedges === hedges && isOverloaded(point))
          .map(({ utilisation }) =>
            svg('circle', { cx: x(utilisation), cy: row + 0.5, r: 4, class: 'overload', 'data-hedges': hedges }),
          ),
      ];
    }),
  ];
}

/** The lines of one percentile. */
function marksOf(
  points: readonly HedgingPoint[],
  { measure, title, top, height }: (typeof PLOTS)[number],
  x: Scale,
  width: number,
): SVGElement[] {
  const [right, bottom] = [x.range[1], top + height];
  const steady = points.filter((point) => !isOverloaded(point));
  const times = steady.map((point) => point[measure]);
  const reach: Span = [Math.min(...times) / 1.2, Math.max(...times) * 1.2];
  const y = log(reach, [bottom, top]);
  const lines = HEDGES.map((hedges) => ({
    hedges,
    places: steady
      .filter((point) => point.hedges === hedges)
      .map((point): [number, number] => [x(point.utilisation), y(point[measure])]),
  }));
  const labels = lines.map(({ hedges, places }): Label => {
    const [px, py] = places.at(-1) ?? [right, bottom];
    return { text: NAMES[hedges], x: px, y: py, radius: 6 };
  });
  const names = placed(
    labels,
    lines.flatMap(({ places }) => along(places)),
    { x: LEFT + 4, y: top, width: width - LEFT - 4, height },
  );
  return [
    leftAxis({ scale: y, format: duration, ticks: logTicks(reach), title, grid: [LEFT, right] }),
    ...lines.map(({ hedges, places }) =>
      svg(
        'g',
        { class: 'series', 'data-hedges': hedges, 'data-measure': measure },
        svg('path', { d: line()(places) ?? '', class: 'line' }),
        ...places.map(([cx, cy]) => svg('circle', { cx, cy, r: 3, class: 'symbol' })),
      ),
    ),
    ...lines.flatMap(({ hedges }, i) => {
      const place = names[i];
      return place
        ? [
            svg(
              'text',
              { x: place.x, y: place.y + LABEL_HEIGHT - 4, class: 'strong', 'data-hedges': hedges },
              NAMES[hedges],
            ),
          ]
        : [];
    }),
  ];
}
