/**
 * Writes the first figures into the page, and makes its preview picture: both are there before any script, and for
 * readers without scripts. The page's own code draws them, with the numbers of the installed package.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import subsetFont from 'subset-font';
import { runnerImport, type Plugin } from 'vite';
import * as links from './src/links.ts';
import { installDocument } from './node-document.ts';
import { markRules, resolved, type Scheme } from './style-values.ts';

const PREVIEW = 'preview.png';
const PREVIEW_SIZE = { width: 1200, height: 630 };
const TITLE = 'See what your retries do to a server';
const JITTERS = ['none', 'full', 'equal', 'decorrelated'];

type Drawn = Awaited<ReturnType<typeof draw>>;

export function firstPaint(): Plugin {
  let light: Drawn | undefined;
  return {
    name: 'first-paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        light = await draw(html, 'light');
        const dark = await draw(html, 'dark');
        for (const id of ['hero-body', 'delays-body'] as const) {
          const drawn = still(bothSchemes(light[id], dark[id]));
          html = html.replace(
            new RegExp(`<div id="${id}"([^>]*)></div>`),
            (_, rest: string) => `<div id="${id}"${rest}><div class="static">${drawn}</div></div>`,
          );
        }
        return html;
      },
    },
    async generateBundle() {
      if (!light) throw new Error('the page was not drawn');
      this.emitFile({ type: 'asset', fileName: PREVIEW, source: await preview(light['hero-body']) });
    },
  };
}

/** Replaces `{{NAME}}` in the page with the constants of src/links.ts. */
export function pageLinks(): Plugin {
  return {
    name: 'page-links',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
          const DOCS = process.env.REJITTER_DOCS ?? links.DOCS;
          const value = { ...links, DOCS, PREVIEW: new URL(PREVIEW, links.SITE).href }[name];
          if (value === undefined) throw new Error(`src/links.ts has no ${name}`);
          return value;
        }),
    },
  };
}

/** First contents of the sections, in a scheme. */
async function draw(html: string, scheme: Scheme) {
  const { document, remove } = installDocument(html, scheme);
  try {
    const { module } = await runnerImport<typeof import('./src/first-paint.ts')>(
      fileURLToPath(new URL('src/first-paint.ts', import.meta.url)),
      {
        configFile: false,
        logLevel: 'error',
        root: fileURLToPath(new URL('.', import.meta.url)),
      },
    );
    await module.drawFirst();
    const bodyOf = (id: string): Element => {
      const body = document.getElementById(id);
      // Figures are drawn when they come near.
      for (const figure of body?.querySelectorAll('.pair, figure') ?? []) figure.remove();
      if (!body?.querySelector('svg')) throw new Error(`nothing was drawn in #${id}`);
      return body;
    };
    return { 'hero-body': bodyOf('hero-body'), 'delays-body': bodyOf('delays-body') };
  } finally {
    remove();
  }
}

/** The light one, with the pictures of both. */
function bothSchemes(light: Element, dark: Element): Element {
  const both = light.cloneNode(true) as Element;
  const pictures = [...dark.querySelectorAll('image')];
  for (const [i, picture] of [...both.querySelectorAll('image')].entries()) {
    const other = pictures[i]?.cloneNode(true) as Element;
    picture.classList.add('if-light');
    other.classList.add('if-dark');
    picture.after(other);
  }
  return both;
}

/** Without what only scripts can serve: a picture with its words. */
function still(body: Element): string {
  for (const drawing of body.querySelectorAll('svg')) {
    drawing.removeAttribute('width');
    drawing.setAttribute('preserveAspectRatio', 'none');
  }
  for (const element of body.querySelectorAll('*')) {
    const isButton = element.localName === 'button';
    if (element.getAttribute('aria-checked') === 'true') element.setAttribute('data-checked', '');
    for (const name of [
      'id',
      'role',
      'tabindex',
      'type',
      'aria-checked',
      'aria-busy',
      'aria-labelledby',
      'aria-pressed',
      'data-backoff',
    ]) {
      if (name !== 'role' || element.localName !== 'svg') element.removeAttribute(name);
    }
    if (!isButton) continue;
    if (element.querySelector('svg')) element.setAttribute('role', 'img');
    // Keeps its place.
    else element.setAttribute('style', 'visibility: hidden');
  }
  const wrong = /NaN|undefined/.exec(body.innerHTML);
  if (wrong)
    throw new Error(
      `#${body.id} was drawn with a ${wrong[0]}: node-document.ts lacks something that the page measures`,
    );
  return body.innerHTML.replaceAll(/<button\b/g, '<span').replaceAll('</button>', '</span>');
}

/** The hero on 1200 × 630 pixels, for sites that show links as pictures. */
async function preview(hero: Element): Promise<Uint8Array> {
  const { width, height } = PREVIEW_SIZE;
  const color = (name: string): string => resolved(`var(${name})`, 'light');
  const text = (x: number, y: number, size: number, weight: number, fill: string, words: string): string =>
    `<text x="${x}" y="${y}" style="font-family: Inter; font-size: ${size}px; font-weight: ${weight}; fill: ` +
    `${fill}">${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
  const words = (row: Element, name: string): string => row.querySelector(name)?.textContent ?? '';
  const rows = [...hero.querySelectorAll('.hero-row')].map((row, i) => {
    const strip = row.querySelector('svg');
    const jitter = strip?.getAttribute('data-jitter') ?? 'none';
    const y = 210 + 180 * i;
    const isBad = row.querySelector('.hero-outcome.bad') !== null;
    const outcome = [words(row, '.hero-outcome'), words(row, '.hero-rest')].filter(Boolean).join(', ');
    return (
      text(60, y, 30, 650, resolved(`var(--${jitter}-text)`, 'light'), words(row, '.hero-label')) +
      `<g data-jitter="${jitter}" transform="translate(60 ${y + 18}) ` +
      `scale(${1080 / Number(strip?.getAttribute('width'))} 2)">${strip?.innerHTML}</g>` +
      `<g text-anchor="end">${text(1140, y, 30, 650, color(isBad ? '--failed' : '--text'), outcome)}</g>`
    );
  });
  const drawing =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" ` +
    `height="${height}"><style>${markRules('light', JITTERS)}</style>` +
    `<rect width="100%" height="100%" fill="${color('--card')}"/>` +
    text(60, 106, 52, 650, color('--text'), TITLE) +
    rows.join('') +
    text(60, 580, 26, 650, color('--accent'), 'rejitter') +
    text(190, 580, 26, 400, color('--muted'), /^[^.]*/.exec(words(hero, '.hero-sentence'))?.[0] ?? '') +
    '</svg>';
  // This build of resvg reads fonts from files only.
  const folder = await mkdtemp(path.join(tmpdir(), 'preview-'));
  try {
    const fontFiles = await Promise.all(
      [400, 650].map(async (weight) => {
        const file = path.join(folder, `${weight}.ttf`);
        await writeFile(file, await font(weight));
        return file;
      }),
    );
    return new Resvg(drawing, { font: { fontFiles, loadSystemFonts: false, defaultFontFamily: 'Inter' } })
      .render()
      .asPng();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The page's own font in one weight, in a format that resvg reads. */
async function font(weight: number): Promise<Buffer> {
  const file = createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
  const letters = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i), 0xa0, 0xb7);
  const made = await subsetFont(readFileSync(file), letters, {
    targetFormat: 'truetype',
    variationAxes: { wght: weight },
  });
  // resvg chooses by the weight that a font claims, which stays that of the whole family: the third number of its table
  // OS/2.
  const tables = Array.from({ length: made.readUInt16BE(4) }, (_, i) => made.subarray(12 + 16 * i, 28 + 16 * i));
  const os2 = tables.find((table) => table.toString('latin1', 0, 4) === 'OS/2');
  if (!os2) throw new Error('the font has no weight');
  made.writeUInt16BE(weight, os2.readUInt32BE(8) + 4);
  return made;
}
