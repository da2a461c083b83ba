/** Shape = backoff: what a point of a figure looks like. */
import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond2,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
  type SymbolType,
} from 'd3-shape';
import { curveActs, type Backoff, type Choice } from '../state/strategy';
import { svg } from './dom';

const SHAPES: Record<Backoff, SymbolType> = {
  fixed: symbolSquare,
  linear: symbolTriangle,
  exponential: symbolCircle,
  truncated: symbolDiamond2,
  fibonacci: symbolStar,
  list: symbolWye,
};

/** `area` in square pixels. Where no backoff acts the shape is a cross. */
export function symbolMark(choice: Choice, x: number, y: number, area: number): SVGPathElement {
  const shape = curveActs(choice) ? SHAPES[choice.backoff] : symbolCross;
  return svg('path', {
    d: symbol(shape, area)() ?? '',
    transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
    class: 'symbol',
  });
}
