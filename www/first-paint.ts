/** Fills the pages: common parts, addresses of the project, and the first scene, computed by the installed package. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport, type Plugin } from 'vite';
import * as links from './src/links.ts';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const SCENE = 'virtual:scene';

let drawn: Promise<typeof import('./src/scene/first.ts')> | undefined;

/** The scene takes a second: once for all pages. */
function firstScene(): Promise<typeof import('./src/scene/first.ts')> {
  drawn ??= runnerImport<typeof import('./src/scene/first.ts')>(`${ROOT}src/scene/first.ts`, {
    configFile: false,
    logLevel: 'error',
    root: ROOT,
  }).then(({ module }) => module);
  return drawn;
}

/** Replaces `{{partial NAME}}` by partials/NAME.html, `{{SCENE}}`, and `{{NAME}}` by the constants of src/links.ts. */
export function pageParts(): Plugin {
  return {
    name: 'page-parts',
    transformIndexHtml: {
      order: 'pre',
      async handler(html, { path }) {
        const HOME = path.lastIndexOf('/') > 0 ? '../' : './';
        // Relative to the page, where the documentation is a folder of this site.
        const DOCS = process.env.REJITTER_DOCS?.replace(/^\.\//, HOME) ?? links.DOCS;
        const SCENE = html.includes('{{SCENE}}') ? (await firstScene()).markup : '';
        const PAGE = links.SITE + path.replace(/^\/|index\.html$/g, '');
        const values: Record<string, string> = { ...links, DOCS, HOME, PAGE, SCENE };
        const whole = html.replace(/\{\{partial (\w+)\}\}/g, (_, name: string) =>
          readFileSync(`${ROOT}partials/${name}.html`, 'utf8').trim(),
        );
        return whole.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
          const value = values[name];
          if (value === undefined) throw new Error(`src/links.ts has no ${name}`);
          return value;
        });
      },
    },
  };
}

/** The module `virtual:scene`: the result of the scene that the build has drawn. */
export function sceneModule(): Plugin {
  return {
    name: 'scene',
    resolveId: (id) => (id === SCENE ? `\0${SCENE}` : undefined),
    async load(id) {
      if (id !== `\0${SCENE}`) return undefined;
      // JSON has no infinity, and the strategy has three.
      const text = JSON.stringify((await firstScene()).result, (_, value: unknown) =>
        value === Infinity ? '∞' : value,
      );
      return `export const drawn = ${text.replaceAll('"∞"', 'Infinity')};`;
    },
  };
}
