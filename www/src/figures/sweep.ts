/** How full the server may be before an outage leaves it overloaded for good, with each protection. */
import { line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks } from '../charts/axis';
import { svg } from '../charts/dom';
import type { FigureSpec } from '../charts/spec';
import { duration, share } from '../charts/format';
import { LABEL_HEIGHT, spread } from '../charts/labels';
import { linear, log } from '../charts/scale';
import { SHARED, type Shared, type SweepPoint, type SweepResult } from '../compute/load';
import { capitalised } from '../state/strategy';
import { SHARED_NAMES, WITH_SHARED } from './shared-words';

export interface SweepData extends SweepResult {
  /** Where the slider stands. */
  readonly demand: number;
}

/** The row of those that never recover, above the axis of time; below the name of the vertical line. */
const NEVER = 34;
const TOP = NEVER + 48;
const PLOT = 220;
const LEFT = 52;
/** For the names at the ends of the lines; where that is too much, they are before the ends. */
const [RIGHT, RIGHT_NARROW] = [92, 46];
const NARROW = 480;

export const sweepFigure: FigureSpec<SweepData> = {
  id: 'budgets',
  title: 'How full may the server be?',
  subtitle: ({ input, points, horizonMs }) => [
    `time to recover from an outage of ${duration(input.herd.downMs)}. ${limits(points, horizonMs)}`,
  ],
  height: () => TOP + PLOT + 44,

  draw({ points, demand }, width) {
    const isNarrow = width < NARROW;
    const [right, bottom] = [width - (isNarrow ? RIGHT_NARROW : RIGHT), TOP + PLOT];
    const demands = points.map((point) => point.demand);
    const x = linear([Math.min(...demands), Math.max(...demands)], [LEFT + 8, right]);
    // Down to a tenth of a second: "at once" is drawn there.
    const times = points.flatMap(({ recoveredAfterMs }) => recoveredAfterMs ?? []).map((ms) => Math.max(100, ms));
    const reach = [Math.min(1000, ...times) / 1.2, Math.max(10_000, ...times) * 1.2] as const;
    const y = log(reach, [bottom, TOP]);
    const at = ({ demand: load, recoveredAfterMs }: SweepPoint): [number, number] => [
      x(load),
      recoveredAfterMs === undefined ? NEVER : y(Math.max(100, recoveredAfterMs)),
    ];
    const lines = SHARED.map((shared) => ({ shared, own: points.filter((point) => point.shared === shared) }));
    // Named where the line leaves the plot for the row above it, or at its end.
    const names = lines.map(
      ({ own }) => own.findLast(({ recoveredAfterMs }) => recoveredAfterMs !== undefined) ?? own[0],
    );
    const ends = spread(
      names.map((point) => (point ? at(point)[1] : 0)),
      LABEL_HEIGHT,
      [NEVER, bottom],
    );
    const here = Math.round(x(demand)) + 0.5;
    return [
      leftAxis({ scale: y, format: duration, ticks: logTicks(reach), grid: [LEFT, right] }),
      svg('text', { x: 0, y: TOP - 10, class: 'axis-title' }, 'recovers after (log scale)'),
      svg('text', { x: right + 8, y: NEVER + 4, class: 'never' }, 'never'),
      svg('line', { x1: LEFT, x2: right, y1: NEVER + 0.5, y2: NEVER + 0.5, class: 'never-line' }),
      bottomAxis({
        scale: x,
        format: share,
        ticks: isNarrow ? [0.5, 0.75, 1] : [0.5, 0.6, 0.7, 0.8, 0.9, 1],
        title: isNarrow ? 'new requests / capacity' : 'new requests, as a share of the capacity',
        grid: [TOP, bottom],
      }),
      svg('line', { x1: here, x2: here, y1: NEVER - 10, y2: bottom, class: 'bound' }),
      svg('text', { x: here, y: NEVER - 18, 'text-anchor': 'middle', class: 'bound-label' }, `now ${share(demand)}`),
      ...lines.map(({ shared, own }) =>
        svg(
          'g',
          { class: 'series', 'data-shared': shared },
          ...pieces(own).map((piece) => svg('path', { d: line()(piece.map(at)) ?? '', class: 'line' })),
          ...own.map((point) => svg('circle', { cx: at(point)[0], cy: at(point)[1], r: 3, class: 'symbol' })),
        ),
      ),
      ...lines.map(({ shared }, i) => {
        const point = names[i];
        return point && point.recoveredAfterMs !== undefined
          ? svg(
              'text',
              {
                x: at(point)[0] + (isNarrow ? -9 : 9),
                y: (ends[i] ?? 0) + 4,
                'text-anchor': isNarrow ? 'end' : 'start',
                class: 'value direct halo',
              },
              SHARED_NAMES[shared],
            )
          : svg('text', { x: LEFT + 8, y: NEVER + 18, class: 'value direct halo' }, SHARED_NAMES[shared]);
      }),
    ];
  },

  describe: ({ input, points, horizonMs }) =>
    `Time to recover from an outage of ${duration(input.herd.downMs)}, by new requests as a share of the ` +
    `capacity. ${limits(points, horizonMs)}`,

  table({ input, points }) {
    const demands = [...new Set(points.map(({ demand }) => demand))];
    const of = (demand: number, shared: Shared): SweepPoint | undefined =>
      points.find((point) => point.demand === demand && point.shared === shared);
    return {
      caption: `Time to recover from an outage of ${duration(input.herd.downMs)}, seed ${input.seed}`,
      columns: [
        { name: 'new requests', unit: 'share' },
        ...SHARED.map((shared) => ({ name: SHARED_NAMES[shared], unit: 'ms' as const })),
      ],
      rows: demands.map((demand) => [
        demand,
        ...SHARED.map((shared) => of(demand, shared)?.recoveredAfterMs ?? 'never'),
      ]),
      isBad: (row, column) =>
        column > 0 && of(demands[row] ?? 0, SHARED[column - 1] ?? 'none')?.recoveredAfterMs === undefined,
    };
  },
};

/** Points that recover, and points that do not: a line between the two would show times that were not computed. */
function pieces(points: readonly SweepPoint[]): SweepPoint[][] {
  const found: SweepPoint[][] = [];
  for (const [i, point] of points.entries()) {
    const before = points[i - 1];
    if (before && (before.recoveredAfterMs === undefined) === (point.recoveredAfterMs === undefined))
      found.at(-1)?.push(point);
    else found.push([point]);
  }
  return found;
}

function limits(points: readonly SweepPoint[], horizonMs: number): string {
  const sentences = SHARED.map((shared) => {
    const most = points.findLast((point) => point.shared === shared && point.recoveredAfterMs !== undefined);
    const name = capitalised(WITH_SHARED[shared]);
    return most
      ? `${name} the server recovers up to ${share(most.demand)}.`
      : `${name} it never recovers within ${duration(horizonMs)}.`;
  });
  return sentences.join(' ');
}
