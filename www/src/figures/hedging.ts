/** When hedging kills: servers that also do the work of hedges, from nearly idle to nearly full. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks } from '../charts/axis';
import { html, svg } from '../charts/dom';
import { count, duration, share } from '../charts/format';
import { LABEL_HEIGHT, spread } from '../charts/labels';
import { linear, log, stops, type Scale, type Span } from '../charts/scale';
import type { FigureSpec } from '../charts/spec';
import {
  HEDGES,
  HEDGE_MS,
  MAX_RATIO,
  MEAN_MS,
  REQUESTS,
  SERVERS,
  type HedgingData,
  type HedgingPoint,
  type Hedges,
} from '../compute/hedging';

export interface HedgingFigure extends HedgingData {
  /** Where the slider stands. */
  readonly utilisation: number;
}

const NAMES: Readonly<Record<Hedges, string>> = {
  none: 'no hedge',
  limited: `maxRatio ${MAX_RATIO}`,
  unlimited: 'no limit',
};

/** The row of those that never catch up, above both plots; below the name of the vertical line. */
const OVERLOADED = 34;
const PLOTS = [
  { measure: 'p99Ms', title: 'p99 (log scale)', top: OVERLOADED + 48, height: 150 },
  { measure: 'p50Ms', title: 'p50 (log scale)', top: OVERLOADED + 48 + 150 + 44, height: 130 },
] as const;
const BOTTOM = PLOTS[1].top + PLOTS[1].height;
const LEFT = 52;
/** For the names at the ends of the lines; where that is too much, they are before the ends. */
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
    const [, right] = x.range;
    const here = Math.round(x(utilisation)) + 0.5;
    return [
      svg('text', { x: isNarrow ? LEFT : right + 8, y: OVERLOADED + (isNarrow ? -8 : 4), class: 'never' }, 'overloaded'),
      svg('line', { x1: LEFT, x2: right, y1: OVERLOADED + 0.5, y2: OVERLOADED + 0.5, class: 'never-line' }),
      ...PLOTS.flatMap((plot) => marksOf(points, plot, x, isNarrow)),
      bottomAxis({
        scale: x,
        format: share,
        ticks: isNarrow ? [0.1, 0.3, 0.5, 0.7, 0.9] : [0.1, 0.3, 0.5, 0.7, 0.9],
        title: isNarrow ? 'utilisation' : 'utilisation of the servers without hedges',
        grid: [BOTTOM, BOTTOM],
      }),
      svg('line', { x1: here, x2: here, y1: OVERLOADED - 10, y2: BOTTOM, class: 'bound' }),
      svg(
        'text',
        { x: here, y: OVERLOADED - 18, 'text-anchor': 'middle', class: 'bound-label' },
        `now ${share(utilisation)}`,
      ),
    ];
  },

  readout({ points }, width) {
    const utilisations = [...new Set(points.map(({ utilisation }) => utilisation))];
    const at = (place: number): number => utilisations[Math.round(place)] ?? 0;
    return {
      axis: 'hedging',
      scale: stops(utilisations, scaleOf(points, width)),
      top: OVERLOADED - 10,
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
        `${count(REQUESTS)} requests to ${SERVERS} servers, ${duration(MEAN_MS)} each on average, hedged after ` +
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
    `${settingInWords()}. A hedge goes to another server, and the slower attempt is worked off all the same: servers ` +
      'do not know that nobody waits for it. Overloaded: requests and hedges together are more than the servers can ' +
      `do, and the longer that lasts, the longer all wait. Each point: ${count(REQUESTS)} requests.`,
  ],
};

/** What hedges do at the slider's utilisation, with and without their limit. */
export function finding({ points, utilisation }: HedgingFigure): string {
  const [none, limited, unlimited] = pointsAt(points, utilisation);
  if (!none || !limited || !unlimited) return '';
  const times = ({ p50Ms, p99Ms }: HedgingPoint): string => `p50 ${duration(p50Ms)} and p99 ${duration(p99Ms)}`;
  const bounded = `${times(none)} without hedges, and ${times(limited)} with maxRatio ${MAX_RATIO}`;
  return (
    `At ${share(utilisation)} utilisation, ` +
    (isOverloaded(unlimited)
      ? `hedges without a limit are sent for ${share(unlimited.extra)} of the requests, make a load of ` +
        `${share(loadOf(unlimited))}, and half of all requests take longer than ${duration(unlimited.p50Ms)}. It is ` +
        `${bounded}.`
      : `it is ${bounded}. Without a limit it is ${times(unlimited)}, with hedges for ${share(unlimited.extra)} of ` +
        'the requests.')
  );
}

/** From which utilisation on hedges overload the servers. */
function limits(points: readonly HedgingPoint[]): string {
  const from = (hedges: Hedges): number | undefined =>
    points.find((point) => point.hedges === hedges && isOverloaded(point))?.utilisation;
  const [limited, unlimited] = [from('limited'), from('unlimited')];
  if (unlimited === undefined) return '';
  return (
    `Hedges without a limit overload the servers from ${share(unlimited)} on` +
    (limited === undefined ? '.' : `, with maxRatio ${MAX_RATIO} from ${share(limited)} on.`)
  );
}

function settingInWords(): string {
  return (
    `${SERVERS} servers, to which requests come at random, ${duration(MEAN_MS)} of work each on average; a hedge ` +
    `after ${duration(HEDGE_MS)}`
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

/** The lines of one percentile. */
function marksOf(
  points: readonly HedgingPoint[],
  { measure, title, top, height }: (typeof PLOTS)[number],
  x: Scale,
  isNarrow: boolean,
): SVGElement[] {
  const [right, bottom] = [x.range[1], top + height];
  const times = points.filter((point) => !isOverloaded(point)).map((point) => point[measure]);
  const reach: Span = [Math.min(...times) / 1.2, Math.max(...times) * 1.2];
  const y = log(reach, [bottom, top]);
  const at = (point: HedgingPoint): [number, number] => [
    x(point.utilisation),
    isOverloaded(point) ? OVERLOADED : y(point[measure]),
  ];
  const lines = HEDGES.map((hedges) => ({ hedges, own: points.filter((point) => point.hedges === hedges) }));
  const ends = lines.map(({ own }) => own.findLast((point) => !isOverloaded(point)));
  const heights = spread(
    ends.map((point) => (point ? at(point)[1] : bottom)),
    LABEL_HEIGHT,
    [top, bottom],
  );
  return [
    leftAxis({ scale: y, format: duration, ticks: logTicks(reach), title, grid: [LEFT, right] }),
    ...lines.map(({ hedges, own }) =>
      svg(
        'g',
        { class: 'series', 'data-hedges': hedges, 'data-measure': measure },
        svg('path', { d: line()(own.filter((point) => !isOverloaded(point)).map(at)) ?? '', class: 'line' }),
        ...own.map((point) =>
          svg('circle', {
            cx: at(point)[0],
            cy: at(point)[1],
            r: 3,
            class: isOverloaded(point) ? 'overload' : 'symbol',
          }),
        ),
      ),
    ),
    ...ends.flatMap((point, i) =>
      point
        ? [
            svg(
              'text',
              {
                x: at(point)[0] + (isNarrow ? -9 : 9),
                y: (heights[i] ?? 0) + 4,
                'text-anchor': isNarrow ? 'end' : 'start',
                class: 'value direct halo',
              },
              NAMES[point.hedges],
            ),
          ]
        : [],
    ),
  ];
}
