/**
 * Scales from numbers to pixels. Not those of d3-scale: they bring colours, dates and formats that nothing here uses.
 */
import { ticks } from 'd3-array';

export type Span = readonly [from: number, to: number];

export interface Scale {
  (value: number): number;
  readonly domain: Span;
  readonly range: Span;
  /** Round values of the domain, about as many as asked for. */
  ticks(count: number): number[];
}

export function linear(domain: Span, range: Span): Scale {
  return scale(domain, range, Number);
}

/** The domain ascends and is positive. */
export function log(domain: Span, range: Span): Scale {
  return scale(domain, range, Math.log);
}

function scale(domain: Span, range: Span, transform: (value: number) => number): Scale {
  const [from, to] = [transform(domain[0]), transform(domain[1])];
  const place = (value: number): number => {
    // A domain of one value is drawn in the middle.
    const share = from === to ? 0.5 : (transform(value) - from) / (to - from);
    return range[0] * (1 - share) + range[1] * share;
  };
  return Object.assign(place, { domain, range, ticks: (count: number) => ticks(...domain, count) });
}
