/** A heat strip: one colour per value, from left to right, as a picture one pixel high. */
import { svg } from './dom';
import type { Rgb } from './colors';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One for all strips, in memory rather than on the graphics card: a new one costs most of the drawing. */
let context: CanvasRenderingContext2D | null | undefined;

/** `colour` may answer nothing: then the ground shows. */
export function heatStrip(
  values: ArrayLike<number>,
  colour: (value: number, index: number) => Rgb | undefined,
  box: Box,
): SVGImageElement {
  context ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (context) {
    context.canvas.width = Math.max(1, values.length);
    context.canvas.height = 1;
    const pixels = context.createImageData(context.canvas.width, 1);
    for (let i = 0; i < values.length; i++) {
      const rgb = colour(values[i] ?? 0, i);
      if (rgb) pixels.data.set([...rgb, 255], 4 * i);
    }
    context.putImageData(pixels, 0, 0);
  }
  return svg('image', { ...box, href: context?.canvas.toDataURL(), preserveAspectRatio: 'none', class: 'strip' });
}
