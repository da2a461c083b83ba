/** A figure as a picture that stands alone: title, drawing, settings, seed, link and font. */
import { version } from 'rejitter/package.json';
import interUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { store } from '../state/store';
import { html, label, svg } from './dom';
import type { FigureSpec } from './figure';

interface Source {
  readonly spec: FigureSpec<unknown>;
  readonly data: unknown;
  readonly card: HTMLElement;
  readonly subtitle: HTMLElement;
  /** Reproduces the figure. */
  readonly link: string;
}

/** What style sheets say of marks, to be written into them. */
const STYLES = ['', '-width', '-opacity', '-dasharray', '-linecap', '-linejoin']
  .map((part) => `stroke${part}`)
  .concat(
    ['fill', 'fill-opacity', 'paint-order', 'text-anchor', 'opacity', 'display'],
    ['font-family', 'font-size', 'font-weight'],
  );
const PAD = 24;
/** How far a drawing may reach into the padding. */
const REACH = PAD - 8;
/** Twice as fine as the page. */
const FINENESS = 2;
const FONT = 'Inter, system-ui, sans-serif';

/** Saves the figure, as wide as on the page. */
export async function saveFigure(source: Source): Promise<void> {
  const fonts = ['400', '650'].map((weight) => document.fonts.load(`${weight} 12px Inter`));
  const [font] = await Promise.all([fontFace(), ...fonts]);
  const link = html('a', { href: URL.createObjectURL(await pngOf(framed(source, font))) });
  link.download = `rejitter-${source.spec.id}.png`;
  document.body.append(link);
  link.click();
  link.remove();
  // Not at once: the browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function framed({ spec, data, card, subtitle, link }: Source, font: string): SVGSVGElement {
  const inner = card.querySelector('.drawing')?.clientWidth ?? 0;
  const { color } = getComputedStyle(card);
  const muted = getComputedStyle(subtitle).color;
  const head = [...block(spec.title, 20, inner, color, 650), ...block(plainText(subtitle), 14, inner, color, 400)];
  const foot = [
    ...block(`${spec.settings(data)}; seed ${store.get().seed}`, 12, inner, muted, 400),
    ...block(`Source: rejitter ${version}, ${link}`, 12, inner, muted, 400),
  ];
  const drawingHeight = spec.height(inner, data);
  const top = PAD + heightOf(head) + 12;
  const width = inner + 2 * PAD;
  const height = top + drawingHeight + 16 + heightOf(foot) + PAD;
  const { box, marks } = styled(svg('svg', { width: inner, height: drawingHeight }, ...spec.draw(data, inner)), card);
  const shrink = Math.min(1, (inner + 2 * REACH) / box.width);
  const over = shrink * (box.x + box.width) - inner - REACH;
  const left = PAD + Math.max(0, -REACH - shrink * box.x) - Math.max(0, over);
  return svg(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height },
    svg('style', {}, font),
    svg('rect', { width: '100%', height: '100%', fill: getComputedStyle(card).backgroundColor }),
    ...placed(head, PAD),
    svg('g', { transform: `translate(${left} ${top}) scale(${shrink})` }, ...marks),
    ...placed(foot, height - PAD - heightOf(foot)),
  );
}

/** With exponents as they stand in a line. */
function plainText(element: HTMLElement): string {
  const copy = element.cloneNode(true) as HTMLElement;
  for (const sup of copy.querySelectorAll('sup')) sup.replaceWith(`^(${sup.textContent})`);
  return copy.textContent ?? '';
}

/** The marks of a drawing, with their styles written into them. */
function styled(root: SVGSVGElement, card: HTMLElement) {
  // In the card, so that the same rules apply. Out of sight, and for this task only.
  const host = html('div', { class: 'drawing', style: 'position: absolute; left: -99999px' }, root);
  card.append(host);
  const box = root.getBBox();
  const marks = [...root.querySelectorAll<SVGElement>('*')];
  const styles = marks.map((mark) => {
    const computed = getComputedStyle(mark);
    return STYLES.map((name) => `${name}:${computed.getPropertyValue(name).replaceAll('"', "'")}`).join(';');
  });
  host.remove();
  for (const [i, mark] of marks.entries()) mark.setAttribute('style', styles[i] ?? '');
  return { box, marks: [...root.children] };
}

interface Line {
  readonly text: string;
  readonly size: number;
  readonly style: { readonly fill: string; readonly 'font-weight': number };
}

/** A text broken at spaces, and in links before their parts. */
function block(text: string, size: number, width: number, fill: string, weight: number): Line[] {
  const context = html('canvas').getContext('2d');
  if (context) context.font = `${weight} ${size}px Inter`;
  const found: string[] = [''];
  for (const word of text.split(/(?<= )|(?=[&?#])/)) {
    const line = found.at(-1) ?? '';
    const fits = (context?.measureText((line + word).trimEnd()).width ?? 0) <= width;
    if (line === '' || fits) found[found.length - 1] = line + word;
    else found.push(word);
  }
  return found.map((line) => ({ text: line, size, style: { fill, 'font-weight': weight } }));
}

function lineHeight({ size }: Line): number {
  return Math.round(1.4 * size);
}

function heightOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + lineHeight(line), 0);
}

function placed(lines: readonly Line[], top: number): SVGTextElement[] {
  let y = top;
  return lines.map((line) => {
    y += lineHeight(line);
    return label(PAD, y - 0.4 * line.size, line.text, '', {
      'font-size': line.size,
      'font-family': FONT,
      ...line.style,
    });
  });
}

/** The page's own font, which the browser has loaded before. A file without it would fall back to any other. */
async function fontFace(): Promise<string> {
  const response = await fetch(interUrl);
  if (!response.ok) throw new Error(`the font did not load (${response.status})`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,${base64}) format('woff2')}`;
}

async function pngOf(drawing: SVGSVGElement): Promise<Blob> {
  const [width, height] = ['width', 'height'].map((side) => FINENESS * Number(drawing.getAttribute(side)));
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
  await image.decode();
  const canvas = html('canvas', { width, height });
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the browser drew no picture'))), 'image/png');
  });
}
