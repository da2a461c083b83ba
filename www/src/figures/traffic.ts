/** Traffic as a heat strip: dark is load that the server can take, pink is more; the ground is pink while it is down. */
import { colorOf, mixed, type Rgb } from '../charts/colors';
import { svg } from '../charts/dom';
import { heatStrip, type Box } from '../charts/strip';

export interface Traffic {
  /** Calls per time bin. */
  readonly arrivals: ArrayLike<number>;
  readonly binMs: number;
  readonly capacityPerS: number;
  readonly downFromMs: number;
  readonly downToMs: number;
  /** Calls per bin that get no answer in time: what has piled up is overload, too. */
  readonly late?: ArrayLike<number>;
}

/** So many times the capacity has the fullest pink. */
const MOST = 100;

export type Painter = (traffic: Traffic, box: Box) => SVGGElement;

/** Draws strips in the colours that the page has now. */
export function createPainter(): Painter {
  const [ground, taken, over] = [colorOf('--sunken'), colorOf('--none'), colorOf('--failed')];
  const down = mixed(ground, over, 0.1);

  function pink(load: number): Rgb {
    return mixed(ground, over, 0.55 + 0.45 * Math.min(1, Math.log(Math.max(1, load)) / Math.log(MOST)));
  }

  return ({ arrivals, binMs, capacityPerS, downFromMs, downToMs, late }, box) => {
    const perBin = (capacityPerS * binMs) / 1000;
    const colour = (calls: number, bin: number): Rgb | undefined => {
      const at = (bin + 0.5) * binMs;
      const isDown = at >= downFromMs && at < downToMs;
      if (calls === 0) return isDown ? down : undefined;
      // A whole call in a bin that the capacity fills only partly is no overload yet.
      if (isDown || calls > Math.max(1, perBin) || (late?.[bin] ?? 0) > 0) return pink(calls / perBin);
      return mixed(ground, taken, 0.3 + 0.7 * Math.min(1, calls / perBin));
    };
    return svg('g', {}, svg('rect', { ...box, class: 'ground' }), heatStrip(arrivals, colour, box));
  };
}

const SWATCH = 36;
/** The width of a letter, on the average. */
const LETTER = 6.2;

/** What the colours mean, by the colours themselves; on two lines where one has no room. */
export function trafficLegend(
  paint: Painter,
  { x, width }: Pick<Box, 'x' | 'width'>,
  y: number,
  { above = 'above capacity', hasDown = true } = {},
): SVGGElement {
  const plain = { binMs: 1000, downFromMs: Infinity, downToMs: Infinity, capacityPerS: MOST };
  const ramp = (value: (part: number) => number): Float64Array => Float64Array.from({ length: SWATCH }, (_, i) => value((i + 1) / SWATCH));
  const items = [
    { label: 'up to capacity', traffic: { ...plain, arrivals: ramp((part) => MOST * part) } },
    { label: above, traffic: { ...plain, arrivals: ramp((part) => MOST * MOST ** part) } },
    ...(hasDown ? [{ label: 'server down', traffic: { ...plain, downFromMs: 0, arrivals: new Float64Array(1) } }] : []),
  ];
  const group = svg('g');
  let [left, top] = [x, y];
  for (const { label, traffic } of items) {
    const needed = SWATCH + 24 + label.length * LETTER;
    if (left > x && left + needed > x + width) [left, top] = [x, top + 18];
    group.append(paint(traffic, { x: left, y: top, width: SWATCH, height: 10 }), svg('text', { x: left + SWATCH + 7, y: top + 9 }, label));
    left += needed;
  }
  return group;
}

/** The moment from which on the server serves again. */
export function serverBack(x: number, y: number): SVGGElement {
  const at = Math.round(x) + 0.5;
  return svg('g', { class: 'server-back' }, svg('line', { x1: at, x2: at, y1: y, y2: y + 18 }), svg('text', { x: at + 6, y: y + 12 }, 'server back'));
}
