/** A figure as a file: SVG that stands alone, PNG at twice the size, CSV. */
import { csv, type Table } from './table';

/** What style sheets give to the marks of a figure. */
const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'stroke-opacity', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'image-rendering'];

/** The figure with its styles written into it, on its card's background. */
export function svgText(figure: SVGSVGElement, background: string): string {
  const copy = figure.cloneNode(true) as SVGSVGElement;
  const originals = [figure, ...figure.querySelectorAll<SVGElement>('*')];
  for (const [i, element] of [copy, ...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const original = originals[i];
    if (!original) continue;
    const computed = getComputedStyle(original);
    if (computed.display === 'none') element.setAttribute('display', 'none');
    element.setAttribute('style', STYLES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(';'));
    element.removeAttribute('class');
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries({ width: '100%', height: '100%', fill: background })) ground.setAttribute(name, value);
  copy.querySelector('desc')?.after(ground);
  return new XMLSerializer().serializeToString(copy);
}

export async function pngBlob(text: string, width: number, height: number): Promise<Blob> {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the browser drew no picture'))), 'image/png');
  });
}

export function csvBlob(table: Table): Blob {
  return new Blob([csv(table)], { type: 'text/csv;charset=utf-8' });
}

export function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Not at once: the browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
