/**
 * The AWS figure of 2015: calls, and time until all are done, against the number of competing clients. Rings are the
 * values of AWS's simulator.
 */
import { area, line } from 'd3-shape';
import { bottomAxis, leftAxis, logTicks, ticksOf } from '../charts/axis';
import { html, label, path, svg } from '../charts/dom';
import type { FigureSpec } from '../charts/figure';
import { count, duration, plural, short } from '../charts/format';
import { LABEL_HEIGHT, labelWidth, spread } from '../charts/labels';
import { linear, log, type Scale } from '../charts/scale';
import { BASE_MS, CAP_MS, LINES, type ContentionPoint, type ContentionResult, type Line } from './compute';
import { PUBLISHED, PUBLISHED_RUNS, agreement } from './published';

const NAMES: Record<Line, string> = {
  none: 'No backoff',
  exponential: 'No jitter',
  equal: 'Equal',
  full: 'Full',
  decorrelated: 'Decorrelated',
};
/** The two without jitter share its hue; the dashes tell them apart. */
const hueOf = (name: Line) => ({ 'data-line': name, 'data-jitter': name === 'exponential' ? 'none' : name });

const SIDE_BY_SIDE = 760;
const [GAP, TOP, PLOT, BELOW, LEFT] = [32, 34, 235, 44, 52];
const PANEL = TOP + PLOT + BELOW;
/** For the names at the ends of the lines. */
const RIGHT = 96;
const MOST_CLIENTS = 190;

type Measure = 'calls' | 'timeMs';

export const contention: FigureSpec<ContentionResult> = {
  id: 'contention',
  title: 'Clients that compete for one row',
  finding: ({ points }) => finding(points),
  subtitle: ({ points }) => [reproduced(points)],
  height: (width) => (width < SIDE_BY_SIDE ? 2 * PANEL + GAP : PANEL),

  draw({ points }, width) {
    const stacked = width < SIDE_BY_SIDE;
    const each = stacked ? width : (width - GAP) / 2;
    const second = stacked ? `translate(0,${PANEL + GAP})` : `translate(${each + GAP},0)`;
    return [
      svg('g', {}, ...panel(points, 'calls', each)),
      svg('g', { transform: second }, ...panel(points, 'timeMs', each)),
    ];
  },

  describe({ points, input: { runs, seed } }) {
    const most = Math.max(...points.map(({ clients }) => clients));
    const findings = LINES.flatMap((name) => {
      const last = of(points, name).find(({ clients }) => clients === most);
      return last ? [`${NAMES[name]}: ${short(last.calls.mean)} calls, ${duration(last.timeMs.mean)}`] : [];
    });
    return `With ${plural(most, 'client')}, means of ${plural(runs, 'run')}, seed ${seed}: ${findings.join('; ')}.`;
  },

  settings: ({ input }) =>
    `base ${duration(BASE_MS)}, cap ${duration(CAP_MS)}; ${plural(input.runs, 'run')} for each point`,

  note: ({ input }) => [
    'All clients read one row and write it back; a write fails if another client was faster, and the client waits and ' +
      'reads again. A call is a write. “No backoff” reads again at once. ' +
      `Messages take |Normal(10\u00a0ms, 2\u00a0ms)|; base ${duration(BASE_MS)}, cap ${duration(CAP_MS)}. Lines: mean of ` +
      `${plural(input.runs, 'run')}, with its 95% interval as a band. Rings: means of ${count(PUBLISHED_RUNS)} runs of the `,
    html('a', { href: 'https://github.com/aws-samples/aws-arch-backoff-simulator' }, 'simulator that AWS published'),
    ' with the post.',
  ],
};

function panel(points: readonly ContentionPoint[], measure: Measure, width: number): SVGElement[] {
  const [right, bottom] = [width - RIGHT, TOP + PLOT];
  const isTime = measure === 'timeMs';
  const x = linear([0, MOST_CLIENTS], [LEFT, right]);
  const means = [...points, ...PUBLISHED].map((point) => point[measure].mean);
  const y = isTime
    ? log([Math.min(...means) / 1.3, Math.max(...means) * 1.3], [bottom, TOP])
    : linear([0, 1.05 * Math.max(1, ...means)], [bottom, TOP]);
  const lines = LINES.map((name) => ({ name, own: of(points, name) })).filter(({ own }) => own.length > 0);
  const last = lines.map(({ own }) => y(own.at(-1)?.[measure].mean ?? 1));
  const ends = spread(last, LABEL_HEIGHT, [TOP, bottom]);
  const ring = (cx: number, cy: number, line: Line): SVGElement =>
    svg('circle', { cx, cy, r: 4, class: 'ring', ...hueOf(line) });
  const key = "AWS's simulator";
  return [
    leftAxis({
      scale: y,
      format: isTime ? duration : short,
      ticks: isTime ? logTicks(y.domain) : ticksOf(y, 34),
      title: isTime ? 'time until all are done (log scale)' : 'calls',
      grid: [LEFT, right],
    }),
    ...(isTime ? [] : [ring(right - labelWidth(key) - 8, TOP - 16, 'none'), label(right, TOP - 12, key, 'end')]),
    bottomAxis({ scale: x, format: count, ticks: [10, 50, 100, 150, 190], title: 'clients', grid: [TOP, bottom] }),
    ...lines.map(({ name, own }) => series(name, own, measure, x, y)),
    ...PUBLISHED.map((point) => ring(x(point.clients), y(point[measure].mean), point.line)),
    ...lines.map(({ name, own }, i) =>
      label(x(own.at(-1)?.clients ?? 0) + 8, (ends[i] ?? 0) + 4, NAMES[name], 'hued', hueOf(name)),
    ),
  ];
}

function series(name: Line, own: ContentionPoint[], measure: Measure, x: Scale, y: Scale): SVGGElement {
  const at = (value: number): number => Math.max(y.range[1], y(Math.max(y.domain[0], value)));
  const band = area<ContentionPoint>(
    ({ clients }) => x(clients),
    (point) => at(point[measure].mean - point[measure].ci95),
    (point) => at(point[measure].mean + point[measure].ci95),
  );
  const middle = line<ContentionPoint>(
    ({ clients }) => x(clients),
    (point) => at(point[measure].mean),
  );
  return svg('g', { class: 'series', ...hueOf(name) }, path(band(own), 'band'), path(middle(own), 'line'));
}

/** The gain from jitter alone, for the most clients. */
function finding(points: readonly ContentionPoint[]): string {
  const full = of(points, 'full').at(-1);
  const plain = of(points, 'exponential').find(({ clients }) => clients === full?.clients);
  const none = of(points, 'none').find(({ clients }) => clients === full?.clients);
  if (!full || !plain) return '';
  return (
    `Full jitter takes ${plural(full.clients, 'client')} from ${duration(plain.timeMs.mean)} to ` +
    `${duration(full.timeMs.mean)}, and from ${short(plain.calls.mean)} calls to ${short(full.calls.mean)}.` +
    (none && none.timeMs.mean < full.timeMs.mean && none.calls.mean > full.calls.mean
      ? ` No backoff is faster, at ${short(none.calls.mean)} calls.`
      : '')
  );
}

function reproduced(points: readonly ContentionPoint[]): string {
  const { compared, within } = agreement(points);
  return `${within} of ${compared} values of AWS's simulator lie in the 95% bands.`;
}

/** One line, from few clients to many. */
function of(points: readonly ContentionPoint[], name: Line): ContentionPoint[] {
  return points.filter((point) => point.line === name).sort((a, b) => a.clients - b.clients);
}
