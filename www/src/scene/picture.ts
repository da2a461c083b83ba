/**
 * The lanes of the clients and the calls of all, as SVG. Only strokes of fixed width and text outside: the picture is
 * stretched to any width, so the build draws the same one.
 */
import { BINS, LANES, type Mark, type SceneResult } from './compute';

export const WIDTH = 1000;
const LANE = 10;
const LANES_HEIGHT = LANE * LANES;
const GAP = 14;
const LOAD = 66;
export const HEIGHT = LANES_HEIGHT + GAP + LOAD;
/** The least rate of the logarithmic axis. */
const LEAST_PER_S = 10;
const MOST_TICKS = 4;

/** Where the capacity's line is, from the top, as a part of the height. */
export function capacityAt(result: SceneResult): number {
  return loadY(result, result.input.herd.capacityPerS) / HEIGHT;
}

/** Powers of ten within the strip, so far apart that they can be read. */
export function rateTicks(result: SceneResult): { readonly perS: number; readonly at: number }[] {
  const powers = Array.from({ length: 8 }, (_, i) => LEAST_PER_S * 10 ** i).map((perS) => ({
    perS,
    at: loadY(result, perS) / HEIGHT,
  }));
  // The least one is the baseline.
  const inside = powers.filter(({ at }, i) => i > 0 && at > (HEIGHT - LOAD + 6) / HEIGHT);
  return inside.filter((_, i) => i % Math.ceil(inside.length / MOST_TICKS) === 0);
}

export function picture(result: SceneResult): string {
  const { spanMs, input, marks } = result;
  const x = (ms: number): number => round((WIDTH * ms) / spanMs);
  const path = (kind: string, d: string): string => (d ? `<path class="${kind}" d="${d}"/>` : '');
  // Calls without a pause are a thin line: a wall of them would say no more.
  const kindOf = ({ fromMs, toMs, outcome }: Mark): string => {
    const rejected = fromMs < input.herd.downMs ? 'early' : 'rejected';
    return outcome === 'served' ? outcome : `${rejected}${outcome === 'rejected' && toMs > fromMs ? ' dense' : ''}`;
  };
  const of = (kind: string, wanted = (mark: Mark): boolean => kindOf(mark) === kind): string => {
    const strokes = marks.filter(wanted).map((mark) => draw(mark, x));
    return path(kind, strokes.join(''));
  };
  const lanes = Array.from({ length: Math.min(LANES, input.herd.clients) }, (_, lane) => `M0,${middle(lane)}H${WIDTH}`);
  return [
    `<rect class="down" width="${x(Math.min(input.herd.downMs, spanMs))}" height="${HEIGHT}"/>`,
    path('lane', lanes.join('')),
    ...['early dense', 'early', 'rejected dense', 'rejected'].map((kind) => of(kind)),
    of('gave-up', ({ outcome }) => outcome === 'gaveUp'),
    of('served'),
    path('calls', area(result, result.arrivals)),
    path('taken', area(result, result.accepted)),
    path('capacity', `M0,${round(loadY(result, input.herd.capacityPerS))}H${WIDTH}`),
  ].join('');
}

function draw({ lane, fromMs, toMs, outcome }: Mark, x: (ms: number) => number): string {
  const y = middle(lane);
  // A line of no length has round ends: a dot.
  if (outcome === 'served') return `M${x(fromMs)},${y}h0`;
  if (outcome === 'gaveUp') return `M${x(fromMs)},${y - 4}v8`;
  if (fromMs === toMs) return `M${x(fromMs)},${y - 3.5}v7`;
  return `M${x(fromMs)},${y}H${x(toMs)}`;
}

function middle(lane: number): number {
  return LANE * (lane + 0.5);
}

/** Logarithmic, because a crowd sends a thousand times what a server can take. */
function loadY({ arrivals, spanMs, input }: SceneResult, perS: number): number {
  const most = Math.max(10 * input.herd.capacityPerS, ...arrivals.map((n) => (n * 1000 * BINS) / spanMs));
  const part = Math.log(Math.max(perS, LEAST_PER_S) / LEAST_PER_S) / Math.log(most / LEAST_PER_S);
  return HEIGHT - LOAD * Math.min(1, part);
}

function area(result: SceneResult, counts: readonly number[]): string {
  const step = WIDTH / BINS;
  let d = '';
  for (const [bin, n] of counts.entries()) {
    if (n === 0) continue;
    const y = round(Math.min(HEIGHT - 1, loadY(result, (n * 1000 * BINS) / result.spanMs)));
    d += `M${round(bin * step)},${HEIGHT}V${y}h${step}V${HEIGHT}z`;
  }
  return d;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
