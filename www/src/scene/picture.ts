/**
 * The lanes of the clients and the calls of all, as SVG. Only strokes of fixed width and text outside: the picture is
 * stretched to any width, so the build draws the same one.
 */
import { BINS, LANES, herdsOf, type Herd, type Mark, type SceneResult } from './compute';

export const WIDTH = 1000;
/** One herd over the whole height, or two in halves: room for its name, lanes, a gap, and the strip of its calls. */
const [WHOLE, HALF] = [
  { name: 0, lanes: LANES, lane: 10, gap: 14, load: 66 },
  { name: 20, lanes: LANES / 2, lane: 8.75, gap: 5, load: 30 },
];
export const HEIGHT = 320;
/** The least rate of the logarithmic axis. */
const LEAST_PER_S = 10;
const MOST_TICKS = 4;

/** Where a herd is drawn, and the rate at the top of its strip, which is the same for both. */
type Frame = ReturnType<typeof framesOf>[number][1];

export function framesOf(result: SceneResult) {
  const herds = herdsOf(result);
  const layout = herds.length === 1 ? WHOLE : HALF;
  const height = HEIGHT / herds.length;
  const rates = herds.flatMap(({ arrivals, spanMs }) => arrivals.map((n) => (n * 1000 * BINS) / spanMs));
  const mostPerS = Math.max(10 * result.input.herd.capacityPerS, ...rates);
  return herds.map((herd, i) => [herd, { ...layout, top: i * height, bottom: (i + 1) * height, mostPerS }] as const);
}

/** Where a rate is, from the top of the picture, as a part of its height. */
export function rateAt(frame: Frame, perS: number): number {
  return loadY(frame, perS) / HEIGHT;
}

/** Powers of ten within the strip, so far apart that they can be read. */
export function rateTicks(frame: Frame): readonly number[] {
  const powers = Array.from({ length: 8 }, (_, i) => LEAST_PER_S * 10 ** i);
  // The least one is the baseline.
  const inside = powers.filter((perS, i) => i > 0 && loadY(frame, perS) > frame.bottom - frame.load + 6);
  const most = Math.floor((MOST_TICKS * frame.load) / WHOLE.load);
  return inside.filter((_, i) => i % Math.ceil(inside.length / most) === 0);
}

export function picture(result: SceneResult): string {
  return framesOf(result)
    .map(([herd, frame]) => drawn(herd, frame))
    .join('');
}

function drawn(herd: Herd, frame: Frame): string {
  const { spanMs, input, marks } = herd;
  const x = (ms: number): number => round((WIDTH * ms) / spanMs);
  const path = (kind: string, d: string): string => (d ? `<path class="${kind}" d="${d}"/>` : '');
  // Calls without a pause are a thin line: a wall of them would say no more.
  const kindOf = ({ fromMs, toMs, outcome }: Mark): string => {
    const rejected = fromMs < input.herd.downMs ? 'early' : 'rejected';
    return outcome === 'served' ? outcome : `${rejected}${outcome === 'rejected' && toMs > fromMs ? ' dense' : ''}`;
  };
  const y = (lane: number): number => frame.top + frame.name + frame.lane * (lane + 0.5);
  const of = (kind: string, wanted = (mark: Mark): boolean => kindOf(mark) === kind): string => {
    const strokes = marks.filter((mark) => mark.lane < frame.lanes && wanted(mark));
    return path(kind, strokes.map((mark) => draw(mark, x, y(mark.lane))).join(''));
  };
  const lanes = Array.from(
    { length: Math.min(frame.lanes, input.herd.clients) },
    (_, lane) => `M0,${y(lane)}H${WIDTH}`,
  );
  const height = frame.bottom - frame.top;
  return [
    `<rect class="down" y="${frame.top}" width="${x(Math.min(input.herd.downMs, spanMs))}" height="${height}"/>`,
    path('lane', lanes.join('')),
    ...['early dense', 'early', 'rejected dense', 'rejected'].map((kind) => of(kind)),
    of('gave-up', ({ outcome }) => outcome === 'gaveUp'),
    of('served'),
    path('calls', area(herd, frame, herd.arrivals)),
    path('taken', area(herd, frame, herd.accepted)),
    path('capacity', `M0,${round(loadY(frame, input.herd.capacityPerS))}H${WIDTH}`),
  ].join('');
}

function draw({ fromMs, toMs, outcome }: Mark, x: (ms: number) => number, y: number): string {
  // A line of no length has round ends: a dot.
  if (outcome === 'served') return `M${x(fromMs)},${y}h0`;
  if (outcome === 'gaveUp') return `M${x(fromMs)},${y - 4}v8`;
  if (fromMs === toMs) return `M${x(fromMs)},${y - 3.5}v7`;
  return `M${x(fromMs)},${y}H${x(toMs)}`;
}

/** Logarithmic, because a crowd sends a thousand times what a server can take. */
function loadY({ bottom, load, mostPerS }: Frame, perS: number): number {
  const part = Math.log(Math.max(perS, LEAST_PER_S) / LEAST_PER_S) / Math.log(mostPerS / LEAST_PER_S);
  return bottom - load * Math.min(1, part);
}

function area({ spanMs }: Herd, frame: Frame, counts: readonly number[]): string {
  const step = WIDTH / BINS;
  let d = '';
  for (const [bin, n] of counts.entries()) {
    if (n === 0) continue;
    const y = round(Math.min(frame.bottom - 1, loadY(frame, (n * 1000 * BINS) / spanMs)));
    d += `M${round(bin * step)},${frame.bottom}V${y}h${step}V${frame.bottom}z`;
  }
  return d;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
