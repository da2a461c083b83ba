/**
 * Scales from numbers to pixels. Not those of d3-scale: they bring colours, dates and formats that nothing here uses.
 */
import { ticks } from 'd3-array';

export type Span = readonly [from: number, to: number];

export interface Scale {
  (value: number): number;
  readonly domain: Span;
  readonly range: Span;
  /** The value at a pixel. */
  invert(pixel: number): number;
  /** Round values of the domain, about as many as asked for. */
  ticks(count: number): number[];
}

export function linear(domain: Span, range: Span): Scale {
  return scale(
    domain,
    range,
    (value) => value,
    (value) => value,
    (count) => ticks(...domain, count),
  );
}

/** The domain ascends and is positive. */
export function log(domain: Span, range: Span): Scale {
  const [from, to] = domain;
  const [low, high] = [Math.log10(from), Math.log10(to)];
  const power = (exponent: number): number => Number(`1e${exponent}`);
  return scale(domain, range, Math.log, Math.exp, (count) => {
    // Over many powers of ten these are the ticks, over few their multiples, over less than one what a linear scale
    // has.
    if (high - low >= count) return ticks(low, high, count).map(power);
    const first = Math.floor(low);
    const multiples = Array.from({ length: Math.ceil(high) - first + 1 }, (_, i) =>
      Array.from({ length: 9 }, (_, k) => (first + i < 0 ? (k + 1) / power(-first - i) : (k + 1) * power(first + i))),
    );
    const inside = multiples.flat().filter((tick) => tick >= from && tick <= to);
    return 2 * inside.length < count ? ticks(from, to, count) : inside;
  });
}

/** The places of these ascending values on another scale, by index: every place between belongs to the nearest one. */
export function stops(values: ArrayLike<number>, on: Scale): Scale {
  const last = values.length - 1;
  const at = (index: number): number => on(values[Math.round(index)] ?? 0);
  const invert = (pixel: number): number => {
    let index = 0;
    while (index < last && Math.abs(at(index + 1) - pixel) <= Math.abs(at(index) - pixel)) index++;
    return index;
  };
  const all = Array.from(values, (_, i) => i);
  return Object.assign(at, { domain: [0, last], range: [at(0), at(last)], invert, ticks: () => all } as const);
}

function scale(
  domain: Span,
  range: Span,
  transform: (value: number) => number,
  back: (transformed: number) => number,
  ticksOf: Scale['ticks'],
): Scale {
  const [from, to] = [transform(domain[0]), transform(domain[1])];
  const place = (value: number): number => {
    // A domain of one value is drawn in the middle.
    const share = from === to ? 0.5 : (transform(value) - from) / (to - from);
    return range[0] * (1 - share) + range[1] * share;
  };
  const invert = (pixel: number): number => back(from + ((pixel - range[0]) / (range[1] - range[0])) * (to - from));
  return Object.assign(place, { domain, range, invert, ticks: ticksOf });
}
