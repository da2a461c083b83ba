/** A heat strip: one colour per value, from left to right, as a picture one pixel high. */
import { svg } from './dom';
import type { Rgb } from './colors';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** `colour` may answer nothing: then the ground shows. */
export function heatStrip(values: ArrayLike<number>, colour: (value: number, index: number) => Rgb | undefined, box: Box): SVGImageElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, values.length);
  canvas.height = 1;
  const context = canvas.getContext('2d');
  const pixels = context?.createImageData(canvas.width, 1);
  if (context && pixels) {
    for (let i = 0; i < values.length; i++) {
      const rgb = colour(values[i] ?? 0, i);
      if (rgb) pixels.data.set([...rgb, 255], 4 * i);
    }
    context.putImageData(pixels, 0, 0);
  }
  return svg('image', { ...box, href: canvas.toDataURL(), preserveAspectRatio: 'none', class: 'strip' });
}
