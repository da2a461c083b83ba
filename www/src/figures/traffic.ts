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

  return ({ arrivals, binMs, capacityPerS, downFromMs, downToMs }, box) => {
    const perBin = (capacityPerS * binMs) / 1000;
    const colour = (calls: number, bin: number): Rgb | undefined => {
      const at = (bin + 0.5) * binMs;
      const isDown = at >= downFromMs && at < downToMs;
      if (calls === 0) return isDown ? down : undefined;
      // A whole call in a bin that the capacity fills only partly is no overload yet.
      if (isDown || calls > Math.max(1, perBin)) return pink(calls / perBin);
      return mixed(ground, taken, 0.3 + 0.7 * Math.min(1, calls / perBin));
    };
    return svg('g', {}, svg('rect', { ...box, class: 'ground' }), heatStrip(arrivals, colour, box));
  };
}

const STEPS = 48;

/** What the colours mean, by the colours themselves. */
export function trafficLegend(paint: Painter, x: number, y: number): SVGGElement {
  const group = svg('g', { class: 'legend-marks' });
  const never = { binMs: 1000, downFromMs: Infinity, downToMs: Infinity, capacityPerS: MOST };
  const swatch = { y, width: STEPS, height: 10 };
  const upTo = Float64Array.from({ length: STEPS }, (_, i) => ((i + 1) / STEPS) * MOST);
  const above = Float64Array.from({ length: STEPS }, (_, i) => MOST * MOST ** ((i + 1) / STEPS));
  const down = { ...never, downFromMs: 0, arrivals: new Float64Array(1) };
  const items = [
    { label: 'up to capacity', picture: paint({ ...never, arrivals: upTo }, { ...swatch, x }), at: x },
    { label: 'above capacity', picture: paint({ ...never, arrivals: above }, { ...swatch, x: x + 148 }), at: x + 148 },
  ];
  const last = paint(down, { ...swatch, x: x + 300, width: 20 });
  for (const { label, picture, at } of items) group.append(picture, svg('text', { x: at + STEPS + 8, y: y + 9 }, label));
  group.append(last, svg('text', { x: x + 328, y: y + 9 }, 'server down'));
  return group;
}
