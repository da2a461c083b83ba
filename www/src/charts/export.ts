/** A figure as a picture that stands alone: title, drawing, settings, seed, link and font. */
import { version } from 'rejitter/package.json';
import interUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { store } from '../state/page';
import { colorOf, type Rgb } from './colors';
import { html, svg } from './dom';
import type { FigureSpec } from './spec';

interface Source {
  readonly spec: FigureSpec<unknown>;
  readonly data: unknown;
  readonly card: HTMLElement;
  readonly subtitle: HTMLElement;
  /** Reproduces the figure. */
  readonly link: string;
}

/** Properties that a mark inherits from the element around it. */
const INHERITED = [
  ...[
    'fill',
    'fill-opacity',
    'fill-rule',
    'paint-order',
    'image-rendering',
    'text-anchor',
    'dominant-baseline',
    'visibility',
  ],
  ...['', '-width', '-opacity', '-dasharray', '-dashoffset', '-linecap', '-linejoin', '-miterlimit'].map(
    (part) => `stroke${part}`,
  ),
  ...['font-family', 'font-size', 'font-weight', 'font-style', 'font-variant-numeric', 'letter-spacing'],
];
/** Properties that it does not inherit, with their value if no style sheet sets them. */
const OWN: readonly (readonly [name: string, initial: string])[] = [
  ['opacity', '1'],
  ['display', 'inline'],
  ['mix-blend-mode', 'normal'],
  ['vector-effect', 'none'],
];

const PAD = 24;
/** How far a drawing may reach into the padding. */
const REACH = PAD - 8;
/** Twice as fine as the page. */
const FINENESS = 2;

/** Saves the figure, as wide as on the page. */
export async function saveFigure(source: Source): Promise<void> {
  const [font] = await Promise.all([
    fontFace(),
    document.fonts.load('400 12px Inter'),
    document.fonts.load('650 12px Inter'),
  ]);
  const shown = Math.floor(source.card.querySelector('.drawing')?.clientWidth || source.card.clientWidth - 36);
  save(`rejitter-${source.spec.id}.png`, await pngBlob(framed(source, font, shown + 2 * PAD)));
}

/** Where everything goes in a picture of this width. */
function frame({ spec, data, subtitle, link }: Source, width: number) {
  const text = rgb(colorOf('--text'));
  const muted = rgb(colorOf('--muted'));
  const inner = width - 2 * PAD;
  const settings = `${spec.settings(data)}; seed ${store.get().seed}`;
  const head = [
    ...lines([{ text: spec.title, color: text, weight: 650 }], 20, inner),
    ...(spec.subtitle ? lines(runsOf(subtitle), 14, inner) : []),
  ];
  const foot = [
    ...lines([{ text: settings, color: muted, weight: 400 }], 12, inner),
    ...lines([{ text: `Source: rejitter ${version}, ${link}`, color: muted, weight: 400 }], 12, inner),
  ];
  const height = spec.height(inner, data);
  const top = PAD + heightOf(head) + 12;
  return { head, foot, inner, height, top, whole: top + height + 16 + heightOf(foot) + PAD };
}

function framed(source: Source, font: string, width: number): SVGSVGElement {
  const { head, foot, inner, height: drawingHeight, top, whole: height } = frame(source, width);
  const drawing = styled(source, inner, drawingHeight);
  const { x, width: reach } = drawing.box;
  const shrink = Math.min(1, (inner + 2 * REACH) / reach);
  const left = PAD + Math.max(0, -REACH - shrink * x) - Math.max(0, shrink * (x + reach) - inner - REACH);
  return svg(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height },
    svg('style', {}, font),
    svg('rect', { width: '100%', height: '100%', fill: rgb(colorOf('--card')) }),
    textBlock(head, PAD),
    svg('g', { transform: `translate(${left} ${top}) scale(${shrink})`, style: drawing.style }, ...drawing.marks),
    textBlock(foot, height - PAD - heightOf(foot)),
  );
}

/** The figure drawn again, with the styles of its marks written into them. */
function styled({ spec, data, card }: Source, width: number, height: number) {
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, ...spec.draw(data, width));
  // In the card, so that the same rules apply. Out of sight, and for this task only.
  const host = html(
    'div',
    { class: 'drawing', style: 'position: absolute; left: -99999px; visibility: visible' },
    root,
  );
  card.append(host);
  const box = root.getBBox();
  const written = [root, ...root.querySelectorAll<SVGElement>('*')].map(
    (element) => [element, styleOf(element, element === root)] as const,
  );
  host.remove();
  for (const [element, style] of written) {
    for (const { name } of [...element.attributes])
      if (name === 'class' || name.startsWith('data-')) element.removeAttribute(name);
    if (style) element.setAttribute('style', style);
  }
  return { box, style: written[0]?.[1], marks: [...root.children] };
}

function styleOf(element: SVGElement, isRoot: boolean): string {
  const computed = getComputedStyle(element);
  const around = element.parentElement && !isRoot ? getComputedStyle(element.parentElement) : undefined;
  const own = OWN.filter(([name, initial]) => !isRoot && computed.getPropertyValue(name) !== initial).map(
    ([name]) => name,
  );
  const names = [
    ...INHERITED.filter((name) => computed.getPropertyValue(name) !== around?.getPropertyValue(name)),
    ...own,
  ];
  return names.map((name) => `${name}:${computed.getPropertyValue(name).replaceAll('"', "'")}`).join(';');
}

interface Run {
  readonly text: string;
  readonly color: string;
  readonly weight: number;
}
interface Line {
  readonly size: number;
  readonly runs: readonly Run[];
}

/** The text of an element, in its colours and weights. */
function runsOf(element: Element): Run[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const runs: Run[] = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (!parentElement || !textContent) continue;
    const { color, fontWeight } = getComputedStyle(parentElement);
    runs.push({ text: textContent, color, weight: Number(fontWeight) });
  }
  return runs;
}

/** Broken at spaces, and in links before their parts. */
function lines(runs: readonly Run[], size: number, width: number): Line[] {
  const words = runs.flatMap(({ text, ...rest }) =>
    text.split(/(?<= )|(?=[&?#])/).map((word) => ({ text: word, ...rest })),
  );
  const found: Run[][] = [[]];
  let used = 0;
  for (const word of words) {
    const needed = measured(word, size);
    if (used > 0 && used + needed > width) {
      found.push([]);
      used = 0;
    }
    found.at(-1)?.push(word);
    used += needed;
  }
  return found.map((line) => ({ size, runs: line }));
}

let context: CanvasRenderingContext2D | null | undefined;

function measured({ text, weight }: Run, size: number): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return 0;
  context.font = `${weight} ${size}px Inter`;
  return context.measureText(text.trimEnd()).width + (text.endsWith(' ') ? 0.3 * size : 0);
}

function lineHeight({ size }: Line): number {
  return Math.round(1.4 * size);
}

function heightOf(block: readonly Line[]): number {
  return block.reduce((sum, line) => sum + lineHeight(line), 0);
}

function textBlock(block: readonly Line[], top: number): SVGGElement {
  let y = top;
  const texts = block.map((line) => {
    y += lineHeight(line);
    const runs = line.runs.map(({ text, color, weight }) => svg('tspan', { fill: color, 'font-weight': weight }, text));
    return svg('text', { x: PAD, y: y - 0.4 * line.size, 'font-size': line.size, 'xml:space': 'preserve' }, ...runs);
  });
  return svg(
    'g',
    { 'font-family': 'Inter, system-ui, sans-serif', style: 'font-variant-numeric: tabular-nums' },
    ...texts,
  );
}

function rgb(color: Rgb): string {
  return `rgb(${color.join()})`;
}

let font: Promise<string> | undefined;

/** The page's own font, which the browser has loaded before. A file without it would fall back to any other. */
function fontFace(): Promise<string> {
  font ??= (async () => {
    const response = await fetch(interUrl);
    if (!response.ok) throw new Error(`the font did not load (${response.status})`);
    const reader = new FileReader();
    const loaded = new Promise((resolve) => (reader.onload = resolve));
    reader.readAsDataURL(new Blob([await response.arrayBuffer()], { type: 'font/woff2' }));
    await loaded;
    return `@font-face{font-family:Inter;font-weight:100 900;src:url(${String(reader.result)}) format('woff2')}`;
  })();
  font.catch(() => (font = undefined));
  return font;
}

async function pngBlob(drawing: SVGSVGElement): Promise<Blob> {
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

function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Not at once: the browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
