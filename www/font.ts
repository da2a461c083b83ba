/** The page's font, with the characters and weights that the page has: a third of the bytes. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

const ROOT = import.meta.dirname;
const SOURCES = ['index.html', 'protection/index.html', ...filesIn('partials'), ...filesIn('src')];
/** The lightest and the boldest text. */
const WEIGHTS = { min: 400, max: 650 };
const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));

function filesIn(folder: string): string[] {
  const all = readdirSync(`${ROOT}/${folder}`, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(ROOT, `${parentPath}/${name}`));
}

/** Visitors type ASCII; a character that no source has is drawn with the next font of the list. */
export const font: Plugin = {
  name: 'font',
  async generateBundle(_, bundle) {
    const texts = SOURCES.map((file) => readFileSync(`${ROOT}/${file}`, 'utf8'));
    for (const file of Object.values(bundle))
      if (file.type === 'asset' && file.fileName.endsWith('.woff2'))
        file.source = await subsetFont(Buffer.from(file.source), [ASCII, ...texts].join(''), {
          targetFormat: 'woff2',
          variationAxes: { wght: WEIGHTS },
          // The page sets no features, so it needs no alternates of these characters.
          noLayoutClosure: true,
        });
  },
};
