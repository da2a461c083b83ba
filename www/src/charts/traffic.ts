/**
 * Traffic as a heat strip: the text's colour is what the server serves, pink what it rejects once it is back. While it
 * is down the strip is grey and hatched: it serves no client.
 */
import { colorOf, mixed, type Rgb } from './colors';
import { svg } from './dom';
import { legendPlaces, type Place } from './legend';
import { heatStrip, type Box } from './strip';

export interface Traffic {
  /** Calls per time bin. */
  readonly arrivals: ArrayLike<number>;
  /** Calls per bin that the server serves; by default as many as its capacity allows. */
  readonly accepted?: ArrayLike<number>;
  readonly binMs: number;
  readonly capacityPerS: number;
  readonly downFromMs: number;
  readonly downToMs: number;
}

/** The fullest pink is for this many times the capacity. */
const MOST = 100;

export type Painter = (traffic: Traffic, box: Box) => SVGGElement;

/** Draws strips in the colours that the page has now. */
export function createPainter(): Painter {
  const [ground, taken, over, muted] = [
    colorOf('--sunken'),
    colorOf('--none'),
    colorOf('--failed'),
    colorOf('--muted'),
  ];
  const part = (load: number): number => Math.min(1, Math.log(1 + load) / Math.log(1 + MOST));

  return ({ arrivals, accepted, binMs, capacityPerS, downFromMs, downToMs }, box) => {
    const perBin = (capacityPerS * binMs) / 1000;
    const colour = (calls: number, bin: number): Rgb | undefined => {
      const at = (bin + 0.5) * binMs;
      if (at >= downFromMs && at < downToMs)
        return mixed(ground, muted, calls === 0 ? 0.12 : 0.25 + 0.5 * part(calls / perBin));
      if (calls === 0) return undefined;
      // A whole call in a bin that the capacity fills only partly does not count as overload.
      const served = accepted?.[bin] ?? Math.min(calls, Math.max(1, perBin));
      const dark = served === 0 ? ground : mixed(ground, taken, 0.3 + 0.7 * Math.min(1, served / perBin));
      if (calls <= served) return dark;
      // The depth of the pink is the number of rejected calls, and a few of them are still seen.
      return mixed(dark, over, Math.max(served === 0 ? 0.4 : 0.15, part((calls - served) / perBin)));
    };
    const strip = heatStrip(arrivals, colour, box);
    const spanMs = arrivals.length * binMs;
    const [from, to] = [downFromMs, downToMs].map((ms) => box.x + (box.width * Math.min(ms, spanMs)) / spanMs);
    return svg(
      'g',
      {},
      svg('rect', { ...box, class: 'ground' }),
      strip,
      hatch({ ...box, x: from ?? 0, width: (to ?? 0) - (from ?? 0) }),
    );
  };
}

const HATCH = 5;

/** Slanted lines over a box. */
function hatch({ x, y, width, height }: Box): SVGPathElement | null {
  if (!(width > 0)) return null;
  let d = '';
  for (let start = HATCH / 2 - height; start < width; start += HATCH) {
    const [left, right] = [Math.max(0, start), Math.min(width, start + height)];
    if (right <= left) continue;
    const [from, to] = [y + height - (left - start), y + height - (right - start)];
    d += `M${(x + left).toFixed(1)},${from.toFixed(1)}L${(x + right).toFixed(1)},${to.toFixed(1)}`;
  }
  return svg('path', { d, class: 'hatch' });
}

/** The clients that have been served by the time, from none at the bottom of the box to all at its top. */
export function servedCurve(accepted: ArrayLike<number>, clients: number, { x, y, width, height }: Box): SVGGElement {
  const [bottom, step] = [y + height, width / Math.max(1, accepted.length)];
  const level = (served: number): string => (bottom - (height * served) / clients).toFixed(2);
  let d = `M${x},${bottom}`;
  let served = 0;
  for (let bin = 0; bin < accepted.length; bin++) {
    const more = accepted[bin] ?? 0;
    if (more === 0) continue;
    // A bin's clients are served in the course of it.
    d += `H${(x + bin * step).toFixed(2)}`;
    served += more;
    d += `L${(x + (bin + 1) * step).toFixed(2)},${level(served)}`;
  }
  d += `H${x + width}`;
  return svg(
    'g',
    { class: 'served' },
    svg('rect', { x, y, width, height, class: 'ground' }),
    svg('path', { d: `${d}V${bottom}z`, class: 'filled' }),
    svg('path', { d, class: 'edge' }),
  );
}

const SWATCH = 36;
const SWATCH_GAP = 7;
const LINE = 18;

interface LegendOptions {
  /** Meaning of dark and pink. */
  readonly taken?: string;
  readonly above?: string;
  /** Whether the server is ever down. */
  readonly hasDown?: boolean;
  /** Whether the strips have a curve of the served below them. */
  readonly hasServed?: boolean;
}

type Swatch = (paint: Painter, box: Box) => SVGElement | null;

function legendItems({
  taken = 'served',
  above = 'rejected',
  hasDown = true,
  hasServed = false,
}: LegendOptions): readonly (readonly [label: string, swatch: Swatch])[] {
  const plain = { binMs: 1000, downFromMs: Infinity, downToMs: Infinity, capacityPerS: MOST };
  const ramp = (value: (part: number) => number): Float64Array =>
    Float64Array.from({ length: SWATCH }, (_, i) => value((i + 1) / SWATCH));
  const all: [string, Swatch][] = [
    [taken, (paint, box) => paint({ ...plain, arrivals: ramp((part) => MOST * part) }, box)],
    [
      above,
      (paint, box) =>
        paint({ ...plain, arrivals: ramp((part) => MOST * MOST ** part), accepted: new Float64Array(SWATCH) }, box),
    ],
    [
      'server down',
      (paint, box) => paint({ ...plain, downFromMs: 0, arrivals: ramp((part) => MOST * MOST ** (part - 0.5)) }, box),
    ],
  ];
  if (!hasDown) all.pop();
  if (!hasServed) return all;
  return [...all, ['share of clients served', (_, box) => servedCurve([1, 1, 1, 1], 4, box)]];
}

function placesOf(items: ReturnType<typeof legendItems>, width: number): Place[] {
  const labels = items.map(([label]) => label);
  return legendPlaces(labels, SWATCH + SWATCH_GAP, width);
}

/** How high the legend is in this width: reserve it below the axis. */
export function legendHeight(width: number, options: LegendOptions = {}): number {
  return LINE * (1 + (placesOf(legendItems(options), width).at(-1)?.line ?? 0));
}

/** Meaning of the colours, by the colours themselves; on as many lines as the width needs. */
export function trafficLegend(
  paint: Painter,
  { x, width }: Pick<Box, 'x' | 'width'>,
  y: number,
  options: LegendOptions = {},
): SVGGElement {
  const items = legendItems(options);
  const places = placesOf(items, width);
  const group = svg('g', { class: 'traffic-legend' });
  for (const [i, [label, swatch]] of items.entries()) {
    const { left, line } = places[i] ?? { left: 0, line: 0 };
    const box = { x: x + left, y: y + LINE * line, width: SWATCH, height: 10 };
    group.append(
      svg('g', {}, swatch(paint, box)),
      svg('text', { x: box.x + SWATCH + SWATCH_GAP, y: box.y + 9 }, label),
    );
  }
  return group;
}

/** The moment from which on the server serves again. */
export function serverBack(x: number, y: number): SVGGElement {
  const at = Math.round(x) + 0.5;
  return svg(
    'g',
    { class: 'server-back' },
    svg('line', { x1: at, x2: at, y1: y, y2: y + 18 }),
    svg('text', { x: at + 6, y: y + 12 }, 'server back'),
  );
}
